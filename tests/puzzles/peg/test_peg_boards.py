"""Peg solitaire boards as drawings, in files and with names of holes; positions and goals as text."""

import json
import random
import re
import shlex
from pathlib import Path

import pytest
from shared import ROOT, Run
from shown import runs
from worlds.peg import peg_solutions

import parsolve
from parsolve.errors import BadInput
from parsolve.problem.registry import make, spec_of
from parsolve.puzzle.core import EngineName
from parsolve.puzzles import Peg
from parsolve.puzzles.peg.boards import BOARDS, Board, in_one_class
from parsolve.puzzles.peg.drawings import drawn_board
from parsolve.puzzles.peg.positions import drawing_of
from parsolve.puzzles.peg.wide import PegWide

pytestmark = pytest.mark.nightly


ENGLISH = "  ooo\n  ooo\nooooooo\nooooooo\nooooooo\n  ooo\n  ooo\n"
TRIANGLE = "triangular\n   o\n  o o\n o o o\no o o o\n"
CROSS = " ooo\n ooo\nooooo\n ooo\n"

DOC = ROOT / "docs" / "peg.md"


# Drawings.


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (ENGLISH, "english33"),
        (f"square\n{ENGLISH}", "english33"),
        ("\n".join(BOARDS["english33"].draw(0)).replace("·", "o") + "\n", "english33"),
        (f"\n\n{ENGLISH.replace('  o', '     o').replace('ooooooo', '   ooooooo')}\n\n", "english33"),
        (ENGLISH.replace("\n", "\r\n"), "english33"),
        (TRIANGLE, "triangle10"),
        (" triangular \n" + "\n".join(BOARDS["triangle10"].draw(0)).replace("·", "o"), "triangle10"),
    ],
)
def test_a_drawing_is_the_board(text: str, name: str) -> None:
    kept, board = drawn_board(text)
    assert board == BOARDS[name]
    assert drawn_board(kept) == (kept, board)
    assert kept.startswith(("square\n", "triangular\n"))


def test_drawings_of_one_board_are_one_puzzle() -> None:
    plain = Peg(board=ENGLISH, vacancy="d4", target="d4")
    indented = "\n".join(["square", "", *(f"   {line}  " for line in ENGLISH.splitlines())])
    assert Peg(board=indented, vacancy="16", target="16") == plain
    assert Peg(board=plain.board, vacancy=16, target=16) == plain  # type: ignore[arg-type]
    assert Peg("english33", "16", "16") != plain  # a name is another identity


REFUSED = [
    ("oo\n", "has 2 holes; 3 to 64 are possible"),
    ("triangular\n", "has 0 holes"),
    (("o" * 13 + "\n") * 5, "has 65 holes"),
    ("oxo\n", "line 1 of the drawn board has 'x': it begins with square or triangular, and then has an o"),
    ("square\no.o\n", "line 2 of the drawn board has '.'"),
    ("o\to\n", "line 1 of the drawn board has '\\t'"),
    ("hexagonal\nooo\n", "line 1 of the drawn board has 'h'"),
    ("oo\noo\n", "has no jumps as a square one"),
    (TRIANGLE.removeprefix("triangular\n"), "has no jumps as a square one"),
    ("triangular\nooo\nooo\n", "the rows of a triangular board are shifted by one"),
    ("ooo\n" + "\n" * 80 + "o\n", "more than 64 rows or 128 columns"),
    ("ooo" + " " * 200 + "o\n", "more than 64 rows or 128 columns"),
]
"""Drawings that are no boards."""


# Names.


def test_names_and_numbers_are_the_same() -> None:
    english = BOARDS["english33"]
    assert (english.names[0], english.names[6], english.names[16], english.names[32]) == ("c1", "a3", "d4", "e7")
    for hole, name in enumerate(english.names):
        assert Peg("english33", name, name.upper()) == Peg("english33", str(hole), str(hole))
    assert Peg("english33", "d4", "d4", "d2-d4") == Peg("english33", "16", "16", "4-16")
    assert make("peg", {"board": "english33", "vacancy": 16, "target": "d4"}) == Peg("english33", "d4", "16")
    assert BOARDS["diamond41"].names[20] == "e5"
    assert drawn_board("triangular\no o o\n")[1].names == ()
    assert drawn_board("o" * 27 + "\n")[1].names == ()


# Positions and goals.


def test_a_position_is_as_good_as_vacancies() -> None:
    several = Peg("triangle15", "0 4 12", "any")
    drawn = Peg("triangle15", position="\n    .\n   o o\n  o . o\n o o o o\no o . o o\n", target="any")
    assert several.start_pegs == drawn.start_pegs
    assert drawn.position == ".ooo.ooooooo.oo"
    assert parsolve.solve(several, workers=1).paths == parsolve.solve(drawn, workers=1).paths
    assert Peg("triangle15", [0, 4, 12], "any") == several  # type: ignore[arg-type]
    assert Peg("triangle15", "12,4, 0", "any") == several


