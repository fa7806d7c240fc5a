"""The player in a real browser: its buttons, its keys, its address, and the board against the engine's states."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from pages import entry
from samples import WALK

import parsolve
from parsolve.puzzle.core import Shape
from parsolve.puzzles import Peg, Polyominoes, Sliding
from parsolve.report.document import jobs_page

pytestmark = pytest.mark.nightly

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
            text = " " if key == "Space" else ""
            codes = {"Space": 32, "End": 35, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "h": 72}
            about = {"key": text or key, "code": key, "windowsVirtualKeyCode": codes[key]}
            self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **about)
            self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def view(self, width: int, height: int, media: str = "screen") -> None:
        """Set the size of the window, and what the page is for."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media)

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


BOARD = """
[...document.querySelectorAll('details[open] .stage use:not(.out)')].map((use) => {
  const look = document.querySelector(use.getAttribute('href'));
  return [look.querySelector('text')?.textContent ?? '', ...use.dataset.at.split(',').map(Number)];
})
"""


def as_read(shapes: Sequence[Shape]) -> list[list[object]]:
    """A state's shapes as `BOARD` reads them."""
    return sorted([[shape.text, round(shape.x, 3), round(shape.y, 3)] for shape in shapes], key=str)


@pytest.fixture(autouse=True)
def _sound(browser: Browser) -> Iterator[None]:
    """No script of a page fails, and nothing is fetched."""
    browser.errors.clear()
    browser.requests.clear()
    browser.view(1200, 900)
    browser.open("about:blank")
    yield
    assert browser.errors == []
    assert [each for each in browser.requests if not each.startswith(("file:", "about:"))] == []


@pytest.fixture
def pegs(browser: Browser, tmp_path: Path) -> list[parsolve.Solution]:
    """The page of two searches, opened; the solutions of the first."""
    path = tmp_path / "it.html"
    path.write_text(jobs_page("two", [entry("pegs & co", Peg(first="0-6")), entry("tiles", Sliding())]))
    browser.open(f"{path.as_uri()}#job=pegs+%26+co&solution=2&step=3")
    browser.wait("document.querySelector('.stage')")
    return parsolve.solve(Peg(first="0-6"), workers=1).solutions


def test_the_buttons_and_keys_show_the_engines_states(browser: Browser, pegs: list[parsolve.Solution]) -> None:
    def board() -> list[list[object]]:
        return sorted(browser.run(BOARD), key=str)

    def click(label: str) -> None:
        browser.run(f"document.querySelector('details[open] [aria-label=\"{label}\"]').click()")

    assert board() == as_read(pegs[1].pictures[3])
    browser.press("ArrowRight", "ArrowLeft", "ArrowRight", "ArrowLeft", "ArrowLeft")  # nothing has the focus
    assert board() == as_read(pegs[1].pictures[2])
    click("one step on")
    click("one step on")
    assert board() == as_read(pegs[1].pictures[4])
    assert "step=4" in browser.run("location.hash")
    click("last state")
    assert board() == as_read(pegs[1].pictures[-1])
    browser.press("ArrowLeft", "ArrowRight")
    said = browser.run("document.querySelector('details[open] [aria-live=polite].said').textContent")
    assert "moves" in said or "goes" in said  # who does not see the board hears what happens on it
    assert browser.run("document.querySelector('[aria-label=\"one step on\"]').disabled") is True
    click("first state")
    assert board() == as_read(pegs[1].pictures[0])
    browser.run("document.querySelector('.stage').closest('.player').querySelector('input').focus()")
    browser.press("ArrowRight", "ArrowRight", "ArrowLeft")
    assert board() == as_read(pegs[1].pictures[1])
    browser.press("ArrowDown", "End", "ArrowLeft")
    assert board() == as_read(pegs[2].pictures[-2])
    browser.press("ArrowUp", "ArrowUp")
    assert board() == as_read(pegs[0].pictures[0])
    scrub = "document.querySelector('input[type=range]')"
    browser.run(f"{scrub}.value = 5; {scrub}.dispatchEvent(new Event('input'))")
    assert board() == as_read(pegs[0].pictures[5])
    assert browser.run("document.querySelector('[role=status]').textContent").startswith(
        "solution 1 of 18, step 5 of 11"
    )
    browser.run("document.querySelector('[aria-label=speed]').value = 250")
    browser.run(f"{scrub}.value = 9; {scrub}.dispatchEvent(new Event('input'))")
    browser.run("document.querySelector('input[type=range]').focus()")
    browser.press("Space")
    assert browser.run("document.querySelector('.play').textContent") == "❚❚ pause"
    browser.wait("document.querySelector('.play').textContent === '▶ play'")
    assert board() == as_read(pegs[0].pictures[-1])


def test_a_link_opens_the_same_board(browser: Browser, pegs: list[parsolve.Solution]) -> None:
    browser.run("location.hash = 'job=pegs+%26+co&solution=18&step=7'")
    browser.wait("document.querySelector('[role=status]').textContent.includes('solution 18')")
    assert sorted(browser.run(BOARD), key=str) == as_read(pegs[17].pictures[7])
    current = "document.querySelector('.list [aria-current=true]').getAttribute('aria-label')"
    assert browser.run(current) == f"solution 18: {pegs[17].text}"
    browser.run("location.hash = 'job=pegs+%26+co&solution=999&step=-5'")
    browser.wait("document.querySelector('[role=status]').textContent.includes('solution 18 of 18, step 0')")
    browser.run("location.hash = 'job=nothing'")


