"""Tilings counted by the engine sharing: up to symmetry, in any order of cells, with pieces of one's own, and against
what others have published."""

import itertools
import math
import random
from pathlib import Path

import pytest
from cases import nightly
from shared import Run
from worlds.known_covers import TROMINOES, grid, orders
from worlds.packings import count as plain_count

import parsolve
from parsolve.errors import BadInput
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles import Cover, Polyominoes
from parsolve.puzzles.exact_cover.counted import Counted, Part
from parsolve.puzzles.exact_cover.instance import Instance
from parsolve.puzzles.exact_cover.pieces import named, orientations
from parsolve.puzzles.exact_cover.places import Same


def count(puzzle: Puzzle, engine: parsolve.puzzle.core.EngineName = "sharing") -> int | None:
    return parsolve.solve(puzzle, want="count", engine=engine, workers=1).count


def tiles(name: str) -> list[list[tuple[int, int]]]:
    """Return the pieces of a set as they may lie on a flat board, each with its first cell at 0."""
    found = []
    for _, piece, _, _ in named(name, "free"):
        for image in orientations(piece, "free"):
            flat = sorted((row, column) for layer, row, column in image if layer == 0)
            if len(flat) == len(piece):
                found.append([(row - flat[0][0], column - flat[0][1]) for row, column in flat])
    return found


def test_sets_of_pieces() -> None:
    assert [len(tiles(name)) for name in ("domino", "trominoes", "tetrominoes")] == [2, 6, 19]
    assert sorted(map(sorted, tiles("trominoes"))) == sorted(map(sorted, TROMINOES))


A233320 = {(3, 3): 10, (3, 4): 23, (5, 6): 8342, (6, 6): 80092, (6, 7): 614581, (6, 8): 5271923, (4, 15): 86208957}
A230031 = {(2, 6): 9, (4, 4): 117, (4, 7): 9157, (5, 8): 800290, (6, 6): 178939, (7, 8): 657253434, (8, 8): 19077209438}


@pytest.mark.parametrize(
    ("name", "size", "tilings"),
    [("trominoes", *each) for each in A233320.items()] + [("tetrominoes", *each) for each in A230031.items()],
)
def test_pieces_of_any_shape(name: str, size: tuple[int, int], tilings: int) -> None:
    assert count(Counted.of(grid(*size, tiles(name)))) == tilings


@pytest.mark.parametrize(("size", "tilings"), [(2, 1), (4, 9), (6, 930), (8, 1_629_189)])
def test_dominoes_up_to_symmetry(size: int, tilings: int) -> None:
    """The last two by comparing all tilings, which takes a minute; without symmetries A004003."""
    assert count(Polyominoes(f"{size}x{size}", f"{size * size // 2}*I2", unique=True)) == tilings


CORNERS = """<?xml version="1.0"?><puzzle version="2"><gridType type="0"/><colors/><shapes>
<voxel x="2" y="2" z="1" type="0">###_</voxel><voxel x="2" y="2" z="2" type="0">###__#__</voxel>
<voxel x="2" y="2" z="2" type="0">###_#___</voxel><voxel x="2" y="2" z="2" type="0">###_0__#_</voxel>
<voxel x="3" y="2" z="2" type="0">############</voxel><voxel x="2" y="2" z="2" type="0">++++++++</voxel>
</shapes><problems><problem><shapes>SHAPES</shapes><result id="RESULT"/></problem></problems></puzzle>"""
"""Shapes 1 and 3 are mirror images of each other, 0 and 2 of themselves; 4 is a full box, 5 one that may stay empty."""


@pytest.mark.parametrize(
    ("shapes", "result", "number"),
    [
        ('<shape id="0" count="4"/>', 4, 6),
        nightly(('<shape id="0" count="4"/><shape id="1" min="0" max="1"/>', 4, 6)),  # BurrTools gives 6 as well
        nightly(('<shape id="0" count="4"/><shape id="1" min="0" max="1"/><shape id="3" min="0" max="2"/>', 4, 6)),
        ('<shape id="1" min="0" max="1"/><shape id="3" min="0" max="1"/>', 5, 2),  # nothing, 1; as in BurrTools
        ('<shape id="1" min="0" max="2"/><shape id="3" min="0" max="1"/>', 5, 3),  # and 1 twice
    ],
)
def test_images_are_made_of_the_pieces_of_the_file(shapes: str, result: int, number: int) -> None:
    """A mirror image that other pieces make is the same assembly, as long as there are these pieces."""
    puzzle = Cover(CORNERS.replace("SHAPES", shapes).replace("RESULT", str(result)))
    listed = parsolve.solve(puzzle, workers=1)
    assert count(puzzle) == count(puzzle, "deepening") == listed.count == len(listed.paths) == plain_count(puzzle)
    assert listed.count == number


