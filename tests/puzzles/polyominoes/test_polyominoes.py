"""Polyominoes and polycubes: known counts and symmetries, and what is refused; `worlds.packings` has random ones."""

from pathlib import Path

import pytest
from conftest import Run

import parsolve
from parsolve.puzzles import Polyominoes
from parsolve.puzzles.exact_cover.pieces import named

pytestmark = pytest.mark.nightly

HOLE = "\n".join(["oooooooo"] * 3 + ["ooo..ooo"] * 2 + ["oooooooo"] * 3) + "\n"
"""The chessboard without the four cells in its middle."""


@pytest.mark.parametrize(("board", "count"), [("6x10", 2339), ("3x20", 2), ("4x15", 368), ("5x12", 1010), (HOLE, 65)])
def test_the_pentominoes(board: str, count: int) -> None:
    puzzle = Polyominoes(board, "pentominoes", unique=True)
    assert parsolve.solve(puzzle, want="count", workers=1).count == count
    assert parsolve.solve(puzzle, want="count", workers=1, engine="sharing").count == count


@pytest.mark.parametrize(
    ("board", "pieces", "count"),
    [
        ("3x3x3", "soma", 240),
        ("2x3x10", "pentominoes", 12),
        ("2x4x4", "tetracubes", 1390 // 2),  # known by turns alone; no reflection leaves a solution as it is
        ("2x2x8", "tetracubes", 224 // 2),
    ],
)
def test_boxes(board: str, pieces: str, count: int) -> None:
    assert parsolve.solve(Polyominoes(board, pieces, unique=True), want="count", workers=1).count == count


def test_the_kinds_of_sets() -> None:
    assert [len(named("pentominoes", kind)) for kind in ("free", "one-sided", "fixed")] == [12, 18, 63]
    assert [len(named("tetrominoes", kind)) for kind in ("free", "one-sided", "fixed")] == [5, 7, 19]


def test_a_box_in_layers(run: Run, tmp_path: Path) -> None:
    (tmp_path / "box.txt").write_text("oo\no+\n\n o\n++\n")
    words = ("polyominoes", "--board", "box.txt", "--pieces", "V3 I2", "--boards", "--quiet")
    assert run("solve", *words).stdout.split("\n\n")[0] == "VV V·/.I ·I\nVV   I\nV·  ·I"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--pieces", "I Q"), "there is no piece 'Q'"),
        (("--pieces", ""), "name the pieces"),
        (("--board", "0x5"), "the board 0x5 has 0 cells"),
        (("--board", "99x99"), "has 9,801 cells; 1 to 1024 are possible"),
        (("--board", "six"), "line 1 of the board has 's'"),
        (("--board", "2x2x2x2"), "line 1 of the board has '2'"),
    ],
)
def test_what_is_refused(run: Run, words: tuple[str, ...], says: str) -> None:
    done = run("count", "polyominoes", *words, code=2)
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
