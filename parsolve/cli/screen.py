"""A search's progress on stderr and in the log."""

import contextlib
import os
import sys
import time
from typing import Any

from tqdm import tqdm

from parsolve.activity import current as activity
from parsolve.cli.building import Building, building_message
from parsolve.cli.log import log_event
from parsolve.parameters import values_of
from parsolve.problem import Problem
from parsolve.puzzle import Puzzle, Want
from parsolve.search.listener import Listener
from parsolve.search.progress import Progress
from parsolve.search.result import Iteration, Result
from parsolve.text import one_line, plural, time_left

tqdm.monitor_interval = 0  # no thread of its own: bars are refreshed by hand

REFRESH = 0.1
"""Seconds between two updates of the bar."""


class Screen(Listener):
    """Prints how one search goes, on stderr: its limits, a progress bar, its result. Logs the same as events.

    Args:
        name: of the puzzle or the job.
        puzzle: what is searched.
        want: `all`, `count` or `first`.
        quiet: print nothing but errors and warnings.
    """

    def __init__(self, name: str, puzzle: Puzzle, want: Want, quiet: bool) -> None:
        self.name, self.puzzle, self.want = name, puzzle, want
        self.found = Result(Problem(puzzle, want), want, 0)
        self._quiet = quiet
        self._bar: tqdm[Any] | None = None
        self._building: Building | None = None
        self._refreshed = 0.0
        self._started = False
        self._with_bar = not quiet and sys.stderr.isatty()

    def attach(self, found: Result) -> None:
        self.found = found
        about = {"puzzle": type(self.puzzle).__name__, "parameters": values_of(self.puzzle), "want": self.want}
        log_event("start", job=self.name, **about, workers=found.workers, process=os.getpid())

    def warning(self, text: str) -> None:
        log_event("warning", job=self.name, text=text)
        self.write(text)

    def compiling(self) -> None:
        from parsolve.kernel.cache import compiling_message  # numba, which is loaded by now

        self.write(compiling_message(self.name))

    def building(self, what: str, progress: Progress) -> None:
        if self._building is None:
            self._building = Building(self._with_bar)
        if self._building.begins(what):
            log_event("build", job=self.name, table=what)
            self.write(building_message(what))
        self._building.show(progress)

    def built(self, what: str, seconds: float) -> None:
        if self._building is not None:
            self._building.close()
        log_event("built", job=self.name, table=what, seconds=seconds)

    def began(self, limit: int) -> None:
        if not self._started:
            activity.restart()  # getting ready does not count against --timeout
        self._started = True

    def progress(self, progress: Progress) -> None:
        if not self._with_bar or progress.seconds < 0.2 or time.monotonic() < self._refreshed + REFRESH:
            return
        self._refreshed = time.monotonic()
        if self._bar is None:
            self._bar = tqdm(total=1.0, file=sys.stderr, leave=False, dynamic_ncols=True)
        left = time_left(progress.left, progress.left_at_most) or "?"
        rate = progress.nodes / progress.seconds / 1e6
        about = f"limit {progress.limit}" if self.found.problem.has_cost else self.name
        state = f"{rate:.1f} M nodes/s, {plural(progress.found, 'solution')}, {left} left"
        name = about.replace("{", "{{").replace("}", "}}")
        self._bar.bar_format = f"{name} {{percentage:5.1f}}%|{{bar}}| {state}"
        self._bar.n = progress.share
        self._bar.refresh()

    def ended(self, iteration: Iteration) -> None:
        self._close_bar()
        log_event("limit", job=self.name, **vars(iteration))
        if not self.found.problem.has_cost:  # the one limit; the last line has the same figures
            return
        self.write(
            f"limit {iteration.limit}: {plural(iteration.solutions, 'solution')},"
            f" {plural(iteration.nodes, 'node')}, {iteration.seconds:.3f} s"
        )

    def waiting(self, why: str) -> None:
        log_event("waiting", job=self.name, why=why)
        self.write(why, always=True)

    def resumed(self, share: float) -> None:
        log_event("resume", job=self.name, share=share)
        self.write(f"resuming an earlier run: {share:.1%} of this limit is done")

    def lost(self, why: str) -> None:
        log_event("lost", job=self.name, why=why)
        self.write(f"{why}; its branches are searched again")

    def finished(self) -> None:
        """Report the result of a finished search."""
        found = self.found
        self._end(found.status)
        if found.status == "none":
            self.write("no solution")
        elif found.count is None:
            self.write(f"the first solution{self._effort()}")
        else:
            self.write(f"{plural(found.count, 'solution')}{self._effort()}")

    def stopped(self, why: str = "interrupted") -> None:
        """Report what is known so far, after a signal or a guard has ended the search."""
        found = self.found
        self._end("stopped", message=why)
        known = (
            f"{plural(found.found_so_far, 'solution')} found so far" if found.found_so_far else "no solution found yet"
        )
        limit = f", limits up to {found.iterations[-1].limit} finished" if found.iterations else ""
        self.write(f"stopped before the end: {known}{limit}", always=True)

    def failed(self, why: str) -> None:
        """Log that the search has failed; the caller prints why."""
        self._end("failed", message=why)

    def write(self, text: str, always: bool = False) -> None:
        """Print a line on stderr, above the bars."""
        if always or not self._quiet:
            with contextlib.suppress(OSError):  # no result is lost for a line beside it
                tqdm.write(one_line(text), file=sys.stderr)

    def _end(self, status: str, **more: str) -> None:
        self._close_bar()
        found = self.found
        known = {name: getattr(found, name) for name in ("cost", "count", "found_so_far", "nodes", "seconds")}
        log_event("end", job=self.name, status=status, **known, **more)

    def _effort(self) -> str:
        found = self.found
        cost = "" if found.cost is None else f" of cost {found.cost}"
        return f"{cost}: {plural(found.nodes, 'node')}, {found.seconds:.3f} s, {plural(found.workers, 'worker')}"

    def _hide_bar(self) -> None:
        if self._bar is not None:
            self._bar.clear()

    def _close_bar(self) -> None:
        if self._building is not None:
            self._building.close()
        if self._bar is not None:
            self._bar.close()
            self._bar = None
