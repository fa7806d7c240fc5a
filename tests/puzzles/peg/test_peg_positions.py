"""Peg solitaire: symmetries, position classes, and the largest boards against brute force."""

import random

import pytest
from worlds.peg import peg_solutions

import parsolve
from parsolve.puzzle.core import EngineName
from parsolve.puzzles import Peg
from parsolve.puzzles.peg.boards import BOARDS, Board, in_one_class
from parsolve.puzzles.peg.drawings import drawn_board
from parsolve.puzzles.peg.positions import drawing_of
from parsolve.puzzles.peg.symmetries import symmetries
from parsolve.puzzles.peg.wide import PegWide

pytestmark = pytest.mark.nightly


def solved(puzzle: Peg, engine: EngineName = "deepening") -> tuple[int | None, list[tuple[int, ...]]]:
    """Cost and all solutions."""
    result = parsolve.solve(puzzle, workers=1, engine=engine)
    assert result.count == len(result.paths)
    return result.cost, result.paths


def play_back(random_: random.Random, board: Board, pegs: int, jumps: int) -> int:
    """Some pegs before random jumps that lead to a position."""
    for _ in range(jumps):
        ways = [
            1 << a | 1 << b | 1 << c for a, b, c in board.jumps if pegs >> c & 1 and not pegs >> a & 1 | pegs >> b & 1
        ]
        if ways:
            pegs ^= random_.choice(ways)
    return pegs


def test_a_corner_peg_that_fills_the_hole_for_another() -> None:
    """Where corners are of the class of the hole that others leave over, one move may do both."""
    assert solved(Peg(board="oooo\n", vacancy="1", target="2")) == (2, [(3, 0)])


# Symmetries.


@pytest.mark.parametrize(
    ("name", "turns", "reflections"),
    [("hoppers", 4, 4), ("triangle15", 3, 3), ("triangle21_modified", 3, 3), ("english33", 4, 4), ("wiegleb45", 4, 4)],
)
def test_symmetries_of_boards(name: str, turns: int, reflections: int) -> None:
    board = BOARDS[name]
    group = symmetries(board)
    assert group[0].holes == tuple(range(board.holes))
    assert (sum(each.turns for each in group), len(group)) == (turns, turns + reflections)
    assert len({each.holes for each in group}) == len(group)
    holes = {each.holes for each in group}
    for one in group:
        assert {(one.holes[a], one.holes[b], one.holes[c]) for a, b, c in board.jumps} == set(board.jumps)
        assert all(tuple(one.holes[hole] for hole in other.holes) in holes for other in group)


def test_a_hexagon_has_twelve_symmetries() -> None:
    group = symmetries(drawn_board("triangular\n o o\no o o\n o o\n")[1])
    assert (len(group), sum(each.turns for each in group)) == (12, 6)


def test_the_first_jump_breaks_symmetry() -> None:
    """Hoppers: of the 8 symmetries two keep the jump along a diagonal, and 72 solutions are 18 four times."""
    assert [len(Peg(first=first).symmetries) for first in ("any", "0-6", "12-6")] == [8, 2, 2]
    assert parsolve.solve(Peg(first="0-6", unique=True), workers=1).count == 9
    assert parsolve.solve(Peg(unique=True), workers=1).count == 9


# Position classes.


def diagonals(board: Board) -> list[list[int]]:
    """The holes of the English board by their two labels of the Rule of Three, 0 to 2."""
    return [
        [(row + column // 2) % 3 for row, column in board.places],
        [(row - column // 2) % 3 for row, column in board.places],
    ]


def test_the_rule_of_three() -> None:
    board = BOARDS["english33"]
    labels = diagonals(board)

    def by_labels(pegs: int) -> tuple[bool, ...]:
        counts = [[sum(pegs >> h & 1 for h in range(33) if label[h] == k) for k in range(3)] for label in labels]
        return tuple((count[k] - count[0]) % 2 == 1 for count in counts for k in (1, 2))

    random_ = random.Random(3)
    seen = set()
    for _ in range(2000):
        pegs, others = random_.randrange(1 << 33), random_.randrange(1 << 33)
        seen.add(by_labels(pegs))
        assert in_one_class(board, pegs, others) == (by_labels(pegs) == by_labels(others))
    assert len(seen) == 16
    # J. D. Beasley: from the vacancy in the centre the last peg can only end there or in the middle of a side.
    ends = [board.names[hole] for hole in range(33) if in_one_class(board, (1 << 33) - 1 ^ 1 << 16, 1 << hole)]
    assert ends == ["d1", "a4", "d4", "g4", "d7"]


def test_boards_that_cannot_be_solved() -> None:
    """The French board cannot be solved from its centre to one peg, and all of wiegleb45 is one class."""
    french = Peg("french37", "d4", "any")
    assert french.obstacle == "start and end are in different position classes (Rule of Three)"
    for engine in ("deepening", "breadth"):
        result = parsolve.solve(french, workers=1, engine=engine)  # type: ignore[arg-type]
        assert (result.status, result.count, result.nodes < 10) == ("none", 0, True)
    assert not Peg("wiegleb45", "e5", "e5").obstacle
    more = Peg("triangle10", position="o.o.o.o...", goal="oo.o.o....")
    assert more.obstacle == "each jump takes a peg away, and there are no more pegs at the start than at the end"
    assert parsolve.solve(more, workers=1).status == "none"


def test_a_start_that_is_the_goal() -> None:
    assert solved(Peg("triangle10", position="oo........", goal="0 1")) == (0, [()])
    assert solved(Peg("triangle10", position="o.........", target="any"), "breadth") == (0, [()])
    assert solved(Peg("triangle10", position="o.........", target="1")) == (None, [])


# The largest boards.


@pytest.mark.parametrize("holes", [57, 58, 59, 63, 64])
def test_the_largest_boards(holes: int) -> None:
    """A small game in the corners of a large board: both engines, as the plain search has it."""
    text = "\n".join("o" * min(8, holes - at) for at in range(0, holes, 8)) + "\n"
    board = drawn_board(text)[1]
    assert board.holes == holes
    start = play_back(random.Random(holes), board, 1 << holes - 1, 5)
    given = {"position": drawing_of(start, board), "target": str(holes - 1)}
    cost, paths = peg_solutions(board.jumps, start, (1 << holes - 1,))
    assert cost is not None
    puzzle = Peg(board=text, **given)  # type: ignore[arg-type]
    assert isinstance(puzzle.searched, PegWide) == (holes > 58)
    assert solved(puzzle) == solved(puzzle, "breadth") == (cost, paths)
    assert parsolve.solve(puzzle, want="count", workers=1, transposition=1 << 16).count == len(paths)


def test_a_hexagon_of_61_holes_has_more_jumps_than_a_byte_counts() -> None:
    lines = [" " * abs(4 - row) + " ".join("o" * (9 - abs(4 - row))) for row in range(9)]
    text = "\n".join(["triangular", *lines, ""])
    board = drawn_board(text)[1]
    assert (board.holes, len(board.jumps)) == (61, 258)
    start, over, to = board.jumps[257]
    puzzle = Peg(board=text, position=drawing_of(1 << start | 1 << over, board), target=str(to))
    assert solved(puzzle) == solved(puzzle, "breadth") == (1, [(257,)])
