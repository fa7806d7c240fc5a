"""Polyominoes and polycubes: known counts, a plain search of all solutions and their images, and what is refused."""

import functools
import itertools
from collections import Counter
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
from parsolve.puzzles.cover.pieces import Kind, named, orientations
from parsolve.puzzles.cover.space import Cell

HOLE = "\n".join(["oooooooo"] * 3 + ["ooo..ooo"] * 2 + ["oooooooo"] * 3) + "\n"
"""The chessboard without the four cells in its middle."""

Cells = frozenset[Cell]
Filled = frozenset[tuple[int, Cells]]


@pytest.mark.parametrize(("board", "count"), [("6x10", 2339), ("3x20", 2), ("4x15", 368), ("5x12", 1010), (HOLE, 65)])
def test_the_pentominoes(board: str, count: int) -> None:
    assert parsolve.solve(Polyominoes(board, "pentominoes", unique=True), want="count", workers=1).count == count


def test_the_pentominoes_in_all() -> None:
    assert parsolve.solve(Polyominoes("3x20", "pentominoes"), want="count", workers=1).count == 8


@pytest.mark.slow
def test_the_6x10_in_all() -> None:
    assert parsolve.solve(Polyominoes("6x10", "pentominoes"), want="count", workers=1).count == 9356


def fill(free: frozenset[Cell], pieces: tuple[tuple[int, list[Cells]], ...]) -> Iterator[Filled]:
    """Yield all ways to fill cells with pieces, each piece its number and its images; equal pieces have one number."""
    if not free:
        yield frozenset()
        return
    first = min(free)
    for place, (number, shapes) in enumerate(pieces):
        if number in [other for other, _ in pieces[:place]]:
            continue  # the same piece was tried in this place
        for shape in shapes:
            z, y, x = min(shape)
            cells = frozenset((first[0] + a - z, first[1] + b - y, first[2] + c - x) for a, b, c in shape)
            if cells <= free:
                for rest in fill(free - cells, pieces[:place] + pieces[place + 1 :]):
                    yield rest | {(number, cells)}


def plain(board: str, pieces: str, kind: Kind) -> list[Filled]:
    classes: list[set[Cells]] = []
    numbered = []
    for _, piece in named(pieces, kind):
        every = orientations(piece, kind)
        if set(every) not in classes:
            classes.append(set(every))
        numbered.append((classes.index(set(every)), every))
    found = list(fill(frozenset(board_of(board).cells), tuple(numbered)))
    assert len(found) == len(set(found))
    return found


def orbits(board: str, kind: Kind, every: list[Filled]) -> dict[frozenset[Filled], bool]:
    """Return the solutions grouped by what turns and reflections make of them, and whether one leaves them as they are.

    A map counts if it makes the same pieces of those of a solution.
    """
    cells = board_of(board).cells
    numbers = {shape(piece, kind): number for number, piece in {each for filled in every for each in filled}}
    maps: dict[tuple[Cell, ...], list[tuple[int, int]]] = {}
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            axes = list(zip(order, signs, strict=True))
            image = lowered(by(axes, cell) for cell in cells)
            if image == frozenset(cells):
                maps.setdefault(tuple(by(axes, cell) for cell in cells), axes)
    groups: dict[Filled, frozenset[Filled]] = {}
    symmetric = {}
    for filled in every:
        images = []
        for axes in maps.values():
            low = [min(by(axes, cell)[axis] for cell in cells) for axis in range(3)]
            made = []
            for _, piece in filled:
                image = frozenset(tuple(a - b for a, b in zip(by(axes, cell), low, strict=True)) for cell in piece)
                made.append((numbers.get(shape(image, kind), -1), image))
            if Counter(number for number, _ in made) == Counter(number for number, _ in filled):
                images.append(frozenset(made))
        group = frozenset(images)  # type: ignore[arg-type]
        symmetric[group] = len(group) < len(images)
        assert all(groups.setdefault(image, group) == group for image in group)  # type: ignore[call-overload]
    return symmetric  # type: ignore[return-value]


@functools.cache
def shape(cells: Cells, kind: Kind) -> frozenset[Cells]:
    """Return what tells a piece wherever it lies."""
    return frozenset(orientations(lowered(cells), kind))


