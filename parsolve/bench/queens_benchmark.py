"""Measure how long counting N queens takes: every method, size and number of workers, in turns."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from parsolve.bench.markdown import Spread, spread
from parsolve.bench.sizes import SMALLEST, size_for
from parsolve.compiler.cache import reporting_to
from parsolve.deepening.searcher import Searcher
from parsolve.engines import run
from parsolve.errors import BadInput, ParsolveError
from parsolve.parameters import parameters_of
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.search.request import Request
from parsolve.search.watch import Listener, Watch
from parsolve.system.hardware import busy, conditions, machine

KERNEL_ALONE = 0
"""Means, in place of a number of workers: the compiled kernel in one call, without the engine."""


@contextlib.contextmanager
def pinned(cores: int) -> Iterator[None]:
    """Let the body, and the processes that it starts, use some cores alone; nothing happens if a system has no such
    thing, or fewer cores."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:cores])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def queens() -> Any:
    """Return the class of the timed puzzle, with the numbers of solutions, `known`.

    Raises:
        BadInput: it is not installed.
    """
    try:
        return load_class("queens")
    except BadInput as error:
        raise BadInput(f"bench: it times the puzzle queens, which is not installed: {error}") from error


def methods_of_queens() -> list[str]:
    """Return the methods that can be timed."""
    choices = next(row.choices for row in parameters_of(queens()) if row.name == "method")
    return [method for method in choices or () if method != "auto"]


class Case(NamedTuple):
    """One timed search."""

    method: str
    n: int
    workers: int

    @property
    def command(self) -> str:
        """The command that runs the same search."""
        search = f"parsolve count queens --n {self.n} --method {self.method}"
        return (
            f"the kernel of `{search}` alone" if self.workers == KERNEL_ALONE else f"{search} --workers {self.workers}"
        )


@dataclass
class Measurement:
    """The seconds that a case has taken, one a round; compiling and loading do not count.

    Attributes:
        seconds: seconds of each finished round.
        too_long: whether a round was given up.
        took_part: the most workers that searched at the same time, in the round with the fewest; None before the first.
    """

    seconds: list[float] = field(default_factory=list)
    too_long: bool = False
    took_part: int | None = None

    @property
    def spread(self) -> Spread | None:
        """The median, least and greatest time; None before the first round, or if one took too long."""
        return spread(self.seconds) if self.seconds and not self.too_long else None


class TooLong(Exception):
    """A search has run for longer than it may."""


class _Compiling(Listener):
    """Logs which kernels are compiled."""

    def __init__(self, log: Callable[[str], None]) -> None:
        self._log = log

    def compilation_started(self, template: str) -> None:
        self._log(f"compiling {template}, once")


