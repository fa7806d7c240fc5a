"""Every family: the known numbers of the source pages by both engines, random instances, and what is refused."""

import random
import re
from typing import Any

import pytest
from cases import nightly
from shared import oracle
from worlds import covers, families, peg
from worlds.compare import differences
from worlds.instances import FAMILIES

import parsolve
from parsolve.errors import BadInput
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles import (
    Cover,
    Crossing,
    Domination,
    FlipIt,
    Jugs,
    Langford,
    Peg,
    Polyominoes,
    Queens,
    Sliding,
    Sudoku,
)


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


@pytest.mark.nightly
def test_the_largest_crossings_end_at_once_where_nothing_is_kept_apart() -> None:
    for puzzle in (Crossing(couples=8, boat=16), Crossing(kind="missionaries", each=63, boat=126)):
        assert parsolve.solve(puzzle, want="first", workers=1).cost == 1


REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    (Cover, {"file": "not.dlx"}, "there is no file 'not.dlx'"),
    (Cover, {"problem": "2"}, "problem is for an .xmpuzzle file"),
    (Cover, {"order": "p x"}, "cover: order: there is no item 'x' that is covered once"),
    (Cover, {"order": "p q p"}, "cover: order: the item 'p' occurs twice: name it once"),
    (Crossing, {"couples": 9}, "couples is 1 to 8, not 9"),
    (Crossing, {"kind": "missionaries", "each": 64}, "each is 1 to 63, not 64"),
    (Crossing, {"kind": "missionaries", "couples": 4}, "couples has no meaning for kind missionaries"),
    (Crossing, {"kind": "wolf", "each": 4}, "each has no meaning for kind wolf"),
    (Crossing, {"boat": 1}, "it must hold at least 2"),
    (Domination, {"independent": True, "total": True}, "independent pieces attack none, and total asks for it"),
    (Domination, {"board": "2x2x2"}, "domination: the board is flat, and all its squares are drawn as o"),
    (Domination, {"board": "o+o"}, "domination: the board is flat, and all its squares are drawn as o"),
    (Domination, {"board": "oxo"}, "domination: line 1 of the board has 'x'"),
    (FlipIt, {"row": "BBBB"}, "row is a row of B and W with one gap _, not 'BBBB'"),
    (FlipIt, {"row": "B_B_"}, "with one gap"),
    (FlipIt, {"row": "_"}, "row has 1 cells; 2 to 32 are possible"),
    (FlipIt, {"goal": "black"}, "goal is a row of B and W with one gap _ or white, not 'black'"),
    (FlipIt, {"goal": "_WWWW"}, "goal has 5 cells, row has 6"),
    (Jugs, {"capacities": "8"}, "capacities are 2 to 6 numbers, not 1"),
    (Jugs, {"capacities": "1 2 3 4 5 6 7"}, "not 7"),
    (Jugs, {"capacities": "8 five"}, "jugs: capacities: expected whole numbers"),
    (Jugs, {"capacities": "8 0"}, "a capacity must be at least 1, not 0"),
    (Jugs, {"capacities": f"{1 << 40} {1 << 40}"}, "too large"),
    (Jugs, {"target": 9}, "target 9 is not between 0 and 8"),
    (Langford, {"n": 65}, "n is 1 to 64, not 65"),
    (Peg, {"board": "triangle12"}, "did you mean triangle10 or triangle15 or triangle21?"),
    (Peg, {"board": "english33", "vacancy": 33}, "vacancy 33 is not on the board; holes are 0 to 32"),
    (Peg, {"board": "triangle21_modified", "target": 9, "bound": "triples"}, "target 6, no other board, start or goal"),
    (Polyominoes, {"order": "1.9"}, "polyominoes: order: there is no item '1.9'"),
    (Polyominoes, {"unique": True, "symmetry": "turns"}, "unique and the symmetry turns differ about reflections"),
    (Polyominoes, {"board": "0x5"}, "the board 0x5 has 0 cells"),
    (Polyominoes, {"board": "99x99"}, "has 9,801 cells; 1 to 1024 are possible"),
    (Polyominoes, {"board": "six"}, "line 1 of the board has 's'"),
    (Polyominoes, {"board": "2x2x2x2"}, "line 1 of the board has '2'"),
    (Queens, {"unique": True, "method": "bits"}, "cannot tell unique solutions; auto, permutations, backtrack"),
    (Queens, {"unique": True, "method": "mirror"}, "method mirror cannot tell unique solutions"),
    (Sliding, {"bound": "patterns", "patterns": "5-5"}, "must be sizes from 1 to 8 that add up to 8 tiles"),
    (Sliding, {"bound": "patterns", "patterns": "five"}, "patterns are sizes such as 5-5-5, not 'five'"),
    (Sliding, {"bound": "patterns", "patterns": "4--4"}, "patterns are sizes such as 5-5-5"),
    (Sliding, {"bound": "manhattan", "patterns": "4-4"}, "are for the bounds patterns and auto, not manhattan"),
    (Sliding, {"shape": "2x13"}, "has not 2 to 25 cells"),
    (Sliding, {"start": " ".join(map(str, range(26)))}, "start has 26 cells; 2 to 25 are possible"),
    (Sliding, {"shape": "5x5", "bound": "patterns", "patterns": "8-8-8"}, "from 1 to 6 that add up to 24 tiles"),
    (Sudoku, {"grid": "12"}, "the grid has 81 cells, not 2"),
    (Sudoku, {"grid": 81 * "a"}, "the grid has 'a'"),
]
"""Parameters of a family, and what is said of them; boards of pegs and texts of covers and pieces: see their tests."""


@pytest.mark.parametrize(("family", "parameters", "says"), REFUSED, ids=lambda value: str(value)[:40])
def test_parameters_that_are_refused(family: Any, parameters: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput) as raised:
        family(**parameters)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)
