"""Cheapest covers: random ones against all of their covers, and costs as files and programs have them."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import some
from worlds.covers import Problem as Covers
from worlds.covers import random_cover

import parsolve
from parsolve.batch.merge import Merging
from parsolve.errors import BadPuzzle
from parsolve.problem.problem import Problem
from parsolve.puzzles import Cover
from parsolve.puzzles.cover import dlx

pytestmark = pytest.mark.plain


def with_costs(random_: random.Random) -> tuple[Cover, Covers, list[int]]:
    """Return a random problem, some of whose options cost something, and what they cost."""
    problem = random_cover(random_, 7, 14)
    most = random_.choice((1, 3, 6, 1000, 10**8))
    costs = [random_.randrange(most + 1) for _ in problem.options]
    names, *options = problem.text.splitlines()
    lines = [f"{option} |{cost}" if cost else option for option, cost in zip(options, costs, strict=True)]
    return Cover("\n".join([names, *lines]) + "\n"), problem, costs


def compare(seed: int) -> None:
    """Compare all engines with all covers of a random problem."""
    random_ = random.Random(seed)
    cover, problem, costs = with_costs(random_)
    by_cost = [(sum(costs[option] for option in taken), taken) for taken in problem.solutions]
    slack: dict[str, Any] = random_.choice(({}, {"slack": random_.randrange(4)})) if any(costs) else {}
    least = min((cost for cost, _ in by_cost), default=0)
    right = sorted(taken for cost, taken in by_cost if cost <= least + slack.get("slack", 0))
    found = parsolve.solve(cover, engine="deepening", workers=1, **slack)
    assert sorted(tuple(cover.chosen(solution.moves)) for solution in found.solutions) == right
    assert found.cost == (least if right and any(costs) else None)
    if not slack:
        counted = parsolve.solve(cover, want="count", engine="sharing", workers=1)
        assert (counted.count, counted.cost) == (len(right), found.cost)


@pytest.mark.parametrize("part", some(range(10), 10))
def test_random_covers(part: int, compiled: None) -> None:
    for seed in range(300 * part, 300 * part + 300):
        compare(seed)


def test_costs_as_dlx5_reads_them() -> None:
    instance = dlx.read("a b | c\na |2 c:x |3\nb |0\n")
    assert instance.costs == (5, 0)
    assert dlx.read(dlx.write(instance)) == instance
    assert parsolve.solve(Cover(dlx.write(instance))).cost == 5
    assert Cover("a\na |0\n").instance == Cover("a\na\n").instance


OPTIONS = [["a", "b"], ["b"], ["a"]]


@pytest.mark.parametrize(
    "given",
    [
        {"options": OPTIONS, "costs": [3, 1, 1]},
        {"options": OPTIONS, "costs": np.array([3, 1, 1])},
        {"options": OPTIONS, "costs": {0: 3, 1: 1, 2: 1}},
        {"options": dict(zip("xyz", OPTIONS, strict=True)), "costs": {"x": 3, "y": 1, "z": 1}},
        {"options": np.array([[1, 1], [0, 1], [1, 0]]), "costs": (3, 1, 1)},
    ],
)
def test_costs_in_python(given: dict[str, Any]) -> None:
    cover = Cover(**given)
    for engine in ("deepening", "sharing"):
        found = parsolve.solve(cover, engine=engine, workers=1)  # type: ignore[arg-type]
        assert (found.cost, [cover.chosen(each.moves) for each in found.solutions]) == (2, [[1, 2]])


def test_great_costs_are_near_the_bound() -> None:
    most = (1 << 31) - 1
    assert parsolve.solve(Cover(options=[["a"], ["a", "b"], ["b"]], costs=[most, most, most])).cost == most
    assert parsolve.solve(Cover(options=[["a"], ["b"]], costs=[most, most - 1])).cost == 2 * most - 1
    with pytest.raises(BadPuzzle, match="costs above 4294967294"):
        parsolve.solve(Cover(options=[["a"], ["b"], ["c"]], costs=[most] * 3))


def test_limits_jump_to_what_was_cut_off() -> None:
    options = [["a", "x"], ["b", "x"], ["c"], ["a", "b", "c"]]
    found = parsolve.solve(Cover(options=options, secondary=["x"], costs=[1, 1, 5, 10**8]))
    assert [each.limit for each in found.iterations] == [7, 10**8]
    without = [[item for item in option if item != "x"] for option in options]
    dearer = parsolve.solve(Cover(options=without, costs=[1, 1, 5, 10**8]), slack=10**9)
    assert dearer.by_cost == {7: 1, 10**8: 1}


@pytest.mark.parametrize("seed", range(8))
def test_parts_jump_each_by_itself(seed: int, tmp_path: Path) -> None:
    cover, *_ = with_costs(random.Random(100 + seed))
    whole = parsolve.solve(cover, want="count", engine="deepening", workers=1, slack=seed % 3)
    merging = Merging()
    for part in (1, 2, 3):
        journal = tmp_path / f"{part}.sqlite"
        parsolve.solve(cover, want="count", part=f"{part}/3", journal=journal, workers=1, slack=seed % 3)
        merging.add(journal)
    merged = merging.merged(Problem(cover, "count"))
    assert (merged.status, merged.cost, merged.count) == (whole.status, whole.cost, whole.count)
