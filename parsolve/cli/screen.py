"""What a search shows: results on stdout, progress on stderr."""

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from tqdm import tqdm

from parsolve.cli.log import Log
from parsolve.engine.found import Found, Iteration
from parsolve.engine.progress import Progress
from parsolve.engine.report import Report
from parsolve.puzzle import Puzzle, Want, ask, parameters
from parsolve.words import plural

EVERY = 0.1
"""Seconds between two looks of the bar at the progress."""


class Screen(Report):
    """Prints a search as it runs: the solutions as they come, then the sum, as text or as one JSON object.

    Args:
        source: the puzzle's name.
        puzzle: what is searched.
        want: `all`, `count` or `first`.
        as_json: one JSON object on stdout.
        quiet: nothing on stderr but errors.
        boards: draw the states along each solution below it.
        check: called between two slices; raises to stop the search.
        log: where what happens is written.
    """

    def __init__(
        self,
        source: str,
        puzzle: Puzzle,
        want: Want,
        as_json: bool,
        quiet: bool,
        boards: bool,
        check: Callable[[], None],
        log: Log,
    ) -> None:
        self._source, self._puzzle, self._want = source, puzzle, want
        self._as_json, self._quiet = as_json, quiet
        self._boards = boards
        self._check = check
        self._log = log
        self._found: Found | None = None
        self._printed = 0
        self._opened = False
        self._lock = threading.Lock()  # the watching thread of `signals` may write the end
        self._bar: tqdm[Any] | None = None
        self._shown = 0.0
        self._showing = not quiet and sys.stderr.isatty()

    def attach(self, found: Found) -> None:
        self._found = found
        self._log.write(
            "start",
            puzzle=self._source,
            parameters=parameters(self._puzzle),
            want=self._want,
            workers=found.workers,
            process=os.getpid(),
        )

    # While it runs.

    def caution(self, text: str) -> None:
        self._say(text)

    def compiling(self) -> None:
        self._say(f"compiling the kernel of {self._source} (once; kept for the next time)")

    def progress(self, progress: Progress) -> None:
        self._check()
        with self._lock:
            sys.stdout.flush()
        if not self._showing or progress.seconds < 0.2 or time.monotonic() < self._shown + EVERY:
            return
        self._shown = time.monotonic()
        if self._bar is None:
            self._bar = tqdm(
                total=1.0,
                file=sys.stderr,
                leave=False,
                dynamic_ncols=True,
                bar_format="{desc} {percentage:5.1f}%|{bar}| {postfix}",
            )
        left = "?" if progress.left is None else tqdm.format_interval(progress.left)
        rate = progress.nodes / progress.seconds / 1e6
        about = f"limit {progress.limit}" if self._puzzle.has_cost else self._source
        self._bar.set_description_str(about, refresh=False)
        self._bar.set_postfix_str(
            f"{rate:.1f} M nodes/s, {plural(progress.found, 'solution')}, {left} left", refresh=False
        )
        self._bar.n = progress.share
        self._bar.refresh()

    def ended(self, iteration: Iteration) -> None:
        self._close_bar()
        self._log.write("limit", puzzle=self._source, **vars(iteration))
        if not self._puzzle.has_cost:  # the one limit; the last line tells the same
            return
        self._say(
            f"limit {iteration.limit}: {plural(iteration.solutions, 'solution')},"
            f" {plural(iteration.nodes, 'node')}, {iteration.seconds:.3f} s"
        )

    def look(self) -> None:
        self._check()

    def waiting(self, why: str) -> None:
        self._say(why, always=True)

    def resumed(self, share: float) -> None:
        self._log.write("resume", puzzle=self._source, share=share)
        self._say(f"going on where an earlier run stopped: {share:.1%} of this limit is done")

    def lost(self, why: str) -> None:
        self._log.write("lost", puzzle=self._source, why=why)
        self._say(f"{why}; its branches are searched again")

    def print_solution(self, moves: tuple[int, ...]) -> None:
        """Print the next solution."""
        text = str(ask(self._puzzle, "show", moves))
        if self._boards:
            text += f"\n{ask(self._puzzle, 'draw', moves)}\n"
        with self._lock:
            if self._as_json:
                self._open_json()
                sys.stdout.write(("," if self._printed else "") + "\n    " + json.dumps(text))
            else:
                self._hide_bar()
                sys.stdout.write(text + "\n")
            self._printed += 1

    # The end.

    def finished(self) -> None:
        """The search has come to its end."""
        found = self._found
        assert found is not None
        self._close_bar()
        with self._lock:
            if self._as_json:
                self._close_json(found)
            elif self._want == "count":
                print(found.count)
            sys.stdout.flush()
        self.summed_up()

    def title(self) -> None:
        """Say what is about to be searched."""
        self._say(f"{self._source}:")

    def summed_up(self) -> None:
        """Say what the search has come to."""
        found = self._found
        assert found is not None
        self._close_bar()
        self._write_end(found)
        if found.status == "none":
            self._say("no solution")
        elif found.count is None:
            self._say(f"the first solution{self._effort(found)}")
        else:
            self._say(f"{plural(found.count, 'solution')}{self._effort(found)}")

    def stopped(self) -> None:
        """A signal has ended the search: say what is known so far."""
        self._close_bar()
        with self._lock:
            found = self._found or Found(self._puzzle, self._want, 0)
            if self._as_json:
                self._close_json(found)
            sys.stdout.flush()
        self._write_end(found)
        known = (
            f"{plural(found.found_so_far, 'solution')} found so far" if found.found_so_far else "no solution found yet"
        )
        limit = f", limits up to {found.iterations[-1].limit} finished" if found.iterations else ""
        self._say(f"stopped before the end: {known}{limit}", always=True)

    def failed(self) -> None:
        """The search has failed; the error is told by others."""
        self._close_bar()
        with self._lock:
            if self._as_json and self._opened:
                self._close_json(self._found or Found(self._puzzle, self._want, 0))
            sys.stdout.flush()

    def _write_end(self, found: Found) -> None:
        self._log.write(
            "end",
            puzzle=self._source,
            status=found.status,
            cost=found.cost,
            count=found.count,
            found_so_far=found.found_so_far,
            nodes=found.nodes,
            seconds=found.seconds,
        )

    def _effort(self, found: Found) -> str:
        cost = "" if found.cost is None else f" of cost {found.cost}"
        return f"{cost}: {plural(found.nodes, 'node')}, {found.seconds:.3f} s, {plural(found.workers, 'worker')}"

    def _open_json(self) -> None:
        if not self._opened:
            self._opened = True
            head = {"puzzle": self._source, "parameters": parameters(self._puzzle)}
            sys.stdout.write(json.dumps(head, indent=2)[:-2])
            sys.stdout.write("" if self._want == "count" else ',\n  "solutions": [')

    def _close_json(self, found: Found) -> None:
        self._open_json()
        rest: dict[str, Any] = {
            "status": found.status,
            "cost": found.cost,
            "count": found.count,
            "found_so_far": found.found_so_far,
            "iterations": [vars(each) | {"seconds": round(each.seconds, 6)} for each in found.iterations],
            "nodes": found.nodes,
            "seconds": round(found.seconds, 6),
            "setup_seconds": round(found.setup_seconds, 6),
            "workers": found.workers,
        }
        closing = "" if self._want == "count" else "\n  ]" if self._printed else "]"
        sys.stdout.write(f"{closing},\n" + json.dumps(rest, indent=2)[2:] + "\n")

    def _say(self, text: str, always: bool = False) -> None:
        if always or not self._quiet:
            self._hide_bar()
            with contextlib.suppress(OSError):  # what is said beside the results is not worth losing them
                print(text, file=sys.stderr, flush=True)

    def _hide_bar(self) -> None:
        if self._bar is not None:
            self._bar.clear()

    def _close_bar(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
