"""Measure how long counting N queens takes: every method, size and number of workers, in turns."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from parsolve.bench.markdown import Spread, spread
from parsolve.compiler.listening import reporting_to
from parsolve.deepening.searcher import Searcher
from parsolve.engines import run
from parsolve.errors import BadInput, ParsolveError
from parsolve.parameters import parameters_of
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.search.request import Request
from parsolve.search.watch import Listener, Watch
from parsolve.system.hardware import machine

KERNEL_ALONE = 0
"""Means, in place of a number of workers: the compiled kernel in one call, without the engine."""


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
    """

    seconds: list[float] = field(default_factory=list)
    too_long: bool = False

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

    def compilation_started(self, template: str, seconds: float | None) -> None:
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

    Attributes:
        measurements: by case; complete after `run`, and true at any moment before.
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
    ) -> None:
        self.sizes, self.methods, self.workers = sorted(set(sizes)), list(dict.fromkeys(methods)), sorted(set(workers))
        self.rounds, self.limit = rounds, limit
        self._log, self._check = log, check
        self._known = queens().known if known is None else known
        self.measurements = {
            Case(method, n, workers): Measurement()
            for method in self.methods
            for n in self.sizes
            for workers in (*self.workers, KERNEL_ALONE)
        }

    def run(self) -> None:
        """Time everything.

        Raises:
            ParsolveError: a count is wrong.
        """
        for method in self.methods:
            self._get_ready(method)
        for number in range(1, self.rounds + 1):
            self._log(f"round {number} of {self.rounds}")
            for case in self.measurements:
                if not self.skipped(case):
                    self._measure(case)

    def _get_ready(self, method: str) -> None:
        """Load or compile everything for the searches of a method, in this process and in workers."""
        self._log(f"getting the kernel of method {method} ready")
        with reporting_to(_Compiling(self._log)):
            for n in self.sizes:
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

    def speed_up(self, case: Case, workers: int) -> float | None:
        """Return the speed-up of a case over another number of workers, or KERNEL_ALONE; by medians."""
        slow, fast = (self.measurements.get(each) for each in (case._replace(workers=workers), case))
        if slow is None or fast is None or slow.spread is None or fast.spread is None:
            return None
        return slow.spread.median / fast.spread.median

    def medians(self, method: str, workers: int) -> list[tuple[int, float]]:
        """Return the known median seconds by size."""
        spreads = [(n, self.measurements[Case(method, n, workers)].spread) for n in self.sizes]
        return [(n, spread.median) for n, spread in spreads if spread]

    def as_data(self) -> list[dict[str, Any]]:
        """Return an object for each case: command, parameters, all times and their conditions."""
        about = machine()
        return [
            {
                "command": case.command,
                "n": case.n,
                "method": case.method,
                "workers": case.workers or None,
                "solutions": self._known[case.n],
                "rounds": len(measurement.seconds),
                "seconds": measurement.seconds,
                **self._summary(case),
                "machine": about,
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
            count, seconds = self._timed(case)
        except TooLong:
            self.measurements[case].too_long = True
            return
        known = self._known[case.n]
        if count != known:
            raise ParsolveError(f"wrong: {count} solutions of {case.n} queens, not {known}")
        self.measurements[case].seconds.append(seconds)

    def _timed(self, case: Case) -> tuple[int, float]:
        """Return the count and the seconds of a case."""
        problem = Problem(queens()(case.n, case.method), "count")
        if case.workers == KERNEL_ALONE:
            searcher = Searcher(problem)
            searcher.warm_up()
            outcome = searcher.run(searcher.whole(), 0, 1 << 62, False, None)
            return outcome.found, outcome.seconds
        end = time.monotonic() + self.limit

        def check() -> None:
            self._check()
            if time.monotonic() > end:
                raise TooLong

        result = run(problem, Request(want="count", workers=case.workers), Watch(check=check))
        return result.found_so_far, result.seconds
