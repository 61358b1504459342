"""The guard of `conftest.py` itself."""

from __future__ import annotations

import socket

import pytest


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1"])
def test_an_address_that_is_not_this_machine_is_refused_before_anything_is_sent(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe, pytest.raises(RuntimeError, match="tried to reach"):
        probe.connect((host, 9))


def test_a_name_is_not_looked_up() -> None:
    with pytest.raises(RuntimeError, match=r"tried to reach planproof\.example"):
        socket.getaddrinfo("planproof.example", 443)


def test_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), timeout=5):
        pass
