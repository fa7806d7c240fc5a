"""What a search shows while it runs, on stderr and in the log."""

import contextlib
import os
import sys
import time
from typing import Any

from tqdm import tqdm

from parsolve.activity import current as activity
from parsolve.cli.log import Log
from parsolve.parameters import values_of
from parsolve.problem import Problem
from parsolve.puzzle import Puzzle, Want
from parsolve.search.listener import Listener
from parsolve.search.progress import Progress
from parsolve.search.result import Iteration, Result
from parsolve.text import one_line, plural, time_left

tqdm.monitor_interval = 0  # no thread of its own: bars are refreshed by hand

EVERY = 0.1
"""Seconds between two looks of the bar at the progress."""


class Screen(Listener):
    """Tells of one search: its limits, a progress bar, and what it has come to.

    Args:
        name: of the puzzle or the job.
        puzzle: what is searched.
        want: `all`, `count` or `first`.
        quiet: nothing on stderr but errors.
        log: where what happens is written.
    """

    def __init__(self, name: str, puzzle: Puzzle, want: Want, quiet: bool, log: Log) -> None:
        self.name, self.puzzle, self.want = name, puzzle, want
        self.found = Result(Problem(puzzle, want), want, 0)
        self._quiet, self._log = quiet, log
        self._bar: tqdm[Any] | None = None
        self._shown = 0.0
        self._begun = False
        self._showing = not quiet and sys.stderr.isatty()

    def attach(self, found: Result) -> None:
        self.found = found
        about = {"puzzle": type(self.puzzle).__name__, "parameters": values_of(self.puzzle), "want": self.want}
        self._log.write("start", job=self.name, **about, workers=found.workers, process=os.getpid())

    # While it runs.

    def caution(self, text: str) -> None:
        self._log.write("caution", job=self.name, text=text)
        self.say(text)

    def compiling(self) -> None:
        from parsolve.kernel.cache import compiling_message  # numba, which is loaded by now

        self.say(compiling_message(self.name))

    def began(self, limit: int) -> None:
        if not self._begun:
            activity.restart()  # getting ready does not count
        self._begun = True

    def progress(self, progress: Progress) -> None:
        if not self._showing or progress.seconds < 0.2 or time.monotonic() < self._shown + EVERY:
            return
        self._shown = time.monotonic()
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
        self._log.write("limit", job=self.name, **vars(iteration))
        if not self.found.problem.has_cost:  # the one limit; the last line tells the same
            return
        self.say(
            f"limit {iteration.limit}: {plural(iteration.solutions, 'solution')},"
            f" {plural(iteration.nodes, 'node')}, {iteration.seconds:.3f} s"
        )

    def waiting(self, why: str) -> None:
        self._log.write("waiting", job=self.name, why=why)
        self.say(why, always=True)

    def resumed(self, share: float) -> None:
        self._log.write("resume", job=self.name, share=share)
        self.say(f"going on where an earlier run stopped: {share:.1%} of this limit is done")

    def lost(self, why: str) -> None:
        self._log.write("lost", job=self.name, why=why)
        self.say(f"{why}; its branches are searched again")

    # The end.

    def finished(self) -> None:
        """Listener the result of a finished search."""
        found = self.found
        self._end(found.status)
        if found.status == "none":
            self.say("no solution")
        elif found.count is None:
            self.say(f"the first solution{self._effort()}")
        else:
            self.say(f"{plural(found.count, 'solution')}{self._effort()}")

    def stopped(self, why: str = "interrupted") -> None:
        """A signal or a guard has ended the search: say what is known so far."""
        found = self.found
        self._end("stopped", message=why)
        known = (
            f"{plural(found.found_so_far, 'solution')} found so far" if found.found_so_far else "no solution found yet"
        )
        limit = f", limits up to {found.iterations[-1].limit} finished" if found.iterations else ""
        self.say(f"stopped before the end: {known}{limit}", always=True)

    def failed(self, why: str) -> None:
        """The search has failed; the user is told why by others."""
        self._end("failed", message=why)

    def say(self, text: str, always: bool = False) -> None:
        """A line on stderr, above the bars."""
        if always or not self._quiet:
            with contextlib.suppress(OSError):  # what is said beside the results is not worth losing them
                tqdm.write(one_line(text), file=sys.stderr)

    def _end(self, status: str, **more: str) -> None:
        self._close_bar()
        found = self.found
        known = {name: getattr(found, name) for name in ("cost", "count", "found_so_far", "nodes", "seconds")}
        self._log.write("end", job=self.name, status=status, **known, **more)

    def _effort(self) -> str:
        found = self.found
        cost = "" if found.cost is None else f" of cost {found.cost}"
        return f"{cost}: {plural(found.nodes, 'node')}, {found.seconds:.3f} s, {plural(found.workers, 'worker')}"

    def _hide_bar(self) -> None:
        if self._bar is not None:
            self._bar.clear()

    def _close_bar(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
