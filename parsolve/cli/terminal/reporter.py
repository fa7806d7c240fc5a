"""How a command and its searches go: each event in the log, and what a person wants to know of it on stderr."""

import os
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from parsolve.cli.terminal.log import log_event
from parsolve.cli.terminal.streams import status_line, write_line
from parsolve.problem.replay import Solution
from parsolve.puzzle.core import EngineName
from parsolve.puzzle.parameters import values_of
from parsolve.search.progress import Progress
from parsolve.search.result import Iteration, Result
from parsolve.search.watch import Listener, Watch
from parsolve.system.cachefolder import folder
from parsolve.text import clock, plural, time_left

if TYPE_CHECKING:
    from parsolve.cli.pages import SearchPage
    from parsolve.cli.process.signals import Stops
    from parsolve.cli.terminal.printers import Printer

EVERY, PAUSE = 100, 1.0
"""Limits that are all shown; of further ones without solutions, one every some seconds."""


class Reporter(Listener):
    """Reports what a command does before its own work, how far it has explored a space, or how many searches go.

    Attributes:
        name: of the puzzle or the job.
        result: of the present search, if any.
        resume_hint: what to do to resume a command that was stopped.
    """

    result: Result | None = None

    def __init__(self, name: str, quiet: bool = False, resume_hint: str = "") -> None:
        self.name, self.resume_hint = name, resume_hint
        self._quiet = quiet
        self._has_status_line = not quiet and sys.stderr.isatty()
        self._has_said_compiling = False
        self._table, self._began = "", time.monotonic()

    def begin(self, stops: "Stops", max_memory: int | None = None, on_solution: Any = None) -> Watch:
        """Begin a command: let `stops` end it by the watch that this returns, and let them have it said here."""
        stops.on_stop = self.stopped
        return Watch(self, stops.check, max_memory, on_solution)

    def report(self, event: str, line: str = "", always: bool = False, /, **about: Any) -> None:
        """Log an event, and print a line about it, if there is something to say."""
        log_event(event, name=self.name, **about)
        if line:
            self.write(line, always)

    def search_started(self, result: Result) -> None:
        self.result = result

    def warning_given(self, text: str) -> None:
        self.report("warning", text, True, text=text)

    def compilation_started(self, template: str) -> None:
        if not self._has_said_compiling:
            self._has_said_compiling = True
            self.write(f"compiling the kernel of {self.name} ({_kept()})")

    def table_progress_made(self, what: str, progress: Progress) -> None:
        if what != self._table:
            self._table, self._began = what, time.monotonic()
            self.report("build", f"building the table of {what} ({_kept()})", table=what)
        self._show_levels(progress)

    def table_built(self, what: str, seconds: float) -> None:
        status_line.erase()
        self.report("built", table=what, seconds=seconds)

    def bound_changed(self, text: str) -> None:
        self.report("bound", text, text=text)

    def engine_chosen(self, engine: EngineName, text: str) -> None:
        status_line.erase()
        self.report("engine", text, engine=engine, text=text)

    def progress_made(self, progress: Progress) -> None:
        if self.result is None:
            self._show_levels(progress)
            return
        if not self._has_status_line or progress.seconds < 0.2:
            return
        rate = f"{progress.nodes / progress.seconds / 1e6:.1f} M nodes/s"
        if progress.level is not None:
            left = f"at least {clock(progress.left_at_least or 0)}" if progress.left is None else clock(progress.left)
            about, known = f"level {progress.level}", f"{progress.waiting:,} nodes waiting"
        else:
            left = time_left(progress.left, progress.left_at_most) or "?"
            about = f"limit {progress.limit}" if self.result.problem.has_cost else self.name
            known = plural(progress.found, "solution")
        status_line.show(progress.share, f"{about} {progress.share:6.1%}", f"{rate}, {known}, {left} left")

    def search_paused(self, why: str) -> None:
        self.report("waiting", why, True, why=why)

    def worker_lost(self, why: str) -> None:
        self.report("lost", f"{why}; its branches are searched again", why=why)

    def stopped(self) -> None:
        """Say that a signal has ended the command."""
        status_line.erase()
        self.write(f"stopped before the end{self.resume_hint and f'; {self.resume_hint}'}", always=True)

    def write(self, text: str, always: bool = False) -> None:
        """Print a line on stderr."""
        if always or not self._quiet:
            write_line(text)

    def _show_levels(self, progress: Progress) -> None:
        """Show how far a breadth-first search is."""
        if self._has_status_line:
            share = f" {progress.share:6.1%}" if progress.share else ""  # else the number of states is not yet known
            elapsed = clock(time.monotonic() - self._began)
            status_line.show(progress.share, f"depth {progress.limit}{share}", f"{progress.nodes:,} states, {elapsed}")


