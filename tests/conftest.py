"""No test reaches beyond this machine: whatever tries to connect to another address fails."""

from __future__ import annotations

import ipaddress
import sys

_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1", ""})


def _refuse_what_is_not_loopback(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        # a path is a Unix socket
        host = address[0] if isinstance(address, tuple) and address else None
    else:
        return
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if isinstance(host, str) and not _is_local(host):
        raise RuntimeError(f"a test tried to reach {host}")


def _is_local(host: str) -> bool:
    if host in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


# an audit hook cannot be taken away again, which is as it should be here
sys.addaudithook(_refuse_what_is_not_loopback)