class QueensBenchmark:
    """Times every case once a round, so that a slow moment of the machine affects all cases.

    Args:
        sizes: the sizes of the board.
        methods: some of `methods_of_queens`.
        workers: the numbers of workers.
        rounds: how often each case is timed.
        limit: maximum seconds of one search. A slower case is not tried again, nor larger sizes of it. The kernel alone
            cannot be ended: it is tried only if one worker has been fast enough.
        log: called with a line of text now and then.
        check: called several times a second; it raises an exception to end the benchmark.
        known: the expected numbers of solutions by n; by default the puzzle's.
        seconds: instead of `sizes`, each method gets the size that takes about so long with the fewest workers.
        pin: whether a search may use as many cores as it has workers, always the same ones, and no others.
        timed: called after each case.

    Attributes:
        measurements: by case; complete after `run`, and true at any moment before.
        conditions: see `system.hardware.conditions`: at the start, and at the end.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        methods: Sequence[str],
        workers: Sequence[int],
        rounds: int,
        limit: float,
        log: Callable[[str], None],
        check: Callable[[], None],
        known: Sequence[int] | None = None,
        seconds: float | None = None,
        pin: bool = False,
        timed: Callable[[], None] = lambda: None,
    ) -> None:
        self.methods, self.workers = list(dict.fromkeys(methods)), sorted(set(workers))
        self.rounds, self.limit = rounds, limit
        self._log, self._check, self._timed_one = log, check, timed
        self._known = queens().known if known is None else known
        self._seconds, self._pin = seconds, pin
        self.conditions: list[dict[str, Any]] = []
        self._take({method: [] if seconds else sizes for method in self.methods})

    def _take(self, sizes: Mapping[str, Sequence[int]]) -> None:
        """Take the cases of some sizes by method."""
        self.sizes = sorted({n for every in sizes.values() for n in every})
        self.measurements = {
            Case(method, n, workers): Measurement()
            for method in self.methods
            for n in sorted(set(sizes[method]))
            for workers in (*self.workers, KERNEL_ALONE)
        }

    def run(self) -> None:
        """Time everything.

        Raises:
            ParsolveError: a count is wrong.
        """
        self.conditions = [conditions()]
        if self.busy:
            self._log(self.busy)
        for method in self.methods:
            self._log(f"getting the kernel of method {method} ready")
            self._get_ready(method, [SMALLEST] if self._seconds else self.sizes)
        if self._seconds:
            self._take({method: [self._size_for(method, self._seconds)] for method in self.methods})
        for number in range(1, self.rounds + 1):
            self._log(f"round {number} of {self.rounds}")
            for case in self.measurements:
                if not self.skipped(case):
                    self._measure(case)
                self._timed_one()
        was_busy = self.busy
        self.conditions.append(conditions())
        if self.busy and not was_busy:
            self._log(self.busy)

    def _size_for(self, method: str, seconds: float) -> int:
        n = size_for(seconds, lambda n: self._timed(Case(method, n, self.workers[0]))[1])
        self._get_ready(method, [n])
        self._log(f"method {method}: n = {n} takes nearest to {seconds:g} s")
        return n

    def _get_ready(self, method: str, sizes: Sequence[int]) -> None:
        """Load or compile everything for the searches of a method, in this process and in workers."""
        with reporting_to(_Compiling(self._log)):
            for n in sizes:
                searcher = Searcher(Problem(queens()(n, method), "count"))
                searcher.warm_up()
                searcher.warm_up_restoring()

    def skipped(self, case: Case) -> bool:
        """Return whether a case, or one that should take less time, has taken too long."""
        return any(
            measurement.too_long
            for other, measurement in self.measurements.items()
            if other.method == case.method
            and other.n <= case.n
            and (other.workers == case.workers or (case.workers == KERNEL_ALONE and other.workers == self.workers[0]))
        )

    @property
    def busy(self) -> str:
        """That other programs ran at the start or meanwhile, if so; otherwise empty."""
        load = busy(self.conditions, os.cpu_count(), self.workers[-1])
        return f"this machine is busy ({load}): the times tell little" if load else ""

    @property
    def has_times(self) -> bool:
        """Whether a case has been timed."""
        return any(each.seconds for each in self.measurements.values())

    def speed_up(self, case: Case, workers: int) -> float | None:
        """Return the speed-up of a case over another number of workers, or KERNEL_ALONE; by medians."""
        slow, fast = (self.measurements.get(each) for each in (case._replace(workers=workers), case))
        if slow is None or fast is None or slow.spread is None or fast.spread is None:
            return None
        return slow.spread.median / fast.spread.median

    def medians(self, method: str, workers: int) -> list[tuple[int, float]]:
        """Return the known median seconds by size."""
        measured = [(n, self.measurements.get(Case(method, n, workers))) for n in self.sizes]
        return [(n, each.spread.median) for n, each in measured if each and each.spread]

    def all_took_part(self, case: Case) -> bool:
        """Return whether all workers of a case searched at the same time, as far as known."""
        took_part = self.measurements[case].took_part
        return took_part is None or took_part >= case.workers

    def as_data(self) -> list[dict[str, Any]]:
        """Return an object for each case: command, parameters, all times and their conditions."""
        about = machine()
        return [
            {
                "command": case.command,
                "n": case.n,
                "method": case.method,
                "workers": case.workers or None,
                "took_part": measurement.took_part,
                "solutions": self._known[case.n],
                "rounds": len(measurement.seconds),
                "seconds": measurement.seconds,
                **self._summary(case),
                "machine": about,
                "conditions": self.conditions,
            }
            for case, measurement in self.measurements.items()
        ]

    def _summary(self, case: Case) -> dict[str, float]:
        if self.skipped(case):
            return {"skipped_after": self.limit}
        times = self.measurements[case].spread
        return {"median": times.median, "min": times.low, "max": times.high} if times else {}

    def _measure(self, case: Case) -> None:
        try:
            with pinned(case.workers or 1) if self._pin else contextlib.nullcontext():
                count, seconds, took_part = self._timed(case)
        except TooLong:
            self.measurements[case].too_long = True
            return
        known = self._known[case.n]
        if count != known:
            raise ParsolveError(f"wrong: {count} solutions of {case.n} queens, not {known}")
        measurement = self.measurements[case]
        measurement.seconds.append(seconds)
        measurement.took_part = min(measurement.took_part or took_part, took_part)

    def _timed(self, case: Case) -> tuple[int, float, int]:
        """Return the count and the seconds of a case, and how many workers took part."""
        problem = Problem(queens()(case.n, case.method), "count")
        if case.workers == KERNEL_ALONE:
            searcher = Searcher(problem)
            searcher.warm_up()
            outcome = searcher.run(searcher.whole(), 0, 1 << 62, False, None)
            return outcome.found, outcome.seconds, 1
        end = time.monotonic() + self.limit

        def check() -> None:
            self._check()
            if time.monotonic() > end:
                raise TooLong

        result = run(problem, Request(want="count", workers=case.workers), Watch(check=check))
        return result.found_so_far, result.seconds, result.took_part
