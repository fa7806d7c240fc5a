"""The rules of exact cover for counting: a state holds what is covered of the items that still matter; see `stages`."""

import json
from collections import namedtuple
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.keys import MOST_WORDS, key_in, store_words, words_of
from parsolve.errors import BadInput
from parsolve.puzzle.core import Puzzle
from parsolve.puzzle.parameters import parameter
from parsolve.puzzles.exact_cover.instance import Instance
from parsolve.puzzles.exact_cover.lookups import Tables, tables_of
from parsolve.puzzles.exact_cover.stages import CURSOR, END, ITEM, OPTION, START, Stage, computed_order, stages_of

ZERO, ONE = np.uint64(0), np.uint64(1)

BLOCK = np.uint64(64)
"""Options that are examined before checking whether one is free: this allows vector instructions."""

STAGE = np.uint64((1 << CURSOR) - 1)
"""The bits of a state for the number of its stage."""

WORDS = (1, 2, 3, 4, 5, 8, MOST_WORDS)
"""Possible numbers of words of a state."""


class Part(NamedTuple):
    """A problem whose solutions are counted, each several times."""

    times: int
    instance: Instance
    order: Sequence[int]  # see `stages_of`


@dataclass(frozen=True)
class Counted(Puzzle):
    """Exact cover problems with as many solutions in total as another problem, and few states. A move is an option,
    numbered by stage, or the number of options for none. With several problems, the first move chooses one."""

    problem: str = parameter(
        '[1,[[1,[["a"],[],[[[0,""]]]],[0]]]]', "the multiplicity and the parts, as JSON", most=1 << 26
    )

    @classmethod
    def of(cls, instance: Instance, first: Sequence[int] = ()) -> "Counted":
        """Return the puzzle that counts the solutions of a problem.

        Args:
            instance: the problem.
            first: the items to cover first; see `computed_order`.

        Raises:
            BadInput: its states would be too large.
        """
        return cls.of_parts([Part(1, instance, computed_order(instance, first))], 1)

    @classmethod
    def of_parts(cls, parts: Iterable[Part], multiplicity: int) -> "Counted":
        """Return the puzzle that counts the solutions of several problems.

        Args:
            parts: the problems, and how often each is counted.
            multiplicity: see `Puzzle.multiplicity`.

        Raises:
            BadInput: its states would be too large, or there would be too many stages or options.
        """
        taken: list[Part] = []
        layouts: list[tuple[list[Stage], int]] = []
        stages = options = 1
        for part in parts:
            taken.append(part)
            layouts.append(stages_of(part.instance, part.order))
            stages += len(layouts[-1][0])
            options += sum(len(stage.near[0]) for stage in layouts[-1][0])
            if max(stages, options) > STAGE:  # moves have two bytes, too
                raise BadInput("these are too many items and options for the engine sharing: take the engine deepening")
        made = cls(json.dumps([multiplicity, taken], ensure_ascii=False, separators=(",", ":")))
        vars(made).update(layouts=layouts, _read=(taken, multiplicity))
        return made

    @cached_property
    def _read(self) -> tuple[list[Part], int]:
        multiplicity, parts = json.loads(self.problem)
        return [Part(times, Instance(*instance), order) for times, instance, order in parts], multiplicity

    @cached_property
    def layouts(self) -> list[tuple[list[Stage], int]]:
        """The stages of each problem, and the words of its states."""
        return [stages_of(part.instance, part.order) for part in self._read[0]]

    @cached_property
    def words(self) -> int:
        """The words of a state, rounded up, because each number needs kernels."""
        return next(words for words in WORDS if words >= max(words for _, words in self.layouts))

    @cached_property
    def options(self) -> list[int]:
        """The options of the problem, by their moves."""
        return [choice.option for stages, _ in self.layouts for stage in stages for choice in stage.near[0]]

    @property
    def multiplicity(self) -> int:
        return self._read[1]

    @property
    def state(self) -> Any:
        return np.dtype([("words", "u8", (self.words,)), ("move", "u2")])

    @property
    def children(self) -> int:
        most = max(len(stage.near[0]) for stages, _ in self.layouts for stage in stages)
        return max(2, sum(part.times for part in self._read[0]), most)

    def root(self) -> dict[str, Any]:
        return {}

    def limits(self) -> Sequence[int]:
        return (0,)

    def steps(self, limit: int) -> int:
        return max(len(stages) for stages, _ in self.layouts)

    def tables(self) -> Tables:
        return self._tables

    @cached_property
    def _tables(self) -> Tables:
        times = [part.times for part in self._read[0]]
        return tables_of([stages for stages, _ in self.layouts], times, self.words)

    def taken(self, moves: Sequence[int]) -> list[int]:
        """Return the options taken by moves, in their order, if there is one problem."""
        return sorted(self.options[move] for move in moves if move < len(self.options))

    # With a second return in `expand` or `solved`, numba would count references to all tables for each state.

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        stage = here.words[0] & STAGE
        for problem in range(tables.starts.size if tables.kinds[stage] == START else 0):
            row = rows[top]
            row.words[:] = ZERO
            row.words[0] = tables.starts[problem]
            row.move = problem
            top += 1
        option, end = np.uint64(tables.options[stage]), np.uint64(tables.options[stage + ONE])
        place = np.uint64(tables.first[stage])
        free = top
        while option < end:  # without a branch, which the processor could not predict
            clash = ZERO
            for word in range(here.words.size):
                clash |= here.words[word] & tables.blocks[word, place]
            rows[free].move = option
            free += clash == ZERO
            option += ONE
            place += ONE
        rows[free].move = tables.sets.shape[0] - 1
        free += tables.kinds[stage] == OPTION
        for number in range(top, free):
            row = rows[top]
            option = np.uint64(rows[number].move)
            row.move = option
            top += take(tables, here.words, row.words, stage, option) and advance(tables, row.words, stage)
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return tables.kinds[here.words[0] & STAGE] == END

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return key_in(here.words, ZERO, tables.like)

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> Any:
        store_words(row.words, ZERO, words_of(key))
        row.move = 0

    @staticmethod
    def level(tables: Any, here: Any) -> Any:
        return here.words[0] & STAGE


