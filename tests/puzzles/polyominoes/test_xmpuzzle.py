"""Colours in BurrTools' files against plain Python, and equal shapes that are listed apart."""

import gzip
from pathlib import Path

import pytest
from cases import some
from coloured import count, random_file
from shared import Run
from worlds.packings import File, uncoloured, written

import parsolve
from parsolve.errors import BadInput
from parsolve.puzzle.core import EngineName
from parsolve.puzzles import Cover
from parsolve.puzzles.cover import xmpuzzle
from parsolve.puzzles.exact_cover.board import board_of
from parsolve.puzzles.exact_cover.pieces import canonical, drawn
from parsolve.puzzles.exact_cover.places import Same, Stock


@pytest.mark.parametrize("first", some(range(0, 500, 40), 13))
def test_random_files_with_colours(first: int) -> None:
    engines: tuple[EngineName, ...] = ("deepening", "sharing")
    meanings: tuple[Same, ...] = ("all", "turns", "none")
    for seed in range(first, first + 5):
        file = random_file(seed)
        for symmetry in meanings:
            puzzle, number = Cover(written(file), symmetry=symmetry), count(file, symmetry)
            for engine in engines:
                assert parsolve.solve(puzzle, want="count", workers=1, engine=engine).count == number, (seed, symmetry)


DOMINO = {(0, 0, 0): 1, (0, 0, 1): 2}


def solved(file: File) -> int:
    number = parsolve.solve(Cover(written(file)), want="count", workers=1).count
    assert number == count(file)
    assert number is not None
    return number


def test_a_colour_only_restricts_places() -> None:
    row = {(0, 0, column): 0 for column in range(4)}
    ends = row | {(0, 0, 0): 1, (0, 0, 3): 2}
    both = [(DOMINO, 2, 2)]
    assert solved(File(row, frozenset(), both, set())) == 1  # the board has no colours
    assert solved(File(ends, frozenset(), both, set())) == 0  # no colours fit
    assert solved(File(ends, frozenset(), both, {(1, 1), (2, 2)})) == 1
    assert solved(File(ends, frozenset(), both, {(1, 1), (1, 2)})) == 1
    assert solved(File(ends, frozenset(), [({(0, 0, 0): 0, (0, 0, 1): 0}, 2, 2)], set())) == 1


def test_equal_shapes_of_different_colours_are_different_pieces() -> None:
    square = {(0, row, column): 0 for row in range(2) for column in range(3)}
    plain = {(0, 0, 0): 0, (0, 0, 1): 0}
    assert solved(File(square, frozenset(), [(plain, 3, 3)], set())) == 2
    assert solved(File(square, frozenset(), [(plain, 1, 1), (DOMINO, 2, 2)], set())) == 4
    assert solved(File(square, frozenset(), [(plain, 2, 2), (DOMINO, 1, 1)], set())) == 4


def test_pairs_of_colours_that_do_not_occur() -> None:
    square = {(0, 0, 0): 1, (0, 0, 1): 1}
    text = written(File(square, frozenset(), [(DOMINO, 1, 1)], {(1, 1), (2, 1)}))
    more = text.replace("<bitmap>", '<bitmap><pair piece="999999998" result="0"/><pair piece="0" result="999999998"/>')
    assert more != text
    assert xmpuzzle.read(more, 1) == xmpuzzle.read(text, 1)


def test_equal_shapes_that_are_listed_apart() -> None:
    row = {(0, 0, column): 0 for column in range(6)}
    domino, turned = {(0, 0, 0): 0, (0, 0, 1): 0}, {(0, 0, 0): 0, (1, 0, 0): 0}
    puzzle = Cover(written(File(row, frozenset(), [(domino, 1, 1), (turned, 2, 2)], set())))
    assert puzzle.hint() == (
        "2 shapes are listed apart but equal to others, and count as 1 piece: told apart, each solution without"
        " symmetry would count 3 times"
    )
    assert parsolve.solve(puzzle, want="count", workers=1).count == 1
    ranges = Cover(written(File(row, frozenset(), [(domino, 0, 1), (turned, 2, 2)], set())))
    assert ranges.hint().endswith("would count several times")
    assert not Cover(written(File(row, frozenset(), [(domino, 3, 3)], set()))).hint()


# BurrTools' files: known counts, a plain search of random ones, and what is refused.


