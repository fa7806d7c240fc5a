"""The tables in the user's cache folder: listed, read from end to end, and deleted."""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from parsolve.errors import BadInput
from parsolve.system.cachefolder import Untrusted, folder, open_own
from parsolve.tables.tablefile import SUFFIX, Head, read_head, verify_table
from parsolve.text import nearest


@dataclass(frozen=True)
class KeptTable:
    """A table in the cache folder."""

    name: str
    path: Path
    bytes: int  # of its file
    used: float  # seconds since its last use
    head: Head | None  # None if it is damaged
    trouble: str  # what is wrong with the file; empty for nothing


def kept_tables(begin: str = "") -> list[KeptTable]:
    """Return the tables of the cache folder whose names begin so, the largest first; entries are not looked at."""
    place = folder()
    found = []
    for file in place.glob(f"{begin}*{SUFFIX}") if place else ():
        with contextlib.suppress(OSError):  # it has gone
            found.append(_kept_table(file))
    return sorted(found, key=lambda table: (-table.bytes, table.name))


def _kept_table(file: Path) -> KeptTable:
    state = file.lstat()
    head, trouble = None, ""
    try:
        with open_own(file, use=False) as handle:
            head = read_head(handle)
        if head.origin.name != file.stem:
            trouble = "it is of something else"
    except FileNotFoundError:
        raise
    except (Untrusted, ValueError, OSError) as error:
        trouble = str(error)
    return KeptTable(file.stem, file, state.st_size, max(0.0, time.time() - state.st_mtime), head, trouble)


def chosen(names: Sequence[str] | None) -> list[KeptTable]:
    """Return tables of the cache folder by names, or beginnings of names, or all.

    Raises:
        BadInput: there is no such table, or several.
    """
    every = kept_tables()
    return every if names is None else [_named(name, every) for name in names]


def delete(names: Sequence[str] | None) -> list[KeptTable]:
    """Delete tables by name, see `chosen`, and return them; processes that use one still have it.

    Raises:
        BadInput: see `chosen`; or one cannot be deleted.
    """
    gone = chosen(names)
    for table in gone:
        try:
            table.path.unlink(missing_ok=True)
        except OSError as error:
            raise BadInput(f"the table {table.name} cannot be deleted: {error.strerror}") from None
    return gone


def verify(names: Sequence[str] | None, check: Callable[[], None]) -> Iterator[KeptTable]:
    """Read tables from end to end, and yield each, with the faults of its entries too.

    Args:
        names: see `chosen`.
        check: called repeatedly; any exception it raises ends the reading.

    Raises:
        BadInput: see `chosen`.
    """
    for table in chosen(names):
        if not table.trouble:
            try:
                verify_table(table.path, check)
            except (Untrusted, ValueError, OSError) as error:
                table = replace(table, trouble=str(error))
        yield table


def _named(name: str, every: Sequence[KeptTable]) -> KeptTable:
    found = [table for table in every if table.name.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise BadInput(f"{len(found)} tables begin with {name!r}: {', '.join(table.name for table in found)}")
    known = [table.name for table in every]
    raise BadInput(f"there is no table {name!r}{nearest(name, known) if known else ': none is kept'}")
