"""The lookups of the rules for counting, made from problems in stages."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzles.exact_cover.stages import LOOK, WORD, Stages

ITEM, OPTION, END, START = range(4)
"""Kinds of stages: an item is covered, unless it is already; an option that covers no such item is taken or not; the
end of a problem; the choice of a problem, if there are several."""


class Tables(NamedTuple):
    """The lookups of the rules. Stages are numbered through all problems, options by stage."""

    starts: np.ndarray[Any, Any]  # uint64[...]: the first stage of each problem, once for each time it is counted
    kinds: np.ndarray[Any, Any]  # uint8[stages]
    options: np.ndarray[Any, Any]  # uint32[stages + 1]: the first option of each stage
    first: np.ndarray[
        Any, Any
    ]  # uint32[stages]: where in `blocks` the options begin that cover its item, its own first
    ends: np.ndarray[Any, Any]  # uint32[stages, LOOK]: where those end that are of 0, 1 … stages before it at most
    blocks: np.ndarray[Any, Any]  # uint64[words, ...]: by option, the bits that must not be set
    sets: np.ndarray[Any, Any]  # uint64[options + 1, words]: the bits that it sets; the last one is none
    adds: np.ndarray[Any, Any]  # uint64[options + 1, words]: its increments of counters
    done: np.ndarray[Any, Any]  # uint64[stages, words]: the bit for its item being covered
    keep: np.ndarray[Any, Any]  # uint64[stages, words]: the bits that still matter after it
    guards: np.ndarray[Any, Any]  # uint64[stages, words]: the highest bit of each counter
    above: np.ndarray[Any, Any]  # uint64[stages, words]: added to a counter, it sets that bit above the maximum
    ending: np.ndarray[Any, Any]  # uint64[stages, words]: the highest bit of each counter that ends with the stage
    enough: np.ndarray[Any, Any]  # uint64[stages, words]: added to a counter, it sets that bit unless below the minimum
    like: tuple[np.uint64, ...]  # a key: its length is known when a kernel is compiled


class Lookups:
    """The tables of problems in stages, one after another.

    Args:
        words: words of a state.
    """

    def __init__(self, words: int) -> None:
        self._words = words
        self._kinds: list[int] = []
        self._first: list[int] = []
        self._ends: list[list[int]] = []
        self._blocks: list[int] = []
        self._options: list[int] = []
        self._sets: list[int] = []
        self._adds: list[int] = []
        self._done: list[int] = []
        self._keep: list[int] = []
        self._guards: list[int] = []
        self._above: list[int] = []
        self._ending: list[int] = []
        self._enough: list[int] = []

    def add(self, layout: Stages) -> int:
        """Add the stages of a problem, and return the number of the first."""
        start = len(self._kinds)
        for stage, groups in enumerate(layout.near):
            kind = ITEM if stage < layout.choices else OPTION
            blocks = [[layout.blocks[option] for option in group] for group in groups]
            self.add_stage(kind, blocks, layout.done[stage], layout.clear[stage])
            for option in groups[0]:
                self._sets.append(layout.sets[option])
                self._adds.append(layout.adds[option])
        is_short = not layout.near and any(each.least for each in layout.counters)
        self.add_stage(ITEM if is_short else END)
        for field, least, most, first, last in layout.counters:
            highest = 1 << field.width - 1
            guard, above = field.bits(highest), field.bits(highest - 1 - most)
            for stage in range(start + first, start + last + 1):
                self._guards[stage] |= guard
                self._above[stage] |= above
            self._ending[start + last] |= guard
            self._enough[start + last] |= field.bits(highest - least)
        return start

    def add_stage(self, kind: int, blocks: Sequence[Sequence[int]] = (), done: int = 0, clear: int = 0) -> None:
        """Add a stage; see `Stages`."""
        self._kinds.append(kind)
        self._options.append(len(self._sets))
        self._first.append(len(self._blocks))
        self._ends.append([*itertools.accumulate(map(len, blocks), initial=len(self._blocks))][1:] or [0] * LOOK)
        self._blocks += itertools.chain.from_iterable(blocks)
        self._done.append(done)
        self._keep.append((1 << WORD * self._words) - 1 ^ clear)
        for each in (self._guards, self._above, self._ending, self._enough):
            each.append(0)

    def tables(self, starts: Sequence[int]) -> Tables:
        """Return the tables.

        Args:
            starts: the first stage of each problem, once for each time it is counted.
        """
        return Tables(
            np.array(starts, np.uint64),
            np.array(self._kinds, np.uint8),
            np.array([*self._options, len(self._sets)], np.uint32),
            np.array(self._first, np.uint32),
            np.array(self._ends, np.uint32),
            np.ascontiguousarray(self._rows(self._blocks).T),
            self._rows([*self._sets, 0]),
            self._rows([*self._adds, 0]),
            self._rows(self._done),
            self._rows(self._keep),
            self._rows(self._guards),
            self._rows(self._above),
            self._rows(self._ending),
            self._rows(self._enough),
            (np.uint64(0),) * self._words,
        )

    def _rows(self, sets: Iterable[int]) -> np.ndarray[Any, Any]:
        """Return sets of bits as uint64[n, words]."""
        data = b"".join(bits.to_bytes(WORD // 8 * self._words, "little") for bits in sets)
        return np.frombuffer(data, "<u8").astype(np.uint64).reshape(-1, self._words)
