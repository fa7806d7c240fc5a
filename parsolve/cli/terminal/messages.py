"""What a search tells while it runs, on stderr and in the log: warnings, lost workers, a progress bar."""

import contextlib
import sys
import time
from typing import TYPE_CHECKING

from parsolve.cli.terminal.building import Building, building_message
from parsolve.cli.terminal.compiling import Compiling
from parsolve.cli.terminal.log import log_event
from parsolve.cli.terminal.streams import write_line
from parsolve.search.progress import Progress
from parsolve.search.result import Result
from parsolve.search.watch import Listener
from parsolve.system.activity import current as activity
from parsolve.text import one_line, plural, time_left

if TYPE_CHECKING:
    from parsolve.cli.terminal.bar import Bar

REFRESH = 0.1
"""Seconds between two updates of the bar."""

HEARTBEAT = 60.0
"""Seconds between two events of a running search in the log: who reads it sees that the search is alive."""


class Messages(Listener):
    """Prints what a search tells, on stderr: warnings, lost workers, a progress bar. Logs the same as events.

    Args:
        name: of the puzzle or the job.
        quiet: print nothing but errors and warnings.
    """

    result: Result

    def __init__(self, name: str, quiet: bool) -> None:
        self.name = name
        self._quiet = quiet
        self._bar: Bar | None = None
        self._building: Building | None = None
        self._refreshed = 0.0
        self._logged = time.monotonic()
        self._started = False
        self._with_bar = not quiet and sys.stderr.isatty()
        self._compiling = Compiling(name, self._with_bar, self.write)

    def search_started(self, result: Result) -> None:
        self.result = result

    def warning_given(self, text: str) -> None:
        log_event("warning", job=self.name, text=text)
        self.write(text, always=True)

    def compilation_started(self, template: str, seconds: float | None) -> None:
        self._compiling.show(template, seconds)

    def compilation_ended(self) -> None:
        self._compiling.close()

    def table_progress_made(self, what: str, progress: Progress) -> None:
        if self._building is None:
            self._building = Building(self._with_bar)
        if self._building.begins(what):
            log_event("build", job=self.name, table=what)
            self.write(building_message(what))
        self._building.show(progress)

    def table_built(self, what: str, seconds: float) -> None:
        if self._building is not None:
            self._building.close()
        log_event("built", job=self.name, table=what, seconds=seconds)

    def iteration_started(self, limit: int) -> None:
        if not self._started:
            activity.restart()  # getting ready does not count against --timeout
        self._started = True

    def progress_made(self, progress: Progress) -> None:
        if time.monotonic() >= self._logged + HEARTBEAT:
            self._logged = time.monotonic()
            known = {name: getattr(progress, name) for name in ("limit", "share", "nodes", "found", "seconds", "left")}
            log_event("progress", job=self.name, **known)
        if not self._with_bar or progress.seconds < 0.2 or time.monotonic() < self._refreshed + REFRESH:
            return
        self._refreshed = time.monotonic()
        if self._bar is None:
            from parsolve.cli.terminal.bar import Bar  # tqdm, which a short search needs not

            self._bar = Bar()
        left = time_left(progress.left, progress.left_at_most) or "?"
        about = f"limit {progress.limit}" if self.result.problem.has_cost else self.name
        rate = f"{progress.nodes / progress.seconds / 1e6:.1f} M nodes/s"
        found = plural(progress.found, "solution")
        self._bar.show(progress.share, [about, f"{progress.share:6.1%}"], [rate, found, f"{left} left"])

    def search_paused(self, why: str) -> None:
        log_event("waiting", job=self.name, why=why)
        self.write(why, always=True)

    def worker_lost(self, why: str) -> None:
        log_event("lost", job=self.name, why=why)
        self.write(f"{why}; its branches are searched again")

    def write(self, text: str, always: bool = False) -> None:
        """Print a line on stderr, above the bars."""
        if always or not self._quiet:
            with contextlib.suppress(OSError):  # no result is lost for a line beside it
                write_line(one_line(text))

    def _hide_bar(self) -> None:
        if self._bar is not None:
            self._bar.clear()

    def _close_bar(self) -> None:
        self._compiling.close()
        if self._building is not None:
            self._building.close()
        if self._bar is not None:
            self._bar.close()
            self._bar = None