def test_a_hint_shows_what_moves_next(browser: Browser, pegs: list[parsolve.Solution]) -> None:
    where = "document.querySelector('details[open] [role=status]').textContent"
    blinking = "[...document.querySelectorAll('.stage .hint')].map((use) => use.dataset.at).sort()"
    before, after = ({shape.name: shape for shape in pegs[1].pictures[step] if shape.name} for step in (3, 4))
    (gone,) = (before[name] for name in before.keys() - after.keys())
    (moved,) = (before[name] for name in after if before[name] != after[name])
    browser.press("h")
    browser.run("document.querySelector('[aria-label^=hint]').click()")
    assert browser.run(where) == f"hint: {moved.name} moves, {gone.name} goes"
    assert browser.run(blinking) == sorted(f"{shape.x:g},{shape.y:g}" for shape in (moved, gone))
    assert sorted(browser.run(BOARD), key=str) == as_read(pegs[1].pictures[3])  # it moves nothing
    browser.press("ArrowRight")
    assert (browser.run(blinking), "step 4 of 11" in browser.run(where)) == ([], True)
    browser.run("document.querySelector('[aria-label=\"last state\"]').click()")
    assert browser.run("document.querySelector('[aria-label^=hint]').disabled") is True


def test_a_printed_page_has_all_solutions_and_states(browser: Browser, pegs: list[parsolve.Solution]) -> None:
    buttons = "document.querySelectorAll('.list button').length"
    closed = "document.querySelectorAll('details:not([open])').length"
    jobs = "[...document.querySelectorAll('details.job')].map((job) => job.open)"
    assert (browser.run(buttons), browser.run(jobs)) == (4, [True, False])  # of the groups of the first two solutions
    browser.view(700, 1000, media="print")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert (browser.run(buttons), browser.run(closed)) == (18 + 40, 0)
    assert browser.run("document.querySelectorAll('.strip li').length") == 12 + 32
    hidden = "[...document.querySelectorAll('.stage')].every((stage) => stage.offsetHeight === 0)"
    assert browser.run(hidden)
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run(jobs) == [True, False]
    assert browser.run(closed) > 0


def test_a_tiling_opens_on_the_whole_board(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "tiling.html"
    path.write_text(jobs_page("tiling", [entry("tiling", Polyominoes())]))
    tilings = parsolve.solve(Polyominoes(), workers=1).solutions
    browser.open(path.as_uri())
    browser.wait("document.querySelector('.stage')")
    assert sorted(browser.run(BOARD), key=str) == as_read(tilings[0].pictures[-1])
    browser.press("ArrowLeft")
    browser.run("document.querySelector('[aria-label^=hint]').click()")  # what comes next is there, and blinks
    assert browser.run("document.querySelectorAll('.stage .hint').length") == 5
    browser.run("document.querySelectorAll('.list button')[1].click()")
    browser.wait("document.querySelectorAll('.out').length === 0")
    assert sorted(browser.run(BOARD), key=str) == as_read(tilings[1].pictures[-1])


def test_everything_has_a_name_and_fits_a_phone(browser: Browser, pegs: list[parsolve.Solution]) -> None:
    unnamed = """
    [...document.querySelectorAll('button, input, select, svg[role=img]')].filter((each) =>
      !(each.getAttribute('aria-label') ?? each.textContent).trim()).length
    """
    assert browser.run(unnamed) == 0
    for width in (360, 1200):
        browser.view(width, 800)
        assert browser.run("document.documentElement.scrollWidth <= innerWidth")
        small = "[...document.querySelectorAll('.bar button')].filter((each) => each.offsetHeight < 36).length"
        assert browser.run(small) == 0
    browser.view(1000, 800, media="print")
    assert browser.run("getComputedStyle(document.querySelector('.bar')).display") == "none"
    browser.view(700, 1000, media="print")  # a sheet, on which nothing scrolls
    assert browser.run(
        "document.querySelector('.wide table').scrollWidth <= document.querySelector('.wide').offsetWidth"
    )
    assert browser.run("getComputedStyle(document.querySelector('details.job')).breakInside") == "auto"


EVIL = f"""{WALK}
    def show(self, solution):
        return "</script><script>window.hurt = 1</script>"

    def render(self, state, moves):
        return "<img src=x onerror='window.hurt = 1'>" + str(state["place"])
"""
"""A puzzle whose texts are markup."""


def test_texts_of_a_puzzle_run_nothing(
    browser: Browser, run: Run, puzzle_file: Callable[..., Path], tmp_path: Path
) -> None:
    puzzle_file(EVIL)
    run("solve", "my_puzzle.py:Walk", "--journal", "evil.sqlite", "--workers", "1")
    run("report", "evil.sqlite", "-o", "evil.html", "--puzzle", "my_puzzle.py:Walk")
    browser.open((tmp_path / "evil.html").as_uri())
    browser.run("document.querySelector('[aria-label=\"one step on\"]').click()")
    assert browser.run("window.hurt") is None
    assert "<img src=x" in browser.run("document.querySelector('defs').textContent")


def test_the_player_of_a_notebook_runs_in_its_frame(browser: Browser, tmp_path: Path) -> None:
    found = parsolve.solve(Peg(first="0-6"), workers=1)
    path = tmp_path / "notebook.html"
    path.write_text(f'<!DOCTYPE html><meta charset="utf-8">{found._repr_html_()}')
    browser.open(path.as_uri())
    browser.run("document.querySelector('details').open = true")
    inside = "document.querySelector('iframe').contentDocument"
    browser.wait(f"{inside} && {inside}.querySelector('.stage')")
    browser.run(f"{inside}.querySelector('[aria-label=\"last state\"]').click()")
    where = browser.run(f"{inside}.querySelector('[role=status]').textContent")
    assert where == "solution 1 of 18, step 11 of 11, cost 7"
