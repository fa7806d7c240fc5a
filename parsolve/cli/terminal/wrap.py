"""Texts of several lines at the width of a terminal."""

import os
import re
import sys
from itertools import groupby
from textwrap import wrap

_NAMED = re.compile(r"(\s*\S.*?\s{2,})[^\s#]")
"""A line that begins with a name, two spaces or more before what is said about it."""

HANGING = 6
"""Columns by which a text below its subject is indented."""


def wrapped(text: str, columns: int) -> str:
    """Return a text whose paragraphs and descriptions are at most `width` columns wide.

    A line that is indented and describes nothing, or ends with a comment, is code: it stays as it is, and can be
    copied. What is said about a name stays beside it if there is room for that, and goes below it if not.
    """
    lines: list[str] = []
    for is_paragraph, each in groupby(text.split("\n"), lambda line: line[:1].strip() != ""):
        group = [*each]
        if is_paragraph and max(map(len, group)) > columns and not any(map(_NAMED.match, group)):
            group = [" ".join(group)]
        lines += [piece for line in group for piece in _wrapped_line(line, columns)]
    return "\n".join(lines)


def _wrapped_line(line: str, columns: int) -> list[str]:
    if len(line) <= columns:
        return [line]
    indent = len(line) - len(line.lstrip())
    named = _NAMED.match(line)
    if indent > columns // 2:  # the rest of a description
        return _fill(line.strip(), columns, HANGING)
    if named is None:
        return [line] if indent else _fill(line, columns, 0)
    name, about = line[: named.end(1)], line[named.end(1) :]
    if len(name) > columns // 2:
        return [name.rstrip(), *_fill(about, columns, HANGING)]
    first, *others = _fill(about, columns, len(name))
    return [name + first.lstrip(), *others]


def _fill(text: str, columns: int, indent: int) -> list[str]:
    spaces = " " * indent
    return wrap(
        text,
        columns,
        initial_indent=spaces,
        subsequent_indent=spaces,
        break_long_words=False,
        break_on_hyphens=False,
    )


def for_stdout(text: str) -> str:
    """Return a text at the width of the terminal that stdout is; unchanged if it is not one."""
    columns = stdout_columns()
    return text if columns is None else wrapped(text, columns)


def stdout_columns() -> int | None:
    """Return the width of the terminal that stdout is; None if it is not one."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (OSError, ValueError):
        return None
