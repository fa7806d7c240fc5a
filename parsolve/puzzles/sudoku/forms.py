"""Sudokus in texts and files: 81 cells in order, digits and a sign for gaps, whatever is between and around them."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

from parsolve.errors import BadInput
from parsolve.text import plural, shown

GAPS = "0._*?xX-"
"""The usual signs of free cells. All those of a grid may have another one, such as a space in nine lines."""

PLAIN = re.compile(rf"\s*([1-9{GAPS}]{{81}})\s*")
"""The usual form of a grid."""

FORMS = (
    "a file has 81 cells on each line, alone or among other columns, or each grid as nine lines of nine cells, ruled or"
    " not, below a title or not; a cell is a digit, or another sign if it is free"
)

MOST_HELD = 64
"""Maximum number of lines before the first grid."""

# What separates cells: bars, and all separators.
_BAR = "|!\u2500-\u257f"
_BETWEEN = rf",;/\"'\[\](){{}}{_BAR}\s"
_BARS, _SEPARATORS, _FIELDS = (re.compile(f"[{each}]") for each in (_BAR, _BETWEEN, f",;\t{_BAR}"))

_CELLS, _OTHER = re.compile(f"[1-9{GAPS}]+"), re.compile(f"[^{_BETWEEN}1-9{GAPS}]+")

_SURE = re.compile("[0-9.?xX]")
"""Cells that no rule has."""

_RULE = re.compile(f"[{_BETWEEN}=+*_#~:-]*")
"""A line between rows, such as ------+-------+------."""

_AROUND = re.compile(rf"^[^\[({{]*[\[({{]+|[\])}}]+[^\])}}]*$|^\s*[{_BAR}]|[{_BAR}]\s*$")
"""Brackets or bars around a row, and what is outside of the brackets."""

_COLUMN = re.compile(rf"""(?!\s*[\[{{])(?:.*[,;\s])?["']?[1-9{GAPS}]{{81}}["']?(?:[,;\s]|$)""")
"""A line of a table with a grid in a column, unlike JSON."""


def cells_of(text: str) -> str:
    """Return the 81 cells of a grid, with a dot for each free one.

    Raises:
        BadInput: the text is something else.
    """
    has_rows = text.strip().count("\n") >= 8
    cells = "".join(table_lines(text.splitlines(keepends=True))) if has_rows else _SEPARATORS.sub("", text)
    cells = cells.strip()
    if len(cells) != 81 or not _are_cells(cells):
        wrong = shown(_CELLS.sub("", cells)[0]) if len(cells) == 81 else f"81 cells, not {len(cells)}"
        raise BadInput(f"sudoku: the grid has {wrong}: a cell is a digit, or one of . 0 _ * x ? - if it is free")
    return re.sub("[^1-9]", ".", cells)


def table_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a table, as many as the file has. In a file that is not one, each grid becomes the line that
    it ends in, and the other lines become empty.

    Raises:
        BadInput: there is no grid at the beginning, or one has not nine lines of nine cells.
    """
    rest = iter(lines)
    held: list[str] = []
    for line in itertools.islice(rest, MOST_HELD):
        held.append(line)
        is_quoted = line.count('"') % 2 > 0  # it may have several lines
        if is_quoted or _grids_in(line) or _SURE.search(_row(line)):
            has_words = re.search(r"\w", re.sub(f"[1-9{GAPS}]{{81}}", "", "".join(held)))
            is_table = is_quoted or (_COLUMN.match(line) and has_words)
            yield from itertools.chain(held, rest) if is_table else _grids(itertools.chain(held, rest))
            return
    if any(line.strip() for line in held):
        raise BadInput(f"sudoku: there is no grid in the first {plural(len(held), 'line')}: {FORMS}")
    yield from held


def _grids(lines: Iterable[str]) -> Iterator[str]:
    """Yield a line for each line of a file that is not a table."""
    rows, known = list[str](), 0  # the rows of a grid that has begun, and their number without rules
    section, is_plain, number = "", False, 0
    for number, line in enumerate(lines, 1):
        if not rows and PLAIN.fullmatch(line):
            is_plain = True
            yield line
            continue
        text, grids = line.strip(), _grids_in(line)
        section = text.lower() if re.fullmatch(r"\[\w+\]", text) else section
        if section in ("[state]", "[pencilmarks]"):  # SadMan Sudoku also writes how far a person has come
            yield "\n"
        elif not grids and (row := _row(line)):
            rows.append(row)
            grid = _without_rules(rows)
            known = len(grid) // 9
            if known == 9:
                rows, known = [], 0
            yield "\n" if rows else (grid.replace(" ", ".") if _are_cells(grid) else grid) + "\n"
        elif not _may_follow(text, known):
            raise BadInput(
                f"sudoku: line {number} has {shown(text)} instead of row {known + 1} of a grid: write nine cells on"
                " each of its nine lines"
            )
        else:
            puzzles = [grid for grid in grids if not grid.isdigit() or "0" in grid] or grids  # the others are solutions
            # A wrong one is not passed over, nor are several.
            is_like_grid = sum(map(len, _CELLS.findall(line))) > 40 or (is_plain and not _OTHER.search(line))
            yield f"{puzzles[0]}\n" if len(puzzles) == 1 else line if is_like_grid else "\n"
    if known:
        raise BadInput(f"sudoku: the last grid, which ends in line {number}, has {plural(known, 'row')}: give nine")


def _grids_in(line: str) -> list[str]:
    """Return the grids in a line: 81 cells, one after the other or all separated alike."""
    if len(line) < 81:
        return []
    if len(line.strip()) == 81 and _are_cells(line.strip()):
        return [line.strip()]
    found = []
    for part in _OTHER.split(re.sub(r"\+(?=[1-9])", "", line)):  # HoDoKu's sign of digits that a person has found
        groups = _CELLS.findall(part)
        is_alike = len({*map(len, groups)}) == 1 and sum(map(len, groups)) == 81
        found += ["".join(groups)] if is_alike else [group for group in groups if len(group) == 81]
    return found


def _row(line: str) -> str:
    """Return the nine cells of a row, perhaps with spaces for free ones; empty if the line is none."""
    inside = _AROUND.sub("", line.rstrip("\r\n"))
    cells = "".join(field.strip(" \"'")[:2] or " " for field in _FIELDS.split(inside))
    if len(cells) != 9:
        cells = _SEPARATORS.sub("", inside)
    if len(cells) < 9:
        cells = _BARS.sub("", inside)
        cells = re.sub(" (.) (.) (.) ", r"\1\2\3", cells) if len(cells) == 21 else cells
        cells = cells.ljust(9) if " " in cells.rstrip() else cells  # spaces at the end may be lost
    return cells if len(cells) == 9 and _are_cells(cells) else ""


def _without_rules(rows: Sequence[str]) -> str:
    """Return the cells of rows. One of a single sign is a rule or empty line, unless others have the sign for gaps."""
    signs = {*"".join(filter(_SURE.search, rows))}
    return "".join(row for row in rows if row[0] in signs or _SURE.search(row))


def _are_cells(text: str) -> bool:
    """Return whether all characters are digits, usual signs for gaps, or one other sign."""
    signs = {*text} - {*"123456789"}
    return signs <= {*GAPS} or (len(signs) == 1 and not any(map(str.isalnum, signs)))


def _may_follow(text: str, rows: int) -> bool:
    """Return whether a line other than a row may follow some rows of a grid: a rule does, or a title before it."""
    if not text:
        return rows % 3 == 0
    cells = _SEPARATORS.sub("", text)
    is_like_row = 5 <= len(cells) < 41 and 4 * sum(map(len, _CELLS.findall(cells))) > 3 * len(cells) and cells[0] != "#"
    return bool(_RULE.fullmatch(text)) or not (rows or is_like_row)
