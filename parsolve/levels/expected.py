"""The expected effort of the engine `sharing`, from a sample of each level.

P. C. Chen, Heuristic sampling: a method for predicting the performance of tree searching programs, SIAM Journal on
Computing 21 (1992) 295–315: each state of a sample has a weight, the number of states that it stands for. Here several
moves lead to one state. An entry gets two sums instead of a count, of the weights of its parents and of their squares.
The sums of a level give the number of moves into it, the frequency of two moves into one state, and so the number of
states if all have equally many moves into them. The unevenness is learned from levels that are known whole.
"""

import math
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.waiting import kernel_time
from parsolve.levels.search import Search
from parsolve.levels.store import GROWTH
from parsolve.levels.threads import FEW, Threads
from parsolve.problem.problem import Problem
from parsolve.search.engine import Forecast
from parsolve.search.watch import Watch
from parsolve.text import clock, plural, short

FIRST, TIMES = 256, 4
"""Entries of a level in the first sample, and the factor by which each further sample is larger."""

SHARE, NEAR, NEAR_SHARE = 0.02, 8, 0.1
"""The share of the expected time, or of the time of another engine, that sampling may take; and the share where these
times differ by less than a factor, NEAR."""

LONG = 100
"""Days beyond which the exact number does not matter."""

LONGEST = 20.0
"""Seconds after which the first sample is given up: with many levels it takes long on a busy machine."""

HEAVIEST = 1 << 24
"""The greatest weight: a sum of many squares fits in a word of a count."""

STEADY, LEARNED = 64, 0.3
"""Minimum number of entries of a level from which the unevenness of moves is learned; the weight of the last one."""

SUMS = 2
"""Words of a count: the sum of the weights, and that of their squares."""


class Expected(NamedTuple):
    """The expected effort of a count by sharing.

    Attributes:
        entries: entries of all levels; infinite if there are too many to estimate.
        memory: maximum number of bytes of entries at one time.
        fits: whether there is that much memory.
        seconds: its time.
        error: factor by which entries, memory and time may exceed these; 1 if they are exact.
    """

    entries: float
    memory: float
    fits: bool
    seconds: float
    error: float = 1.0

    def between(self, number: float, text: Callable[[float], str]) -> str:
        """Return a range around one of the numbers as text; they exceed the truth less than they fall below it."""
        least, most = text(number / math.sqrt(self.error)), text(number * self.error)
        return least if least == most else f"{least} to {most}"

    def forecast(self, left: float, workers: int) -> Forecast:
        """Return it for some workers, with the message for a user if another engine needs `left` seconds."""
        rows = [self._asdict() | {"engine": "sharing", "workers": workers}]
        if math.isinf(self.entries):
            return Forecast(rows, "by the engine sharing: more entries than can be predicted", math.inf)
        entries, seconds = self.between(self.entries, short), self.between(self.seconds, clock)
        memory = self.between(self.memory, lambda size: f"{short(size)}B")
        number, megabytes = (self.between(each, "{:.3g}".format) for each in (self.entries, self.memory / 2**20))
        line = f"by the engine sharing: {number} entries, {megabytes} MB{'' if self.fits else ', more than there is'}"
        line += f"; {seconds} on {plural(workers, 'worker')}"
        takes = f"{entries} entries are expected, in {seconds} and {memory} of memory"
        sooner = f"continuing with the engine sharing: {takes}, and by deepening {_roughly(left)} are left"
        why = self.between(self.seconds, _roughly) if self.fits else "more memory than there is"
        later = f"continuing by deepening: {_roughly(left)} are left, and the engine sharing is expected to take {why}"
        return Forecast(rows, line, self.seconds if self.fits else math.inf, sooner, later, total=self.entries)


def expected(problem: Problem, threads: int, seconds: float, watch: Watch, other: float = math.inf) -> Expected | None:
    """Return the expected effort of a count; None if it is not known soon.

    Args:
        problem: the problem.
        threads: threads of the count.
        seconds: time for sampling: at least one sample is taken, and larger ones as long as their time is a small part
            of the expected time.
        watch: may end it.
        other: seconds that another engine needs: sampling takes at most a part of these.

    Raises:
        BadInput, BadPuzzle, OutOfMemory: see `Search`.
    """
    found: Expected | None = None
    most = FIRST
    with Threads(1, watch) as one:
        sample = Sample(problem, one, most)
        begin = time.perf_counter()
        while True:
            start = kernel_time.clock
            if not sample.walk(begin + LONGEST if found is None else math.inf):
                return found
            took = kernel_time.clock - start
            found = sample.expected(threads)
            less, more = sorted((other, found.seconds))
            until = begin + max(seconds, less * (NEAR_SHARE if more < NEAR * less else SHARE))
            if sample.is_exact or math.isinf(sample.entries) or time.perf_counter() + TIMES * took > until:
                return found
            most *= TIMES
            sample = Sample(problem, one, most)


