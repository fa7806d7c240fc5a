"""Peg solitaire: boards, bounds and drawings, and the known answers of every board."""

import csv
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from cases import nightly
from journals import Plug, Pulled, Remembering
from samples import pictures, texts
from shared import ROOT, Run, oracle
from worlds.peg import jumps_from
from worlds.plain import distances

import parsolve
from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.explore import Explored, explore
from parsolve.problem.problem import Problem
from parsolve.problem.registry import make
from parsolve.puzzle.core import Exploring
from parsolve.puzzles.peg.abstraction import PegBoards
from parsolve.puzzles.peg.boards import BOARDS
from parsolve.puzzles.peg.bounds import BITS, classes, fillings, make_bound, regions
from parsolve.puzzles.peg.chains import PegChains
from parsolve.puzzles.peg.large import PegLarge
from parsolve.puzzles.peg.positions import hole_in
from parsolve.puzzles.peg.solitaire import Peg
from parsolve.puzzles.peg.symmetries import symmetries
from parsolve.search.result import Result
from parsolve.search.watch import Watch

BOUNDS = ["none", "corners", "classes", "triples", "regions"]
PEG21 = {"board": "triangle21_modified", "vacancy": 6, "target": 6, "first": "14-6"}


# Boards.


def test_the_jumps_of_the_page_stand_in_its_order() -> None:
    jumps = BOARDS["triangle21_modified"].jumps
    assert jumps[:8] == ((0, 2, 4), (1, 2, 3), (2, 3, 5), (2, 4, 7), (3, 2, 1), (3, 5, 8), (3, 6, 10), (4, 2, 0))
    assert jumps[-3:] == ((18, 17, 16), (19, 13, 8), (20, 17, 11))


# The page's 21-hole board.


@pytest.fixture(scope="module")
def ladder() -> dict[str, Result]:
    """The 21-hole board by every bound but `none`, which visits 1.1 billion nodes."""
    return {bound: parsolve.solve(Peg(bound=bound, **PEG21), workers=1, transposition=0) for bound in BOUNDS[1:]}


def test_the_ladder_gives_one_answer(ladder: dict[str, Result]) -> None:
    for found in ladder.values():
        assert (found.cost, found.count) == (12, 96)
        assert texts(found) == texts(ladder["corners"])
    assert texts(ladder["corners"])[0].startswith("[14,6][11,9][3,10]")
    assert make("peg21", {}) == Peg(**PEG21)


def test_each_rung_of_the_ladder_searches_less(ladder: dict[str, Result]) -> None:
    nodes = {bound: found.nodes for bound, found in ladder.items()}
    assert nodes == {"corners": 7_864_993, "classes": 2_696_407, "triples": 942_709, "regions": 826_466}
    assert sorted(nodes.values(), reverse=True) == list(nodes.values())
    # `none` in part: up to limit 8.
    puzzles = (Peg(bound=bound, **PEG21) for bound in ("none", "corners"))
    plain, with_corners = (parsolve.solve(each, workers=1, transposition=0, limit=8).nodes for each in puzzles)
    assert plain > 10 * with_corners
    # The table on top of the last. It does not keep what the end of a slice cuts, which goes by the clock.
    counted = parsolve.solve(Peg(bound="regions", **PEG21), want="count", workers=1)
    assert (counted.count, counted.nodes < 40_000) == (96, True)


# Bounds.


def test_the_classes_are_those_of_the_page() -> None:
    """Its numbers for the holes 0 to 20, and its corner triples, come out of the board."""
    of_the_page = (0, 1, 3, 1, 0, 3, 2, 3, 1, 0, 1, 0, 2, 3, 2, 3, 2, 3, 2, 1, 0)
    board = BOARDS["triangle21_modified"]
    assert len(set(zip(classes(board), of_the_page, strict=True))) == 4
    assert fillings(board, (1 << 6,)) == {2: [0, 1], 13: [12, 19], 17: [18, 20]}
    bound = make_bound("classes", "triangle21_modified", board, (1 << 21) - 1 - (1 << 6), (1 << 6,))
    assert bound.keep == sum(1 << hole for hole, number in enumerate(of_the_page) if number == 2)
    out = [jump for number, jump in enumerate(board.jumps) if number not in bound.jumps]
    corner = (0, 1, 12, 18, 19, 20)
    assert out == [(a, b, c) for a, b, c in board.jumps if of_the_page[b] == 3 and a not in corner]


