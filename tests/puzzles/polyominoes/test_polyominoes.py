"""Polyominoes and polycubes: known counts, a plain search of all solutions and their images, and what is refused."""

from pathlib import Path

import pytest
from conftest import Run
from samples import texts
from worlds.packings import Cells, cells_of, grouped, problem_of, solutions

import parsolve
from parsolve.puzzles import Polyominoes
from parsolve.puzzles.exact_cover.pieces import Kind, named

pytestmark = pytest.mark.nightly

HOLE = "\n".join(["oooooooo"] * 3 + ["ooo..ooo"] * 2 + ["oooooooo"] * 3) + "\n"
"""The chessboard without the four cells in its middle."""


@pytest.mark.parametrize(("board", "count"), [("6x10", 2339), ("3x20", 2), ("4x15", 368), ("5x12", 1010), (HOLE, 65)])
def test_the_pentominoes(board: str, count: int) -> None:
    puzzle = Polyominoes(board, "pentominoes", unique=True)
    assert parsolve.solve(puzzle, want="count", workers=1).count == count
    assert parsolve.solve(puzzle, want="count", workers=1, engine="sharing").count == count


SYMMETRIC = [
    ("4x4", "I2 I2 I1 I1 L4 T4 I2", "free"),
    ("4x6", "L4 L4 L4' L4' I4 O4", "one-sided"),
    ("4x4", "I2 I2 I2 I2 I2 I2 I4", "fixed"),
    ("oo\noooo\noooo\n  oo\n", "I2 I2 I4 L4", "free"),
    ("5x5", "X V3 V3 V3 V3 I2 I2 I2 I2", "free"),
    ("2x3x3", "L4 L4 A4 B4 I2", "free"),
    ("2x2x2", "I1 I1 I1 I1 I1 I1 I1 I1", "one-sided"),
    ("3x3x2", "V3 V3 I3 I3 I3 I3", "one-sided"),
    ("2x2x2", "I2 I2 I2 I2", "fixed"),
    ("3x1x3", "I3 I2 I2 I1 I1", "one-sided"),
]
"""A board of each kind; `worlds.packings` draws others."""


@pytest.mark.parametrize(("board", "pieces", "kind"), SYMMETRIC)
def test_unique_and_symmetric_ones_against_plain_groups(board: str, pieces: str, kind: Kind) -> None:
    problem = problem_of(Polyominoes(board, pieces, kind))
    every = solutions(problem)
    groups = grouped(problem, every)
    assert len(groups) > 0

    def found(**given: bool) -> list[frozenset[Cells]]:
        return [cells_of(text) for text in texts(parsolve.solve(Polyominoes(board, pieces, kind, **given), workers=1))]

    if "\n" not in board:
        mine = [{frozenset(cells for _, cells in each) for each in group} for group in groups]
        taken = found(unique=True)
        assert [sum(one in group for one in taken) for group in mine] == [1] * len(groups)
        assert set(found(symmetric=True)) == {
            one for group, is_symmetric in zip(mine, groups.values(), strict=True) if is_symmetric for one in group
        }
    assert len(found(unique=True)) == len(groups)
    assert len(found(unique=True, symmetric=True)) == sum(groups.values())
    assert len(found(symmetric=True)) == sum(len(group) for group, is_symmetric in groups.items() if is_symmetric)
    assert len(found()) == len(every)


@pytest.mark.parametrize(
    ("kind", "pieces", "board", "number"),
    [
        ("free", "I2 I2", "2x2", 8),  # a square's; turning it over is a reflection of it
        ("free", "A4 B4", "2x2x2", 48),  # a cube's
        ("free", "A4 A4", "2x2x2", 24),  # a reflection would make B4 of A4
        ("one-sided", "I2 I2 I2 I2", "2x2x2", 16),  # layers stay layers
        ("one-sided", "I1 " * 8, "2x2x2", 48),  # but for pieces that look the same from all sides
        ("one-sided", "L4 L4", "2x4", 2),
        ("one-sided", "L4 L4'", "2x4", 4),
        ("fixed", "I2 I2 I2 I2", "2x2x2", 16),  # the pieces all lie along one axis
        ("fixed", "V3 I1", "2x2", 2),
    ],
)
def test_the_symmetries_that_count(kind: Kind, pieces: str, board: str, number: int) -> None:
    assert len(Polyominoes(board, pieces, kind).symmetries) == number


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
