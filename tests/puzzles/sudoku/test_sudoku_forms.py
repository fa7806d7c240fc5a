"""Sudokus as people write them: nine lines of nine, ruled or not, below titles, with any sign for a free cell."""

import random
from collections.abc import Callable

import pytest

from parsolve.errors import BadInput
from parsolve.puzzles import Sudoku
from parsolve.puzzles.sudoku.forms import table_lines

pytestmark = pytest.mark.plain

SOLUTION = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"


def plain(grid: str, free: str) -> str:
    rows = [grid[row : row + 9] for row in range(0, 81, 9)]
    return "\n".join(rows).replace(".", free) + "\n"


def ruled(grid: str, free: str) -> str:
    lines = []
    for row in range(9):
        cells = grid[9 * row : 9 * row + 9].replace(".", free)
        lines += ["------+-------+------"] if row in (3, 6) else []
        lines.append(" | ".join(" ".join(cells[column : column + 3]) for column in (0, 3, 6)))
    return "\n".join(lines) + "\n"


def boxed(grid: str, free: str) -> str:
    rule = "+---+---+---+"
    lines = [rule]
    for row in range(9):
        cells = grid[9 * row : 9 * row + 9].replace(".", free)
        lines.append(f"|{cells[:3]}|{cells[3:6]}|{cells[6:]}|")
        lines += [rule] if row % 3 == 2 else []
    return "\n".join(lines) + "\n"


def random_grids(number: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    return ["".join(cell if chance.random() < 0.5 else "." for cell in SOLUTION) for _ in range(number)]


@pytest.mark.parametrize("form", [plain, ruled, boxed])
@pytest.mark.parametrize("free", [*".0_*xX"])
@pytest.mark.parametrize("title", ["", "Grid 01\n", "# easy\n\n", "[Puzzle]\n", "\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_grids_of_nine_lines(form: Callable[[str, str], str], free: str, title: str, end: str) -> None:
    grids = random_grids(3, 1)
    text = "".join(title + form(grid, free) for grid in grids).replace("\n", end)
    lines = text.splitlines(keepends=True)
    made = [*table_lines(lines)]
    assert len(made) == len(lines)
    assert [line for line in (each.strip() for each in made) if line] == [grid.replace(".", free) for grid in grids]
    assert [Sudoku(form(grid, free)).cells for grid in grids] == grids


@pytest.mark.parametrize(
    "text",
    [
        f"{SOLUTION}\n{SOLUTION}\n",
        f"grid\n# a comment\n{SOLUTION}\n",
        f"puzzle,solution\n{SOLUTION},{SOLUTION}\nwrong,row\n",
        f'grid\n"{plain(SOLUTION, ".")}"\n',
        "",
        "\n\n",
    ],
)
def test_tables_remain_as_they_are(text: str) -> None:
    lines = text.splitlines(keepends=True)
    assert [*table_lines(lines)] == lines


def test_no_line_is_read_ahead() -> None:
    read = 0

    def lines(text: str) -> list[str]:
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

    assert len(lines("Grid 01\n" + plain(SOLUTION, ".") + "Grid 02\n" + plain(SOLUTION, "."))) == 20
    assert len(lines(f"grid\n{SOLUTION}\n{SOLUTION}\n")) == 3


ROWS = plain(SOLUTION, ".").splitlines(keepends=True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hello\n", "there is no grid in the first 1 line: a file has 81 cells on each line"),
        ("".join(ROWS[:8]), "the last grid, which ends in line 8, has 8 rows"),
        ("".join([*ROWS[:4], ROWS[4][1:], *ROWS[5:]]), "line 5 has '26853791' instead of row 5 of a grid"),
        ("".join([*ROWS[:8], "Grid 02\n", *ROWS]), "line 9 has 'Grid 02' instead of row 9"),
        ("".join([*ROWS, ROWS[0][:8] + "\n", *ROWS[1:], *ROWS]), "line 10 has '53467891' instead of row 1"),
        ("".join([*ROWS[:4], "\n", *ROWS[4:]]), "line 5 has '' instead of row 5"),
        ("".join([*ROWS[:4], SOLUTION, "\n", *ROWS[4:]]), "line 5 has '5346789"),
        ("".join(["12345678\n", *ROWS]), "line 1 has '12345678' instead of row 1"),
    ],
)
def test_what_is_no_grid(text: str, says: str) -> None:
    with pytest.raises(BadInput) as raised:
        list(table_lines(text.splitlines(keepends=True)))
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("grid", "says"),
    [("?" + SOLUTION[1:], "the grid has '?'"), (ruled(SOLUTION, ".")[:-3], "the grid has 81 cells, not 80")],
)
def test_what_is_no_grid_alone(grid: str, says: str) -> None:
    with pytest.raises(BadInput) as raised:
        Sudoku(grid)
    assert says in str(raised.value)