SOMA = """<?xml version="1.0"?>
<puzzle version="2">
 <gridType type="0"/>
 <colors/>
 <shapes>
  <voxel x="2" y="2" z="1" type="0">###_</voxel>
  <voxel x="3" y="2" z="1" type="0" name="L">####__</voxel>
  <voxel x="3" y="2" z="1" type="0">###_#_</voxel>
  <voxel x="3" y="3" z="1" type="0">_##
##_
___</voxel>
  <voxel x="2" y="2" z="2" type="0">###_0__#_</voxel>
  <voxel x="2" y="2" z="2" type="0">###__#__</voxel>
  <voxel x="2" y="2" z="2" type="0">###_#___</voxel>
  <voxel x="3" y="3" z="3" type="0">###########################</voxel>
 </shapes>
 <problems>
  <problem name="empty"><shapes/><result id="7"/></problem>
  <problem state="2" assemblies="240">
   <shapes>
    <shape id="0" count="1"/><shape id="1"/><shape id="2" min="1" max="1"/><shape id="3" count="1" group="1"/>
    <shape id="4" count="1"/><shape id="5" count="1"><group group="1" count="1"/></shape><shape id="6" count="1"/>
   </shapes>
   <result id="7"/>
   <bitmap/>
   <solutions><solution><assembly>0 0 0 1</assembly><unknown/></solution></solutions>
  </problem>
 </problems>
 <comment>Soma</comment>
</puzzle>
"""


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["soma.xmpuzzle", "soma.gz"])
def test_the_command_line(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(SOMA.encode()) if name.endswith("gz") else SOMA.encode())
    assert run("count", "cover", "--file", name, "--problem", "2").stdout == "240\n"
    boards = run("solve", "cover", "--file", name, "--problem", "2", "--boards", "--quiet").stdout.split("\n\n")
    assert boards[0].count("\n") == 3
    told = run("describe", "cover", "--file", name, "--problem", "2").stdout
    assert "···  ···  ···" in told
    assert "the same set of pieces: 48" in told


@pytest.mark.nightly
def test_a_piece_that_fits_nowhere_changes_no_symmetry() -> None:
    """On a flat board a reflection is a turn of space, whatever it would make of a piece that is not flat."""
    flat = {canonical(drawn(text), "free"): Stock("A", n, n) for text, n in (("ooo/o", 1), ("oo", 2))}
    more = flat | {canonical(drawn("oo/o// /o"), "free"): Stock("A", 0, 1)}
    for stock in (flat, more):
        puzzle = Cover(written(uncoloured(board_of("2x4"), stock)))
        assert parsolve.solve(puzzle, want="count", workers=1).count == 2


BOMB = """<?xml version="1.0"?>
<!DOCTYPE puzzle [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<puzzle>&b;</puzzle>"""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('<gridType type="0"/>', '<gridType type="2"/>', "line 3: its grid is not one of cubes"),
        ("###########################", "##########################", "line 15: a shape of 3 x 3 x 3 has 27 voxels"),
        ('x="3" y="3" z="3"', 'x="9999" y="9999" z="9999"', "line 15: a shape of 9999 x 9999 x 9999 has"),
        ('x="3" y="3" z="3"', 'x="-3" y="3" z="3"', "line 15: the x of <voxel> is not a number: '-3'"),
        ('x="3" y="3" z="3"', 'x="3" y="3"', "line 15: the z of <voxel> is missing"),
        ("###_0__#_", "###_123__#_", "line 12: a voxel is #, \\+ or _, perhaps with a colour of two digits, not '3'"),
        ("###__#__<", "###__*__<", "line 13: a voxel is #, \\+ or _, perhaps with a colour of two digits, not '\\*'"),
        ("###__#__<", "###__+__<", "line 13: a piece has filled voxels and no variable ones"),
        ("###__#__<", "________<", "line 13: a piece has filled voxels and no variable ones"),
        ('<shape id="6" count="1"/>', '<shape id="8" count="1"/>', "line 22: there is no shape 8, only 0 to 7"),
        ('<shape id="6" count="1"/>', '<shape count="1"/>', "line 22: the id of <shape> is missing"),
        ('id="6" count="1"', 'id="6" min="2" max="1"', "line 22: at least 2 and at most 1"),
        ('   <result id="7"/>', "", "line 19: the problem has no result"),
        ('state="2"', 'maxHoles="x"', "line 19: the maxHoles of <problem> is not a number"),
        (SOMA, BOMB, "line 2: it has a document type"),
        (SOMA, "<puzzle>\n</puzzle>", "there is no problem 2"),
        (SOMA, "<!\n", "line 1: "),
    ],
)
def test_bad_files(old: str, new: str, says: str) -> None:
    assert old in SOMA
    with pytest.raises(BadInput, match=f"cover: file.*{says}") as raised:
        Cover(SOMA.replace(old, new), problem=2)
    assert "\n" not in str(raised.value)


@pytest.mark.nightly
def test_a_problem_without_pieces() -> None:
    with pytest.raises(BadInput, match="line 18: the problem has no pieces"):
        Cover(SOMA)


@pytest.mark.nightly
def test_holes_that_are_not_allowed() -> None:
    text = SOMA.replace("###########################", "##########################+").replace(
        '<shape id="6" count="1"/>', '<shape id="6" min="0" max="1"/>'
    )
    assert Cover(text, problem=2).overview().count("·") == 27
    with pytest.raises(BadInput, match="a limit of holes"):
        Cover(text.replace('state="2"', 'maxHoles="0"'), problem=2)
