"""Sudokus as people and programs write them: in lines, tables, lists and boards, with any sign for a free cell."""

import gzip
import io
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from shared import Run
from test_sudoku import SOLUTION

from parsolve.batch import jobs as job_files
from parsolve.batch.csv_files import Rows, takers
from parsolve.errors import BadInput
from parsolve.puzzles import Sudoku
from parsolve.puzzles.sudoku.forms import table_lines

pytestmark = pytest.mark.plain


GRID = ".3.4.....9.28.63.1.......2.8...6.7...6.2.5.9...3.4...8.7.......4.89.25.6.....8.3."
SOLVED = "635421987942876351187593624821369745764285193593147268379654812418932576256718439"
OTHER = "2..1.5..3.54...71..1.2.3.8.6.28.73.4.........1.53.98.6.2.7.1.6..81...24.7..4.2..1"


def lines(each: Callable[[str], str], grid: str = GRID) -> str:
    """Return nine lines, of each of the rows of a grid."""
    return "".join(each(grid[row : row + 9]) + "\n" for row in range(0, 81, 9))


def boxed_by(bar: str, rule: str, cells: Callable[[str], str], grid: str = GRID) -> str:
    """Return a board with bars around boxes and rules between them."""
    each = lines(lambda row: bar + bar.join(cells(row[box : box + 3]) for box in (0, 3, 6)) + bar, grid)
    rows = each.splitlines()
    return "\n".join([rule, *rows[:3], rule, *rows[3:6], rule, *rows[6:], rule, ""])


@pytest.mark.parametrize(
    "text",
    [
        f"{SOLUTION}\n{SOLUTION}\n",
        f"grid\n# a comment\n{SOLUTION}\n",
        f"puzzle,solution\n{SOLUTION},{SOLUTION}\nwrong,row\n",
        f'grid\n"{lines(str, SOLUTION)}"\n',
        "",
        "\n\n",
    ],
)
def test_tables_remain_as_they_are(text: str) -> None:
    lines = text.splitlines(keepends=True)
    assert [*table_lines(lines)] == lines


def test_no_line_is_read_ahead() -> None:
    read = 0

    def made(text: str) -> list[str]:
        nonlocal read
        read = 0
        found = []

        def counted():  # type: ignore[no-untyped-def]
            nonlocal read
            for line in text.splitlines(keepends=True):
                read += 1
                yield line

        for number, line in enumerate(table_lines(counted()), 1):
            if len(line.strip()) >= 81:
                assert read == number
            found.append(line)
        return found

    assert len(made("Grid 01\n" + lines(str, SOLUTION) + "Grid 02\n" + lines(str, SOLUTION))) == 20
    assert len(made(f"grid\n{SOLUTION}\n{SOLUTION}\n")) == 3


LISTED = [[int(cell.replace(".", "0")) for cell in GRID[row : row + 9]] for row in range(0, 81, 9)]
TEXTS = [[*GRID[row : row + 9]] for row in range(0, 81, 9)]


def in_cells(bar: str, rule: str) -> str:
    """Return a board with a bar around each cell and a rule between rows, with spaces for free cells."""
    return rule + lines(lambda row: f"{bar} {f' {bar} '.join(row.replace('.', ' '))} {bar}\n{rule.strip()}")


def read(text: str) -> list[str]:
    """Return the cells of the grids in a file, as --file reads it."""
    rows = Rows(table_lines(io.StringIO(text, newline="")), "it.txt", {}, ["grid"], partial(takers, Sudoku, {}, {}))
    return [Sudoku(**row.parameters).cells for row in rows if not row.error]