class Sample:
    """A sample of each level.

    Args:
        problem: the problem.
        threads: a single thread.
        most: maximum number of entries of a level that it keeps.

    Attributes:
        sizes: the expected number of entries by level; infinite if there are too many to estimate.
        visited: the number of entries expanded.
    """

    def __init__(self, problem: Problem, threads: Threads, most: int) -> None:
        self._search = Search(problem, threads)
        self._most, self._random = most, np.random.default_rng(1)
        self._unevenness = 1.0
        self._together: list[list[int]] = []
        self.sizes: dict[int, float] = {}
        self._kept: list[int] = []
        self._times: list[float] = []

    @property
    def visited(self) -> int:
        return sum(self._kept)

    @property
    def entries(self) -> float:
        """The expected number of entries of all levels."""
        return sum(self.sizes.values())

    @property
    def is_exact(self) -> bool:
        """Whether no entry was left out."""
        return self.visited == self.entries

    def expected(self, threads: int) -> Expected:
        """Return what is expected on some threads, which share large levels."""
        # Levels are merged when they have grown.
        together = (sum(self.sizes.get(level, 0.0) for level in levels) for levels in self._together)
        most = max(together, default=0.0)
        memory = 8 * (self._search.coding.form.head + SUMS) * GROWTH * most
        entries = sum(size / threads if size > FEW else size for size in self.sizes.values())
        took = np.diff(self._times)
        mean = float(sum(took)) / max(1, self.visited)
        # A level takes a fixed time, and some more for each entry.
        each = np.polyfit(self._kept, took, 1)[0] if len({*self._kept}) > 1 else mean
        seconds = float(sum(took)) + min(max(float(each), mean / 10), mean) * max(0.0, entries - self.visited)
        # Ways that meet outside the sample are not seen: a factor of 2 for each factor of 4 by which the largest level
        # has more entries than the sample.
        error = 1.0 if self.is_exact else max(1.0, math.sqrt(max(self.sizes.values()) / self._most))
        return Expected(self.entries, memory, memory <= self._search.chains.budget.most, seconds, error)

    def walk(self, until: float = math.inf) -> bool:
        """Walk through all levels, or to the first that is too large; return False if a time of `time.perf_counter`
        passes first."""
        search = self._search
        for _ in search.levels():
            for _ in search.pieces():
                self._take()
                for _ in search.expand_piece():
                    if time.perf_counter() > until:
                        return False
            if math.isinf(self.entries):
                break
        self._times.append(kernel_time.clock)
        return True

    def _take(self) -> None:
        """Take a sample of the current level."""
        self._times.append(kernel_time.clock)
        store, head = self._search.store, self._search.coding.form.head
        pieces = [packed.entries for packed in store.current.left.packed(head + SUMS)]
        entries = np.concatenate(pieces).reshape(-1, head + SUMS)
        size = self._expected_size(entries[:, head:].astype(float))
        if len(entries) > self._most:
            entries = self._random.choice(entries, self._most, replace=False)
        weight = round(size / len(entries))
        self.sizes[self._search.level] = size if weight <= HEAVIEST else math.inf
        self._together.append([self._search.level, *store.numbers])
        if weight <= HEAVIEST:
            entries[:, head:] = weight, weight * weight
        store.replace_piece(entries.reshape(-1), SUMS)
        self._kept.append(len(entries))

    def _expected_size(self, sums: np.ndarray[Any, Any]) -> float:
        """Return the expected number of entries of a level; `sums`: float64[n, SUMS], of the sample."""
        moves, squares = sums.T
        total, used = moves.sum(), len(sums)
        alike = total * total / (total + (moves * moves - squares).sum())
        if not self.is_exact:
            return max(float(used), float(self._unevenness * alike))
        if used >= STEADY:
            self._unevenness += LEARNED * (used / alike - self._unevenness)
        return float(used)


def _roughly(seconds: float) -> str:
    """Return a time as text, unless it is very long."""
    return clock(seconds) if seconds < 86400 * LONG else f"more than {LONG} days"
