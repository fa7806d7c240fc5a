"""Measure how long counting N queens takes: every method, size and number of workers, in turns."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from parsolve.bench.markdown import Spread, spread
from parsolve.deepening.searcher import Searcher
from parsolve.engines import run
from parsolve.errors import ParsolveError
from parsolve.problem.problem import Problem
from parsolve.problem.registry import make
from parsolve.search.request import Request
from parsolve.search.watch import Watch
from parsolve.system.hardware import conditions, machine
from parsolve.text import plural

KERNEL_ALONE = 0
"""Means, in place of a number of workers: the compiled kernel in one call, without the engine."""

SMALLEST, LARGEST = 8, 27
"""The sizes among which one is chosen by its seconds; of a greater one the number of solutions is not known."""

TRIED = 0.1
"""Seconds of a count from which the next sizes are predicted: shorter ones tell little."""

GROWTH = 6.0
"""The least factor by which the next size takes longer, where two sizes have not told."""


def size_for(seconds: float, timed: Callable[[int], float]) -> int:
    """Return the size whose count is expected to take nearest to some seconds, by ratio; `timed` counts a size and
    returns how long that takes."""
    n, before, took = SMALLEST, 0.0, timed(SMALLEST)
    while n < LARGEST and took < min(TRIED, seconds):
        n += 1
        before, took = took, timed(n)
    growth = max(GROWTH, took / before) if before else GROWTH
    if before * took > seconds**2:  # the size before is nearer
        return n - 1
    while n < LARGEST and took * growth**0.5 < seconds:
        n, took = n + 1, took * growth
    return n


class Case(NamedTuple):
    """One timed search."""

    method: str
    n: int
    workers: int

    @property
    def searched_by(self) -> str:
        """The number of workers as text."""
        return "bare kernel" if self.workers == KERNEL_ALONE else plural(self.workers, "worker")


class Round(NamedTuple):
    """A case, counted once: the seconds without compiling, and how many workers searched at the same time."""

    seconds: float
    took_part: int


class TooLong(Exception):
    """A search has run for longer than it may."""


def problem_of(case: Case) -> Problem:
    """Return what is counted; raise BadInput if there is no such method."""
    return Problem(make("queens", {"n": case.n, "method": case.method}), "count")


def timed(case: Case, limit: float, check: Callable[[], None]) -> Round:
    """Count a case.

    Raises:
        TooLong: it takes longer than `limit`.
        ParsolveError: the count is wrong.
    """
    problem = problem_of(case)
    searcher = Searcher(problem)
    searcher.warm_up()
    searcher.warm_up_restoring()
    end = time.monotonic() + limit

    def check_time() -> None:
        check()
        if time.monotonic() > end:
            raise TooLong

    if case.workers == KERNEL_ALONE:
        outcome = searcher.run(searcher.whole(), 0, 1 << 62, False, None)
        count, found = outcome.found, Round(outcome.seconds, 1)
    else:
        result = run(problem, Request(want="count", workers=case.workers), Watch(check=check_time))
        count, found = result.found_so_far, Round(result.seconds, result.took_part)
    if count != (known := problem.given.known[case.n]):  # type: ignore[attr-defined]
        raise ParsolveError(f"wrong: {count} solutions of {case.n} queens, not {known}")
    return found


class QueensBenchmark:
    """Times every case once a round, so that a slow moment of the machine affects all cases.

    Args:
        cases: what is timed, smaller sizes first.
        rounds: how often each is timed.
        limit: maximum seconds of one search. A slower case is not tried again, nor larger sizes of it. The kernel alone
            cannot be ended: it is tried only if the fewest workers have been fast enough.

    Attributes:
        measurements: the rounds of each case; complete after `run`, and true at any moment before.
    """

    def __init__(self, cases: Sequence[Case], rounds: int, limit: float) -> None:
        for case in cases:
            problem_of(case)
        self.measurements: dict[Case, list[Round]] = {case: [] for case in cases}
        self.methods = list(dict.fromkeys(case.method for case in cases))
        self.sizes = sorted({case.n for case in cases})
        self.workers = sorted({case.workers for case in cases} - {KERNEL_ALONE})
        self.rounds, self.limit, self.conditions = rounds, limit, conditions()
        self._too_long: set[Case] = set()

    def run(self, log: Callable[[str], None], check: Callable[[], None], counted: Callable[[], object]) -> None:
        """Time everything: `log` gets a line a round, `check` may raise an exception, `counted` follows each case."""
        for number in range(1, self.rounds + 1):
            log(f"round {number} of {self.rounds}")
            for case, rounds in self.measurements.items():
                if not self.skipped(case):
                    try:
                        rounds.append(timed(case, self.limit, check))
                    except TooLong:
                        self._too_long.add(case)
                        rounds.clear()
                counted()

    def skipped(self, case: Case) -> bool:
        """Return whether a case, or one that should take less time, has taken too long."""
        like = (case.method, case.workers or self.workers[0])
        return any((slow.method, slow.workers) == like and slow.n <= case.n for slow in self._too_long)

    def spread(self, case: Case) -> Spread | None:
        """Return the median, least and greatest seconds of a case; None if it is not timed."""
        rounds = self.measurements.get(case)
        return spread(each.seconds for each in rounds) if rounds else None

    def took_part(self, case: Case) -> int:
        """Return the most workers that searched a timed case at the same time, in the round with the fewest."""
        return min(each.took_part for each in self.measurements[case])

    def speed_up(self, case: Case, workers: int) -> float | None:
        """Return the speed-up of a case over another number of workers, or KERNEL_ALONE, by medians; None if one is not
        timed, or if the case is too short for all its workers to take part."""
        slow, fast = self.spread(case._replace(workers=workers)), self.spread(case)
        return slow.median / fast.median if slow and fast and self.took_part(case) == case.workers else None

    def as_data(self) -> list[dict[str, Any]]:
        """Return an object for each case: all its times and their conditions."""
        return [
            {
                **case._asdict(),
                "seconds": [each.seconds for each in rounds],
                "took_part": [each.took_part for each in rounds],
                "skipped": self.skipped(case),
                "machine": machine(),
                "conditions": self.conditions,
            }
            for case, rounds in self.measurements.items()
        ]
