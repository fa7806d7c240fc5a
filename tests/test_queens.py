"""N queens: known counts, all permutations tested one by one, and what is refused."""

import itertools

import pytest
from conftest import Run
from hypothesis import given, settings
from hypothesis import strategies as st

import parsolve
from parsolve.check import check
from parsolve.errors import BadInput
from parsolve.puzzles import Queens

METHODS = ("permutations", "backtrack", "bits")

COUNTS = {0: 1, 1: 1, 2: 0, 3: 0, 4: 2, 5: 10, 6: 4, 7: 40, 8: 92, 9: 352, 10: 724, 11: 2680, 12: 14200, 13: 73712}
"""OEIS A000170."""


def plain(n: int) -> list[str]:
    """All solutions in lexicographic order."""
    return [
        " ".join(map(str, rows))
        for rows in itertools.permutations(range(1, n + 1))
        if len({row + column for column, row in enumerate(rows)}) == n
        and len({row - column for column, row in enumerate(rows)}) == n
    ]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", range(9))
def test_all_solutions(n: int, method: str) -> None:
    found = parsolve.solve(Queens(n, method), workers=1)
    assert (found.cost, found.count) == (None, COUNTS[n])
    assert found.status == ("solved" if COUNTS[n] else "none")
    assert found.solutions == plain(n)


@pytest.mark.parametrize(
    ("method", "n"),
    [("permutations", 9), ("backtrack", 11), ("backtrack", 12), ("bits", 11), ("bits", 12), ("bits", 13)],
)
def test_known_counts(method: str, n: int) -> None:
    assert parsolve.solve(Queens(n, method), want="count", workers=1).count == COUNTS[n]


@pytest.mark.parametrize("n", [20, 27])
def test_the_first_solution_of_a_large_board(n: int) -> None:
    first = [parsolve.solve(Queens(n, method), want="first", workers=1).solutions for method in METHODS[1:]]
    assert first[0] == first[1]
    rows = list(map(int, first[0][0].split()))
    assert sorted(rows) == list(range(1, n + 1))
    assert all(abs(a - b) != j - i for (i, a), (j, b) in itertools.combinations(enumerate(rows), 2))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 9), st.sampled_from(METHODS), st.integers(1, 500), st.sampled_from([None, 1, 3]))
def test_however_it_is_cut(n: int, method: str, budget: int, buffer: int | None) -> None:
    n = min(n, 7) if method == "permutations" else n
    found = parsolve.solve(Queens(n, method), workers=1, budget=budget, buffer=buffer)
    assert found.count == COUNTS[n]
    assert found.paths == sorted(found.paths)


@pytest.mark.parametrize(
    "puzzle",
    [Queens(6), Queens(27), Queens(27, "backtrack"), Queens(5, "permutations")],
    ids=repr,
)
def test_the_contract_is_kept(puzzle: Queens) -> None:
    assert check(puzzle, states=400, samples=30).faults == []


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"n": -1}, "with method bits, n is 0 to 27, not -1"),
        ({"n": 28}, "with method bits, n is 0 to 27, not 28"),
        ({"n": 28, "method": "backtrack"}, "n is 0 to 27, not 28"),
        ({"n": 13, "method": "permutations"}, "with method permutations, n is 0 to 12, not 13"),
        ({"n": "8"}, "n is 0 to 27, not 8"),
        ({"method": "bit"}, "there is no method 'bit'; did you mean bits"),
    ],
)
def test_bad_input(parameters: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says) as raised:
        Queens(**parameters)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)


def test_the_command_line(run: Run) -> None:
    done = run("solve", "queens", "--n", "4", "--boards", "--quiet")
    assert done.stdout.startswith("2 4 1 3\n· · Q ·\nQ · · ·\n· · · Q\n· Q · ·\n")
    assert run("solve", "queens", "--n", "3", "--json", code=1).stdout.count('"cost": null') == 1
    assert "n is 0 to 27" in run("solve", "queens", "--n", "28", code=2).stderr
