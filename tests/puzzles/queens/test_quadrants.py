"""N queens by quadrants: known counts, however the row sets are cut, and each step against brute force."""

import itertools
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from at_once import solve_at_once
from hypothesis import given, settings
from hypothesis import strategies as st
from journals import EVERY_OUTCOME, run_through
from samples import counted
from worlds.queens import COUNTS, UNIQUE, all_queens, images

import parsolve
from parsolve.compiler.cache import cached
from parsolve.deepening.searcher import Searcher
from parsolve.errors import BadInput
from parsolve.problem.problem import Problem
from parsolve.puzzle import parameter
from parsolve.puzzles import Queens
from parsolve.puzzles.queens.quadrants import (
    Quadrants,
    Tables,
    cached_half_turn,
    cached_quarter_turn,
    cached_queen_bits,
    cached_ranks_of_sets,
    cached_row_sets,
    no_quarters,
)
from parsolve.puzzles.queens.quadrants.halves import count
from parsolve.puzzles.queens.quadrants.parts import BITS_OF_LEVEL, CHILDREN, estimate_halves, masks_of_part, weight_of
from parsolve.puzzles.queens.quadrants.quarters import LONG, SHORT
from parsolve.search.request import Request

pytestmark = pytest.mark.nightly


def solutions(n: int) -> list[tuple[int, ...]]:
    """All solutions, rows from 0."""
    return [tuple(row - 1 for row in rows) for rows in all_queens(n)]


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
    assert counted(Queens(9)) == Queens(9, "bits")
    assert counted(Queens(14, unique=True)) == Quadrants(14, unique=True)
    with pytest.raises(BadInput, match="n is 1 to 28, not 0"):
        Quadrants(0)


@dataclass(frozen=True)
class Divided(Quadrants):
    """Quarters are listed for each row set, and row sets are divided, as on large boards."""

    work: int = parameter(200, "of a part that is not divided again; 0: row sets are not divided")

    def tables(self) -> Tables:
        where, starts, words = no_quarters()
        made = super().tables()
        return made._replace(where=where, starts=starts, words=words, most_work=np.int64(self.work))


@pytest.mark.parametrize("n", [8, 13, 9, 12])
def test_quarters_that_are_listed_for_each_row_set(n: int) -> None:
    assert parsolve.solve(Divided(n, work=0), want="count", workers=1).count == COUNTS[n]


@pytest.mark.parametrize("n", [*range(1, 11), 12, 13])
def test_row_sets_that_are_divided(n: int) -> None:
    whole = parsolve.solve(Divided(n, work=0), want="count", workers=1)
    parts = parsolve.solve(Divided(n), want="count", workers=1)
    assert parts.count == whole.count == COUNTS[n]
    assert n < 4 or sum(each.nodes for each in parts.iterations) > sum(each.nodes for each in whole.iterations)


@settings(max_examples=20, deadline=None)
@given(st.integers(4, 11), st.integers(1, 3000))
def test_parts_however_they_are_cut(n: int, budget: int) -> None:
    assert parsolve.solve(Divided(n), want="count", workers=1, budget=budget).count == COUNTS[n]


