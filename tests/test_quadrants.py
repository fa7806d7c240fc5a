"""N queens by quadrants: known counts, however the row sets are cut, and each step against brute force."""

import itertools
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_queens import COUNTS, UNIQUE, images, plain

import parsolve
from parsolve.engine.slices import Searcher
from parsolve.errors import BadInput
from parsolve.puzzles import Queens, quadrants
from parsolve.puzzles.quadrants import Quadrants, cached_half_turn, cached_quarter_turn
from parsolve.puzzles.quadrants.quarters import key_bits, queen_bits


def solutions(n: int) -> list[tuple[int, ...]]:
    """All solutions, rows from 0."""
    return [tuple(int(row) - 1 for row in text.split()) for text in plain(n)]


@pytest.mark.parametrize("n", range(1, 16))
def test_known_counts(n: int) -> None:
    found = parsolve.solve(Quadrants(n), want="count", workers=1)
    assert (found.count, found.status) == (COUNTS[n], "solved" if COUNTS[n] else "none")


@pytest.mark.parametrize("n", range(1, 16))
def test_known_unique_counts(n: int) -> None:
    assert parsolve.solve(Quadrants(n, unique=True), want="count", workers=1).count == UNIQUE[n]


def test_a_board_of_none_and_the_method_by_name() -> None:
    assert parsolve.solve(Queens(0, "quadrants"), want="count", workers=1).count == 1
    assert Queens(14).for_want("count") == Quadrants(14)
    assert Queens(9).for_want("count") == Queens(9, "bits")
    assert Queens(14, unique=True).for_want("count") == Quadrants(14, unique=True)
    with pytest.raises(BadInput, match="n is 1 to 27, not 0"):
        Quadrants(0)


@pytest.mark.parametrize("n", [8, 9, 12, 13])
def test_quarters_that_are_listed_for_each_row_set(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    """As on boards so large that not all fit into the memory."""
    monkeypatch.setattr(quadrants, "STORED", 0)
    assert Quadrants(n).tables().words.size == 0
    assert parsolve.solve(Quadrants(n), want="count", workers=1).count == COUNTS[n]


@settings(max_examples=20, deadline=None)
@given(st.integers(4, 13), st.integers(1, 3000))
def test_however_it_is_cut(n: int, budget: int) -> None:
    assert parsolve.solve(Quadrants(n), want="count", workers=1, budget=budget).count == COUNTS[n]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("start_method", ["forkserver", "spawn"])
def test_on_workers(start_method: Any) -> None:
    for n, budget in ((13, 2000), (14, 50_000)):
        found = parsolve.solve(Quadrants(n), want="count", workers=3, start_method=start_method, budget=budget)
        assert (found.count, found.workers) == (COUNTS[n], 3)


def test_a_branch_of_row_sets_splits_like_any_other() -> None:
    searcher = Searcher(Quadrants(12))
    parts = [searcher.whole()]
    counts = []
    random_ = random.Random(3)
    while parts:
        part = parts.pop(random_.randrange(len(parts)))
        outcome = searcher.run(part, 0, random_.randrange(1, 5000), False, None)
        counts.append(outcome.found)
        if outcome.rest is not None:
            parts += outcome.rest.split() if random_.random() < 0.5 else [outcome.rest]
    assert len(counts) > 10
    assert sum(counts) == COUNTS[12]


# Each step for itself.


@pytest.mark.parametrize("n", range(1, 9))
def test_row_sets_stand_for_all(n: int) -> None:
    """Each set of rows that an east half can hold is the image of exactly one that is searched: by turning the board
    upside down, and, where its halves are alike, by exchanging them."""
    sets, weights = Quadrants(n).row_sets
    columns = n - n // 2
    covered = []
    for rows in sets.tolist():
        alike = {rows, int(f"{rows:0{n}b}"[::-1], 2)}
        if n % 2 == 0:
            alike |= {(1 << n) - 1 - each for each in alike}
        covered += alike
    every = [rows for rows in range(1 << n) if rows.bit_count() == columns]
    assert sorted(covered) == every
    assert all(weight in (1, 2) for weight in weights.tolist())


@pytest.mark.parametrize("n", range(4, 10))
def test_halves_attack_each_other_where_their_masks_meet(n: int) -> None:
    """Columns are counted from the middle line, and the bits of the sides are exchanged in pairs."""
    bits = queen_bits(n)
    # Not the marks of the centre and of the diagonal that only quarters meet on.
    diagonals = np.uint64((1 << 63) - 1 & ~(12 << int(key_bits(n))))
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
    assert len({min(images(rows)) for rows in every}) == UNIQUE[n]


def test_larger_symmetric_solutions() -> None:
    assert [int(cached_quarter_turn(n)) for n in (12, 13, 16, 17, 20, 21)] == [8, 8, 64, 128, 480, 704]
    for n in (16, 17, 18):
        symmetric = int(cached_half_turn(n)) + 2 * int(cached_quarter_turn(n))
        assert (COUNTS[n] + symmetric) / 8 == UNIQUE[n]
