"""Tables by their origin: in this process, or in the user's cache folder."""

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from parsolve.errors import BadInput
from parsolve.problem.data import Array
from parsolve.puzzle.core import Puzzle
from parsolve.puzzle.parameters import values_of
from parsolve.system.cachefolder import Untrusted, folder, open_own, warn_once
from parsolve.tables.file import Head, map_table, read_head, verify_table, write_table
from parsolve.tables.origin import Origin
from parsolve.text import nearest

SUFFIX = ".table"

MOST_KEPT = 8
"""Number of tables that a process keeps for further problems: the last used ones."""

_kept: dict[tuple[str, type | None], Array] = {}  # the last used at the end; with its class if the name is ambiguous
_lock = threading.Lock()


def find(puzzle: Puzzle, origin: Origin) -> Array | None:
    """Return the table of an abstraction, uint8[entries] or uint64[any], read-only; None if it must be built.

    It is loaded once per process. A file that is damaged, or that other users can have written, is not used.
    """
    key = _key(puzzle, origin)
    with _lock:
        if key in _kept:
            _kept[key] = _kept.pop(key)
            return _kept[key]
    file = _file(origin)
    if file is None:
        return None
    try:
        table = map_table(file, origin)
    except FileNotFoundError:
        return None
    except (Untrusted, ValueError, OSError) as error:
        warn_once(f"the table {origin.name} in the cache cannot be used and is built again: {error}")
        return None
    return _keep(key, table)


def may_be_kept(puzzle: Puzzle) -> bool:
    """Return whether the table of an abstraction may be here, judged by class and parameters alone: its origin takes
    longer to compute."""
    cls, parameters = type(puzzle).__qualname__, json.loads(json.dumps(values_of(puzzle)))
    origins = [table.head.origin for table in table_files() if table.head]
    return folder() is None or any(each.cls == cls and each.parameters == parameters for each in origins)


def keep(puzzle: Puzzle, origin: Origin, table: Array, seconds: float, check: Callable[[], None]) -> Array:
    """Keep the table of an abstraction, and return it as `find` will: read-only, from its file if there is one.

    If it cannot be written, there is one warning, and this process and its forks keep it.

    Args:
        puzzle: the abstraction.
        origin: the origin of its table.
        table: uint8[entries], or uint64[any].
        seconds: the time to build it.
        check: called repeatedly; if it raises, nothing is left behind.
    """
    table.flags.writeable = False
    file = _file(origin)
    if file is not None:
        try:
            write_table(file, origin, table, seconds, check)
            table = map_table(file, origin)
        except (Untrusted, ValueError, OSError) as error:
            reason = getattr(error, "strerror", None) or error
            warn_once(
                f"tables are built each time, because they cannot be kept ({file.parent}: {reason}): free space"
                " there, or set PARSOLVE_CACHE_DIR to another folder"
            )
    return _keep(_key(puzzle, origin), table)


def _key(puzzle: Puzzle, origin: Origin) -> tuple[str, type | None]:
    return origin.name, type(puzzle) if origin.opaque else None


def _keep(key: tuple[str, type | None], table: Array) -> Array:
    with _lock:
        _kept.pop(key, None)
        _kept[key] = table
        while len(_kept) > MOST_KEPT:
            del _kept[next(iter(_kept))]
    return table


def _file(origin: Origin) -> Path | None:
    place = folder()
    return None if place is None or origin.opaque else place / f"{origin.name}{SUFFIX}"


@dataclass(frozen=True)
class TableFile:
    """A table in the cache folder."""

    name: str
    path: Path
    bytes: int  # of its file
    used: float  # seconds since its last use
    head: Head | None  # None if it is damaged
    trouble: str  # what is wrong with the file; empty for nothing


def table_files() -> list[TableFile]:
    """Return the tables of the cache folder, the largest first; their entries are not looked at."""
    place = folder()
    found = []
    for file in place.glob(f"*{SUFFIX}") if place else ():
        with contextlib.suppress(OSError):  # it has gone
            found.append(_table_file(file))
    return sorted(found, key=lambda table: (-table.bytes, table.name))


def _table_file(file: Path) -> TableFile:
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
    return TableFile(file.stem, file, state.st_size, max(0.0, time.time() - state.st_mtime), head, trouble)


def chosen(names: Sequence[str] | None) -> list[TableFile]:
    """Return tables of the cache folder by names, or beginnings of names, or all.

    Raises:
        BadInput: there is no such table, or several.
    """
    every = table_files()
    return every if names is None else [_named(name, every) for name in names]


def delete(names: Sequence[str] | None) -> list[TableFile]:
    """Delete tables, and return them; processes that use one still have it.

    Args:
        names: see `chosen`.

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


def verify(names: Sequence[str] | None, check: Callable[[], None]) -> Iterator[TableFile]:
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


def _named(name: str, every: Sequence[TableFile]) -> TableFile:
    found = [table for table in every if table.name.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise BadInput(f"{len(found)} tables begin with {name!r}: {', '.join(table.name for table in found)}")
    known = [table.name for table in every]
    raise BadInput(f"there is no table {name!r}{nearest(name, known) if known else ': none is kept'}")
