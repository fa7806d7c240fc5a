"""CSV files whose rows are puzzles: a column named like a parameter gives its value, the others are notes.

Columns are separated by commas, or, if these give no parameter, by semicolons, tabs or spaces. The first row names
them, unless each line, or one column, is a value that only one parameter can take, such as a Sudoku's grid. Empty
lines, and lines that are `#` alone or begin with `# `, are comments.
"""

import csv
import itertools
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import IO, Any, NamedTuple

import numpy as np

from parsolve.errors import BadInput
from parsolve.problem.problem import Problem
from parsolve.problem.registry import construct
from parsolve.puzzle.core import Puzzle
from parsolve.puzzle.parameters import parameters_of
from parsolve.text import nearest, one_line, plural, shown

SEPARATORS = ",;\t "
"""Possible separators of columns. Spaces are tried last: a value may contain them."""

LONGEST = 1 << 20
"""Maximum number of characters of a line: a longer one is not part of a table, and might not end."""

MOST_BETWEEN = 1 << 16
"""Maximum number of lines between two rows, comments and empty lines: with more of them the file is not a table."""

MOST_TRIED = 64
"""Maximum number of columns whose values are tried if no name matches a parameter: each try constructs a puzzle."""


class Row(NamedTuple):
    """One row.

    Attributes:
        number: number of the row, from 1.
        place: the same for messages, such as `korf.csv, line 3`.
        label: its name: the column `id`, or the number.
        parameters: by name, as text.
        notes: the columns that are not parameters, by name.
        error: why it cannot be read; empty if it can.
    """

    number: int
    place: str
    label: str
    parameters: dict[str, str]
    notes: dict[str, str]
    error: str = ""


Takers = Callable[[str, bool], Sequence[str]]
"""Returns the parameters that may take a value without a name, see `takers`."""