def test_several_problems_with_too_many_options() -> None:
    instance = Instance(("a",), (), (((0, ""),),) * 14_000)
    assert count(Counted.of_parts([Part(2, instance, (0,)), Part(1, instance, (0,))], 3)) == 14_000
    with pytest.raises(parsolve.errors.BadInput, match="too many items and options for the engine sharing"):
        Counted.of_parts([Part(1, instance, (0,))] * 5, 5)


def test_a_multiplicity_that_divides_no_count() -> None:
    with pytest.raises(parsolve.errors.BadPuzzle, match="the 28000 solutions are not a multiple of 3"):
        count(Counted.of_parts([Part(2, Instance(("a",), (), (((0, ""),),) * 14_000), (0,))], 3))


@pytest.mark.parametrize("unique", [False, True])
def test_the_order_of_cells_changes_no_count(unique: bool) -> None:
    cells = [f"{row}.{column}" for row in range(1, 7) for column in range(1, 7)]
    expected = 930 if unique else 6728
    for seed in range(8):
        first = random.Random(seed).sample(cells, 5 * seed)
        puzzle = Polyominoes("6x6", "18*I2", unique=unique, order=" ".join(first))
        assert count(puzzle) == expected, first


def test_the_order_of_items_is_taken() -> None:
    instance = grid(4, 6, TROMINOES)
    options = [instance.words(option) for option in range(len(instance.options))]
    nodes = set()
    for order in ((), *orders(instance, 0), [9, 2]):
        names = " ".join(instance.primary[item] for item in order)
        puzzle = Cover(items=instance.primary, options=options, order=names)
        found = parsolve.solve(puzzle, want="count", engine="sharing", workers=1)
        assert found.count == 939
        nodes.add(found.nodes)
    assert len(nodes) == 4  # as they are and backwards is the same here


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("polyominoes", "--board", "6x6"), "the pieces have 15 cells, the board has 36"),
        (("polyominoes", "--board", "2x3", "--unique"), "the pieces have 15 cells, the board has 6"),
        nightly(
            (
                ("polyominoes", "--board", "32x32", "--pieces", "I4 " * 129 + "O4 " * 128),
                "1,028 cells, the board has 1,024",
            )
        ),
        (("polyominoes", "--board", "2x2", "--pieces", "I1", "--symmetric"), "the pieces have 1 cell, the board has 4"),
        (("polyominoes", "--board", "empty.txt", "--pieces", "I3"), "the pieces have 3 cells, the board has 0 to 2"),
        (("cover", "--file", "few.xmpuzzle"), "the pieces have 0 to 9 cells, the board has 12"),
        (("cover", "--file", "many.xmpuzzle"), "the pieces have 2,999,999,997 cells, the board has 12"),
    ],
)
def test_pieces_that_cannot_fill_the_board(run: Run, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    """That is no solution, and no bad input."""
    (tmp_path / "empty.txt").write_text("++\n")
    for name, shapes in (("few", '<shape id="0" min="0" max="3"/>'), ("many", '<shape id="0" count="999999999"/>')):
        (tmp_path / f"{name}.xmpuzzle").write_text(CORNERS.replace("SHAPES", shapes).replace("RESULT", "4"))
    engines: tuple[tuple[str, ...], ...] = ((), ("--engine", "deepening"), ("--engine", "sharing"))
    for engine in engines[: 1 if "--symmetric" in words else 3]:
        done = run("count", *words, *engine, code=1)
        assert done.stdout == "0\n"
        assert "no solution; the pieces have" in done.stderr
        assert says in done.stderr
    assert run("solve", *words, "--json", code=1).stdout.count('"count": 0') == 1
    assert says in run("describe", *words).stdout


PIECES = "4*corner:\noo\no.\n\n2*bar:\n  oo\n"


def test_pieces_of_ones_own() -> None:
    for board, unique in itertools.product(("4x4", "2x8"), (False, True)):
        own, known = (Polyominoes(board, pieces, unique=unique) for pieces in (PIECES, "4*V3 2*I2"))
        assert count(own) == count(own, "deepening") == count(known)


def test_a_piece_may_fall_apart() -> None:
    assert count(Polyominoes("2x4", "4*gap:\no.o\n", "fixed")) == count(Polyominoes("2x4", "4*gap:\no.o\n")) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("oo\na:\no\n", "line 1 of the pieces is not a name: before its drawing each piece has a name and a colon"),
        ("a:\n", "line 1 of the pieces: 'a' has 0 cells; 1 to 1,024 are possible, drawn below the name"),
        ("a:\no\n\nb:\n...\n", "line 4 of the pieces: 'b' has 0 cells"),
        ("a:\nox\n", "line 2 of the pieces has 'x': a piece is drawn with an o for each cell"),
        ("a:\no+\n", "line 2 of the pieces has '+'"),
        ("a:\no\na:\noo\n", "line 3 of the pieces names 'a' again: give each its own name"),
        ("2000*a:\no\n", "these are more than 1,024 pieces"),
        ("0:0*a:\no\n", "the pieces are used 0 times: give at least one"),
        ("oo\no\n", "there is no piece 'oo'"),
        ("\n", "name the pieces, such as pentominoes, or I L P T"),
        ("a:\n" + 20 * (60 * "o" + "\n"), "'a' has 1,200 cells; 1 to 1,024 are possible"),
        ("3:2*I2", "'I2' is used at least 3 and at most 2 times"),
        ("0:0*I2", "name the pieces"),
        ("2000:3000*I2", "more than 1,024 pieces"),
        ("2:*I2", "there is no piece '2:*I2'"),
        ("5:3*a:\no\n", "'a' is used at least 5 and at most 3 times"),
    ],
)
def test_pieces_that_are_refused(text: str, says: str) -> None:
    with pytest.raises(BadInput) as raised:
        Polyominoes("4x4", text)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("unique", [False, True])