def test_a_goal_is_as_good_as_a_target() -> None:
    target, goal = Peg("triangle15", "0", "12"), Peg("triangle15", "0", goal="12")
    assert target.goal_pegs == goal.goal_pegs == Peg("triangle15", "0", goal="............o..").goal_pegs
    assert parsolve.solve(target, workers=1).paths == parsolve.solve(goal, workers=1).paths
    assert Peg("english33", "d4", goal="d4 d1") == Peg("english33", "d4", goal="1 16")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"board": "english33", "vacancy": "a1"}, "holes are 0 to 32, or names such as d4"),
        ({"vacancy": "6 6"}, "vacancy '6 6' names a hole twice"),
        ({"vacancy": ","}, "vacancy is a hole or a list of holes, not ','"),
        ({"vacancy": "6", "position": "o" * 13}, "vacancy and position both give the start: leave out one"),
        ({"target": "6", "goal": "6"}, "target and goal both give the end: leave out one"),
        ({"target": "9" * 5000}, "is not on the board; holes are 0 to 12"),
        ({"position": "o.o"}, "position gives 3 holes, the board has 13"),
        ({"position": "o" * 12 + "x"}, "position has o for a peg and . for an empty hole, not 'x'"),
        ({"position": "." * 13}, "there are no pegs at the start"),
        ({"goal": "." * 13}, "there are no pegs at the end: one is always left"),
        ({"goal": "  "}, "goal is a hole or a list of holes"),
        ({"first": "0-"}, "first is a jump such as 0-6"),
        ({"position": "o" * 13, "first": "0-6"}, "does not end in the hole of the position"),
        ({"vacancy": "6 3", "first": "0-6"}, "first jump 0-6 needs pegs in 0 and 3"),
        ({"board": CROSS, "vacancy": "0", "first": "1-0"}, "the drawn board has no jump 1-0"),
        ({"bound": "classes", "position": "o" * 6 + "." + "o" * 6}, "bound classes holds only for board"),
        *(({"board": text}, says) for text, says in REFUSED),
        ({"board": "no/such.txt"}, "there is no file 'such.txt' in no: the board cannot be read"),
    ],
)
def test_refused_parameters(given: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput) as error:
        Peg(**given)  # type: ignore[arg-type]
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300


# Files.


@pytest.fixture
def board_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "my_board.txt"
    path.write_text(TRIANGLE)
    return path


def test_a_board_in_a_file(board_file: Path, run: Run) -> None:
    puzzle = Peg(board="my_board.txt", vacancy="1", target="any")
    assert puzzle.board == TRIANGLE
    assert Peg(board=str(board_file), vacancy="1", target="any") == puzzle
    assert run("count", "peg", "--board", "my_board.txt", "--vacancy", "1", "--target", "any").stdout == "2\n"
    found = json.loads(
        run("solve", "peg", "--board", str(board_file), "--vacancy", "1", "--target", "any", "--json").stdout
    )
    assert found["parameters"]["board"] == TRIANGLE
    spec = spec_of(puzzle)
    board_file.unlink()
    assert spec is not None
    assert spec.make() == puzzle  # a worker does not need the file


# The command line.


def test_describe_draws_the_board(run: Run) -> None:
    text = run("describe", "peg", "--board", "english33", "--vacancy", "d4", "--target", "d4").stdout
    assert "      a   b   c   d   e   f   g\n  1           0   1   2\n" in text
    assert "  4  13  14  15  16  17  18  19\n" in text
    text = run("describe", "peg", "--board", "triangle10").stdout
    assert "     0\n    1 2\n   3 4 5\n  6 7 8 9\n" in text
    assert "symmetries of the problem: 2 (1 turn with the identity, 1 reflection)" in text


def test_the_page(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/peg.md is true: its files are written, its commands run, and what they print is compared."""
    monkeypatch.chdir(tmp_path)
    text = DOC.read_text()
    for name, drawing in re.findall(r"`(\w+\.txt)`:\n\n```\n(.*?)```", text, re.S):
        Path(name).write_text(drawing)
    ran = 0
    for block in re.findall(r"(?:^    [^\n]*\n)+", text, re.M):
        for command, output in runs(block):
            done = run(*shlex.split(command)[1:], code=None)
            told = re.sub("^(compiling|building) .*\n", "", done.stderr, flags=re.M)  # only the first time
            assert done.stdout + told == output, command
            ran += 1
    assert ran >= 4


# Peg solitaire: symmetries, position classes, and the largest boards against brute force.


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
