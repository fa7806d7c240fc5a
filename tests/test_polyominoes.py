"""Polyominoes: known counts, a plain search of all solutions and their images, and what is refused."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Run
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import texts

import parsolve
from parsolve.check import check
from parsolve.puzzles import Polyominoes
from parsolve.puzzles.cover.board import board_of
from parsolve.puzzles.cover.pieces import images, named

HOLE = "\n".join(["oooooooo"] * 3 + ["ooo..ooo"] * 2 + ["oooooooo"] * 3) + "\n"
"""The chessboard without the four cells in its middle."""

Cells = frozenset[tuple[int, int]]
Filled = frozenset[tuple[int, Cells]]


@pytest.mark.parametrize(("board", "count"), [("6x10", 2339), ("3x20", 2), ("4x15", 368), ("5x12", 1010), (HOLE, 65)])
def test_the_pentominoes(board: str, count: int) -> None:
    assert parsolve.solve(Polyominoes(board, "pentominoes", unique=True), want="count", workers=1).count == count


def test_the_pentominoes_in_all() -> None:
    assert parsolve.solve(Polyominoes("3x20", "pentominoes"), want="count", workers=1).count == 8


@pytest.mark.slow
def test_the_6x10_in_all() -> None:
    assert parsolve.solve(Polyominoes("6x10", "pentominoes"), want="count", workers=1).count == 9356


def fill(free: frozenset[tuple[int, int]], pieces: tuple[tuple[int, list[Cells]], ...]) -> Iterator[Filled]:
    """Yield all ways to fill cells with pieces, each piece its number and its images; equal pieces have one number."""
    if not free:
        yield frozenset()
        return
    first = min(free)
    for place, (number, shapes) in enumerate(pieces):
        if number in [other for other, _ in pieces[:place]]:
            continue  # the same piece was tried in this place
        for shape in shapes:
            y, x = min(shape)
            cells = frozenset((first[0] + row - y, first[1] + column - x) for row, column in shape)
            if cells <= free:
                for rest in fill(free - cells, pieces[:place] + pieces[place + 1 :]):
                    yield rest | {(number, cells)}


def plain(board: str, pieces: str, kind: str) -> list[Filled]:
    shapes = [piece for _, piece in named(pieces, kind)]  # type: ignore[arg-type]
    turned = [[piece] if kind == "fixed" else images(piece, kind == "free") for piece in shapes]
    classes: list[set[Cells]] = []
    numbered = []
    for every in turned:
        if set(every) not in classes:
            classes.append(set(every))
        numbered.append((classes.index(set(every)), every))
    found = list(fill(frozenset(board_of(board).cells), tuple(numbered)))
    assert len(found) == len(set(found))
    return found


def as_cells(text: str) -> frozenset[Cells]:
    """Return the pieces of a solution as sets of cells."""
    cells: dict[str, set[tuple[int, int]]] = {}
    for row, line in enumerate(text.split(" ")):
        for column, letter in enumerate(line):
            cells.setdefault(letter, set()).add((row, column))
    return frozenset(map(frozenset, cells.values()))


SMALL = [
    ("3x5", "V L I"),
    ("4x5", "I4 L4 O4 T4 T4"),
    ("4x4", "I4 I4 L4 L4"),
    ("4x4", "I2 I2 I2 I2 I2 I2 I2 I2"),
    ("4x6", "L4 L4 L4 I4 I4 O4"),
    ("4x5", "P P L L'"),
    ("5x5", "P P L L' N"),
    ("2x6", "I3 I3 V3 V3"),
    ("4x4", "L4 L4 L4' L4'"),
    ("5x4", "S4 T4 S4' L4 I4"),
    ("oooo\noooo\noo\noo\n", "I4 L4 O4"),
]


@pytest.mark.parametrize(("board", "pieces"), SMALL)
@pytest.mark.parametrize("kind", ["free", "one-sided", "fixed"])
def test_small_boards_against_a_plain_search(board: str, pieces: str, kind: str) -> None:
    expected = plain(board, pieces, kind)
    puzzle = Polyominoes(board, pieces, kind)  # type: ignore[arg-type]
    result = parsolve.solve(puzzle, workers=1)
    assert result.count == len(expected) == len({solution.moves for solution in result.solutions})
    if "\n" not in board:
        found = [as_cells(text) for text in texts(result)]
        assert {frozenset(cells for _, cells in each) for each in expected} == set(found)


@settings(max_examples=20, deadline=None)
@given(st.sampled_from(["3x5", "4x5", "5x4", "4x4", "2x8"]), st.data())
def test_unique_against_orbits(board: str, data: st.DataObject) -> None:
    area = len(board_of(board).cells)
    fives = [data.draw(st.sampled_from("FLNPY"))]  # no symmetry leaves it in its place
    fives += [name for name in data.draw(st.lists(st.sampled_from("TUVWZ"), max_size=1)) if area > 15]
    left = area - 5 * len(fives)
    fours = data.draw(
        st.lists(
            st.sampled_from(["I4", "L4", "O4", "S4", "T4"]), min_size=min(2, left // 4), max_size=left // 4, unique=True
        )
    )
    left -= 4 * len(fours)
    pieces = " ".join([*fives, *fours, *["I2"] * (left // 2), *["I1"] * (left % 2)])
    puzzle = Polyominoes(board, pieces, unique=True)
    rows, columns = map(int, board.split("x"))
    orbits = set()
    for filled in plain(board, pieces, "free"):
        every = []
        for turned in range(8 if rows == columns else 4):
            down, across, swap = turned & 1, turned & 2, turned & 4

            def image(y: int, x: int, down: int = down, across: int = across, swap: int = swap) -> tuple[int, int]:
                y, x = rows - 1 - y if down else y, columns - 1 - x if across else x
                return (x, y) if swap else (y, x)

            every.append(frozenset((number, frozenset(image(*cell) for cell in cells)) for number, cells in filled))
        orbits.add(min(every, key=lambda each: sorted((number, sorted(cells)) for number, cells in each)))
    assert parsolve.solve(puzzle, want="count", workers=1).count == len(orbits)


def test_the_kinds_of_sets() -> None:
    assert [len(named("pentominoes", kind)) for kind in ("free", "one-sided", "fixed")] == [12, 18, 63]
    assert [len(named("tetrominoes", kind)) for kind in ("free", "one-sided", "fixed")] == [5, 7, 19]


def test_the_contract_is_kept() -> None:
    assert check(Polyominoes("4x5", "I4 L4 O4 T4 T4"), states=200, samples=20).faults == []


def test_a_drawn_board(run: Run, tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_text("  oo.\n ooo\n ooo\n")
    words = ("--board", "board.txt", "--pieces", "O4 I4", "--kind", "free")
    assert run("count", "polyominoes", *words, code=1).stdout == "0\n"
    out = run("solve", "polyominoes", "--board", "board.txt", "--pieces", "I2 I2 I2 I2", "--boards", "--quiet").stdout
    assert " aa\nbbc\nddc\n" in out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--pieces", "I Q"), "there is no piece 'Q'"),
        (("--pieces", ""), "name the pieces"),
        (("--board", "6x6"), "the pieces have 15 cells, the board has 36"),
        (("--board", "0x5"), "the board 0x5 has 0 cells"),
        (("--board", "99x99"), "has 9,801 cells; 1 to 1024 are possible"),
        (("--board", "six"), "line 1 of the board has 's'"),
        (("--board", "4x4", "--pieces", "I4 I4 I4 I4", "--unique"), "unique needs a piece that is there once"),
    ],
)
def test_what_is_refused(run: Run, words: tuple[str, ...], says: str) -> None:
    done = run("count", "polyominoes", *words, code=2)
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
