"""CSV files whose rows are puzzles: a column named like a parameter gives its value, the others are notes.

Columns are separated by commas, or, if these give no parameter, by semicolons, tabs or spaces. The first row names
them, unless each line, or one column, is a value that only one parameter can take, such as a Sudoku's grid. Empty
lines, and lines that are `#` alone or begin with `# `, are comments.
"""

import contextlib
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


class NotCSV(BadInput):
    """A file's rows are not separated like this."""


class Header(NamedTuple):
    """How the columns of a file are read.

    Attributes:
        separator: what separates them.
        names: their names; of those that give a parameter, the parameter's.
        given: the parameters that they give.
        is_row: whether the first row is one like the others, without names.
        reading: says how they are read, if their names do not; otherwise empty.
    """

    separator: str
    names: list[str]
    given: list[str]
    is_row: bool = False
    reading: str = ""


class Rows:
    """The rows of a CSV file, read while they are iterated over: once, and without reading ahead.

    Args:
        lines: the lines of the file, with their ends.
        name: the file's name, for messages.
        rename: the new names of columns.
        known: the puzzle's parameters.
        takers: returns the parameters that may take a line or a column without a name, see `takers`.

    Attributes:
        header: how its columns are read.

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
        for new in rename.values():
            if new not in (*known, "id"):
                raise BadInput(f"`rename`: there is no parameter {new!r}{nearest(str(new), known)}")
        lines, first = itertools.tee(lines)
        self.header = header_of(first, name, rename, known, takers)
        self._name, self._records = name, records(lines, name, self.header.separator)
        if not self.header.is_row:
            next(self._records)

    def count(self) -> int:
        """Read all rows, and return how many there are."""
        return sum(1 for _ in self._records)

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows.

        Raises:
            BadInput: there are none, or the file is not CSV from some line on.
        """
        separator, names, given, is_row, _ = self.header
        number = 0
        for number, (line, values) in enumerate(self._records, 1):
            error = ""
            if separator != ",":
                values = [value.strip() for value in values]
            if len(values) != len(names):
                if is_row and len(values) > names.index(given[0]):
                    values = [*values, *[""] * len(names)][: len(names)]  # lines may differ after the parameter
                else:
                    error = f"it has {plural(len(values), 'column')}, the first row {len(names)}"
            row = dict(zip(names, values, strict=False))
            label = row.get("id", "").strip() or str(number)
            if not label.isprintable():
                label, error = str(number), f"its id {shown(label)} has control characters"
            parameters = {name: row.pop(name) for name in given if name in row}
            yield Row(number, f"{self._name}, line {line}", label, parameters, row, error)
        if number == 0:
            raise BadInput(f"{self._name} has no rows")


def header_of(
    lines: Iterable[str], name: str, rename: Mapping[str, str], known: Sequence[str], takers: Takers
) -> Header:
    """Return how the columns of a file are read, by its first row, or two; see `Rows`."""

    def row(number: int, separator: str) -> list[str]:
        nonlocal lines
        lines, again = itertools.tee(lines)
        with contextlib.suppress(NotCSV):
            for _, values in itertools.islice(records(again, name, separator), number, None):
                return [value.strip() for value in values]
        return []

    separator = next((each for each in SEPARATORS[:-1] if {*row(0, each)} & {*known, *rename}), ",")
    names = row(0, separator)
    for column in rename:
        if names and column not in names:
            raise BadInput(f"{name} has no column {column!r}{nearest(column, names)}")
    names = [rename.get(column, column) for column in names]
    given = [column for column in names if column in known]
    header = Header(separator, names, given) if given or rename else _header_by_value(row, name, takers)
    if header is None or not header.given:
        _, first = next(records(lines, name, ","), (0, []))
        if not first:
            raise BadInput(f"{name} has no rows")
        raise BadInput(
            f"{name}: no column is a parameter: the first row has {one_line(', '.join(first), 80)}; name the columns"
            f" there, or rename them: {', '.join(known)}"
        )
    if len(set(header.names)) < len(header.names):
        ((twice, _),) = Counter(header.names).most_common(1)
        raise BadInput(f"{name} has two columns named {shown(twice)}")
    return header


def _header_by_value(row: Callable[[int, str], list[str]], name: str, takers: Takers) -> Header | None:
    """Return the header of the one column whose value, in the first or the second row, can be a parameter's, if any."""
    for number, separator in itertools.product((0, 1), SEPARATORS):
        names, values = row(0, separator), row(number, separator)
        is_line = number == 0 and len(values) == 1
        tried = enumerate(values[:MOST_TRIED] if len(names) == len(values) else ())
        found = [(place, parameter) for place, value in tried for parameter in takers(value, is_line)]
        if len(found) > 1:
            which = " or ".join(f"{parameter} in column {place + 1}" for place, parameter in found)
            how = "name its columns in the first line, or give the others as options"
            raise BadInput(f"{name} may have {which}: {how}")
        for place, parameter in found:
            reading = f"{name}: its column {shown(names[place])} is read as {parameter}"
            if number == 0:
                which = "each line" if is_line else f"column {place + 1} of each line"
                reading = f"{name} has no header: {which} is read as {parameter}"
                names = [f"column {each}" for each in range(1, len(values) + 1)]
            names[place] = parameter
            return Header(separator, names, [parameter], number == 0, reading)
    return None


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


def records(lines: Iterable[str], name: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file, the first one with the names of the columns included: line number and values.

    Raises:
        BadInput: it cannot be read, or is not CSV with this separator.
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

    texts = without_comments()
    reader = map(str.split, texts) if separator == " " else csv.reader(texts, delimiter=separator, strict=True)
    try:
        for values in reader:
            at, first = first, 0
            if values:
                last = line
                yield at, values
    except UnicodeDecodeError:
        where = f" beyond line {line}" if line else ""
        raise BadInput(f"{name} cannot be read{where}: it is not text in UTF-8, save it as such") from None
    except csv.Error as error:
        raise NotCSV(f"{name} cannot be read beyond line {line}: {error}") from None
    except (EOFError, OSError, zlib.error) as error:
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