def test_many_copies(unique: bool) -> None:
    """Strips of squares and dominoes; backwards they are the same if their halves are."""
    puzzle = Polyominoes("1x256", "96*I1 80*I2", unique=unique)
    expected = math.comb(176, 80)
    assert count(puzzle) == (expected if not unique else (expected + math.comb(88, 40)) // 2)


# How often pieces are used, and which solutions are the same.


def counts(*words: object, **named: object) -> list[int | None]:
    """Return the number of solutions by each engine that counts."""
    puzzle = Polyominoes(*words, **named)  # type: ignore[arg-type]
    return [count(puzzle, "deepening"), count(puzzle)]


@pytest.mark.nightly
@pytest.mark.parametrize(("symmetry", "number"), [("all", 240), ("turns", 480), ("none", 11520)])
def test_the_soma_cube(symmetry: Same, number: int) -> None:
    assert counts("3x3x3", "soma", symmetry=symmetry) == [number, number]
    if symmetry != "turns":
        assert counts("3x3x3", "soma", symmetry=symmetry, unique=True) == [240, 240]


def test_cells_that_may_stay_empty_are_pieces_of_one_cell() -> None:
    """Of 3x3 with a domino in each of 12 places, and the rest empty."""
    assert counts("3x3", "I2 7:7*I1") == [12, 12]
    assert counts("3x3", "1:4*I2 0:9*I1") == [130, 130]  # the matchings of the grid graph but the empty one


def test_flat_boards_are_turned_over_only_with_their_pieces() -> None:
    assert counts("2x4", "L4 L4'", "one-sided", symmetry="turns") == counts(
        "2x4", "L4 L4'", "one-sided", symmetry="all"
    )
    assert counts("4x4", "8*I2", symmetry="turns") == counts("4x4", "8*I2", symmetry="all") == [9, 9]
    turned = counts("4x4", "8*I2", "one-sided", symmetry="turns")
    assert turned == [12, 12]  # by Burnside's lemma (36 + 8 + 2 + 2) / 4
    assert counts("4x4", "8*I2", "one-sided", symmetry="all") == [9, 9]


def test_no_more_copies_than_there_is_room_for() -> None:
    assert Polyominoes("4x4", "0:999999999*I2 O4").places.stock == Polyominoes("4x4", "0:8*I2 O4").places.stock


def test_symmetry_is_for_burrtools_files() -> None:
    with pytest.raises(BadInput, match="symmetry is for an"):
        Cover("a\na\n", symmetry="turns")


# Polyominoes and polycubes: known counts and symmetries, and what is refused; `worlds.packings` has random ones.


HOLE = "\n".join(["oooooooo"] * 3 + ["ooo..ooo"] * 2 + ["oooooooo"] * 3) + "\n"
"""The chessboard without the four cells in its middle."""


@pytest.mark.nightly
@pytest.mark.parametrize(("board", "number"), [("6x10", 2339), ("3x20", 2), ("4x15", 368), ("5x12", 1010), (HOLE, 65)])
def test_the_pentominoes(board: str, number: int) -> None:
    assert counts(board, "pentominoes", unique=True) == [number, number]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("board", "pieces", "count"),
    [
        ("2x3x10", "pentominoes", 12),
        ("2x4x4", "tetracubes", 1390 // 2),  # known by turns alone; no reflection leaves a solution as it is
        ("2x2x8", "tetracubes", 224 // 2),
    ],
)
def test_boxes(board: str, pieces: str, count: int) -> None:
    assert parsolve.solve(Polyominoes(board, pieces, unique=True), want="count", workers=1).count == count


@pytest.mark.nightly
def test_a_box_in_layers(run: Run, tmp_path: Path) -> None:
    (tmp_path / "box.txt").write_text("oo\no+\n\n o\n++\n")
    words = ("polyominoes", "--board", "box.txt", "--pieces", "V3 I2", "--boards", "--quiet")
    assert run("solve", *words).stdout.split("\n\n")[0] == "VV V·/.I ·I\nVV   I\nV·  ·I"