def test_regions_of_known_boards() -> None:
    def holes(name: str, target: int) -> list[list[int]]:
        board = BOARDS[name]
        return [
            [hole for hole in range(board.holes) if region >> hole & 1] for region in regions(board, (1 << target,))
        ]

    assert holes("hoppers", 6) == [[0], [2], [10], [12]]
    # The target alone needs no move, with another hole it does.
    assert holes("hoppers", 0)[:4] == [[0, 1], [0, 5], [2], [10]]
    assert sorted(holes("triangle10", 6)) == [[0], [1, 3], [2, 5], [3, 6], [6, 7], [7, 8], [9]]
    english = holes("english33", 16)
    assert sorted(map(len, english)) == [1] * 8 + [3] * 4 + [4] * 12
    # Merson's square of four, as each of its jumps starts or ends inside.
    assert [3, 4, 8, 9] in english


@pytest.mark.parametrize(("name", "moves"), [("english33", 12), ("french37", 16), ("diamond41", 20)])
def test_the_large_boards_have_bounds_of_several_parts(name: str, moves: int) -> None:
    board = BOARDS[name]
    middle = board.holes // 2
    start = (1 << board.holes) - 1 - (1 << middle)
    bound = make_bound("regions", name, board, start, (1 << middle,))
    assert len(bound.sets) > 2 * BITS
    assert bound.moves(start) == moves
    assert Peg(name, middle, middle, bound="regions").root()["bound"] == moves


# Drawing.


def test_drawing() -> None:
    puzzle = Peg(first="0-6")
    jump = BOARDS["hoppers"].jumps.index((0, 3, 6))
    assert pictures(puzzle, [jump]) == [*pictures(puzzle), AFTER]
    english = pictures(Peg("english33", 16, 16))[0].splitlines()
    assert english[0] == "    ● ● ●"
    assert english[3] == "● ● ● · ● ● ●"
    assert pictures(Peg("triangle10", 0, 0)) == ["   ·\n  ● ●\n ● ● ●\n● ● ● ●"]


AFTER = """\
·   ●   ●
  ·   ●
●   ●   ●
  ●   ●
●   ●   ●"""


def test_a_run_of_jumps_is_drawn_once() -> None:
    result = parsolve.solve(Peg(first="0-6"), workers=1)
    for solution in result.solutions:
        boards = solution.boards
        assert len(boards) == 1 + solution.text.count("[") == 8
        assert [board.count("●") for board in (boards[0], boards[-1])] == [12, 1]


@pytest.mark.nightly
@pytest.mark.parametrize("problem", ["0 12", "3 3", "4 12"])
def test_pagoda_functions_refute_no_solution(problem: str) -> None:
    """The rules of large boards on a small one."""
    vacancy, target = problem.split()
    puzzle = Peg("triangle15", vacancy, target)
    large = PegLarge("triangle15", vacancy, target)
    found, without = (parsolve.solve(each, want="count", workers=1) for each in (large, puzzle))
    assert large.pagodas
    assert (found.status, found.cost, found.count) == (without.status, without.cost, without.count)
    assert sum(each.nodes for each in found.iterations) <= sum(each.nodes for each in without.iterations)


# Every known answer of peg solitaire: moves and solutions, and all sequences of jumps.


Known = tuple[str, str, str, tuple[int, int], int]
"""Board, vacancy, target, moves and minimal solutions, and sequences of jumps."""


def problems() -> Iterator[Known]:
    for row in oracle("peg.csv"):
        known = int(row["min_moves"]), int(row["optimal_solutions"])
        yield row["board"], row["vacancy"], row["target"], known, int(row["all_jump_sequences"])
    for row in oracle("peg_english33.csv"):
        known = int(row["min_moves"]), int(row["optimal_solutions"])
        hole = row["vacancy_and_target"]
        yield "english33", hole, hole, known, int(row["all_jump_sequences"])


