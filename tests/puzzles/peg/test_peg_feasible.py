"""Peg solitaire within the feasible boards: these are exactly the boards on paths."""

import random
from functools import cache
from pathlib import Path

import numpy as np
import psutil
import pytest
from tabled import forget, tables_in
from worlds.peg import Board as Shape
from worlds.peg import end_of, jumps_from

import parsolve
from parsolve.check import check
from parsolve.errors import OutOfMemory
from parsolve.levels.both_ends import feasible_keys
from parsolve.problem.problem import Problem
from parsolve.puzzle.catalogue import name_of
from parsolve.puzzles.peg.abstraction import PegBoards
from parsolve.puzzles.peg.boards import Board
from parsolve.puzzles.peg.feasible import PegFeasible
from parsolve.puzzles.peg.large import PegLarge
from parsolve.puzzles.peg.solitaire import Peg
from parsolve.puzzles.peg.wide import PegUnique, PegWide
from parsolve.search.watch import Watch
from parsolve.tables.databases import Databases

pytestmark = pytest.mark.nightly

pytest_plugins = ["tabled"]


def boards_on_paths(board: Board, start: int, goals: tuple[int, ...]) -> set[int]:
    """By recursion over all jumps."""

    @cache
    def leads_on(pegs: int) -> bool:
        following = [leads_on(after) for after in jumps(pegs)]  # all of them: `cache` remembers what is met
        return pegs in goals or any(following)

    def jumps(pegs: int) -> list[int]:
        return [after for _, after, _ in jumps_from(board.jumps)(pegs)]

    found, waiting = set[int](), [start] if leads_on(start) else []
    while waiting:
        pegs = waiting.pop()
        if pegs not in found:
            found.add(pegs)
            waiting += [after for after in jumps(pegs) if leads_on(after)] if pegs not in goals else []
    return found


def problems() -> list[dict[str, str]]:
    """Random shapes, starts and goals."""
    random_ = random.Random(14)
    found = [
        {"board": "hoppers", "vacancy": "0", "target": "0"},
        {"board": "hoppers", "vacancy": "6", "target": "any"},
        {"board": "triangle15", "vacancy": "0", "target": "12"},
        {"board": "triangle15", "vacancy": "0", "target": "0"},  # start and goal are each other's images
        {"board": "triangle10", "vacancy": "0", "target": "any"},
        {"board": "triangle10", "vacancy": "4", "target": "4"},  # no solution
        {"board": "triangle10", "position": ".oo.oooo..", "goal": "3 4 6 7"},
        {"board": "triangle10", "position": ".oo.oooo..", "goal": "1 2 4 5 6 7"},  # the same number of pegs
    ]
    while len(found) < 30:
        shape = Shape(random_)
        holes = len(shape.places)
        if 6 <= holes <= 14 and shape.jumps:
            start = frozenset(random_.sample(range(holes), random_.randint(2, holes - 1)))
            drawn = "".join("o" if hole in start else "." for hole in range(holes))
            found.append({"board": shape.text, "position": drawn, **end_of(random_, holes, start)[1]})
    return found


@pytest.mark.parametrize("ends", [1, 2])
@pytest.mark.parametrize("given", problems(), ids=lambda given: " ".join(given.values()).replace("\n", "/"))
def test_the_keys_are_exactly_the_feasible_boards(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], ends: int
) -> None:
    monkeypatch.setenv("PARSOLVE_WORKERS", "2")
    puzzle = PegBoards(**given)
    right = boards_on_paths(puzzle.layout, puzzle.start_pegs, puzzle.goal_pegs)
    least = {min(each.image(pegs) for each in puzzle.symmetries) for pegs in right}
    problem = Problem(puzzle)
    found = feasible_keys(problem, problem.inverse if ends == 2 else None)
    assert found.dtype == np.uint64
    assert found.tolist() == sorted(least)


def test_which_class_and_engine_is_taken() -> None:
    assert type(Peg().searched) is Peg
    assert type(Peg("english33").searched) is PegFeasible
    assert Peg("english33").searched.default_engine == "breadth"
    for start in ({"position": "o" * 15 + "." * 18}, {"vacancy": " ".join(map(str, range(15, 33)))}):
        assert type(Peg("english33", **start).searched) is Peg  # type: ignore[arg-type]
    assert type(Peg("english33", bound="regions").searched) is Peg
    assert type(Peg("french37").searched) is PegLarge
    assert type(Peg("french37", bound="none").searched) is Peg
    assert type(Peg("english33", unique=True).searched) is PegUnique
    assert type(Peg("french37", unique=True).searched) is PegWide
    assert type(Peg(unique=True).searched) is PegWide
    assert Peg().searched == Peg()
    assert name_of(Peg) == "peg"


def test_too_many_holes_for_the_keys() -> None:
    rows = "\n".join(["o" * 8] * 7 + ["oo"])
    assert type(Peg(rows, vacancy="0", bound="feasible").searched) is PegFeasible
    with pytest.raises(parsolve.BadInput, match=r"59 holes are too many .* take bound regions"):
        Peg(rows + "o", vacancy="0", bound="feasible")
    with pytest.raises(parsolve.BadInput, match=r"56 holes and symmetries are too many .* take bound regions"):
        Peg(rows[:-3], vacancy="0 7 48 55", target="any", bound="feasible", unique=True)


# The table.


@pytest.mark.parametrize("unique", [False, True])
def test_what_the_position_class_rules_out_needs_no_table(place: Path, unique: bool) -> None:
    for engine in ("breadth", "deepening"):
        puzzle = Peg("english33", vacancy="d4", target="d5", unique=unique)
        assert parsolve.solve(puzzle, workers=1, engine=engine).status == "none"
    assert tables_in(place) == []


def test_a_table_without_keys(place: Path) -> None:
    puzzle = PegBoards("triangle10", vacancy="4", target="4")
    assert len(Databases().of(puzzle).table) == 0
    forget()
    assert len(Databases().of(puzzle).table) == 0
    assert len(tables_in(place)) == 1


def test_too_little_memory() -> None:
    with pytest.raises(OutOfMemory):
        feasible_keys(Problem(PegBoards("english33", vacancy="d4", target="d4")), watch=Watch(max_memory=1 << 20))


def test_what_is_reserved_and_not_written_is_no_memory(place: Path) -> None:
    """Once a table that takes 20 MB was refused with hundreds left."""
    room = int(psutil.Process().memory_info().rss) + (150 << 20)
    found = parsolve.solve(Peg("triangle15", "0", "0", bound="feasible"), want="count", workers=1, max_memory=room)
    assert found.count == 1362
    assert len(tables_in(place)) == 1


def test_a_wrong_way_back_is_found() -> None:
    class Same(PegBoards):
        """Its jumps are taken back by jumps."""

        def inverse_puzzle(self) -> PegBoards:
            return PegBoards("triangle10", vacancy="1", target="any")

    (fault,) = check(Same("triangle10", vacancy="1", target="any"), states=500, samples=30).faults
    assert "'inverse_puzzle' gives PegBoards, without a way back of a move from this state" in str(fault)
