"""Measure how long counting N queens takes: every method, size and number of workers."""

import contextlib
import itertools
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, wait
from pathlib import Path
from typing import Any, NamedTuple

from parsolve.deepening.searcher import Searcher
from parsolve.errors import ParsolveError
from parsolve.executors.local import LocalPool
from parsolve.problem.problem import Problem
from parsolve.problem.registry import make
from parsolve.search.request import Request
from parsolve.search.run import run
from parsolve.search.watch import Watch
from parsolve.text import plural

LARGEST = 27
"""The largest size whose number of solutions is known."""

ENOUGH = 0.2
"""Seconds for which a search is repeated: one of a millisecond alone tells little."""

POLL = 0.1
"""Seconds between two checks of the stop conditions while workers search."""


class Case(NamedTuple):
    """What is timed."""

    method: str
    n: int
    workers: int


class Round(NamedTuple):
    """A case, timed once: seconds of one search, without compiling and starting workers.

    Attributes:
        seconds: by all its workers.
        by_one: by one worker, just before.
        independent: what independent searches take together, one a worker, just after, divided by their number.
    """

    seconds: float
    by_one: float
    independent: float


class TooLong(Exception):
    """The time for a case is up."""


def conditions() -> dict[str, Any]:
    """Return the present conditions of a measurement: date, load, and where they are known the clock and its governor.

    The load is the number of processes that ran or waited to run, on average over the last minute.
    """
    found: dict[str, Any] = {"date": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())}
    with contextlib.suppress(OSError, AttributeError):  # not on every system
        found["load"] = round(os.getloadavg()[0], 2)
    governor = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    with contextlib.suppress(OSError):
        found["governor"] = governor.read_text().strip()
    with contextlib.suppress(OSError, ValueError):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        found["clock_mhz"] = round(max(float(line.partition(":")[2]) for line in lines if line.startswith("cpu MHz")))
    return found


def problem_of(method: str, n: int) -> Problem:
    """Return what is counted; raise BadInput if there is no such method."""
    return Problem(make("queens", {"n": n, "method": method}), "count")


def known(n: int) -> int:
    """Return the known number of solutions."""
    queens: Any = make("queens", {"n": n})
    return int(queens.known[n])


def seconds_of(case: Case, pool: Executor | None, until: float, check: Callable[[], object] = lambda: None) -> float:
    """Return the seconds of one search: the median of as many as `ENOUGH` has room for, at least one.

    Args:
        case: what is searched.
        pool: its workers; None for this process.
        until: the end of its time, by `time.monotonic`.
        check: may raise an exception, which ends it.

    Raises:
        TooLong: the time is up.
        ParsolveError: the count is wrong.
    """

    def check_time() -> None:
        check()
        if time.monotonic() > until:
            raise TooLong

    problem, begin, taken = problem_of(case.method, case.n), time.perf_counter(), list[float]()
    while not taken or time.perf_counter() < begin + ENOUGH:
        request = Request(want="count", workers=case.workers)
        result = run(problem, request, Watch(check=check_time), executor=pool)
        if result.count != known(case.n):
            raise ParsolveError(f"wrong: {result.count} solutions of {case.n} queens, not {known(case.n)}")
        taken.append(result.seconds)
    return statistics.median(taken)


def timed(case: Case, pool: LocalPool | None, until: float, check: Callable[[], object]) -> Round:
    """Time a case once; see `seconds_of`."""
    alone = case._replace(workers=1)
    by_one = seconds_of(alone, None, until, check)
    if pool is None:
        return Round(by_one, by_one, by_one)
    seconds = seconds_of(case, pool, until, check)
    independent = [pool.submit(seconds_of, alone, None, until) for _ in range(case.workers)]
    while wait(independent, POLL).not_done:
        check()
    return Round(seconds, by_one, 1 / sum(1 / each.result() for each in independent))


class QueensBenchmark:
    """Times every case in several rounds, with workers that stay ready from round to round.

    Args:
        methods, sizes, workers: every combination is a case.
        rounds: how often each is timed, if there is time.
        seconds: how long all of it may take; what is left is divided evenly between the methods and numbers of workers.

    Attributes:
        measurements: the rounds of each case, none if there was no time for it; true at any moment.
        starts: the seconds until the workers were ready, by method and number.
    """

    def __init__(
        self, methods: Sequence[str], sizes: Sequence[int], workers: Sequence[int], rounds: int, seconds: float
    ) -> None:
        self.methods, self.sizes, self.workers = methods, sizes, workers
        self.rounds, self.seconds, self.conditions = rounds, seconds, conditions()
        for method, n in itertools.product(methods, sizes):
            problem_of(method, n)  # refuses an unknown method
        every = itertools.product(methods, sizes, workers)
        self.measurements: dict[Case, list[Round]] = {Case(*each): [] for each in every}
        self.starts: dict[tuple[str, int], float] = {}

    def run(self, log: Callable[[str], None], check: Callable[[], object]) -> None:
        """Time everything: `log` gets a line for a method and its workers, `check` may raise an exception."""
        for method, n in itertools.product(self.methods, self.sizes):
            searcher = Searcher(problem_of(method, n))
            searcher.warm_up()
            searcher.warm_up_restoring()  # workers are forked with the kernels
        parts = [*itertools.product(self.methods, self.workers)]
        end = time.monotonic() + self.seconds
        for number, (method, workers) in enumerate(parts):
            log(f"{method}, {plural(workers, 'worker')}")
            until = time.monotonic() + (end - time.monotonic()) / (len(parts) - number)
            with contextlib.suppress(TooLong), self._workers(method, workers, until, check) as pool:
                for n in [*self.sizes] * self.rounds:
                    case = Case(method, n, workers)
                    self.measurements[case].append(timed(case, pool, until, check))

    @contextlib.contextmanager
    def _workers(
        self, method: str, workers: int, until: float, check: Callable[[], object]
    ) -> Iterator[LocalPool | None]:
        """Yield ready workers; None for this process alone."""
        if workers == 1:
            yield None
            return
        begin, ready = time.perf_counter(), set[int]()
        pool = LocalPool(workers)
        try:
            while len(ready) < workers:
                check()
                if time.monotonic() > until:
                    raise TooLong
                if pool.trouble:
                    raise ParsolveError(pool.trouble)
                ready |= {each.result() for each in [pool.submit(os.getpid) for _ in range(workers)]}
            self.starts[method, workers] = time.perf_counter() - begin
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)
