"""`slack`: solutions up to the least cost and some more, whatever the search runs on and wherever it was stopped."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from shared import Run
from toys import Coins
from worlds.graphs import Walk
from worlds.peg import peg_moves
from worlds.plain import by_cost, cheapest, tree_size
from worlds.walks import LARGEST, Plain

import parsolve
from parsolve.errors import BadPuzzle
from parsolve.puzzles import Peg, Sliding
from parsolve.puzzles.peg.boards import BOARDS

pytestmark = pytest.mark.plain


class Skipping(Coins):
    """Limits that skip the cost 7."""

    def limits(self) -> Iterator[int]:
        return iter((6, 8, 9))


def test_limits_that_skip_a_cost_are_noticed() -> None:
    assert parsolve.solve(Skipping(), slack=0, workers=1).by_cost == {6: 9}
    with pytest.raises(BadPuzzle, match="a solution costs less than the limit 8"):
        parsolve.solve(Skipping(), slack=2, workers=1)


def test_limits_that_fall_are_refused() -> None:
    class Falling(Coins):
        def limits(self) -> range:
            return range(5, 0, -4)

    with pytest.raises(BadPuzzle, match="'limits' must give rising whole numbers, not 1 after 5"):
        parsolve.solve(Falling(), workers=1)


@pytest.mark.nightly
@settings(max_examples=150, deadline=None)
@given(st.integers(0, 1 << 30), st.integers(1, 6), st.sampled_from([1, 5, None]))
def test_random_walks(compiled: None, number: int, slack: int, budget: int | None) -> None:
    puzzle, plain = Walk(number), Plain(Walk(number))
    root, least = plain.data.root, cheapest(plain.data.root, plain.moves, plain.solved).cost
    assume(least is not None and tree_size(root, plain.moves, plain.solved, least + slack) <= LARGEST)
    answer = by_cost(root, plain.moves, plain.solved, (least or 0) + slack)
    listed = [path for paths in answer.values() for path in paths]
    found = parsolve.solve(puzzle, slack=slack, budget=budget, workers=1)
    assert found.by_cost == {cost: len(paths) for cost, paths in answer.items()}
    assert (found.status, found.count, found.cost) == ("solved", len(listed), min(answer))
    assert found.paths == listed
    found = parsolve.solve(puzzle, slack=slack, want="count", budget=budget, workers=1)
    assert found.by_cost == {cost: len(paths) for cost, paths in answer.items()}
    at_most = len(listed) // 2
    found = parsolve.solve(puzzle, slack=slack, at_most=at_most, budget=budget, workers=1)
    assert (found.status, found.count, found.at_least) == ("more", None, at_most + 1)
    assert found.paths == listed[: at_most + 1]


def test_hoppers(compiled: None) -> None:
    """Moves of several jumps by one peg; the first jump is from hole 0 into hole 6."""
    jumps, start = BOARDS["hoppers"].jumps, frozenset(range(13)) - {6}
    moves = peg_moves(jumps, jumps.index((0, 3, 6)))
    expected = by_cost((start, -1), moves, lambda state: state[0] == {6}, 9)
    found = parsolve.solve(Peg(first="0-6"), slack=2, workers=1)
    assert found.by_cost == {7: 18, 8: 136, 9: 486}
    assert found.paths == [path for paths in expected.values() for path in paths]
    assert [solution.cost for solution in found.solutions] == [7] * 18 + [8] * 136 + [9] * 486


@pytest.mark.parametrize("workers", [1, 2])
def test_a_count_and_a_list_agree(workers: int, compiled: None) -> None:
    puzzle = Sliding(start="8 6 7 2 5 4 3 0 1")
    counted = parsolve.solve(puzzle, want="count", slack=4, workers=workers)
    assert counted.by_cost == {31: 40, 33: 207, 35: 1002}
    listed = parsolve.solve(puzzle, slack=4, workers=workers)
    assert listed.by_cost == counted.by_cost
    keys = [(solution.cost, solution.moves) for solution in listed.solutions]
    assert keys == sorted(set(keys))


def test_kept_in_a_journal_by_cost(run: Run, compiled: None) -> None:
    listed = run("solve", "hoppers", "--slack", "1").stdout
    kept = ("solve", "hoppers", "--slack", "1", "--journal", "it.sqlite")
    assert run(*kept).stdout == listed
    assert run(*kept).stdout == listed
    assert run("show", "it.sqlite", "--solutions").stdout == listed
    shown = json.loads(run("show", "it.sqlite", "--solutions", "--json").stdout)
    assert (shown["slack"], shown["count"], shown["cost"]) == (1, 154, 7)
    assert [each["cost"] for each in shown["solutions"]] == [7] * 18 + [8] * 136


def test_what_is_printed(run: Run, compiled: None) -> None:
    done = run("count", "hoppers", "--slack", "2")
    assert done.stdout == "cost\tsolutions\n7\t18\n8\t136\n9\t486\n"
    assert "640 solutions of cost 7 to 9" in done.stderr
    found = json.loads(run("solve", "hoppers", "--slack", "1", "--json").stdout)
    assert (found["count"], found["cost"], found["by_cost"]) == (154, 7, {"7": 18, "8": 136})
    assert [each["cost"] for each in found["solutions"]] == [7] * 18 + [8] * 136
    done = run("count", "hoppers", "--slack", "1", "--limit", "7", code=3)
    assert "solutions that cost more than 7 are not searched for: the limit that was asked for" in done.stderr


def test_rows_and_jobs(run: Run, tmp_path: Path, compiled: None) -> None:
    (tmp_path / "rows.csv").write_text("start\n1 2 0 3 4 5 6 7 8\n8 0 6 5 4 7 2 3 1\n")
    words = ("count", "sliding", "--file", "rows.csv", "--slack")
    for form, separator, column in (((), "\t", 2), (("--csv",), ",", 4)):
        lines = run(*words, "2", *form).stdout.splitlines()
        assert [line.split(separator)[column] for line in lines] == ["solutions", "22:2 24:2", "27:1 29:21"]
    found = json.loads(run(*words, "2", "--json").stdout.splitlines()[0])
    assert (found["count"], found["by_cost"]) == (4, {"22": 2, "24": 2})
    assert json.loads(run(*words, "0", "--json").stdout.splitlines()[0])["by_cost"] == {"22": 2}
    (tmp_path / "jobs.toml").write_text('[[job]]\npuzzle = "hoppers"\nwant = "count"\nslack = 1\n')
    assert "154 solutions" in run("run", "jobs.toml", "--journal", "jobs.sqlite").stderr


def test_no_slack_tells_by_cost_too(run: Run, compiled: None) -> None:
    words = ("count", "eight", "--json", "--workers", "1")
    assert json.loads(run(*words, "--slack", "0").stdout)["by_cost"] == {"31": 40}
    assert "by_cost" not in json.loads(run(*words).stdout)
    assert "by_cost" not in json.loads(run("count", "queens", "--slack", "0", "--json").stdout)
    eight = Sliding(start=[8, 6, 7, 2, 5, 4, 3, 0, 1])
    assert [each.known.get("by_cost") for each in parsolve.solve_each([eight] * 2, slack=0)] == 2 * [{31: 40}]
