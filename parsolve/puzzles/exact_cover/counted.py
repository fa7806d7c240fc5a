"""The rules of exact cover for counting: a state is what is covered of the items that still matter; see `stages`."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.errors import BadInput
from parsolve.parameters import parameter
from parsolve.puzzle import Puzzle
from parsolve.puzzles.exact_cover.instance import Instance
from parsolve.puzzles.exact_cover.stages import CURSOR, LOOK, WORD, Stages

ZERO, ONE = np.uint64(0), np.uint64(1)

STAGE = np.uint64((1 << CURSOR) - 1)
"""The bits of a state that number its stage."""


class Tables(NamedTuple):
    """What the rules look up. Options are numbered by stage."""

    first: np.ndarray[Any, Any]  # uint32[stages + 1]: the first option of each stage
    blocks: np.ndarray[Any, Any]  # uint64[options, words]: the bits of which none may be set
    sets: np.ndarray[Any, Any]  # uint64[options, words]: the bits that it sets
    adds: np.ndarray[Any, Any]  # uint64[options, words]: what it adds to counters
    done: np.ndarray[Any, Any]  # uint64[stages, words]: the bit that says that the item is covered
    keep: np.ndarray[Any, Any]  # uint64[stages, words]: the bits that still matter after it
    near: np.ndarray[Any, Any]  # uint32[...]: the options that cover the item of a stage, those of late stages first
    begins: np.ndarray[Any, Any]  # uint32[choices]: where those of a stage begin there
    ends: np.ndarray[Any, Any]  # uint32[choices, LOOK]: where those end that are 0, 1 … stages before it at most
    guards: np.ndarray[Any, Any]  # uint64[words]: the highest bit of each counter
    above: np.ndarray[Any, Any]  # uint64[words]: sets it, added to a counter that is above its most
    enough: np.ndarray[Any, Any]  # uint64[words]: sets it, added to a counter that is not below its least
    choices: np.int64  # how many stages are those of an item
    stages: np.int64


@dataclass(frozen=True)
class Counted(Puzzle):
    """An exact cover problem with as many solutions as another one, and few states. A move is an option, numbered by
    stage, or their number where none is taken."""

    problem: str = parameter("1:1\n0\n0:0", "as `Counted.of` writes it", most=1 << 24)

    words = 1

    @classmethod
    def of(cls, instance: Instance, order: Sequence[int] | None = None) -> "Counted":
        """Return the puzzle that counts the solutions of a problem.

        Args:
            instance: the problem.
            order: see `Stages.of`.

        Raises:
            BadInput: its states would be too large.
        """
        stages = Stages.of(instance, order)
        made = CLASSES[stages.words - 1](_written(instance))
        vars(made)["layout"] = stages
        return made

    @cached_property
    def layout(self) -> Stages:
        """The problem in stages."""
        stages = Stages.of(_read(self.problem))
        if stages.words != self.words:
            raise BadInput(f"counted: this problem has states of {stages.words} words, not {self.words}")
        return stages

    @cached_property
    def options(self) -> list[int]:
        """The options of the problem by the moves that take them."""
        return [option for stage in self.layout.options for option in stage]

    @property
    def state(self) -> Any:
        return np.dtype([("words", "u8", (self.words,)), ("move", "u2")])

    @property
    def children(self) -> int:
        return max([2, *map(len, self.layout.options)])

    def root(self) -> dict[str, Any]:
        return {}

    def steps(self, limit: int) -> int:
        return len(self.layout.options)

    def tables(self) -> Tables:
        layout = self.layout
        options = self.options
        number = {option: place for place, option in enumerate(options)}
        stage_of = {option: stage for stage, each in enumerate(layout.options) for option in each}
        near = [sorted(each, key=lambda option: -stage_of[option]) for each in layout.items]
        begins = [0, *itertools.accumulate(map(len, near))][: layout.choices]
        ends = [
            [begin + sum(stage_of[option] >= stage - back for option in near[stage]) for back in range(LOOK)]
            for stage, begin in enumerate(begins)
        ]
        counters = layout.counters
        highest = [each.field.bits(1 << each.field.width - 1) for each in counters]
        above = [each.field.bits((1 << each.field.width - 1) - 1 - each.most) for each in counters]
        enough = [each.field.bits((1 << each.field.width - 1) - each.least) for each in counters]
        return Tables(
            np.cumsum([0, *map(len, layout.options)]).astype(np.uint32),
            self._rows(layout.blocks[option] for option in options),
            self._rows(layout.sets[option] for option in options),
            self._rows(layout.adds[option] for option in options),
            self._rows(layout.done),
            self._rows((1 << WORD * self.words) - 1 ^ bits for bits in layout.clear),
            np.array([number[option] for each in near for option in each], np.uint32),
            np.array(begins, np.uint32),
            np.array(ends, np.uint32).reshape(-1, LOOK),
            self._rows([sum(highest)])[0],
            self._rows([sum(above)])[0],
            self._rows([sum(enough)])[0],
            np.int64(layout.choices),
            np.int64(len(layout.options)),
        )

    def taken(self, moves: Sequence[int]) -> list[int]:
        """Return the options of the problem that moves take, in their order there."""
        return sorted(self.options[move] for move in moves if move < len(self.options))

    def _rows(self, sets: Iterable[int]) -> np.ndarray[Any, Any]:
        """Return sets of bits as uint64[n, words]."""
        full = (1 << WORD) - 1
        rows = [[bits >> WORD * word & full for word in range(self.words)] for bits in sets]
        return np.array(rows, np.uint64).reshape(-1, self.words)

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        stage = here.words[0] & STAGE
        if stage >= tables.stages:
            return top
        for option in range(np.uint64(tables.first[stage]), np.uint64(tables.first[stage + ONE])):
            row = rows[top]
            if take(tables, here.words, row.words, option) and advance(tables, row.words, stage):
                row.move = option
                top += 1
        if stage >= tables.choices:
            row = rows[top]
            row.words = here.words
            if advance(tables, row.words, stage):
                row.move = tables.blocks.shape[0]
                top += 1
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.words[0] & STAGE == tables.stages and is_enough(tables, here.words)

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.words[0]

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> Any:
        row.words[0] = key
        row.move = 0

    @staticmethod
    def level(tables: Any, here: Any) -> Any:
        return here.words[0] & STAGE


def take(tables: Any, here: Any, words: Any, option: Any) -> Any:
    """Write into `words` what is covered after an option; return False if it cannot be taken."""
    clash, over = ZERO, ZERO
    for word in range(words.size):
        clash |= here[word] & tables.blocks[option, word]
        words[word] = (here[word] | tables.sets[option, word]) + tables.adds[option, word]
        over |= (words[word] + tables.above[word]) & tables.guards[word]
    return clash | over == ZERO


def advance(tables: Any, words: Any, stage: Any) -> Any:
    """Move on from a stage to the next one whose item is not covered; return False if this or one soon after it has no
    option left, or if a counter is below its least at the end."""
    covered = ONE
    while covered != ZERO:
        covered = ZERO
        for word in range(words.size):
            words[word] &= tables.keep[stage, word]
        stage += ONE
        if stage < tables.stages:
            for word in range(words.size):
                covered |= words[word] & tables.done[stage, word]
    words[0] = (words[0] & ~STAGE) | stage
    if stage == tables.stages:
        return is_enough(tables, words)
    for back in range(LOOK):
        ahead = stage + np.uint64(back)
        if ahead < tables.choices and not has_option(tables, words, ahead, back):
            return False
    return True


def has_option(tables: Any, words: Any, stage: Any, back: Any) -> Any:
    """Return whether the item of a stage is covered, or has an option left `back` stages before."""
    covered = ZERO
    for word in range(words.size):
        covered |= words[word] & tables.done[stage, word]
    if covered != ZERO:
        return True
    for place in range(tables.begins[stage], tables.ends[stage, back]):
        clash = ZERO
        for word in range(words.size):
            clash |= words[word] & tables.blocks[tables.near[place], word]
        if clash == ZERO:
            return True
    return False


def is_enough(tables: Any, words: Any) -> Any:
    """Return whether no counter is below its least."""
    low = ZERO
    for word in range(words.size):
        low |= ~(words[word] + tables.enough[word]) & tables.guards[word]
    return low == ZERO


@dataclass(frozen=True)
class Counted2(Counted):
    """States of two words."""

    words = 2

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.words[0], here.words[1]

    @staticmethod
    def unkey(tables: Any, key: Any, row: Any) -> Any:
        write_words(key, row)


@dataclass(frozen=True)
class Counted3(Counted2):
    """States of three words."""

    words = 3

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.words[0], here.words[1], here.words[2]


@dataclass(frozen=True)
class Counted4(Counted2):
    """States of four words."""

    words = 4

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.words[0], here.words[1], here.words[2], here.words[3]


@dataclass(frozen=True)
class Counted5(Counted2):
    """States of five words."""

    words = 5

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.words[0], here.words[1], here.words[2], here.words[3], here.words[4]


CLASSES = (Counted, Counted2, Counted3, Counted4, Counted5)
"""By the number of words of a state, from 1 on: a key is always as long."""


def write_words(key: Any, row: Any) -> None:
    """Write a key of several words into a state."""
    for word in range(len(key)):
        row.words[word] = key[word]
    row.move = 0


def _written(instance: Instance) -> str:
    """Return a problem as text: how often its primary items are covered, the number of secondary ones, the options."""
    bounds = instance.bounds or ((1, 1),) * len(instance.primary)
    lines = [" ".join(f"{least}:{most}" for least, most in bounds), str(len(instance.secondary))]
    colours: dict[str, int] = {"": 0}
    for option in instance.options:
        numbers = [(item, colours.setdefault(colour, len(colours))) for item, colour in option]
        lines.append(" ".join(f"{item}:{colour}" for item, colour in numbers))
    return "\n".join(lines)


def _read(text: str) -> Instance:
    """Return the problem that a text describes, with numbers for names."""
    bounds, secondary, *options = [
        [tuple(map(int, each.split(":"))) for each in line.split()] for line in text.split("\n")
    ]
    return Instance(
        tuple(map(str, range(len(bounds)))),
        tuple(map(str, range(secondary[0][0]))),
        tuple(tuple((item, str(colour) if colour else "") for item, colour in option) for option in options),
        tuple((least, most) for least, most in bounds),
    )
