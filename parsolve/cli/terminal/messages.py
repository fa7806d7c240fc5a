"""Messages on stderr and in the log: warnings, kernels that are compiled, tables that are built, a progress bar."""

import contextlib
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsolve.cli.terminal.log import log_event
from parsolve.cli.terminal.streams import write_line
from parsolve.puzzle import EngineName
from parsolve.search.progress import Progress
from parsolve.search.result import Result
from parsolve.search.watch import Listener
from parsolve.system.cachefolder import folder
from parsolve.text import clock, one_line, plural, time_left

if TYPE_CHECKING:
    from parsolve.cli.terminal.bar import Bar

REFRESH = 0.1
"""Seconds between two updates of the bar."""


class Messages(Listener):
    """Prints on stderr what a search tells. Logs the same as events.

    Args:
        name: of the puzzle or the job.
        quiet: print nothing but errors and warnings.
    """

    result: Result

    def __init__(self, name: str, quiet: bool = False) -> None:
        self.name = name
        self._quiet = quiet
        self._with_bar = not quiet and sys.stderr.isatty()
        self._bar: Bar | None = None
        self._told_compiling = False
        self._table = ""
        self._building_began = self._refreshed = 0.0

    def search_started(self, result: Result) -> None:
        self.result = result

    def warning_given(self, text: str) -> None:
        log_event("warning", name=self.name, text=text)
        self.write(text, always=True)

    def compilation_started(self, template: str) -> None:
        if not self._told_compiling:
            self._told_compiling = True
            self.write(f"compiling the kernel of {self.name} ({_kept()})")

    def table_progress_made(self, what: str, progress: Progress) -> None:
        if what != self._table:
            self.close_bar()
            self._table = what
            log_event("build", name=self.name, table=what)
            self.write(f"building the table of {what} ({_kept()})")
        self._show_layers(progress)

    def table_built(self, what: str, seconds: float) -> None:
        self.close_bar()
        log_event("built", name=self.name, table=what, seconds=seconds)

    def bound_changed(self, text: str) -> None:
        log_event("bound", name=self.name, text=text)
        self.write(text)

    def engine_chosen(self, engine: EngineName, text: str) -> None:
        self.close_bar()
        log_event("engine", name=self.name, engine=engine, text=text)
        self.write(text)

    def progress_made(self, progress: Progress) -> None:
        if not self._with_bar or progress.seconds < 0.2 or time.monotonic() < self._refreshed + REFRESH:
            return
        self._refreshed = time.monotonic()
        rate = f"{progress.nodes / progress.seconds / 1e6:.1f} M nodes/s"
        if progress.level is not None:
            left = f"at least {clock(progress.left_at_least or 0)}" if progress.left is None else clock(progress.left)
            after = [rate, f"{progress.waiting:,} nodes waiting", f"{left} left"]
            self._show_bar(progress.share, [f"level {progress.level}", f"{progress.share:6.1%}"], after)
            return
        left = time_left(progress.left, progress.left_at_most) or "?"
        about = f"limit {progress.limit}" if self.result.problem.has_cost else self.name
        found = plural(progress.found, "solution")
        self._show_bar(progress.share, [about, f"{progress.share:6.1%}"], [rate, found, f"{left} left"])

    def search_paused(self, why: str) -> None:
        log_event("waiting", name=self.name, why=why)
        self.write(why, always=True)

    def worker_lost(self, why: str) -> None:
        log_event("lost", name=self.name, why=why)
        self.write(f"{why}; its branches are searched again")

    def write(self, text: str, always: bool = False) -> None:
        """Print a line on stderr, above the bars."""
        if always or not self._quiet:
            with contextlib.suppress(OSError):  # no result is lost for a line beside it
                write_line(one_line(text))

    def _show_layers(self, progress: Progress) -> None:
        """Show how far a breadth-first search is."""
        if self._bar is None:
            self._building_began = time.monotonic()
        about = [f"depth {progress.limit}"]
        if progress.share:  # else the number of states is not known in advance
            about.append(f"{progress.share:6.1%}")
        elapsed = clock(time.monotonic() - self._building_began)
        self._show_bar(progress.share, about, [f"{progress.nodes:,} states", elapsed])

    def _show_bar(self, share: float, before: Sequence[str], after: Sequence[str]) -> None:
        if not self._with_bar:
            return
        if self._bar is None:
            from parsolve.cli.terminal.bar import Bar  # tqdm, which a short search needs not

            self._bar = Bar()
        self._bar.show(share, before, after)

    def _hide_bar(self) -> None:
        if self._bar is not None:
            self._bar.clear()

    def close_bar(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class GettingReady(Messages):
    """Tells what a command does before its own work, or how far it has explored a space.

    Args:
        name, quiet: see `Messages`.
        on_stop: what to do to resume a command that was stopped.
    """

    def __init__(self, name: str, on_stop: str = "", quiet: bool = False) -> None:
        super().__init__(name, quiet)
        self._on_stop = on_stop

    def progress_made(self, progress: Progress) -> None:
        self._show_layers(progress)

    def stopped(self) -> None:
        """Say that a signal has ended the command."""
        self.close_bar()
        self.write(f"stopped before the end{self._on_stop and f'; {self._on_stop}'}", always=True)


def _kept() -> str:
    return "once; kept for the next time" if folder() else "not kept"
