"""Keys of several words: every engine gives the answers of a key of one word that tells the same states apart."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cases import some
from conftest import Run
from samples import KEY, WALK, edited

import parsolve
from parsolve.check import check
from parsolve.compiler.keys import MIX, MOST_WORDS, entry_place, entry_size, mixed, words_of
from parsolve.deepening.searcher import Searcher
from parsolve.deepening.transposition import TranspositionTable
from parsolve.errors import BadPuzzle
from parsolve.levels.explore import explore
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.puzzles import Sliding
from parsolve.puzzles.sliding.geometry import packed, solvable

LOW, PART = np.uint64((1 << 32) - 1), np.uint64((1 << 12) - 1)


@dataclass(frozen=True)
class Two(Sliding):
    """A key of two words; of most pairs of states of a 2x3 board only the second differs."""

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.cells >> np.uint64(32), here.cells & LOW


@dataclass(frozen=True)
class OnlySecond(Sliding):
    """A key of two words, only the second of which tells states apart."""

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return LOW, here.cells


@dataclass(frozen=True)
class OnlyFirst(Sliding):
    """A key of two words, only the first of which tells states apart."""

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.cells, LOW


@dataclass(frozen=True)
class Three(Sliding):
    """A key of three words."""

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.cells & PART, (here.cells >> np.uint64(12)) & PART, here.cells >> np.uint64(24)


@dataclass(frozen=True)
class OnlyLast(Sliding):
    """A key of as many words as there can be, only the last of which tells states apart."""

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return LOW, LOW, LOW, LOW, here.cells


@dataclass(frozen=True)
class TupleOfOne(Sliding):
    """A tuple of one word."""

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return (here.cells,)


CLASSES = [Two, OnlySecond, OnlyFirst, Three, OnlyLast, TupleOfOne]


def instances(number: int, seed: int = 1) -> list[dict[str, str]]:
    """Random solvable boards of 2x3."""
    random_ = random.Random(seed)
    found: list[dict[str, str]] = []
    while len(found) < number:
        start, goal = (random_.sample(range(6), 6) for _ in range(2))
        if solvable(start, goal, 2, 3):
            found.append({"shape": "2x3", "start": " ".join(map(str, start)), "goal": " ".join(map(str, goal))})
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("cls", CLASSES)
def test_every_engine_agrees_with_one_word(cls: type[Sliding]) -> None:
    for number, values in enumerate(instances(4)):
        bound = ("none", "manhattan")[number % 2]
        reference = parsolve.solve(Sliding(**values, bound=bound), workers=1, transposition=0)
        puzzle = cls(**values, bound=bound)
        for options in (
            {"engine": "breadth"},
            {"engine": "both"},
            {"transposition": 1 << 20},
            {"transposition": 480},
            {"transposition": 24},
        ):
            found = parsolve.solve(puzzle, workers=1, **options)  # type: ignore[arg-type]
            assert (found.cost, found.paths) == (reference.cost, reference.paths), options
            counted = parsolve.solve(puzzle, workers=1, want="count", **options)  # type: ignore[arg-type]
            assert (counted.cost, counted.count) == (reference.cost, reference.count), options
        first = parsolve.solve(puzzle, engine="breadth", want="first")
        assert first.paths == reference.paths[:1]


@pytest.mark.parametrize("cls", some(CLASSES, len(CLASSES)))
def test_whole_spaces(cls: type[Sliding]) -> None:
    values = instances(1)[0]
    reference, found = explore(Sliding(**values)), explore(cls(**values))
    assert sum(states for _, states in found.depths) == 360
    assert (found.depths, found.farthest) == (reference.depths, reference.farthest)


@pytest.mark.parametrize("cls", CLASSES)
def test_keys_are_spread_over_the_table(cls: type[Sliding]) -> None:
    """As by chance: as many keys as there are places fill 63% of them, whatever words tell them apart."""
    random_, places = random.Random(1), set()
    with np.errstate(over="ignore"):
        for _ in range(4096):
            here = SimpleNamespace(cells=np.uint64(packed(random_.sample(range(9), 9))))
            words = words_of(cls.key(None, here))
            mask = np.uint64(4096 * entry_size(words) - 1)
            places.add(int(entry_place(words, mixed(words), np.uint64(5), mask)))
    assert 0.6 < len(places) / 4096 < 0.66


def test_torn_entries_are_noticed() -> None:
    """Two processes may write an entry at once: any of its words may be from another entry."""
    start = "2 4 6 1 0 5 3 8 7"
    searcher = Searcher(Problem(Two(start, bound="none")))
    table = TranspositionTable(1 << 22)

    def solutions() -> list[int]:
        return [searcher.run(searcher.whole(), limit, 1 << 40, False, None, table).found for limit in (22, 24)]

    assert solutions() == [0, 11]
    entries = searcher._memo.entries.reshape(-1, entry_size((0, 0)))
    random_ = np.random.default_rng(1)
    whole = entries.copy()
    for words in ([0], [1], [2], [3], [4], [0, 1], [0, 2], [1, 2], [2, 3], [0, 1, 2], [0, 1, 3], [2, 3, 4]):
        entries[:] = whole
        used = np.flatnonzero(entries[:, 2])
        assert used.size > 500
        entries[np.ix_(used, words)] = entries[np.ix_(random_.permutation(used), words)]
        # An entry that has become another whole one, by chance, stands in a place where nobody looks for it.
        assert solutions() == [0, 11], words


def test_one_word_is_mixed_to_itself() -> None:
    """So that a key of one word has the places and checksums that it had before there were others."""
    assert mixed((MIX,)) == MIX
    with np.errstate(over="ignore"):
        several = {int(mixed((np.uint64(a), np.uint64(b)))) for a in range(64) for b in range(64)}
    assert len(several) == 64 * 64
    assert [entry_size((0,) * words) for words in range(1, MOST_WORDS + 1)] == [4, 8, 8, 8, 8, *[16] * 8]
    assert entry_size((0,)) >= 1 + 3
    assert 8 * entry_size((0,) * MOST_WORDS) <= 128


LATTICE = '''
"""Step to the right or up `size` times each; both coordinates fill 64 bits."""
from dataclasses import dataclass
import numpy as np
from parsolve import Puzzle, parameter

STEP = np.uint64(0x9E3779B97F4A7C15)

@dataclass(frozen=True)
class Lattice(Puzzle):
    size: int = parameter(12, "steps in each direction")
    state = np.dtype([("right", "u8"), ("up", "u8"), ("goal", "u8"), ("cost", "u2"), ("move", "u1")])
    children = 2

    def root(self):
        return {"goal": 0x9E3779B97F4A7C15 * self.size % 2**64}

    def limits(self):
        return [2 * self.size]

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for step in range(1, 3):
            row = rows[top]
            row.right, row.up = here.right, here.up
            if step == 1:
                row.right = here.right + STEP
            else:
                row.up = here.up + STEP
            row.goal, row.cost, row.move = here.goal, here.cost + 1, step
            top += here.cost + 1 <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.right == here.goal and here.up == here.goal

    @staticmethod
    def key(tables, here):
        return here.right, here.up
'''


@pytest.mark.nightly
def test_states_of_more_than_64_bits(puzzle_file: Callable[..., Path]) -> None:
    cls = load_class(f"{puzzle_file(LATTICE)}:Lattice")
    for options in ({"transposition": 1 << 20}, {"engine": "breadth"}):
        counted = parsolve.solve(cls(size=12), want="count", workers=1, **options)  # type: ignore[arg-type]
        assert counted.count == math.comb(24, 12)
        found = parsolve.solve(cls(size=4), workers=1, **options)  # type: ignore[arg-type]
        assert (found.count, len(set(found.paths))) == (70, 70)


def test_check_merges_by_all_words(puzzle_file: Callable[..., Path]) -> None:
    report = check(load_class(f"{puzzle_file(LATTICE)}:Lattice")(size=4), states=200)
    assert report.faults == []
    assert report.key_pairs > 10
    for key in ("here.up, here.up", "here.right, STEP"):
        source = edited("return here.right, here.up", f"return {key}", LATTICE)
        (fault,) = check(load_class(f"{puzzle_file(source)}:Lattice")(size=4), states=200).faults
        assert "'key' merges this state with {" in str(fault)


def test_check_compares_each_word(puzzle_file: Callable[..., Path]) -> None:
    """Python's integers have no end, compiled ones wrap around."""
    source = WALK + KEY.replace("here.place", "np.uint64(here.place), np.uint64((tables.size + 2**62) * 4 >> 62)")
    fault, *_ = check(load_class(f"{puzzle_file(source)}:Walk")()).faults
    assert str(fault).startswith("'key' is (0, 4) as Python, (0, 0) compiled at place=0")


