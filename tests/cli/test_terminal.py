"""What a terminal shows at any width: bars, their end by Ctrl-C, texts, tables."""

import io
import itertools
import sys
from typing import Any

import pytest

from parsolve.cli.commands.status import as_text, shown_of, summary
from parsolve.cli.process.signals import Stops
from parsolve.cli.searches.many import ManyReporter
from parsolve.cli.terminal import streams
from parsolve.cli.terminal.streams import Clean, StatusLine


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


def terminal_of(width: int, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Return a terminal of a width, on which a tenth of a minute passes between any two looks at the clock."""
    terminal, times = Terminal(width), itertools.count(100, 6)
    monkeypatch.setattr("sys.stderr", Clean(terminal))
    monkeypatch.setattr(streams, "columns", lambda: width)
    monkeypatch.setattr(streams, "status_line", StatusLine())
    monkeypatch.setattr("parsolve.cli.terminal.streams.time.monotonic", lambda: next(times))
    return terminal


@pytest.mark.parametrize("width", range(1, 130, 3))
def test_the_foot_fits_any_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = terminal_of(width, monkeypatch)
    streams.status_line.show(0.5, "limit 55  50.0%", "30.1 M nodes/s, 2 h 13 min left")
    assert seen.shown.endswith("left") == (width >= 51)
    assert seen.shown.count("█") == (0 if width < 58 else round((width - 52) / 2))
    assert width < 18 or seen.shown.startswith("limit 55  50.0%")
    seen.write("^C"[: max(0, width - 1)])
    print("stopped"[: width - 1], file=sys.stderr)
    assert (seen.shown, seen.column, streams.status_line.line) == ("", 0, "")


@pytest.mark.parametrize("width", [12, 24, 60, 120])
def test_a_batch_shows_what_is_done(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = terminal_of(width, monkeypatch)
    streams.status_line.show_batch(2, 4, "jobs", 0.0)
    assert "left" not in seen.shown  # the others may be much larger
    assert width < 24 or seen.shown.startswith("2 of 4 jobs")
    streams.status_line.show(0.0, "limit 5", "9 s left")
    assert width < 60 or seen.shown == "2 of 4 jobs, limit 5, 9 s left"
    streams.status_line.show_batch(3, None, "jobs", 0.0)
    assert width < 24 or seen.shown.startswith("3 jobs, ")  # nothing has been heard of the search for long
    streams.status_line.close()
    assert seen.shown == ""


def test_what_is_left_of_a_batch(capsys: pytest.CaptureFixture[str]) -> None:
    """Jobs that an earlier run has done are neither done now nor left."""
    reporter = ManyReporter("it", quiet=False, stops=Stops(), noun="job", total=10, done=4)
    for _ in range(3):
        reporter.add("solved")
    reporter.stopped()
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
