"""The forms of Sudokus in texts and files: 81 cells in a line, or nine lines of nine, ruled or not, below titles."""

import itertools
import re
from collections.abc import Iterable, Iterator

from parsolve.errors import BadInput
from parsolve.text import lines_of, plural, shown

CELLS = "123456789.0_*xX"
"""The characters of cells: digits, and those of free cells."""

PLAIN = re.compile(rf"\s*([{CELLS}]{{81}})\s*")
"""The usual form of a grid."""

FORMS = (
    "a file has 81 cells on each line, alone or among other columns, or each grid as nine lines of nine cells, ruled"
    " with | and - or not, below a title or not; a cell is a digit, or . 0 _ * x if it is free"
)

MOST_HELD = 64
"""Maximum number of lines before the first grid."""

_FREE = str.maketrans("0_*xX", ".....")

_RULE = re.compile(r"[\s|+=-]*[-=][\s|+=-]*")
"""A line between the rows of boxes, such as ------+-------+------."""

_OF_TABLE = re.compile(rf'"|(?:[{CELLS}][ |]*){{81}}')
"""A part of a line that only tables have; a quoted grid may have several lines."""


def cells_of(text: str) -> str:
    """Return the cells of a grid without spaces, ends of lines and rules, and a dot for each free one."""
    return _squeezed("".join(line for line in lines_of(text) if not _RULE.fullmatch(line))).translate(_FREE)


def table_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a table, as many as the file has. A grid of nine lines becomes its last line, and the others
    become empty, like titles and rules.

    Raises:
        BadInput: there is no grid at the beginning, or a grid has not nine lines of nine cells.
    """
    rest = iter(lines)
    held: list[str] = []
    for line in itertools.islice(rest, MOST_HELD):
        held.append(line)
        if _OF_TABLE.search(line):
            yield from itertools.chain(held, rest)
            return
        if _is_row(line):
            yield from _joined(itertools.chain(held, rest))
            return
    if any(line.strip() for line in held):
        raise BadInput(f"sudoku: there is no grid in the first {plural(len(held), 'line')}: {FORMS}")
    yield from held


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Yield a line for each line of a file whose grids have nine lines each."""
    rows: list[str] = []
    number = 0
    for number, line in enumerate(lines, 1):
        if _is_row(line):
            rows.append(_squeezed(line))
            yield f"{''.join(rows)}\n" if len(rows) == 9 else "\n"
            rows = [] if len(rows) == 9 else rows
            continue
        is_between = not line.strip() or _RULE.fullmatch(line.rstrip("\r\n"))
        if len(rows) % 3 if is_between else rows or _is_like_row(line):
            raise BadInput(
                f"sudoku: line {number} has {shown(line.strip())} instead of row {len(rows) + 1} of a grid: write nine"
                " cells on each of its nine lines"
            )
        yield line if PLAIN.fullmatch(line) and not rows else "\n"
    if rows:
        raise BadInput(f"sudoku: the last grid, which ends in line {number}, has {plural(len(rows), 'row')}: give nine")


def _squeezed(line: str) -> str:
    return "".join(line.replace("|", " ").split())


def _is_row(line: str) -> bool:
    """Return whether a line is a row of a grid."""
    cells = _squeezed(line)
    return len(cells) == 9 and not cells.strip(CELLS)


def _is_like_row(line: str) -> bool:
    """Return whether most characters of a line are cells: then it is a wrong row rather than a title."""
    cells = _squeezed(line)
    return len(cells) != 81 and 2 * sum(cell in CELLS for cell in cells) > len(cells)
