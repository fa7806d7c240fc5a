"""N queens: known counts, all permutations tested one by one, and what is refused."""

import itertools
from typing import Any

import numpy as np
import pytest
from heard import Heard
from hypothesis import given, settings
from hypothesis import strategies as some
from numba.core import config
from samples import counted, texts
from shared import Run
from worlds.queens import COUNTS, UNIQUE, all_queens

import parsolve
from parsolve.compiler.cache import cached
from parsolve.errors import BadInput
from parsolve.problem.problem import Problem
from parsolve.puzzles import Queens
from parsolve.puzzles.queens.quadrants import lanes
from parsolve.puzzles.queens.quadrants.lanes import WORDS, fill, load, pack

METHODS = ("permutations", "backtrack", "bits")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", range(9))
def test_all_solutions(n: int, method: str) -> None:
    result = parsolve.solve(Queens(n, method), workers=1)
    assert (result.cost, result.count) == (None, COUNTS[n])
    assert result.status == ("solved" if COUNTS[n] else "none")
    assert texts(result) == [" ".join(map(str, rows)) for rows in all_queens(n)]


@pytest.mark.parametrize(
    ("method", "n"),
    [
        ("permutations", 9),
        ("permutations", 10),
        *(("bits", n) for n in (0, 1, 2, 3)),
        *(("backtrack", n) for n in (9, 10, 11, 12)),
        *(("bits", n) for n in (9, 10, 11, 12, 13, 14)),
        *(("mirror", n) for n in (*range(15),)),
        *(("auto", n) for n in (0, 1, 2, 8, 12, 13, 15)),
    ],
)
def test_known_counts(method: str, n: int) -> None:
    result = parsolve.solve(Queens(n, method), want="count", workers=1)
    assert (result.cost, result.count, result.paths) == (None, COUNTS[n], [])
    assert result.status == ("solved" if COUNTS[n] else "none")


@pytest.mark.parametrize("n", [20, 27, 28])
def test_the_first_solution_of_a_large_board(n: int) -> None:
    first = [texts(parsolve.solve(Queens(n, method), want="first", workers=1)) for method in METHODS[1:]]
    assert first[0] == first[1]
    rows = list(map(int, first[0][0].split()))
    assert sorted(rows) == list(range(1, n + 1))
    assert all(abs(a - b) != j - i for (i, a), (j, b) in itertools.combinations(enumerate(rows), 2))


@pytest.mark.parametrize(
    ("method", "n"),
    [("permutations", 8), ("backtrack", 10), ("backtrack", 12), ("auto", 7), ("auto", 11), ("auto", 14)],
)
def test_unique_counts(method: str, n: int) -> None:
    assert parsolve.solve(Queens(n, method, unique=True), want="count", workers=1).count == UNIQUE[n]


def test_quadrants_on_two_workers(run: Run) -> None:
    assert run("count", "queens", "--n", "14", "--workers", "2").stdout == "365596\n"


@pytest.mark.parametrize("want", ["all", "first"])
@pytest.mark.parametrize("method", ["mirror", "quadrants"])
def test_what_only_counts_does_not_list(method: str, want: str) -> None:
    with pytest.raises(BadInput, match=f"method {method} only counts"):
        parsolve.solve(Queens(8, method), want=want, workers=1)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="only counts"):
        parsolve.solve(counted(Queens(8, method)), want=want, workers=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("n", "method", "days"),
    [
        (20, "quadrants", ""),
        (22, "quadrants", ""),
        (27, "quadrants", "3,399 days on one core"),
        (28, "quadrants", "37,037 days on one core"),
        (20, "bits", ""),
        (22, "bits", "12 days"),
        (13, "permutations", ""),
        (18, "permutations", "20,143 days"),
        (18, "mirror", ""),
    ],
)
def test_a_warning_where_it_takes_days(n: int, method: str, days: str) -> None:
    told = Problem(Queens(n, method), "count").warning(1)
    assert bool(told) == bool(days)
    assert days in told


def test_the_warning_is_given_before_the_search() -> None:
    heard = Heard()
    found = parsolve.solve(Queens(27), want="count", workers=1, listener=heard, cancel=lambda: bool(heard.warnings))
    assert found.status == "stopped"  # at once, or after a slice: the search would take days
    # A first solution takes no days.
    assert parsolve.solve(Queens(27), want="first", workers=1, listener=heard).status == "solved"
    (told,) = heard.warnings
    assert "n = 27 by quadrants takes some" in told


# Words of blocks side by side: compiled and as plain Python the same, with and without an instruction for it.


def packed(words: Any, unwanted: Any, into: Any) -> Any:
    found = np.uint64(0)
    for at in range(np.uint64(0), np.uint64(words.size), np.uint64(WORDS)):
        found += pack(into, found, load(words, at), load(unwanted, at))
    return found


def packed_elsewhere(words: Any, unwanted: Any, into: Any) -> Any:
    """The same, compiled as for a processor without the instruction."""
    found = np.uint64(0)
    for at in range(np.uint64(0), np.uint64(words.size), np.uint64(WORDS)):
        found += pack(into, found, load(words, at), load(unwanted, at))
    return found + np.uint64(0)


compiled, compiled_elsewhere = cached(packed), cached(packed_elsewhere)


@pytest.mark.parametrize("way", [compiled, compiled_elsewhere])
def test_wanted_words_lie_side_by_side(way: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if way is compiled_elsewhere:
        monkeypatch.setattr(config, "CPU_NAME", "generic")

    @settings(deadline=None, max_examples=50)
    @given(some.lists(some.integers(0, 2), min_size=24, max_size=24))
    def each(choice: list[int]) -> None:
        words, unwanted = np.arange(24, dtype=np.uint64) << np.uint64(40), np.array(choice, np.uint64) << np.uint64(63)
        into = np.zeros(24 + WORDS, np.uint64)
        found = int(way(words, unwanted, into))
        assert into[:found].tolist() == words[unwanted == 0].tolist()

    each()


def test_blocks_of_lanes() -> None:
    words = np.arange(24, dtype=np.uint64).reshape(2, 12)
    assert load(words, np.uint64(9)).tolist() == list(range(9, 17))
    lanes.store(words, 4, fill(np.uint64(7)))
    assert words.ravel().tolist() == [0, 1, 2, 3, *[7] * 8, *range(12, 24)]
    one, two = load(words, 0), load(words, 8)
    assert lanes.any_lane(one & ~two)
    assert not lanes.any_lane(one & ~one)
    assert lanes.total(lanes.add_counts(one, two)) == 34 + 24
    assert pack(words, np.uint64(3), fill(np.uint64(5)), load(np.array([0, 1, 0, 0, 9, 9, 9, 0], np.uint64), 0)) == 4
    assert words.ravel()[:7].tolist() == [0, 1, 2, 5, 5, 5, 5]
