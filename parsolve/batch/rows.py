"""CSV files whose rows are puzzles: a column named like a parameter gives its value, the others are notes.

The first row names the columns, unless each line is one value that only one parameter can take, such as a Sudoku's
grid. Empty lines, and lines that are `#` alone or begin with `# `, are comments.
"""

import csv
import itertools
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, NamedTuple

from parsolve.errors import BadInput
from parsolve.parameters import parameters_of
from parsolve.problem.registry import construct
from parsolve.puzzle import Puzzle
from parsolve.text import nearest, one_line, shown

LONGEST = 1 << 20
"""Characters of a line at most: a longer one is of no table, and might not end."""

MOST_BETWEEN = 1 << 16
"""Lines between two rows at most, comments and empty ones: more of them are of no table."""


class Row(NamedTuple):
    """One row.

    Attributes:
        number: of the row, from 1.
        place: the same for messages, such as `korf.csv, line 3`.
        label: its name: the column `id`, else the number.
        parameters: by name, as text.
        notes: the columns that are no parameters, by name.
        error: why it cannot be read; empty where it can.
    """

    number: int
    place: str
    label: str
    parameters: dict[str, str]
    notes: dict[str, str]
    error: str = ""


class Rows:
    """The rows of a CSV file, read as they are iterated over: once, and none ahead.

    Args:
        lines: of the file, with their ends.
        name: of the file, for messages.
        rename: by column: what it is called instead.
        known: the puzzle's parameters.
        fitting: returns the parameters that a line without a header may be, see `fitting`.

    Attributes:
        given: the parameters that columns give.
        has_header: whether the first row names the columns.

    Raises:
        BadInput: the file is no CSV, or its first row does not fit the puzzle.
    """

    def __init__(
        self,
        lines: Iterable[str],
        name: str,
        rename: Mapping[str, str],
        known: Sequence[str],
        fitting: Callable[[str], Sequence[str]] = lambda line: (),
    ) -> None:
        self._name, self._known = name, known
        for new in rename.values():
            if new not in (*known, "id"):
                raise BadInput(f"`rename`: there is no parameter {new!r}{nearest(str(new), known)}")
        self._records = records(lines, name)
        first = next(self._records, (0, []))
        columns = [column.strip() for column in first[1]]
        if not columns:
            raise BadInput(f"{name} has no rows")
        for column in rename:
            if column not in columns:
                raise BadInput(f"{name} has no column {column!r}{nearest(column, columns)}")
        self._names = [rename.get(column, column) for column in columns]
        if len(set(self._names)) < len(self._names):
            raise BadInput(f"{name} has two columns of one name: {', '.join(self._names)}")
        self.given = [column for column in self._names if column in known]
        self.has_header = bool(self.given)
        if not self.has_header:
            self.given = self._names = self._without_header(columns, fitting)
            self._records = itertools.chain([first], self._records)

    def _without_header(self, columns: Sequence[str], fitting: Callable[[str], Sequence[str]]) -> list[str]:
        """Return the parameter that each line is, from the first line.

        Raises:
            BadInput: it is not a value of one parameter alone.
        """
        may_be = fitting(columns[0]) if len(columns) == 1 else ()
        if len(may_be) == 1:
            return [*may_be]
        if may_be:
            raise BadInput(
                f"{self._name} has no header, and its lines may be {' or '.join(may_be)}: write one of these as the"
                " first line, or give the others as options"
            )
        raise BadInput(
            f"{self._name}: no column is a parameter: the first row has {one_line(', '.join(columns), 80)}; name the"
            f" columns there, or rename them: {', '.join(self._known)}"
        )

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows.

        Raises:
            BadInput: there are none, or the file is no CSV from some line on.
        """
        number = 0
        for number, (line, values) in enumerate(self._records, 1):
            yield self._row(number, line, values)
        if number == 0:
            raise BadInput(f"{self._name} has no rows")

    def _row(self, number: int, line: int, values: list[str]) -> Row:
        place, error = f"{self._name}, line {line}", ""
        if len(values) != len(self._names):
            error = f"it has {len(values)} columns, the first row {len(self._names)}"
        row = dict(zip(self._names, values, strict=False))
        label = row.get("id", "").strip() or str(number)
        if not label.isprintable():
            label, error = str(number), f"its id {shown(label)} has control characters"
        notes = {name: value for name, value in row.items() if name not in self._known}
        return Row(number, place, label, {name: row[name] for name in self.given if name in row}, notes, error)


def fitting(cls: type[Puzzle], values: Mapping[str, Any], given: Container[str], line: str) -> list[str]:
    """Return the parameters of a class that a line without a header may be: numbers and texts, not choices and files.

    Args:
        cls: the class.
        values: of the parameters otherwise, by name; the rest are by default.
        given: the parameters that the line is not a value of.
        line: the first line. A parameter that would take its own name as a value is left out: nothing would tell a
            header from a value.
    """

    def fits(name: str, value: str) -> bool:
        try:
            construct(cls, {**values, name: value})
        except BadInput:
            return False
        return True

    free = [row for row in parameters_of(cls) if not (row.kind is bool or row.choices or row.text_file)]
    names = [row.name for row in free if row.name not in given]
    return [name for name in names if fits(name, line) and not fits(name, name)]


def records(lines: Iterable[str], name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file, the first one with the names of the columns included: line number and values.

    Raises:
        BadInput: it is not a CSV file.
    """
    line = 0
    last = 0  # line of the row before
    first = 0  # line of the row that is being read; 0 between two rows

    def without_comments() -> Iterator[str]:
        nonlocal line, first
        for text in lines:
            line += 1
            if line > last + MOST_BETWEEN:
                raise BadInput(f"{name} has more than {MOST_BETWEEN:,} lines without a row after line {last}")
            if not first and (text.startswith("# ") or text.rstrip("\r\n") == "#"):
                continue  # a line that continues a quoted value is no comment
            first = first or line
            yield text

    reader = csv.reader(without_comments(), strict=True)
    try:
        for values in reader:
            at, first = first, 0
            if values:
                last = line
                yield at, values
    except UnicodeDecodeError:
        raise BadInput(f"{name} cannot be read beyond line {line}: what follows is not text (UTF-8)") from None
    except csv.Error as error:
        raise BadInput(f"{name} cannot be read beyond line {line}: {error}") from None


def lines_of(file: IO[str]) -> Iterator[str]:
    """Yield the lines of a file with their ends.

    Raises:
        BadInput: a line is too long to be one of a table.
    """
    while line := file.readline(LONGEST):
        if len(line) == LONGEST:
            raise BadInput(f"a line has more than {LONGEST:,} characters: it is not a CSV file")
        yield line
