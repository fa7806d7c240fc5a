"""N queens: known counts, all permutations tested one by one, and what is refused."""

import itertools

import pytest
from conftest import Run
from samples import counted, texts
from worlds.queens import COUNTS, UNIQUE, all_queens

import parsolve
from parsolve.check import check
from parsolve.errors import BadInput
from parsolve.problem.problem import Problem
from parsolve.puzzles import Queens
from parsolve.search.watch import Listener

METHODS = ("permutations", "backtrack", "bits")


def test_check_finds_no_fault() -> None:
    assert check(Queens(4)).faults == []


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


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"unique": True, "method": "bits"}, "method bits cannot tell unique solutions; auto, permutations, backtrack"),
        ({"unique": True, "method": "mirror"}, "method mirror cannot tell unique solutions"),
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
    assert "mirror only counts" in run("solve", "queens", "--method", "mirror", code=2).stderr
    assert run("count", "queens", "--n", "12", "--unique").stdout == "1787\n"
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
    told: list[str] = []

    class Ended(Exception):
        pass

    class Telling(Listener):
        def warning_given(self, text: str) -> None:
            told.append(text)
            raise Ended

    with pytest.raises(Ended):
        parsolve.solve(Queens(27), want="count", workers=1, listener=Telling())
    assert "n = 27 by quadrants takes some" in told[0]
    # A first solution takes no days.
    assert parsolve.solve(Queens(27), want="first", workers=1, listener=Telling()).status == "solved"