ONE = {
    "other signs": GRID.replace(".", "?"),
    "dashes": GRID.replace(".", "-"),
    "a sign of one's own": GRID.replace(".", "~"),
    "two signs": GRID.replace("...", "..0"),
    "spaces": lines(lambda row: row.replace(".", " ")),
    "spaces, those at the end lost": lines(lambda row: row.replace(".", " ").rstrip()),
    "CSV": lines(lambda row: ",".join(row).replace(".", "")),
    "CSV with zeros, Windows": lines(lambda row: ",".join(row).replace(".", "0")).replace("\n", "\r\n"),
    "tabs": lines(lambda row: "\t".join(row).replace(".", "")),
    "semicolons": lines(lambda row: ";".join(row).replace(".", "")),
    "box drawing": boxed_by("│", "├───┼───┼───┤", str),
    "box drawing with spaces": boxed_by("║", "╠═══════╬═══════╣", lambda box: f" {' '.join(box)} "),
    "ruled": boxed_by("", "------+-------+------", lambda box: f"{' '.join(box)} "),
    "py-sudoku": boxed_by("|", "+-------+-------+-------+", lambda box: f" {' '.join(box.replace('.', ' '))} "),
    "Simple Sudoku": boxed_by("|", "*-----------*", str),
    "rules of nine dashes": boxed_by("", "---------", str),
    "dashes for cells below a rule": boxed_by("|", "+---+---+---+", str).replace(".", "-"),
    "each cell in a box": in_cells("|", "+---+---+---+---+---+---+---+---+---+\n"),
    "each cell in a drawn box": in_cells("│", "├───┼───┼───┼───┼───┼───┼───┼───┼───┤\n"),
    "SadMan": f"#AAnn\n#B03-08-2006\n[Puzzle]\n{lines(str)}[State]\n{lines(str, SOLVED)}[PencilMarks]\n12,3,4,,,,,,\n",
    "Python": repr(LISTED),
    "Python, nine lines": "grid = " + repr(LISTED).replace("], ", "],\n        "),
    "numpy": repr(LISTED).replace(",", "").replace("] [", "]\n ["),
    "LeetCode": json.dumps(TEXTS, separators=(",", ":")),
    "LeetCode, nine lines": json.dumps(TEXTS, separators=(",", ":")).replace("],[", "],\n["),
    "a list of rows": json.dumps([GRID[row : row + 9] for row in range(0, 81, 9)]),
    "a list of rows, indented": json.dumps([GRID[row : row + 9] for row in range(0, 81, 9)], indent=1),
    "HoDoKu": f":0000:x:{GRID}:::",
    "HoDoKu, some found": f":0100:6:+6{GRID[1:]}:134 234:r1c1=6:",
    "a comment after it": f"{GRID}#easy",
    "a comment after a space": f"{GRID}   # easy, 2 stars",
    "a rating after it": f"{GRID},7.2",
    "OpenSudoku": f'<?xml version="1.0"?>\n<opensudoku>\n<game data="{GRID.replace(".", "0")}"/>\n</opensudoku>',
    "gsf": f'{GRID} # 1 F 7.2 "x"',
    "rows with slashes": "/".join(GRID[row : row + 9] for row in range(0, 81, 9)),
    "cells with spaces": " ".join(GRID),
    "Kaggle": f"quizzes,solutions\n{GRID.replace('.', '0')},{SOLVED}",
    "a solution before it": f"solution,puzzle\n{SOLVED},{GRID}",
    "two columns without names": f"{SOLVED} {GRID}",
    "JSON with its solution": json.dumps({"solution": SOLVED, "puzzle": GRID}),
    "a mark and a title": f"[Puzzle]\n{GRID}",
    "the number of a grid": f"1\n{lines(str)}",
}
"""One grid each."""


@pytest.mark.parametrize("form", ONE)
def test_one_grid_however_it_is_written(form: str) -> None:
    (cells,) = read(ONE[form])
    assert cells.replace("6", ".", form.endswith("some found")) == GRID
    if ONE[form].strip().count("\n") >= 8:
        assert Sudoku(ONE[form]).cells == GRID


TWO = {
    "lines": f"{GRID}\n{OTHER}\n",
    "nine lines, one after the other": lines(str) + lines(str, OTHER),
    "nine lines, below numbers": f"1\n{lines(str)}2\n{lines(str, OTHER)}",
    "spaces": "\n".join(lines(lambda row: row.replace(".", " "), grid) for grid in (GRID, OTHER)),
    "JSON": "".join(json.dumps({"id": n, "puzzle": grid}) + "\n" for n, grid in enumerate((GRID, OTHER), 1)),
    "JSON lists": f'{{"id": 1, "puzzle": {LISTED}}}\n{{"id": 2, "puzzle": {json.dumps([*OTHER])}}}\n',
    "a list of texts": f'[\n"{GRID}",\n"{OTHER}"\n]\n',
    "CSV": f"id,puzzle,rating\n1,{GRID},7.2\n2,{OTHER},\n",
    "titles": f"# some\n\nGrid 1: {GRID}\nGrid 2: {OTHER}\n",
}
"""Two grids each."""


@pytest.mark.parametrize("form", TWO)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_two_grids_however_they_are_written(form: str, end: str) -> None:
    assert read(TWO[form].replace("\n", end)) == [GRID, OTHER]