expand_counted = Counted.expand


CostedTables = namedtuple("CostedTables", [*Tables._fields, "costs"])  # type: ignore[misc]
"""The lookups of the rules, and uint32[options + 1]: the cost of each move."""


@dataclass(frozen=True)
class Costed(Counted):
    """The same for one problem with costs: states hold the cost so far."""

    @property
    def state(self) -> Any:
        return np.dtype([*super().state.descr, ("cost", "u4")])

    def limits(self) -> Sequence[int]:
        return range(1 << 32)

    def tables(self) -> Any:
        costs = self._read[0][0].instance.costs
        every = np.array([*(costs[option] for option in self.options), 0], np.uint32)
        return CostedTables(*super().tables(), every)  # type: ignore[call-arg]

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        end = expand_counted(tables, here, limit, rows, top)
        for number in range(top, end):
            rows[top] = rows[number]
            cost = np.int64(here.cost) + np.int64(tables.costs[rows[top].move])
            rows[top].cost = cost
            top += cost <= limit
        return top


def take(tables: Any, here: Any, words: Any, stage: Any, option: Any) -> Any:
    """Write the covered items after an option into `words`; return False if a counter exceeds its maximum."""
    over = ZERO
    for word in range(words.size):
        words[word] = (here[word] | tables.sets[option, word]) + tables.adds[option, word]
        over |= (words[word] + tables.above[stage, word]) & tables.guards[stage, word]
    return over == ZERO


def advance(tables: Any, words: Any, stage: Any) -> Any:
    """Advance from a stage to the next one whose item is not covered; return False if this or one soon after it has no
    option left, or if a counter ends below its minimum."""
    low, covered = ZERO, ONE
    while covered != ZERO:
        covered = ZERO
        for word in range(words.size):
            low |= ~(words[word] + tables.enough[stage, word]) & tables.ending[stage, word]
            words[word] &= tables.keep[stage, word]
        stage += ONE
        for word in range(words.size):
            covered |= words[word] & tables.done[stage, word]
    words[0] = (words[0] & ~STAGE) | stage
    if low != ZERO:
        return False
    for back in range(tables.ends.shape[1]):
        ahead = stage + np.uint64(back)
        if tables.kinds[ahead] != ITEM:
            return True
        if not has_option(tables, words, ahead, back):
            return False
    return True


def has_option(tables: Any, words: Any, stage: Any, back: Any) -> Any:
    """Return whether the item of a stage is covered, or has an option left `back` stages before."""
    covered = ZERO
    for word in range(words.size):
        covered |= words[word] & tables.done[stage, word]
    if covered != ZERO:
        return True
    place, end = np.uint64(tables.first[stage]), np.uint64(tables.ends[stage, back])
    is_free = False
    while place < end and not is_free:
        stop = min(place + BLOCK, end)
        while place < stop:
            clash = ZERO
            for word in range(words.size):
                clash |= words[word] & tables.blocks[word, place]
            is_free |= clash == ZERO
            place += ONE
    return is_free
