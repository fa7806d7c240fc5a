"""A headless Chromium, driven over a pipe by its DevTools protocol: nothing to install but the browser."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Browser:
    """One page of a headless browser.

    Attributes:
        errors: what scripts raised, and what the console calls an error.
        requests: the addresses that were fetched.
    """

    def __init__(self, program: str, folder: Path) -> None:
        self._commands, far_in = os.pipe()[::-1]
        far_out, self._answers = os.pipe()[::-1]
        self._folder = folder

        def hand_over() -> None:  # the browser reads its descriptor 3 and writes its descriptor 4
            os.dup2(far_in, 13)
            os.dup2(far_out, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        words = ["--headless", "--disable-gpu", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run"]
        self._process = subprocess.Popen(
            [program, *words, f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=hand_over,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(far_in)
        os.close(far_out)
        self._rest, self._number, self._session = b"", 0, ""
        self.errors: list[str] = []
        self.requests: list[str] = []
        target = next(each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> Any:
        """Call a method of the protocol; its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def open(self, address: str) -> None:
        """Go to an address and wait until it is loaded."""
        self.call("Page.navigate", url=address)
        page = json.dumps(address.partition("#")[0])  # the page may write another fragment
        self.wait(f"document.readyState === 'complete' && location.href.split('#')[0] === {page}")

    def run(self, script: str) -> Any:
        """Evaluate a script in the page; its value."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, condition: str, seconds: float = 10) -> None:
        """Wait until a script is true."""
        script = (
            f"new Promise((done) => {{ const end = Date.now() + {1000 * seconds}; const look = () => {{"
            f" if ({condition}) done(true); else if (Date.now() > end) done(false); else setTimeout(look, 20) }};"
            " look() })"
        )
        assert self.run(script), condition

    def press(self, *keys: str) -> None:
        """Press keys, such as ArrowRight."""
        for key in keys:
            text = {"Enter": "\r", "Space": " "}.get(key, "")
            name = " " if key == "Space" else key
            codes = {"Enter": 13, "Space": 32, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39}
            codes |= {"ArrowDown": 40, "Home": 36, "End": 35, "h": 72}
            about = {"key": name, "code": key, "windowsVirtualKeyCode": codes[key]}
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **about)
            self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def view(self, width: int, height: int, dark: bool = False, media: str = "screen") -> None:
        """Set the size of the window, and the colours that the page is asked to use."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[feature])

    def close(self) -> None:
        """End the browser."""
        self._session = ""
        with contextlib.suppress(OSError, AssertionError):
            self.call("Browser.close")
        for descriptor in (self._commands, self._answers):
            os.close(descriptor)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            piece = os.read(self._answers, 1 << 16)
            assert piece, "the browser has ended"
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        about = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.errors.append(str(about["exceptionDetails"]))
            case "Log.entryAdded" if about["entry"]["level"] == "error":
                self.errors.append(about["entry"]["text"])
            case "Network.requestWillBeSent":
                self.requests.append(about["request"]["url"])
        return message


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of a module; they are skipped where there is none."""
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is installed")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        found = Browser(program, Path(folder))
        yield found
        found.close()