def by(axes: list[tuple[int, int]], cell: Cell) -> Cell:
    """Return a cell with its axes in another order, some of them reversed."""
    z, y, x = (sign * cell[axis] for axis, sign in axes)
    return z, y, x


def lowered(cells: Iterator[Cell] | Cells) -> Cells:
    """Return cells moved so that the least of each axis is 0."""
    every = list(cells)
    low = [min(numbers) for numbers in zip(*every, strict=True)]
    return frozenset((z - low[0], y - low[1], x - low[2]) for z, y, x in every)


def as_cells(text: str) -> frozenset[Cells]:
    """Return the pieces of a solution as sets of cells."""
    cells: dict[str, set[Cell]] = {}
    for layer, rows in enumerate(text.split("/")):
        for row, line in enumerate(rows.split(" ")):
            for column, letter in enumerate(line):
                cells.setdefault(letter, set()).add((layer, row, column))
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
    assert parsolve.solve(puzzle, want="count", workers=1).count == len(
        orbits(board, "free", plain(board, pieces, "free"))
    )


SYMMETRIC = [
    ("4x4", "I4 I4 I4 I4", "free"),
    ("4x4", "I2 " * 8, "free"),
    ("3x6", "I2 " * 9, "free"),
    ("4x4", "I2 I2 I1 I1 L4 T4 I2", "free"),
    ("4x4", "L4 L4 L4' L4'", "one-sided"),
    ("4x5", "L4 L4 L4 L4' O4", "one-sided"),
    ("4x6", "L4 L4 L4' L4' I4 O4", "one-sided"),
    ("4x4", "I2 I2 I2 I2 I2 I2 I4", "fixed"),
    ("4x5", "V3 V3 V3 V3 I4 I4", "free"),
    ("2x6", "V3 V3 I3 I3", "one-sided"),
    ("oo\noooo\noooo\n  oo\n", "I2 I2 I4 L4", "free"),
    ("5x5", "X V3 V3 V3 V3 I2 I2 I2 I2", "free"),
    ("2x3x3", "L4 L4 A4 B4 I2", "free"),
    ("2x2x4", "L4 L4 A4 A4", "free"),
    ("2x2x4", "O4 O4 P4 P4", "free"),
    ("2x2x3", "I2 I2 I2 I2 I2 I2", "free"),
    ("2x2x3", "V3 V3 V3 V3", "one-sided"),
    ("2x3x3", "I3 I3 I3 I3 V3 V3", "free"),
]


@pytest.mark.parametrize(("board", "pieces", "kind"), SYMMETRIC)
def test_unique_and_symmetric_ones_against_plain_groups(board: str, pieces: str, kind: Kind) -> None:
    every = plain(board, pieces, kind)
    groups = orbits(board, kind, every)
    assert len(groups) > 0

    def found(**given: bool) -> list[frozenset[Cells]]:
        return [as_cells(text) for text in texts(parsolve.solve(Polyominoes(board, pieces, kind, **given), workers=1))]

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


def test_soma_in_all() -> None:
    assert parsolve.solve(Polyominoes("3x3x3", "soma"), want="count", workers=1).count == 48 * 240


def test_the_kinds_of_sets() -> None:
    assert [len(named("pentominoes", kind)) for kind in ("free", "one-sided", "fixed")] == [12, 18, 63]
    assert [len(named("tetrominoes", kind)) for kind in ("free", "one-sided", "fixed")] == [5, 7, 19]


def test_the_contract_is_kept() -> None:
    assert check(Polyominoes("4x5", "I4 L4 O4 T4 T4"), states=200, samples=20).faults == []


def test_a_box_in_layers(run: Run, tmp_path: Path) -> None:
    (tmp_path / "box.txt").write_text("oo\no+\n\n o\n++\n")
    words = ("polyominoes", "--board", "box.txt", "--pieces", "V3 I2", "--boards", "--quiet")
    assert run("solve", *words).stdout.split("\n\n")[0].endswith("VV  \u00a0I".replace("\u00a0", " ") + "\nV·  ·I")


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
    ],
)
def test_what_is_refused(run: Run, words: tuple[str, ...], says: str) -> None:
    done = run("count", "polyominoes", *words, code=2)
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
