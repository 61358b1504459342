"""A headless Chromium, driven as a person would: clicks at coordinates, typed text, a choice in a select.

with browsing("chromium", folder) as chromium:
    page = chromium.open("http://127.0.0.1:8000/")
    page.fill("textarea", "hello")
    page.click("button")
    page.wait_for_text("hello")
    assert page.complaints == []

It speaks the Chrome DevTools Protocol (chromedevtools.github.io/devtools-protocol) over one WebSocket, and each page
over a session of its own.
"""

from __future__ import annotations

import base64
import json
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

Json = dict[str, Any]

ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-proxy-server",
    "--password-store=basic",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-port=0",
)
PATIENCE = 60.0
"""Seconds to wait for what is certain to come; the limit only ends a test that hangs."""
PAUSE = 0.05
BETWEEN_PAGES = ("context", "navigat", "target closed")


class Refused(RuntimeError):  # noqa: N818 - the browser's answer, not a fault of ours
    """The browser does not carry out a command, or a script of the test threw."""


class Chromium:
    """A browser that runs. `open` returns a page of its own; the first answer to a command is waited for."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._number = 0
        self._pages: dict[str, Page] = {}

    def ask(self, method: str, parameters: Mapping[str, Any] | None = None, session: str | None = None) -> Json:
        """A command's result. Raises Refused with the browser's words."""
        self._number += 1
        message: Json = {"id": self._number, "method": method, "params": dict(parameters or {})}
        self._connection.send(json.dumps(message | ({"sessionId": session} if session else {})))
        while True:
            answer = self._take(PATIENCE)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise Refused(f"{method}: {answer['error']['message']}")
                return dict(answer["result"])

    def hear(self) -> None:
        """Takes in the events that have come by now."""
        with suppress(TimeoutError):
            while True:
                self._take(0)

    def _take(self, seconds: float) -> Json:
        message: Json = json.loads(self._connection.recv(seconds))
        page = self._pages.get(message.get("sessionId", ""))
        if page is not None and "method" in message:
            page.heard(message["method"], message["params"])
        return message

    def open(self, url: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> Page:
        """A new page, loaded; in CSS pixels."""
        target = self.ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = self._pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.ask(f"{domain}.enable")
        page.look(width=width, height=height, dark=dark)
        page.go(url)
        return page


class Page:
    def __init__(self, browser: Chromium, session: str) -> None:
        self._browser = browser
        self._session = session
        self._complaints: list[str] = []

    def ask(self, method: str, **parameters: Any) -> Json:
        return self._browser.ask(method, parameters, self._session)

    def close(self) -> None:
        self.ask("Page.close")

    # ---- what is broken ------------------------------------------------------------------------
    @property
    def complaints(self) -> list[str]:
        """Errors in the console, scripts that threw, requests that failed or were answered with an error."""
        self._browser.hear()
        return self._complaints

    def heard(self, event: str, said: Json) -> None:
        if event == "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            self._complaints.append(f"script: {details.get('exception', {}).get('description', details['text'])}")
        elif event == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning", "assert"):
            self._complaints.append(f"console: {[value.get('value') for value in said['args']]}")
        elif event == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
            self._complaints.append(f"log: {said['entry']['text']} {said['entry'].get('url', '')}".rstrip())
        # a page that is left cancels what it was asking for
        elif event == "Network.loadingFailed" and not said.get("canceled"):
            self._complaints.append(f"request: {said['errorText']}")
        elif event == "Network.responseReceived" and said["response"]["status"] >= 400:
            self._complaints.append(f"request: {said['response']['status']} from {said['response']['url']}")

    # ---- looking -------------------------------------------------------------------------------
    def look(self, *, width: int, height: int = 900, dark: bool = False) -> None:
        """The size of the window, and whether the person prefers dark pages."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])

    def go(self, url: str) -> None:
        answer = self.ask("Page.navigate", url=url)
        if "errorText" in answer:
            raise Refused(f"{url}: {answer['errorText']}")
        self.wait_for(f"document.readyState === 'complete' && location.href === {json.dumps(url)}")

    def run(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for. Raises Refused when it throws."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Refused(str(details.get("exception", {}).get("description", details["text"])))
        return answer["result"].get("value")

    def wait_for(self, script: str) -> Any:
        """The value of an expression as soon as it is a true one, however often the page loads anew meanwhile."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if found := self.run(script):
                    return found
            except Refused as refused:
                if not any(word in str(refused).lower() for word in BETWEEN_PAGES):
                    raise
            if time.monotonic() > end:
                raise TimeoutError(f"never true: {script}\nthe page:\n{self.text('body')[-3000:]}")
            time.sleep(PAUSE)

    def text(self, selector: str) -> str:
        """What a reader sees of an element; "" when there is none."""
        return str(self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def wait_for_text(self, text: str, selector: str = "body") -> None:
        found = f"document.querySelector({json.dumps(selector)})?.innerText.includes({json.dumps(text)})"
        self.wait_for(f"document.readyState === 'complete' && {found}")

    def screenshot(self, file: Path, *, whole: bool = True) -> None:
        """A PNG of the whole page, or of what the window shows."""
        picture = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(picture))

    # ---- acting --------------------------------------------------------------------------------
    def click(self, selector: str) -> None:
        """Brings the middle of an element into the window and presses the mouse there."""
        place = self.wait_for(_PLACE % json.dumps(selector))
        if not place["hit"]:
            raise Refused(f"something lies over {selector}: {place['top']}")
        at = {"x": place["x"], "y": place["y"], "button": "left", "clickCount": 1}
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=place["x"], y=place["y"])
        self.ask("Input.dispatchMouseEvent", type="mousePressed", **at)
        self.ask("Input.dispatchMouseEvent", type="mouseReleased", **at)

    def fill(self, selector: str, text: str) -> None:
        self.click(selector)
        self.ask("Input.insertText", text=text)
        written = self.run(f"document.querySelector({json.dumps(selector)}).value")
        if written != text:
            raise Refused(f"{selector} holds {written!r}")

    def choose(self, selector: str, option: str) -> None:
        """An option of a select, with the keys Home and Down."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{found}.focus()")
        steps = self.run(f"[...{found}.options].findIndex(each => each.text === {json.dumps(option)})")
        for name, code in (("Home", 36), *[("ArrowDown", 40)] * steps):
            for kind in ("rawKeyDown", "keyUp"):
                self.ask("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code)
        chosen = self.run(f"{found}.value")
        if chosen != option:
            raise Refused(f"{selector} stands at {chosen!r}")


_PLACE = """(() => {
  const found = document.querySelector(%s);
  if (!found || document.readyState !== "complete") return null;
  found.scrollIntoView({ block: "center", behavior: "instant" });
  const box = found.getBoundingClientRect();
  const x = box.x + box.width / 2, y = box.y + box.height / 2;
  const top = document.elementFromPoint(x, y);
  return { x, y, hit: !!top && (found.contains(top) || top.contains(found)), top: top?.outerHTML.slice(0, 200) };
})()"""


@contextmanager
def browsing(command: str, folder: Path) -> Iterator[Chromium]:
    """A browser with a profile of its own in `folder`, which reaches this machine's loopback address only."""
    folder.mkdir(parents=True)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [command, *ARGUMENTS, f"--user-data-dir={folder / 'profile'}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        with connect(_address(process, folder), max_size=None, compression=None) as connection:
            yield Chromium(connection)
    finally:
        # its other processes, in the group of ours too, end with the first one
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address(process: subprocess.Popen[bytes], folder: Path) -> str:
    """Where the browser listens: it writes its port and the path into a file once it does."""
    file, end = folder / "profile" / "DevToolsActivePort", time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < end:
        with suppress(FileNotFoundError, ValueError):
            port, path = file.read_text(encoding="ascii").split()
            return f"ws://127.0.0.1:{port}{path}"
        time.sleep(PAUSE)
    log = (folder / "log").read_text(encoding="utf-8", errors="replace")
    raise RuntimeError(f"the browser did not start:\n{log[-4000:]}")