ROWS = lines(str, SOLUTION).splitlines(keepends=True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            f"a,b\n{GRID},{OTHER}\n",
            "it.txt may have grid in column 1 or grid in column 2: name its columns in the first line",
        ),
        (json.dumps({"a": GRID, "b": OTHER}), "it.txt may have grid in column 2 or grid in column 4"),
        (lines(str).replace(".", " ", 1), "line 1 has '3.4.....' instead of row 1"),
        (lines(lambda row: row.replace(".", "")), "no grid in the first 9 lines"),
        (lines(lambda row: ",".join(row).replace(",.", "")), "no grid in the first 9 lines"),
        (lines(str) + lines(str)[:-10], "the last grid, which ends in line 17, has 8 rows"),
        (f"{lines(str)}1 2\n{lines(str)}", "the grid has"),
        (lines(lambda row: row.replace(".", "1234 ")), "no grid in the first 9 lines"),
        (f'{{"puzzle": "{GRID}"}}\n{{"puzzle": "{GRID[:-1]}"}}\n', "the grid has"),
        (f'{{"puzzle": {LISTED}}}\n{{"puzzle": {LISTED[:8]}}}\n', "the grid has"),
        ("".join(ROWS[:8]), "the last grid, which ends in line 8, has 8 rows"),
        ("".join([*ROWS[:4], ROWS[4][1:], *ROWS[5:]]), "line 5 has '26853791' instead of row 5 of a grid"),
        ("".join([*ROWS[:8], "Grid 02\n", *ROWS]), "line 9 has 'Grid 02' instead of row 9"),
        ("".join([*ROWS, ROWS[0][:8] + "\n", *ROWS[1:], *ROWS]), "line 10 has '53467891' instead of row 1"),
        ("".join([*ROWS[:4], "\n", *ROWS[4:]]), "line 5 has '' instead of row 5"),
        ("".join([*ROWS[:4], SOLUTION, "\n", *ROWS[4:]]), "line 5 has '5346789"),
        ("".join(["12345678\n", *ROWS]), "line 1 has '12345678' instead of row 1"),
    ],
)
def test_what_may_be_several_things(text: str, says: str) -> None:
    with pytest.raises(BadInput) as raised:
        read(text)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


# Files of Sudokus in the forms that people have, compressed or not, from a file, a pipe and a job file.


GRIDS = (
    "003020600900305001001806400008102900700000008006708200002609500800203009005010300",
    "200080300060070084030500209000105408000000000402706000301007040720040060004010003",
)

EULER = "".join(
    f"Grid {number:02}\n" + "".join(f"{grid[row : row + 9]}\n" for row in range(0, 81, 9))
    for number, grid in enumerate(GRIDS, 1)
)
"""The first two grids of Project Euler's problem 96."""


@pytest.mark.parametrize("name", ["sudoku.txt", "sudoku.txt.gz"])
def test_the_grids_of_project_euler(run_here: Run, tmp_path: Path, name: str, compiled: None) -> None:
    data = EULER.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    done = run_here("count", "sudoku", "--file", name)
    assert [line.split("\t")[:3] for line in done.stdout.splitlines()[1:]] == [["1", "-", "1"], ["2", "-", "1"]]
    (tmp_path / "jobs.toml").write_text(f'[[job]]\npuzzle = "sudoku"\nfile = "{name}"\n')
    jobs = job_files.read(tmp_path / "jobs.toml")
    assert [job.puzzle.cells.replace(".", "0") for job in jobs if job.puzzle] == [*GRIDS]


def test_compressed_grids_from_a_pipe(
    run_here: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, compiled: None
) -> None:
    (tmp_path / "it.gz").write_bytes(gzip.compress(EULER.encode()))
    with (tmp_path / "it.gz").open("rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        done = run_here("count", "sudoku", "--file", "-")
        assert len(done.stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"hello\n", "there is no grid in the first 1 line: a file has 81 cells on each line"),
        (gzip.compress(EULER.encode())[:-20], "it cannot be read beyond line"),
        (b"\x1f\x8b\x08 no gzip", "it cannot be read beyond line"),
    ],
)
def test_files_without_grids(run_here: Run, tmp_path: Path, data: bytes, says: str, compiled: None) -> None:
    (tmp_path / "it").write_bytes(data)
    done = run_here("count", "sudoku", "--file", "it", code=2)
    assert says in done.stderr
