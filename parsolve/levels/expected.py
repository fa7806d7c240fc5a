"""What the engine `sharing` is expected to take, from a sample of each level.

P. C. Chen, Heuristic sampling: a method for predicting the performance of tree searching programs, SIAM Journal on
Computing 21 (1992) 295–315: each state of a sample has a weight, the number of states that it stands for. Here several
moves lead to one state. An entry gets two sums instead of a count, of the weights of its parents and of their squares.
From those of a level follows how many moves lead into it, how often two of them lead to one state, and so how many
states there are, if all have as many moves into them. How uneven these are is learned from levels that are known whole.
"""

import math
import time
from typing import Any, NamedTuple

import numpy as np

from parsolve.levels.chains import FEW
from parsolve.levels.counted import CountedLevels
from parsolve.levels.levels import GROWTH
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.watch import Watch

FIRST = 256
"""Entries of a level that the first sample keeps."""

TIMES = 4
"""How many times more each further sample keeps."""

PART = 0.02
"""The part of the time that is expected, or that another engine needs, for which samples may be taken."""

CLOSE, CLOSE_PART = 8, 0.1
"""The part where one of these is less than `CLOSE` times the other."""

LONGEST = 20.0
"""Seconds after which the first sample is given up: on a busy machine that of many levels takes long."""

HEAVIEST = 1 << 24
"""The greatest weight: a sum of many squares fits a word of a count."""

STEADY = 64
"""Entries of a level, at least, from which is learned how uneven the moves into them are."""

LEARNED = 0.3
"""By how much the last such level counts."""

SUMS = 2
"""Words of a count: the sum of the weights, and that of their squares."""


class Expected(NamedTuple):
    """What a count by sharing is expected to take.

    Attributes:
        entries: of all levels; infinite where they are too many to be told.
        memory: bytes of the entries that are there at once, at most.
        fits: whether there is as much memory.
        seconds: that it takes.
    """

    entries: float
    memory: float
    fits: bool
    seconds: float


def expected(problem: Problem, threads: int, seconds: float, watch: Watch, other: float = math.inf) -> Expected | None:
    """Return what a count is expected to take; None where that is not known soon.

    Args:
        problem: what is counted.
        threads: that would count.
        seconds: for how long samples are taken, at least one, and larger ones as long as the time that they take is a
            small part of what is expected.
        watch: what may end it.
        other: seconds that another engine needs: then no more than a part of these.

    Raises:
        BadInput, BadPuzzle, OutOfMemory: see `CountedLevels`.
    """
    found: Expected | None = None
    most = FIRST
    with Threads(1, watch) as one:
        sample = Sample(problem, one, most)
        begin = time.perf_counter()
        while True:
            start = time.perf_counter()
            if not sample.walk(begin + LONGEST if found is None else math.inf):
                return found
            took = time.perf_counter() - start
            found = Expected(sample.entries, sample.memory, sample.fits, sample.seconds(threads))
            less, more = sorted((other, found.seconds))
            until = begin + max(seconds, less * (CLOSE_PART if more < CLOSE * less else PART))
            if sample.is_exact or math.isinf(sample.entries) or time.perf_counter() + TIMES * took > until:
                return found
            most *= TIMES
            sample = Sample(problem, one, most)


class Sample(CountedLevels):
    """A sample of each level.

    Args:
        problem: what is counted.
        threads: one.
        most: entries of a level that it keeps.
        seed: of the random choices.

    """

    def __init__(self, problem: Problem, threads: Threads, most: int, seed: int = 1) -> None:
        super().__init__(problem, threads)
        self._most, self._random = most, np.random.default_rng(seed)
        self._unevenness = 1.0
        self._together: list[list[int]] = []
        self._size_of: dict[int, float] = {}
        self._kept: list[int] = []
        self._times: list[float] = []

    @property
    def visited(self) -> int:
        """How many entries were expanded."""
        return sum(self._kept)

    @property
    def sizes(self) -> list[float]:
        """How many entries each level is expected to have, in order; infinite where they are too many to be told."""
        return [*self._size_of.values()]

    @property
    def entries(self) -> float:
        """How many entries all levels are expected to have."""
        return sum(self.sizes)

    @property
    def is_exact(self) -> bool:
        """Whether nothing was left out."""
        return self.visited == self.entries

    @property
    def memory(self) -> float:
        """Bytes of the entries that are expected to be there at once: levels are merged when they have grown."""
        most = max(sum(self._size_of.get(level, 0.0) for level in levels) for levels in self._together)
        return 8 * (self.form.head + SUMS) * GROWTH * most

    @property
    def fits(self) -> bool:
        """Whether there is as much memory."""
        return self.memory <= self.budget.most

    def seconds(self, threads: int) -> float:
        """Return how long a count is expected to take on some threads, which share levels that are large."""
        entries = sum(size / threads if size > FEW else size for size in self.sizes)
        took = np.diff(self._times)
        mean = float(sum(took)) / self.visited
        # A level takes some time, and some more for each entry.
        each = np.polyfit(self._kept, took, 1)[0] if len({*self._kept}) > 1 else mean
        return float(sum(took)) + min(max(float(each), mean / 10), mean) * max(0.0, entries - self.visited)

    def walk(self, until: float = math.inf) -> bool:
        """Walk through all levels, or to the first that is too large; return False if that has not ended by a time of
        `time.perf_counter`."""
        for _ in self.expand():
            if time.perf_counter() > until:
                return False
            if math.isinf(self.entries):
                break
        self._times.append(time.perf_counter())
        return True

    def _begin(self) -> None:
        self._times.append(time.perf_counter())
        levels = self._levels
        entries = np.concatenate([packed.entries for packed in levels.packed_of(levels.now, SUMS)])
        entries = entries.reshape(-1, self.form.head + SUMS)
        sums = entries[:, self.form.head :]
        size = self._expected_size(sums.astype(float))
        if len(entries) > self._most:
            entries = self._random.choice(entries, self._most, replace=False)
        weight = round(size / len(entries))
        self._size_of[self._level] = size if weight <= HEAVIEST else math.inf
        self._together.append([self._level, *levels.numbers])
        if weight <= HEAVIEST:
            entries[:, self.form.head :] = weight, weight * weight
        levels.replace(entries.reshape(-1), SUMS)
        self._kept.append(len(entries))

    def _expected_size(self, sums: np.ndarray[Any, Any]) -> float:
        """Return how many entries a level is expected to have; `sums`: float64[n, SUMS], of the sample."""
        moves, squares = sums.T
        total, used = moves.sum(), len(sums)
        alike = total * total / (total + (moves * moves - squares).sum())
        if not self.is_exact:
            return max(float(used), float(self._unevenness * alike))
        if used >= STEADY:
            self._unevenness += LEARNED * (used / alike - self._unevenness)
        return float(used)