class SearchReporter(Reporter):
    """Reports how one search goes: its limits, a progress bar, its result with a hint about the number of solutions,
    what its printer, if any, prints on stdout, and its page, if one is wanted. `result` is set before it begins."""

    result: Result
    page: "SearchPage | None" = None

    def __init__(
        self, name: str, quiet: bool, resume_hint: str = "", hint: str = "", printer: "Printer | None" = None
    ) -> None:
        super().__init__(name, quiet, resume_hint)
        self._hint, self._printer = hint and f"; {hint}", printer
        self._limits, self._limit_shown = 0, 0.0

    def search_started(self, result: Result) -> None:
        super().search_started(result)
        puzzle = result.problem.given
        about = {"puzzle": type(puzzle).__name__, "parameters": values_of(puzzle), "want": result.want}
        self.report("start", **about, workers=result.workers, process=os.getpid())

    def print_solution(self, moves: tuple[int, ...]) -> None:
        """Print the next solution."""
        if self.page is not None:
            self.page.add(moves)
        if self._printer is not None:
            self._printer.print_solution(Solution(moves, self.result.problem), self.result.slack)

    def progress_made(self, progress: Progress) -> None:
        if self._printer is not None:
            sys.stdout.flush()
        super().progress_made(progress)

    def iteration_finished(self, iteration: Iteration) -> None:
        status_line.erase()
        self.report("limit", **iteration.to_dict())
        if not self.result.problem.has_cost:  # the one limit; the last line has the same figures
            return
        self._limits += 1
        now = time.monotonic()
        if self._limits > EVERY and now < self._limit_shown + PAUSE and not iteration.solutions:
            return
        self._limit_shown = now
        at_least = "at least " if iteration.solutions and self.result.is_cut else ""
        self.write(
            f"limit {iteration.limit}: {at_least}{plural(iteration.solutions, 'solution')},"
            f" {plural(iteration.nodes, 'node')}, {iteration.seconds:.3f} s"
        )

    def search_resumed(self, share: float) -> None:
        self.report("resume", f"resuming an earlier run: {share:.1%} of this limit is done", share=share)

    def finished(self) -> None:
        """Report the result of a finished search."""
        result, hint = self.result, self._hint
        self._end(result.status)
        part = f"part {result.part}: " if result.part else ""
        if result.status == "none":
            self.write(f"no solution: {result.message}" if result.message else f"{part}no solution{hint}")
        elif result.status == "more":
            self.write(f"more than {plural(result.at_most or 0, 'solution')}{self._effort()}{hint}")
        elif result.count is None:
            which = "the first solution" if result.want == "first" else "a solution"
            self.write(f"{which}{self._effort()}")
        else:
            self.write(f"{part}{plural(result.count, 'solution')}{self._effort()}{hint}")

    def stopped(self, why: str = "interrupted") -> None:
        """Report what is known so far, after a signal or a guard has ended the search."""
        result = self.result
        self._end("stopped", message=why)
        found = result.found_so_far
        known = f"{plural(found, 'solution')} found so far" if found else "no solution found yet"
        limit = f", limits up to {result.iterations[-1].limit} finished" if result.iterations else ""
        self.write(f"stopped before the end: {known}{limit}{self.resume_hint and f'; {self.resume_hint}'}", always=True)

    def write_page(self, why: str = "") -> None:
        """Write the page, if there is one, also of a search that was stopped, and why it was."""
        if self.page is not None:
            self.page.write(replace(self.result, message=why) if why else self.result)

    def failed(self, why: str) -> None:
        """Log that the search has failed; the caller prints why."""
        self._end("failed", message=why)

    def _end(self, status: str, **more: str) -> None:
        status_line.erase()
        result = self.result
        if self._printer is not None:
            self._printer.end(result, status)
        known = {name: getattr(result, name) for name in ("cost", "count", "found_so_far", "nodes", "seconds")}
        self.report("end", status=status, **known, **more)

    def _effort(self) -> str:
        result = self.result
        cost = "" if result.cost is None else f" of cost {result.cost}"
        cost += f" to {result.cost + result.slack}" if result.cost is not None and result.slack else ""
        cost += "" if result.is_cheapest else ", which may not be the cheapest"
        return f"{cost}: {plural(result.nodes, 'node')}, {result.seconds:.3f} s, {plural(result.workers, 'worker')}"


def _kept() -> str:
    return "once; kept for the next time" if folder() else "not kept"
