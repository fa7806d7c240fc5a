"""Water jugs: known answers, a plain breadth-first search, and what is refused."""

import csv
import itertools
import math
from collections.abc import Sequence

import pytest
from conftest import ORACLE, Run
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from samples import texts
from worlds.families import jug_moves
from worlds.plain import cheapest

import parsolve
from parsolve.errors import BadInput
from parsolve.puzzles import Jugs


def plain(sizes: Sequence[int], target: int) -> tuple[int | None, int]:
    """Return the fewest moves and the number of solutions with as many."""
    answer = cheapest((0,) * len(sizes), jug_moves(sizes), lambda amounts: target in amounts)
    return answer.cost, answer.count


def test_the_page() -> None:
    result = parsolve.solve(Jugs(), workers=1)
    assert (result.cost, result.count) == (10, 1)
    assert texts(result) == ["(0,0) (0,5) (5,0) (5,5) (8,2) (0,2) (2,0) (2,5) (7,0) (7,5) (8,4)"]


def test_the_oracle() -> None:
    with (ORACLE / "small.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["puzzle"] == "jugs"]
    assert len(rows) == 4
    for row in rows:
        words = row["instance"].replace(";", "").split()
        puzzle = Jugs(capacities=" ".join(words[1:3]), target=int(words[4]))
        result = parsolve.solve(puzzle, workers=1)
        assert (result.cost, result.count) == (int(row["optimal_length"]), int(row["optimal_solutions"])), row


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 12), min_size=2, max_size=6), st.integers(0, 12))
def test_random_jugs(sizes: list[int], multiple: int) -> None:
    most = (12, 12, 8, 5, 4)[len(sizes) - 2]  # the plain search meets all states at worst
    sizes = [min(size, most) for size in sizes]
    target = multiple * math.gcd(*sizes)
    assume(target <= max(sizes))
    cost, count = plain(tuple(sizes), target)
    assert cost is not None
    assume(cost <= (12, 7, 5, 4, 3)[len(sizes) - 2])  # deepening alone meets a state again and again
    result = parsolve.solve(Jugs(" ".join(map(str, sizes)), target), workers=1)
    assert (result.cost, result.count, len(set(texts(result)))) == (cost, count, count)
    for solution in texts(result):
        states = [tuple(map(int, state.strip("()").split(","))) for state in solution.split()]
        assert all(b in dict(moves[:2] for moves in jug_moves(sizes)(a)) for a, b in itertools.pairwise(states))
        assert [target in state for state in states] == [False] * cost + [True]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=3), st.integers(0, 12))
def test_what_cannot_be_measured_is_known(sizes: list[int], target: int) -> None:
    reachable = plain(tuple(sizes), target)[0] is not None
    text = " ".join(map(str, sizes))
    if target > max(sizes):
        with pytest.raises(BadInput, match=f"target {target}"):
            Jugs(text, target)
    else:
        assert bool(Jugs(text, target).unsolvable()) == (not reachable)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"capacities": "8"}, "capacities are 2 to 6 numbers, not 1"),
        ({"capacities": ""}, "capacities are 2 to 6 numbers, not 0"),
        ({"capacities": "1 2 3 4 5 6 7"}, "not 7"),
        ({"capacities": "8 five"}, "jugs: capacities: expected whole numbers"),
        ({"capacities": "8 0"}, "a capacity must be at least 1, not 0"),
        ({"capacities": "8 -5"}, "a capacity must be at least 1, not -5"),
        ({"capacities": f"{1 << 40} {1 << 40}"}, "too large"),
        ({"target": 9}, "target 9 is not between 0 and 8"),
        ({"target": -1}, "target -1 is not between"),
    ],
)
def test_bad_input(parameters: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says) as raised:
        Jugs(**parameters)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)


def test_the_command_line(run: Run) -> None:
    done = run("solve", "jugs", "--capacities", "5 3", "--boards", "--quiet")
    assert "[·····] 0\n[···] 0\n\n[█████] 5\n[···] 0\n\n" in done.stdout
    assert done.stdout.rstrip().endswith("[████·] 4\n[███] 3")
    done = run("solve", "jugs", "--capacities", "8 6", "--target", "5", code=1)
    assert done.stderr.strip() == "no solution: all amounts are multiples of 2, and the target 5 is none"


def test_a_target_of_nothing_is_there_at_once() -> None:
    result = parsolve.solve(Jugs(target=0), workers=1)
    assert (result.cost, result.count, texts(result)) == (0, 1, ["(0,0)"])
