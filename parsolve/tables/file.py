"""One table as a file: a line of JSON that says what it is, and the distances.

    {"meaning": 1, "source": …, "checksum": …} and spaces, up to HEAD bytes | uint8[entries]

Such a file is mapped into memory, so that all processes of a machine share one copy.
"""

import json
import mmap
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from parsolve.cachefolder import open_own, write_whole
from parsolve.tables.origin import MEANING, Origin

Array = np.ndarray[Any, Any]

HEAD = 1 << 14
"""Bytes before the distances: whole pages, on every system."""

PIECE = 1 << 22
"""Bytes that are written, or summed up, at once: some milliseconds."""


@dataclass(frozen=True)
class Head:
    """What a file says of its table.

    Attributes:
        origin: what it was made from.
        made: when, in UTC.
        seconds: how long that took.
        checksum: CRC-32 of the distances.
    """

    origin: Origin
    made: str
    seconds: float
    checksum: int


def write_table(file: Path, origin: Origin, distances: Array, seconds: float, check: Callable[[], None]) -> None:
    """Write a table, whole and on disk when this returns.

    Args:
        file: where.
        origin: what it is made from.
        distances: uint8[entries].
        seconds: how long that took.
        check: called again and again; what it raises leaves nothing behind.

    Raises:
        OSError: it cannot be written.
    """
    head = Head(origin, datetime.now(UTC).isoformat(timespec="seconds"), round(seconds, 3), checksum(distances, check))
    data = asdict(head)
    data = {"meaning": MEANING, **data.pop("origin"), **data}
    line = json.dumps(data).encode()
    if len(line) >= HEAD:
        raise OSError(f"its parameters are too long: {len(line):,} bytes")

    def pieces() -> Iterator[bytes | memoryview]:
        yield line.ljust(HEAD - 1) + b"\n"
        for begin in range(0, len(distances), PIECE):
            check()
            yield distances[begin : begin + PIECE].data

    write_whole(file, pieces(), sync=True)


def read_head(handle: int) -> Head:
    """Return what an open file says of its table.

    Raises:
        ValueError: it is no table, of another version, or not whole.
        OSError: it cannot be read.
    """
    try:
        data = json.loads(os.pread(handle, HEAD, 0))
        meaning = data.pop("meaning")
        about = {name: data.pop(name) for name in ("made", "seconds", "checksum")}
        head = Head(Origin(**data), **about)
        fits = os.fstat(handle).st_size == HEAD + head.origin.entries and isinstance(head.origin.parameters, dict)
        _ = head.origin.name, datetime.fromisoformat(head.made), float(head.seconds)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"its head is damaged: {error}") from None
    if meaning != MEANING:
        raise ValueError(f"it is of version {meaning}, not {MEANING}")
    if not fits:
        raise ValueError("it is not whole")
    return head


def map_table(file: Path, origin: Origin) -> Array:
    """Return a table from its file: uint8[entries], read-only, in memory that all processes share.

    Args:
        file: where it is.
        origin: what it must be made from.

    Raises:
        ValueError: it is another table, or damaged.
        Untrusted, OSError: see `cachefolder.open_own`.
    """
    with open_own(file) as handle:
        head = read_head(handle)
        if head.origin.digest != origin.digest:
            raise ValueError("it is of something else")
        memory = mmap.mmap(handle, HEAD + origin.entries, access=mmap.ACCESS_READ)
    distances = np.frombuffer(memory, np.uint8, origin.entries, HEAD)
    if checksum(distances) != head.checksum:  # 0.35 ns a byte, which is what it takes to touch every page
        raise ValueError("its checksum is wrong")
    return distances


def checksum(distances: Array, check: Callable[[], None] = lambda: None) -> int:
    """Return the CRC-32 of a table."""
    total = 0
    for begin in range(0, len(distances), PIECE):
        check()
        total = zlib.crc32(distances[begin : begin + PIECE].data, total)
    return total
