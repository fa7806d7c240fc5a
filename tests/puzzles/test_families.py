"""Every family: the known numbers of the source pages by both engines, and random instances."""

import random
import re

import pytest
from cases import nightly
from shared import oracle
from worlds import covers, families, peg
from worlds.compare import differences
from worlds.instances import FAMILIES

import parsolve
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles import Crossing, FlipIt, Jugs, Sliding


def small() -> list[tuple[Puzzle, int | None, int]]:
    """The rows of small.csv that both engines finish within a second or so."""
    found: list[tuple[Puzzle, int | None, int]] = []
    for row in oracle("small.csv"):
        puzzle = puzzle_of(row["puzzle"], row["instance"])
        if puzzle is not None:
            length = None if row["optimal_length"] == "unsolvable" else int(row["optimal_length"])
            found.append((puzzle, length, int(row["optimal_solutions"])))
    return found


def puzzle_of(family: str, text: str) -> Puzzle | None:
    numbers = [int(word) for word in re.findall(r"\d+", text)]
    if family == "jugs":
        return Jugs(capacities=f"{numbers[0]} {numbers[1]}", target=numbers[2])
    if family == "crossing":
        if "wolf" in text:
            return Crossing(kind="wolf")
        if "missionaries" in text:
            return Crossing(kind="missionaries")
        return Crossing(couples=numbers[0], boat=numbers[1])
    if family == "flipit" and "farthest" not in text:
        row, goal = text.split(" to ")
        return FlipIt(row=row, goal="white" if "all white" in goal else goal)
    if family == "sliding" and text.startswith(("2x3", "3x3")):
        return Sliding(start=text.split(" ", 1)[1].split(" -> ")[0])
    return None


SMALL = [nightly(row) if isinstance(row[0], Crossing) else row for row in small()]
assert len(SMALL) == 17


@pytest.mark.parametrize(("puzzle", "length", "number"), SMALL, ids=repr)
def test_small_puzzles_by_both_engines(puzzle: Puzzle, length: int | None, number: int) -> None:
    engine: parsolve.puzzle.core.EngineName = "breadth" if length is None else "both"  # deepening would take for ever
    result = parsolve.solve(puzzle, engine=engine, workers=1)
    assert (result.cost, result.count, len(result.paths)) == (length, number, number)


WORLDS = (*families.FAMILIES, *covers.FAMILIES, *peg.FAMILIES, "graphs Bounded", "graphs FiveWords")

EACH_TIME = ("jugs", "flipit", "langford", "polyominoes")


@pytest.mark.processes
@pytest.mark.parametrize("name", [name if name in EACH_TIME else nightly(name) for name in WORLDS])
def test_random_instances_against_brute_force(name: str) -> None:
    """By any engine, in slices, with a table, a journal or workers; `scripts/attack.py` tries thousands."""
    make_one, _ = FAMILIES[name]
    for number in range(10):
        random_ = random.Random(number)
        instance = make_one(random_)
        assert [*differences(instance, random_)] == [], (number, instance.puzzle)
