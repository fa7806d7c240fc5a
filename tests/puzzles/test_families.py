"""Every family: the known numbers of the source pages by both engines, distances, and a clean check."""

import csv
import math
import re

import pytest
from cases import nightly
from conftest import ORACLE, Run
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import texts

import parsolve
from parsolve.catalogue import names
from parsolve.levels.explore import explore
from parsolve.problem.registry import make
from parsolve.puzzle import Puzzle
from parsolve.puzzles import Crossing, FlipIt, Jugs, Peg, Sliding
from parsolve.puzzles.peg.boards import BOARDS


def small() -> list[tuple[Puzzle, int | None, int]]:
    """The rows of small.csv that both engines finish within a second or so."""
    found: list[tuple[Puzzle, int | None, int]] = []
    with (ORACLE / "small.csv").open() as file:
        for row in csv.DictReader(file):
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


@pytest.mark.parametrize(("puzzle", "length", "number"), small(), ids=repr)
def test_small_puzzles_by_both_engines(puzzle: Puzzle, length: int | None, number: int) -> None:
    engine: parsolve.puzzle.EngineName = "breadth" if length is None else "both"  # deepening would take for ever
    result = parsolve.solve(puzzle, engine=engine, workers=1)
    assert (result.cost, result.count, len(result.paths)) == (length, number, number)


def test_all_rows_of_the_table_are_there() -> None:
    assert len(small()) == 17


def test_the_first_rows_of_flipit() -> None:
    for line in (ORACLE / "flipit_first.txt").read_text().splitlines():
        if not line.startswith("#"):
            row, _, solution = line.partition(": ")
            for engine in ("deepening", "breadth"):
                result = parsolve.solve(FlipIt(row=row), want="first", engine=engine, workers=1)  # type: ignore[arg-type]
                assert texts(result) == [solution]


@pytest.mark.parametrize(("pieces", "depth", "among"), [(4, 10, "B_WBB BB_BB BBW_B"), (5, 8, "BB_BBB"),
                                                        (6, 8, "B_WBBBB"), (7, 8, "B_WWWBBB")])  # fmt: skip
def test_the_farthest_rows_of_flipit(pieces: int, depth: int, among: str) -> None:
    found = explore(FlipIt(row="B" * pieces + "_"))
    assert (found.start, found.depths[-1][0]) == ("goal", depth)
    assert set(among.split()) <= set(found.farthest)


def test_the_jugs_of_the_page() -> None:
    states = "(0,0) (0,5) (5,0) (5,5) (8,2) (0,2) (2,0) (2,5) (7,0) (7,5) (8,4)"
    assert texts(parsolve.solve(Jugs(), engine="both")) == [states]


DRAWN = [name for name in names() if name not in ("eleven", "permutations")]


@pytest.mark.parametrize("name", [nightly(name) if name in ("cover", "polyominoes") else name for name in DRAWN])
def test_boards_are_drawn(run: Run, name: str) -> None:
    lines = run("solve", name, "--want", "first", "--boards", "--workers", "1", "--quiet").stdout.splitlines()
    assert len(lines) > 5


def test_puzzles_without_a_cost_have_none() -> None:
    result = parsolve.solve(make("queens", {"n": 6}), workers=1)
    assert (result.cost, result.count, result.status) == (None, 4, "solved")
    assert [parsolve.solve(make("queens", {"n": n}), workers=1).count for n in range(4)] == [1, 1, 0, 0]


def test_the_eleven_puzzle_on_its_side() -> None:
    puzzle = Sliding(start="0 3 2 1 8 7 6 5 4 11 10 9", shape="4x3")
    result = parsolve.solve(puzzle, want="count")
    assert (result.cost, result.count) == (33, 4)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_random_instances_engine_against_engine(data: st.DataObject) -> None:
    """`both` raises where cost, count or list differ."""
    puzzle = data.draw(st.sampled_from([random_jugs, random_crossing, random_flipit, random_peg]))(data)
    result = parsolve.solve(puzzle, engine="both", workers=1, transposition=data.draw(table_of(puzzle)))
    assert result.status in ("solved", "none")


@pytest.mark.nightly
@settings(max_examples=50, deadline=None)
@given(st.data(), st.sampled_from([1000, 1 << 16]))
def test_random_instances_with_a_table(data: st.DataObject, table: int) -> None:
    """As those above, with a transposition table for every family: a kernel each."""
    puzzle = data.draw(st.sampled_from([random_jugs, random_crossing, random_flipit, random_peg]))(data)
    assert parsolve.solve(puzzle, engine="both", workers=1, transposition=table).status in ("solved", "none")


def table_of(puzzle: Puzzle) -> st.SearchStrategy[int]:
    return st.sampled_from([0, 1000, 1 << 16]) if isinstance(puzzle, Peg) else st.just(0)


def random_jugs(data: st.DataObject) -> Puzzle:
    a, b = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    return Jugs(capacities=f"{a} {b}", target=math.gcd(a, b))


def random_crossing(data: st.DataObject) -> Puzzle:
    boat = data.draw(st.integers(2, 4))
    return Crossing(couples=data.draw(st.integers(1, 3 if boat > 2 else 2)), boat=boat)


def random_flipit(data: st.DataObject) -> Puzzle:
    pieces = data.draw(st.text("BW", min_size=3, max_size=5))
    gap = data.draw(st.integers(0, len(pieces)))
    return FlipIt(row=f"{pieces[:gap]}_{pieces[gap:]}")


def random_peg(data: st.DataObject) -> Puzzle:
    board = data.draw(st.sampled_from(["triangle10", "triangle15", "hoppers"]))
    holes = st.integers(0, BOARDS[board].holes - 1)
    return Peg(board=board, vacancy=data.draw(holes), target=data.draw(holes))