PROBLEMS = [*problems()]


def up_to_symmetry() -> list[Known]:
    """Return one of the problems that are images of one another, without those of the English board (hours)."""
    found = {}
    for problem in PROBLEMS:
        board, vacancy, target, *_ = problem
        if board != "english33":
            images = [(each.holes[int(vacancy)], each.holes[int(target)]) for each in symmetries(BOARDS[board])]
            found.setdefault((board, min(images)), problem)
    return [*found.values()]


def answer(puzzle: parsolve.Puzzle, engine: parsolve.puzzle.core.EngineName) -> tuple[int | None, int | None]:
    found = parsolve.solve(puzzle, want="count", workers=1, engine=engine)
    return found.cost, found.count


SMALL = up_to_symmetry()
BY_DAY = [each for each in SMALL if "21" not in each[0]][::12]


@pytest.mark.parametrize("problem", [each if each in BY_DAY else nightly((each,)) for each in SMALL], ids=str)
def test_known_answers(problem: Known) -> None:
    """By searches that are independent of one another but for the jumps of the board."""
    board, vacancy, target, known, sequences = problem
    assert answer(Peg(board, vacancy, target, bound="feasible"), "breadth") == known
    assert answer(Peg(board, vacancy, target, bound="regions"), "deepening") == known
    assert answer(PegBoards(board, vacancy, target), "breadth")[1] == sequences
    assert "21" in board or answer(PegChains(board, vacancy, target), "breadth") == known


def test_the_published_table_has_them_all() -> None:
    """Of each problem and its images one is published; of `triangle21_modified` none is."""
    published: dict[tuple[str, int, int], tuple[tuple[int, int], int]] = {}
    with (ROOT / "results" / "peg_minimal_solutions.csv").open() as file:
        for row in csv.DictReader(file):
            told = (int(row["moves"]), int(row["solutions"])), int(row["jump_sequences"])
            for each in symmetries(BOARDS[row["board"]]):
                image = row["board"], each.holes[int(row["vacancy"])], each.holes[int(row["target"])]
                assert published.setdefault(image, told) == told
    for board, vacancy, target, known, sequences in PROBLEMS:
        if board != "triangle21_modified":
            ends = (hole_in(hole, BOARDS[board], "hole") for hole in (vacancy, target))
            assert published[board, *ends] == (known, sequences)


# Peg solitaire by whole moves against jumps.


@pytest.mark.parametrize("seed", range(5))
def test_several_pegs_left(seed: int) -> None:
    # A run of jumps may pass the goal: what leads on from there is no solution.
    board, random_ = BOARDS["triangle15"], random.Random(seed)
    pegs = (1 << board.holes) - 1 - (1 << random_.randrange(board.holes))
    drawn = "".join("o" if pegs >> hole & 1 else "." for hole in range(board.holes))
    for _ in range(random_.randrange(3, 10)):
        jumps = [(a, b, c) for a, b, c in board.jumps if pegs >> a & pegs >> b & ~(pegs >> c) & 1]
        if jumps:
            pegs ^= sum(1 << hole for hole in random_.choice(jumps))
    goal = " ".join(str(hole) for hole in range(board.holes) if pegs >> hole & 1)
    known = parsolve.solve(Peg("triangle15", position=drawn, goal=goal), want="count", workers=1)
    assert answer(PegChains("triangle15", position=drawn, goal=goal), "breadth") == (known.cost, known.count)


def test_counts_of_large_boards_take_it() -> None:
    puzzle = Peg("french37", "d2", "d6")
    assert isinstance(Problem(puzzle, "count").for_breadth.puzzle, PegChains)
    for other in (Problem(puzzle, "all"), Problem(Peg("french37", "d2", "d6", unique=True), "count")):
        assert not isinstance(other.for_breadth.puzzle, PegChains)
    assert isinstance(Problem(puzzle, "count").puzzle, PegLarge)


