"""Each line of the table in docs/cover.md: what other programs say, said here, with an answer known otherwise."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cases import some
from conftest import Run
from shared import ROOT

import parsolve
from parsolve.puzzles import Cover

XML = """<puzzle version="2"><gridType type="0"/><colors><color/><color/></colors><shapes>
<voxel x="2" y="1" z="1" type="0">##</voxel><voxel x="3" y="2" z="1" type="0">######</voxel>
<voxel x="3" y="2" z="1" type="0">##+###</voxel><voxel x="3" y="2" z="1" type="0">#1#1####</voxel>
<voxel x="2" y="1" z="1" type="0">#2#2</voxel><voxel x="2" y="2" z="2" type="0">###___#_</voxel>
<voxel x="2" y="2" z="2" type="0">########</voxel><voxel x="2" y="2" z="2" type="0">###__#__</voxel>
</shapes><problems>PROBLEMS</problems></puzzle>
"""
"""Shapes: 0 a domino, 1 a board of 2x3, 2 one with a cell that may stay empty, 3 and 4 a board and a domino in colours,
5 and 7 mirror images of each other, 6 a box that two of one of them fill."""


def problem(result: int, *shapes: str, more: str = "") -> str:
    listed = "".join(f"<shape {shape}/>" for shape in shapes)
    return f'<problem><shapes>{listed}</shapes><result id="{result}"/><bitmap>{more}</bitmap></problem>'


GRID = "003020600900305001001806400008102900700000008006708200002609500800203009005010300"
ROWS = "".join(f"{GRID[row : row + 9]}\n" for row in range(0, 81, 9))
RULED = re.sub(r"(...)(...)(...)\n", r"\1|\2|\3\n", ROWS.replace("0", "_"))
RULED = "---+---+---\n".join(["".join(RULED.splitlines(True)[row : row + 3]) for row in (0, 3, 6)])

Line = tuple[dict[str, str | bytes], list[tuple[str, str]]]
"""Files, and commands with the numbers that they print."""

LINES: dict[str, Line | Callable[[], None]] = {
    "BurrTools: a shape with `count`, or with `min` and `max`": (
        {"a.xmpuzzle": problem(1, 'id="0" count="3"') + problem(1, 'id="0" min="0" max="9"')},
        [
            ("cover --file a.xmpuzzle", "2"),
            ("cover --file a.xmpuzzle --problem 2", "2"),
            ("polyominoes --board 2x3 --pieces 3*I2 --unique", "2"),
            ("polyominoes --board 2x3 --pieces 0:3*I2", "3"),
        ],
    ),
    "BurrTools: colours, and the pairs that fit": (
        {
            "a.xmpuzzle": problem(3, 'id="0" count="2"', 'id="4" count="1"'),
            "b.xmpuzzle": problem(3, 'id="0" count="2"', 'id="4" count="1"', more='<pair piece="1" result="0"/>'),
        },
        [
            ("cover --file a.xmpuzzle --symmetry none", "4"),
            ("cover --file b.xmpuzzle --symmetry none", "9"),
        ],
    ),
    "BurrTools: variable voxels of the result": (
        {"a.xmpuzzle": problem(2, 'id="0" min="0" max="3"'), "b.txt": "oo+\nooo\n"},
        [("cover --file a.xmpuzzle", "3"), ("polyominoes --board b.txt --pieces 3:3*I2", "3")],
    ),
    "BurrTools: several problems in a file": (
        {"a.xmpuzzle": problem(1, 'id="0" count="2"') + problem(1, 'id="0" count="3"')},
        [("cover --file a.xmpuzzle --problem 2", "2")],
    ),
    "BurrTools: keep mirror solutions; keep rotated solutions": (
        {"a.xmpuzzle": problem(6, 'id="5" min="0" max="2"', 'id="7" min="0" max="2"')},
        [
            ("cover --file a.xmpuzzle", "1"),
            ("cover --file a.xmpuzzle --symmetry turns", "2"),
            ("cover --file a.xmpuzzle --symmetry none", "12"),
        ],
    ),
    "DLX1: items and options": (
        {"a.dlx": "| of the book\na b c d e f g\nc e\na d g\nb c f\na d f\nb g\nd e g\n"},
        [("cover --file a.dlx", "1")],
    ),
    "DLX2: secondary items in colours": (
        {"a.dlx": "p q r | x y\np q x y:A\np r x:A y\np x:B\nq x:A\nr y:B\n"},
        [("cover --file a.dlx", "1")],
    ),
    "DLX3: items with multiplicities, `2:3|C`": (
        {"a.dlx": "A B 2:3|C | X Y\nA B X:0 Y:0\nA C X:1 Y:1\nC X:0\nB X:1\nC Y:1\n"},
        [("cover --file a.dlx", "1")],
    ),
    "polyomino programs: a set, one of each": ({}, [("polyominoes --board 3x20 --pieces pentominoes", "8")]),
    "polyomino programs: any number of a piece": ({}, [("polyominoes --board 4x4 --pieces 0:8*I2", "36")]),
    "polyomino programs: holes anywhere, at most two": (
        {},
        [("polyominoes --board 2x2 --pieces 1:2*I2,0:2*I1", "6")],
    ),
    "polyomino programs: one-sided or fixed pieces": (
        {},
        [
            ("polyominoes --board 4x2 --pieces 2*L4", "2"),
            ("polyominoes --board 4x2 --pieces 2*L4 --kind one-sided", "1"),
            ("polyominoes --board 4x2 --pieces 4*I2 --kind fixed", "1"),
        ],
    ),
    "polyomino programs: solutions up to symmetry": (
        {},
        [("polyominoes --board 3x20 --pieces pentominoes --unique", "2")],
    ),
    "Sudoku files: 81 characters on a line": ({"a": f"{GRID}\n"}, [("sudoku --file a", "1")]),
    "Sudoku files: nine lines below `Grid 01`": ({"a": f"Grid 01\n{ROWS}"}, [("sudoku --file a", "1")]),
    "Sudoku files: ruled, or as lists, CSV or JSON": (
        {"a": RULED},
        [("sudoku --file a", "1"), (f"sudoku --grid\n{RULED}", "1")],
    ),
    "Sudoku files: compressed by gzip": ({"a.gz": gzip.compress(ROWS.encode())}, [("sudoku --file a.gz", "1")]),
    "exact cover packages: a matrix of 0 and 1": lambda: solved(Cover(options=np.eye(3, dtype=int)), [(0, 1, 2)]),
    "exact cover packages: a set X and a mapping Y": lambda: solved(
        Cover(items={1, 2, 3}, options={"A": [1], "B": [2, 3], "C": [3]}), [(0, 1)]
    ),
}


def solved(puzzle: Cover, moves: list[tuple[int, ...]]) -> None:
    assert [each.moves for each in parsolve.solve(puzzle, workers=1).solutions] == moves


def test_all_lines_are_here() -> None:
    page = (ROOT / "docs" / "cover.md").read_text().partition("| elsewhere | here |\n|---|---|\n")[2]
    lines = [line.replace("\\|", "¦").split(" | ")[0].removeprefix("| ") for line in page.splitlines()]
    assert [line.replace("¦", "|") for line in lines] == [*LINES]


@pytest.mark.parametrize("name", some(LINES, 7))
def test_a_line_of_the_table(run_here: Run, tmp_path: Path, name: str) -> None:
    line = LINES[name]
    if callable(line):
        line()
        return
    files, commands = line
    for file, data in files.items():
        text = XML.replace("PROBLEMS", str(data)) if file.endswith("xmpuzzle") else data
        (tmp_path / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    for command, number in commands:
        words, newline, value = command.partition("\n")
        printed = run_here("count", *words.split(), *([value] if newline else ()), "--workers", "1").stdout
        found = printed.splitlines()[-1]
        assert (found.split("\t")[2] if "\t" in found else found) == number, command