@pytest.mark.parametrize("hard", [True, False])
def test_a_count_by_parts_resumes_from_its_journal(tmp_path: Path, hard: bool) -> None:
    """As a day's worth of n = 27 does."""
    request, pulls = Request(want="count", workers=1, engine="deepening", budget=3000), [0, 1, 2, 3, 5, 8, 13]
    found, _ = run_through(tmp_path / "it.sqlite", Divided(11), request, pulls, hard, EVERY_OUTCOME)
    assert found.count == COUNTS[11]


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
        cached_queen_bits(n),
        cached_ranks_of_sets(n - n // 2),
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


@pytest.mark.parametrize("level", range(1, 4))
def test_a_pair_without_a_common_diagonal_is_in_one_part(level: int) -> None:
    """And one that has a diagonal in common, of those that tell the parts apart, is in none."""
    up = SHORT - 2 * level
    masks = [[int(mask) >> up for mask in masks_of_part(np.uint64(part), level)] for part in range(CHILDREN**level)]
    exchanged = [sum(1 << (bit ^ 1) for bit in range(2 * level) if west >> bit & 1) for west in range(4**level)]
    for east, west in itertools.product(range(4**level), repeat=2):
        parts = [
            held
            for held, east_barred, west_held, west_barred in masks
            if east & held == held
            and not east & east_barred
            and west & west_held == west_held
            and not west & west_barred
        ]
        assert len(parts) == (east & exchanged[west] == 0)


@pytest.mark.parametrize("n", [8, 9, 12, 13])
def test_the_estimate_of_a_small_row_set_is_exact(n: int) -> None:
    """There are fewer column sets than are joined; only marks of the symmetries are left out."""
    bits, ranks = cached_queen_bits(n), cached_ranks_of_sets(n - n // 2)
    for rows in Quadrants(n).row_sets[::50]:
        west = ((1 << n) - 1) ^ int(rows)
        estimate = cached_estimate_halves(np.int64(n), bits, ranks, np.int64(1), np.uint64(west))
        assert estimate == len(plain_halves(n, 1, west))


@settings(max_examples=20, deadline=None)
@given(st.integers(4, 13), st.integers(1, 3000))
def test_however_it_is_cut(n: int, budget: int) -> None:
    assert parsolve.solve(Quadrants(n), want="count", workers=1, budget=budget).count == COUNTS[n]


@pytest.mark.usefixtures("start_method")
def test_on_workers() -> None:
    for n, budget in ((13, 2000), (14, 50_000)):
        found = solve_at_once(Quadrants(n), want="count", workers=3, budget=budget)
        assert (found.count, found.workers) == (COUNTS[n], 3)


def test_a_branch_of_row_sets_splits_like_any_other() -> None:
    searcher = Searcher(Problem(Quadrants(12)))
    parts = [searcher.whole()]
    counts = []
    random_ = random.Random(3)
    while parts:
        part = parts.pop(random_.randrange(len(parts)))
        outcome = searcher.run(part, 0, random_.randrange(1, 5000), False, None)
        counts.append(outcome.found)
        for rest in outcome.rest:
            parts += rest.split() if random_.random() < 0.5 else [rest]
    assert len(counts) > 10
    assert sum(counts) == COUNTS[12]


# Each step for itself.


@pytest.mark.parametrize("n", range(1, 9))
def test_row_sets_stand_for_all(n: int) -> None:
    """Each set of rows that an east half can hold is the image of exactly one that is searched: by turning the board
    upside down, and, where its halves are alike, by exchanging them."""
    sets, weight = Quadrants(n).row_sets, cached(weight_of)
    weights = [weight(np.int64(n), rows) for rows in sets]
    columns = n - n // 2
    covered = []
    for rows in sets.tolist():
        alike = {rows, int(f"{rows:0{n}b}"[::-1], 2)}
        if n % 2 == 0:
            alike |= {(1 << n) - 1 - each for each in alike}
        covered += alike
    every = [rows for rows in range(1 << n) if rows.bit_count() == columns]
    assert sorted(covered) == every
    assert all(weight in (1, 2) for weight in weights)


@pytest.mark.parametrize("n", range(4, 10))
def test_halves_attack_each_other_where_their_masks_meet(n: int) -> None:
    """Columns are counted from the middle line, and the bits of the sides are exchanged in pairs."""
    bits = cached_queen_bits(n)
    diagonals = np.uint64((4 << LONG) - 1)  # without the marks
    west = n // 2
    for (row, column), (other_row, other_column) in itertools.product(
        itertools.product(range(n), range(west)), itertools.product(range(n), range(n - west))
    ):
        attack = abs(row - other_row) == abs(west - 1 - column - (west + other_column))
        mine, other = int(bits[1, row, column] & diagonals), int(bits[0, other_row, other_column] & diagonals)
        exchanged = sum(1 << (bit ^ 1) for bit in range(64) if mine >> bit & 1)
        if row == other_row:
            continue
        assert bool(exchanged & other) == attack, (row, column, other_row, other_column)


@pytest.mark.parametrize("n", range(1, 11))
def test_symmetric_solutions(n: int) -> None:
    every = solutions(n) if n < 9 else None
    if every is None:
        # OEIS A032522 and A033148.
        assert int(cached_half_turn(n)) == {9: 16, 10: 12}[n]
        assert int(cached_quarter_turn(n)) == 0
        return
    half = [rows for rows in every if tuple(n - 1 - row for row in reversed(rows)) == rows]
    quarter = [rows for rows in every if tuple(n - 1 - rows.index(row) for row in range(n)) == rows]
    assert (int(cached_half_turn(n)), int(cached_quarter_turn(n))) == (len(half), len(quarter))
    assert len({min(images(rows)) for rows in all_queens(n)}) == UNIQUE[n]


def test_larger_symmetric_solutions() -> None:
    assert [int(cached_quarter_turn(n)) for n in (12, 13, 16, 17, 20, 21)] == [8, 8, 64, 128, 480, 704]
    for n in (16, 17, 18):
        symmetric = int(cached_half_turn(n)) + 2 * int(cached_quarter_turn(n))
        assert (COUNTS[n] + symmetric) / 8 == UNIQUE[n]