def test_counts_of_the_english_board_take_it() -> None:
    for puzzle, takes in ((Peg("english33"), True), (Peg("english33", bound="feasible"), False), (Peg(), False)):
        assert isinstance(Problem(puzzle, "count").for_breadth.puzzle, PegChains) == takes


# `parsolve explore peg`: positions by pegs, up to symmetry and in all, and where the last peg can be left.


CROSS = " ooo\n ooo\nooooo\n ooo\n"
HEXAGON = "triangular\n  o o o\n o o o o\no o o o o\n o o o o\n  o o o\n"

STARTS: list[dict[str, str]] = [
    {"board": "hoppers", "vacancy": "6"},  # eight symmetries
    {"board": "hoppers", "vacancy": "0", "target": "12"},  # of which start and end have fewer than the start
    {"board": "triangle10", "vacancy": "1"},
    {"board": "triangle15", "vacancy": "4"},
    {"board": "triangle10", "position": ".ooooo.oo."},  # six: two stand twice in the tables
    {"board": CROSS, "vacancy": "c1"},
    {"board": HEXAGON, "position": ".o. o.o. oo.oo .o.o o.o"},  # twelve on the board
    {"board": "triangle10", "position": ".oo.oooo..", "goal": "3 4 6 7"},
]


@pytest.mark.parametrize("given", STARTS, ids=lambda given: " ".join(given.values()).replace("\n", "/"))
def test_positions_by_pegs(given: dict[str, str]) -> None:
    puzzle = Peg(**given)
    board = puzzle.layout
    layers: dict[int, set[int]] = {}
    for pegs, jumps in distances([puzzle.start_pegs], jumps_from(board.jumps)).items():
        layers.setdefault(jumps, set()).add(pegs)
    keep = [each for each in symmetries(board) if each.image(puzzle.start_pegs) == puzzle.start_pegs]
    found = explore(puzzle, threads=2)
    assert found.in_all == [len(layer) for layer in layers.values()]
    assert found.depths == [
        (depth, len({min(each.image(pegs) for each in keep) for pegs in layer})) for depth, layer in layers.items()
    ]
    assert found.measure == "pegs"
    assert found.measures == [next(iter(layer)).bit_count() for layer in layers.values()]
    last = {pegs.bit_length() - 1 for pegs in layers[max(layers)] if pegs.bit_count() == 1}
    assert found.findings == {"targets": [board.names[hole] if board.names else str(hole) for hole in sorted(last)]}


def test_the_command(run: Run) -> None:
    words = ("explore", "peg", "--board", "triangle10", "--vacancy", "1")
    found = json.loads(run(*words, "--json").stdout)
    assert found["depths"][-1] == {"depth": 8, "pegs": 1, "states": 1, "states_in_all": 1}
    assert (found["states_in_all"], found["targets"]) == (62, ["2"])
    assert run("explore", "peg", "--board", "triangle10", "--vacancy", "4").stdout.endswith("targets: none\n")


def test_a_first_jump_is_refused() -> None:
    with pytest.raises(BadInput, match="set first to any"):
        explore(Peg(first="0-6"))


def test_a_search_that_goes_on_knows_the_earlier_numbers() -> None:
    def answer(found: Explored) -> Any:
        return found.depths, found.in_all, found.measures, found.findings

    puzzle, store = Peg("triangle15", "4"), Remembering()
    with pytest.raises(Pulled):
        explore(puzzle, Watch(check=Plug(20)), threads=1, store=store)
    assert store.kept is not None
    assert answer(explore(puzzle, store=store)) == answer(explore(puzzle))


def test_what_is_wrong_with_exploring_is_told() -> None:
    class Told(Peg):
        def exploring(self) -> Any:
            return self if self.target == "1" else Exploring(self, findings=lambda states: 1 // 0)

    for target, says in (("1", "must return an Exploring, not Told"), ("4", "raises ZeroDivisionError")):
        with pytest.raises(BadPuzzle, match=f"'exploring' {says}"):
            explore(Told("triangle10", "1", target))