@pytest.mark.nightly
@pytest.mark.parametrize("key", ["np.int64(here.place) - 4", "here.place + 1"])
def test_any_integer_is_a_word(puzzle_file: Callable[..., Path], key: str) -> None:
    """Signed ones, and negative ones, too."""
    source = WALK + KEY.replace("here.place", key)
    puzzle = load_class(f"{puzzle_file(source)}:Walk")(size=8)
    reference = parsolve.solve(puzzle, workers=1, transposition=0)
    for options in ({"engine": "both"}, {"transposition": 1 << 12}):
        assert parsolve.solve(puzzle, workers=1, **options).paths == reference.paths  # type: ignore[arg-type]


PLACE = "np.uint64(here.place)"

REFUSED = {
    "a uint32": (
        f"return here.place, {PLACE}",
        "must return a uint64, or a tuple of at most 13, not Tuple(uint32, uint64)",
    ),
    "too many": (f"return {', '.join([PLACE] * 14)}", "a tuple of at most 13, not UniTuple(uint64 x 14)"),
    "tuples of other lengths": (
        f"if here.place:\n            return {PLACE}, {PLACE}\n        return ({PLACE},)",
        "Can't unify return type from the following types: UniTuple(uint64 x 1), UniTuple(uint64 x 2)",
    ),
}


@pytest.mark.nightly
@pytest.mark.parametrize("mistake", REFUSED)
def test_what_is_no_key(run_here: Run, puzzle_file: Callable[..., Path], mistake: str) -> None:
    body, says = REFUSED[mistake]
    path = puzzle_file(WALK + KEY.replace("return here.place", body))
    said = [run_here("check", "my_puzzle.py:Walk", code=2).stdout.splitlines()[0]]
    for options in ({"engine": "breadth"}, {"transposition": 1 << 12}):
        with pytest.raises(BadPuzzle) as error:
            parsolve.solve(load_class(f"{path}:Walk")(), workers=1, **options)  # type: ignore[arg-type]
        said.append(str(error.value))
    for line in said:
        assert line.startswith("Walk: the rule 'key'")
        assert "(my_puzzle.py, line " in line
        assert says in line
    assert said[0] == said[1] == said[2]
