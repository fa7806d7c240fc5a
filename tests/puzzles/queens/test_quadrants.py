"""N queens by quadrants: known counts, however the row sets are cut, and each step against brute force."""

import itertools
import random
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import counted
from worlds.queens import COUNTS, UNIQUE

import parsolve
from parsolve.compiler.cache import cached
from parsolve.puzzle.core import parameter
from parsolve.puzzles import Queens
from parsolve.puzzles.queens.quadrants import (
    Quadrants,
    Tables,
    cached_count_turned,
    cached_row_sets,
    no_quarters,
    queen_bits,
    ranks_of_sets,
)
from parsolve.puzzles.queens.quadrants.halves import count
from parsolve.puzzles.queens.quadrants.parts import BITS_OF_LEVEL, CHILDREN, estimate_halves
from parsolve.puzzles.queens.queens import Counted

pytestmark = pytest.mark.nightly


@pytest.mark.parametrize("n", range(1, 16))
def test_known_counts(n: int) -> None:
    result = parsolve.solve(Quadrants(n), want="count", workers=1)
    assert (result.count, result.status) == (COUNTS[n], "solved" if COUNTS[n] else "none")


@pytest.mark.parametrize("n", range(1, 16))
def test_known_unique_counts(n: int) -> None:
    assert parsolve.solve(Quadrants(n, unique=True), want="count", workers=1).count == UNIQUE[n]


def test_a_board_of_none_and_the_method_by_name() -> None:
    assert parsolve.solve(Queens(0, "quadrants"), want="count", workers=1).count == 1
    assert counted(Queens(14)) == Quadrants(14)
    assert counted(Queens(13)) == Counted(13, "mirror")
    assert counted(Queens(14, unique=True)) == Quadrants(14, unique=True)


@dataclass(frozen=True)
class Divided(Quadrants):
    """Quarters are listed for each row set, and row sets are divided, as on large boards."""

    work: int = parameter(200, "of a part that is not divided again; 0: row sets are not divided")

    def tables(self) -> Tables:
        where, starts, words = no_quarters()
        made = super().tables()
        return made._replace(where=where, starts=starts, words=words, most_work=np.int64(self.work))


@pytest.mark.parametrize("n", [*range(1, 11), 12, 13])
def test_row_sets_that_are_divided(n: int) -> None:
    whole = parsolve.solve(Divided(n, work=0), want="count", workers=1)
    parts = parsolve.solve(Divided(n), want="count", workers=1)
    assert parts.count == whole.count == COUNTS[n]
    assert n < 4 or sum(each.nodes for each in parts.iterations) > sum(each.nodes for each in whole.iterations)


# Row sets and parts of them against plain ways.


def plain_halves(n: int, side: int, rows: int) -> list[tuple[int, int]]:
    """The placements of these rows on all columns of a side, one by one: the diagonals that each holds, and how many
    of them are the board's long ones, or all 3 for the centre of the board."""
    members = [row for row in range(n) if rows >> row & 1]
    columns = range(n // 2, n) if side == 0 else range(n // 2)
    halves = []
    for order in itertools.permutations(members):
        squares = list(zip(order, columns, strict=True))
        rising, falling = {row + column for row, column in squares}, {row - column for row, column in squares}
        if len(rising) == len(falling) == len(members):
            held = sum(1 << each for each in rising) | sum(1 << 2 * n + n + each for each in falling)
            centre = n % 2 == 1 and (n // 2, n // 2) in squares
            halves.append((held, 3 if centre else (n - 1 in rising) + (0 in falling)))
    return halves


def plain_count(n: int, rows: int) -> int:
    """The weighted number of solutions with these rows in the east, as the docstring of `count` says, pair by pair."""
    east, west = plain_halves(n, 0, rows), plain_halves(n, 1, (1 << n) - 1 - rows)
    middle = n % 2 == 1 and rows >> n // 2 & 1 == 1
    found = 0
    for (mine, arms), (other, others) in itertools.product(east, west):
        if mine & other:
            continue
        if arms == 0 and others:
            found += 2 * others
        elif arms == others == 0 and not middle:
            found += 2
        elif n % 2 == 0 and others == 0:
            found += 2 * arms
        elif arms == 3 and others == 0:
            found += 1
    return found


cached_count, cached_estimate_halves = cached(count), cached(estimate_halves)


def count_part(n: int, rows: int, part: int = 0, level: int = 0) -> int:
    """The weighted number of solutions of a row set or a part of it."""
    found, _ = cached_count(
        np.int64(n),
        np.uint32(rows),
        queen_bits(n),
        ranks_of_sets(n - n // 2),
        *no_quarters(),
        np.uint32(part),
        np.int64(level),
    )
    return int(found)


@settings(max_examples=60, deadline=None)
@given(st.integers(4, 12), st.randoms())
def test_a_row_set_is_counted_as_pair_by_pair(n: int, random_: random.Random) -> None:
    rows = int(random_.choice(Quadrants(n).row_sets))
    assert count_part(n, rows) == plain_count(n, rows)


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 12), st.integers(1, 4), st.randoms())
def test_the_parts_of_a_level_are_a_row_set(n: int, level: int, random_: random.Random) -> None:
    rows = int(random_.choice(Quadrants(n).row_sets))
    level = min(level, n - 2)
    counts = [count_part(n, rows, part, level) for part in range(CHILDREN**level)]
    assert sum(counts) == plain_count(n, rows)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from([19, 20, 21, 22]), st.integers(0, 1 << 30), st.lists(st.integers(0, 3), max_size=9))
def test_a_part_is_the_sum_of_the_next_level(n: int, which: int, path: list[int]) -> None:
    """On boards where the keys, the tables and the choice of the side that goes into blocks are others; deep parts hold
    more diagonals than quarters are sorted by."""
    sets = cached_row_sets(n)
    rows = int(sets[which % sets.size])
    part, level = sum(held << BITS_OF_LEVEL * i for i, held in enumerate(reversed(path))), len(path)
    below = [count_part(n, rows, part << BITS_OF_LEVEL | held, level + 1) for held in range(CHILDREN)]
    assert sum(below) == count_part(n, rows, part, level)


@pytest.mark.parametrize("n", [8, 9, 12, 13])
def test_the_estimate_of_a_small_row_set_is_exact(n: int) -> None:
    """There are fewer column sets than are joined; only marks of the symmetries are left out."""
    bits, ranks = queen_bits(n), ranks_of_sets(n - n // 2)
    for rows in Quadrants(n).row_sets[::50]:
        west = ((1 << n) - 1) ^ int(rows)
        estimate = cached_estimate_halves(np.int64(n), bits, ranks, np.int64(1), np.uint64(west))
        assert estimate == len(plain_halves(n, 1, west))


# Each step for itself.


def test_larger_symmetric_solutions() -> None:
    assert [int(cached_count_turned(n, True)) for n in (12, 13, 16, 17, 20, 21)] == [8, 8, 64, 128, 480, 704]
    for n in (16, 17, 18):
        symmetric = int(cached_count_turned(n, False)) + 2 * int(cached_count_turned(n, True))
        assert (COUNTS[n] + symmetric) / 8 == UNIQUE[n]