class Rows:
    """The rows of a CSV file, read while they are iterated over: once, and without reading ahead.

    Args:
        lines: the lines of the file, with their ends.
        name: the file's name, for messages.
        rename: the new names of columns.
        known: the puzzle's parameters.
        takers: returns the parameters that may take a line or a column without a name, see `takers`.

    Attributes:
        given: the parameters that columns give.
        has_header: whether the first row names the columns.
        reading: how the file is read, if its header does not say so; otherwise empty.

    Raises:
        BadInput: the file is not CSV, or its first row does not fit the puzzle.
    """

    def __init__(
        self,
        lines: Iterable[str],
        name: str,
        rename: Mapping[str, str],
        known: Sequence[str],
        takers: Takers = lambda value, is_line: (),
    ) -> None:
        self._name, self._takers = name, takers
        for new in rename.values():
            if new not in (*known, "id"):
                raise BadInput(f"`rename`: there is no parameter {new!r}{nearest(str(new), known)}")
        self._records = records(lines, name)
        first = next(self._records, (0, []))
        if not first[1]:
            raise BadInput(f"{name} has no rows")
        self._separator = next(
            (each for each in SEPARATORS[:-1] if {*columns(first[1], each)} & {*known, *rename}), ","
        )
        self._names = columns(first[1], self._separator)
        for column in rename:
            if column not in self._names:
                raise BadInput(f"{name} has no column {column!r}{nearest(column, self._names)}")
        self._names = [rename.get(column, column) for column in self._names]
        self.given = [column for column in self._names if column in known]
        self.has_header, self.reading = True, ""
        if not (self.given or rename or self._read_without_header(first)):
            self._read_by_values(first[1])
        if len(set(self._names)) < len(self._names):
            ((twice, _),) = Counter(self._names).most_common(1)
            raise BadInput(f"{name} has two columns named {shown(twice)}")
        if not self.given:
            raise BadInput(
                f"{name}: no column is a parameter: the first row has {one_line(', '.join(first[1]), 80)}; name the"
                f" columns there, or rename them: {', '.join(known)}"
            )

    def _read_without_header(self, first: tuple[int, list[str]]) -> bool:
        """Read by a column whose value in the first row only one parameter can take; return whether there is one."""
        for separator in SEPARATORS:
            values = columns(first[1], separator)
            found = self._column(values, len(values) == 1)
            if found:
                which = f"column {found[0] + 1} of each line" if len(values) > 1 else "each line"
                self._take([f"column {number}" for number in range(1, len(values) + 1)], separator, *found)
                self.reading = f"{self._name} has no header: {which} is read as {found[1]}"
                self.has_header = False
                self._records = itertools.chain([first], self._records)
                return True
        return False

    def _read_by_values(self, header: list[str]) -> None:
        """Find a column whose value in the second row only one parameter can take: its name does not say which."""
        head = [*itertools.islice(self._records, 1)]
        self._records = itertools.chain(head, self._records)
        for separator in SEPARATORS if head else ():
            names, values = columns(header, separator), columns(head[0][1], separator)
            found = self._column(values, False) if len(names) == len(values) else None
            if found:
                self.reading = f"{self._name}: its column {shown(names[found[0]])} is read as {found[1]}"
                self._take(names, separator, *found)
                return

    def _take(self, names: list[str], separator: str, place: int, parameter: str) -> None:
        names[place] = parameter
        self._names, self._separator, self.given = names, separator, [parameter]

    def _column(self, values: Sequence[str], is_line: bool) -> tuple[int, str] | None:
        """Return the one column whose value can be that of a parameter, and the parameter; None for none."""
        tried = [(place, self._takers(value, is_line)) for place, value in enumerate(values[:MOST_TRIED])]
        found = [(place, name) for place, may_be in tried for name in may_be]
        if len(found) > 1:
            which = " or ".join(f"{name} in column {place + 1}" for place, name in found)
            raise BadInput(
                f"{self._name} may have {which}: name its columns in the first line, or give the others as options"
            )
        return found[0] if found else None

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows.

        Raises:
            BadInput: there are none, or the file is not CSV from some line on.
        """
        number = 0
        for number, (line, values) in enumerate(self._records, 1):
            yield self._row(number, line, values)
        if number == 0:
            raise BadInput(f"{self._name} has no rows")

    def _row(self, number: int, line: int, cells: list[str]) -> Row:
        names, error = self._names, ""
        values = cells if self._separator == "," else columns(cells, self._separator)
        if len(values) != len(names):
            if not self.has_header and len(values) > names.index(self.given[0]):
                values = [*values, *[""] * len(names)][: len(names)]  # lines may differ after the parameter
            else:
                error = f"it has {plural(len(values), 'column')}, the first row {len(names)}"
        row = dict(zip(names, values, strict=False))
        label = row.get("id", "").strip() or str(number)
        if not label.isprintable():
            label, error = str(number), f"its id {shown(label)} has control characters"
        parameters = {name: row.pop(name) for name in self.given if name in row}
        return Row(number, f"{self._name}, line {line}", label, parameters, row, error)


def columns(cells: Sequence[str], separator: str) -> list[str]:
    """Return the columns of a row without spaces around them.

    Args:
        cells: as commas separate them.
        separator: what separates columns.
    """
    if separator == " ":
        return ",".join(cells).split()
    return [cell.strip() for cell in (cells if separator == "," else ",".join(cells).split(separator))]


def takers(cls: type[Puzzle], values: Mapping[str, Any], given: Container[str], value: str, is_line: bool) -> list[str]:
    """Return the parameters of a class that may take a value without a name: numbers and texts, not choices and files.

    Args:
        cls: the class.
        values: values of the other parameters, by name; the rest have their defaults.
        given: the parameters that have a value already.
        value: the value in the first row. A parameter that would accept its own name as a value is left out: it could
            be a header.
        is_line: whether the value is the whole line of its file. One column of several, or one with a meaningless name,
            is only read if nothing else can be meant: as a parameter that `roots` reads, and not as solved already, as
            in a column of solutions.
    """
    if not is_line and [row.name for row in parameters_of(cls)] != [*cls.root_parameters]:
        return []

    def fits(name: str, value: str) -> bool:
        try:
            puzzle = construct(cls, {**values, name: value})
        except BadInput:
            return False
        if is_line:
            return True
        problem = Problem(puzzle)
        return not puzzle.solved(problem.tables, problem.root.view(np.recarray)[0])

    free = [row for row in parameters_of(cls) if not (row.kind is bool or row.choices or row.text_file)]
    names = [row.name for row in free if row.name not in given]
    return [name for name in names if fits(name, value) and not fits(name, name)]


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
            if not first:
                if text[0] == "#" and (text.startswith("# ") or text.rstrip("\r\n") == "#"):
                    continue  # a line that continues a quoted value is not a comment
                first = line
            yield text

    reader = csv.reader(without_comments(), strict=True)
    try:
        for values in reader:
            at, first = first, 0
            if values:
                last = line
                yield at, values
    except UnicodeDecodeError:
        where = f" beyond line {line}" if line else ""
        raise BadInput(f"{name} cannot be read{where}: it is not text in UTF-8, save it as such") from None
    except (EOFError, OSError, zlib.error, csv.Error) as error:
        raise BadInput(f"{name} cannot be read beyond line {line}: {error}") from None


def short_lines(file: IO[str]) -> Iterator[str]:
    """Yield the lines of a file with their ends.

    Raises:
        BadInput: a line is too long for a table.
    """
    for line in iter(partial(file.readline, LONGEST), ""):
        if len(line) == LONGEST:
            raise BadInput(f"a line has more than {LONGEST:,} characters: it is not a CSV file")
        yield line
