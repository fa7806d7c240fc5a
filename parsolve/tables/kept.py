"""Tables by their origin: in this process, or in the user's cache folder."""

import json
import threading
from collections.abc import Callable
from pathlib import Path

from parsolve.problem.data import Array
from parsolve.puzzle.core import Puzzle
from parsolve.puzzle.parameters import values_of
from parsolve.system.cachefolder import Untrusted, folder, warn_once
from parsolve.tables.listing import kept_tables
from parsolve.tables.origin import Origin, beginning
from parsolve.tables.tablefile import SUFFIX, map_table, write_table

MOST_KEPT = 8
"""Number of tables that a process keeps for further problems: the last used ones."""

_kept: dict[tuple[str, type | None], tuple[Origin, Array]] = {}  # the last used at the end; see `_key`
_lock = threading.Lock()


def find(puzzle: Puzzle, origin: Origin) -> Array | None:
    """Return the table of an abstraction, uint8[entries] or uint64[any], read-only; None if it must be built.

    It is loaded once per process. A file that is damaged, or that other users can have written, is not used.
    """
    key, file = _key(puzzle, origin), _file(origin)
    _, table = _kept.get(key, (origin, None))
    try:
        if table is None and file is not None:
            table = map_table(file, origin)
    except FileNotFoundError:
        pass
    except (Untrusted, ValueError, OSError) as error:
        warn_once(f"the table {origin.name} in the cache cannot be used and is built again: {error}")
    return None if table is None else _keep(key, origin, table)


def may_be_kept(puzzle: Puzzle) -> bool:
    """Return whether the table of an abstraction may be here, judged by class and parameters alone: its origin takes
    longer to compute."""
    cls, parameters = type(puzzle).__qualname__, json.loads(json.dumps(values_of(puzzle)))
    origins = [origin for origin, _ in [*_kept.values()]]  # also those that could not be written
    origins += [table.head.origin for table in kept_tables(beginning(cls)) if table.head]
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
    return _keep(_key(puzzle, origin), origin, table)


def _key(puzzle: Puzzle, origin: Origin) -> tuple[str, type | None]:
    return origin.name, type(puzzle) if origin.opaque else None  # only its class tells it from others then


def _keep(key: tuple[str, type | None], origin: Origin, table: Array) -> Array:
    with _lock:
        _kept.pop(key, None)
        _kept[key] = origin, table
        while len(_kept) > MOST_KEPT:
            del _kept[next(iter(_kept))]
    return table


def _file(origin: Origin) -> Path | None:
    place = folder()
    return None if place is None or origin.opaque else place / f"{origin.name}{SUFFIX}"
