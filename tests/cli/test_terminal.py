"""What a terminal shows at any width: bars, their end by Ctrl-C, texts, tables."""

import io
import itertools
from typing import Any

import pytest

from parsolve.cli.commands.status import as_text, shown_of, summary
from parsolve.cli.process.signals import Stops
from parsolve.cli.searches.many import Searches
from parsolve.cli.terminal import bar
from parsolve.cli.terminal.bar import Bar, BatchBar, line_of


class Terminal(io.StringIO):
    """A line of a terminal, which writes `^C` where the cursor stands.

    Attributes:
        column: where it stands.
        cells: what is seen.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.column, self.cells = 0, [" "] * width

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        for letter in text:
            assert letter in "\r\n" or self.column < len(self.cells), "the line wraps"
            if letter in "\r\n":
                self.column = 0
                if letter == "\n":
                    self.cells = [" "] * len(self.cells)
            else:
                self.cells[self.column] = letter
                self.column += 1
        return len(text)

    @property
    def shown(self) -> str:
        """The line that is seen."""
        return "".join(self.cells).rstrip()


def test_the_bar_fits_any_terminal() -> None:
    left = "2 h 13 min left"
    for columns in range(1, 130):
        line = line_of(["limit 55", " 12.3%"], ["30.1 M nodes/s", "1,234 solutions", left], columns, "#".__mul__)
        assert len(line) < max(columns, 2)
        assert ("#" * 6 in line) == (columns >= 75)
        assert columns <= len(left) + 2 or line.endswith(left)
        assert columns < 30 or "12.3%" in line
    assert line_of(["{x}"], ["{y}", "{z}"], 80, None) == "{x}, {y}, {z}"


@pytest.mark.parametrize("width", [20, 60, 80, 120])
def test_ctrl_c_leaves_a_clean_line(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(width)
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(bar, "columns", lambda: width)
    shown = Bar()
    assert terminal.shown == ""  # nothing before there is something to show
    shown.show(0.5, ["limit 55", " 50.0%"], ["30.1 M nodes/s", "9 s left"])
    assert terminal.shown.endswith("9 s left")
    assert ("|" in terminal.shown) == (width > 50)
    terminal.write("^C")
    Bar.write("stopped", file=terminal)
    shown.close()
    assert (terminal.shown, terminal.column) == ("", 0)


def test_a_batch_shows_what_is_done_at_any_width(monkeypatch: pytest.MonkeyPatch) -> None:
    for width in (12, 24, 60, 120):
        terminal = Terminal(width)
        monkeypatch.setattr("sys.stderr", terminal)
        monkeypatch.setattr(bar, "columns", lambda width=width: width)
        clock = itertools.count(0, 60)
        monkeypatch.setattr(bar.time, "monotonic", lambda clock=clock: next(clock))
        with BatchBar(4, 1, "jobs", visible=True) as shown:
            shown.update()
            shown.refresh()
            assert "left" not in terminal.shown  # the others may be much larger
            assert width < 24 or "2 of 4 jobs" in terminal.shown
        assert terminal.shown == ""


def test_what_is_left_of_a_batch(capsys: pytest.CaptureFixture[str]) -> None:
    """Jobs that an earlier run has done are neither done now nor left."""
    searches = Searches("it", quiet=False, stops=Stops(), noun="job", total=10, done=4)
    for _ in range(3):
        searches.add("solved")
    searches.stopped()
    assert capsys.readouterr().err.splitlines()[-1] == "stopped before the end: 3 of 6 jobs done (3 solved)"


def job(
    name: str, state: str = "solved", puzzle: str = "queens", left: float | None = 0.0, **more: object
) -> dict[str, Any]:
    """How far a job is, as `standing` gives it."""
    known = {
        "limit": None,
        "done": 1.0,
        "levels": None,
        "found_so_far": 1,
        "nodes": 10,
        "seconds": 3.0,
        "left_at_most": left,
    }
    return {"name": name, "puzzle": puzzle, "status": state, "left": left, "message": "", **known, **more}


def test_a_summary_of_jobs() -> None:
    rows = [job("a"), job("b", "none"), job("c", "more")]
    assert summary(rows) == "3 of 3 jobs done"
    assert summary(rows[:1]) == "1 of 1 job done"
    assert summary([*rows, job("d", "failed", left=None)]) == "3 of 4 jobs done, 1 failed"
    more = [*rows, job("d", "waiting", left=None), job("e", "waiting", left=None), job("f", "running", left=60.0)]
    assert summary(more) == "3 of 6 jobs done, 1 running, 2 waiting"
    assert summary([*rows, more[-1]]) == "3 of 4 jobs done, 1 running; 1:00 left"
    assert summary([*more, job("g", "stopped", left=None)]) == "3 of 7 jobs done, 1 running, 1 stopped, 2 waiting"
    assert summary([job("a", "waiting", left=None)]) == "0 of 1 job done, 1 waiting"
    assert summary([]) == "0 of 0 jobs done"


def test_of_many_jobs_those_that_have_begun_are_shown() -> None:
    rows = [job(f"a{number}") for number in range(28)]
    rows += [
        job("b", "failed", "/some/where/mine.py:It", message="no 'root'"),
        job("c", "stopped"),
        job("d", "waiting", left=None),
    ]
    assert [row["name"] for row in shown_of(rows)] == ["b", "c"]
    assert as_text(rows, shown_of(rows)).splitlines()[1:] == [
        "b     failed          100.0%          1     10  3.0 s  0.0 s",
        "c     stopped         100.0%          1     10  3.0 s  0.0 s",
        "b: no 'root'",
        "28 of 31 jobs done, 1 failed, 1 stopped, 1 waiting",
    ]
    assert len(shown_of(rows[:30])) == 30
