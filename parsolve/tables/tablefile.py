"""One table as a file: a line of JSON that describes it, and its entries: distances, or keys.

    {"meaning": …, "source": …, "checksum": …} and spaces, up to HEAD bytes | uint8[length], or uint64[length]

Such a file is mapped into memory, so all processes of a machine share one copy. It is written as a whole, so a process
that maps it checks only its head and its length; the entries of a large table are checked on request.
"""

import itertools
import json
import mmap
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from parsolve.problem.data import Array
from parsolve.system.cachefolder import open_own, write_whole
from parsolve.tables.origin import MEANING, Origin

HEAD = 1 << 14
"""Bytes before the entries: whole pages, on every system."""

PIECE = 1 << 22
"""Bytes that are written, or summed, at once: a few milliseconds. A table of at most this size is checked by each
process that maps it."""

SUFFIX = ".table"

WRONG = "its checksum is wrong"


@dataclass(frozen=True)
class Head:
    """The content of a file's head."""

    origin: Origin
    made: str  # time in UTC
    seconds: float  # time to build it
    length: int  # number of entries
    checksum: int  # CRC-32 of the entries

    @property
    def bytes(self) -> int:
        """The bytes of the entries."""
        return self.length * self.origin.dtype.itemsize


def write_table(file: Path, origin: Origin, table: Array, seconds: float, check: Callable[[], None]) -> None:
    """Write a table, as a whole and to disk; for the arguments see `kept.keep`.

    Raises:
        OSError: it cannot be written.
    """
    memory = table.astype(origin.dtype, copy=False).view(np.uint8)

    def pieces() -> Iterator[memoryview]:
        for begin in range(0, len(memory), PIECE):
            check()
            yield memory[begin : begin + PIECE].data

    checksum = 0
    for piece in pieces():
        checksum = zlib.crc32(piece, checksum)
    head = Head(origin, datetime.now(UTC).isoformat(timespec="seconds"), round(seconds, 3), len(table), checksum)
    data = asdict(head)
    line = json.dumps({"meaning": MEANING, **data.pop("origin"), **data}).encode()
    if len(line) >= HEAD:
        raise OSError(f"its parameters are too long: {len(line):,} bytes")
    write_whole(file, itertools.chain([line.ljust(HEAD - 1) + b"\n"], pieces()), sync=True)


def read_head(handle: int) -> Head:
    """Return the head of an open file.

    Raises:
        ValueError: it is not a pattern database, has another version, or is incomplete.
        OSError: it cannot be read.
    """
    try:
        data = json.loads(os.pread(handle, HEAD, 0))
        meaning = data.pop("meaning")
        about = {name: data.pop(name) for name in ("made", "seconds", "length", "checksum")}
        head = Head(Origin(**data), **about)
        fits = os.fstat(handle).st_size == HEAD + head.bytes and head.origin.entries in (0, head.length)
        fits = fits and isinstance(head.origin.parameters, dict)
        _ = head.origin.name, datetime.fromisoformat(head.made), float(head.seconds)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"its head is damaged: {error}") from None
    if meaning != MEANING:
        raise ValueError(f"it is of version {meaning}, not {MEANING}")
    if not fits:
        raise ValueError("it is not whole")
    return head


def map_table(file: Path, origin: Origin) -> Array:
    """Return a table from its file: uint8[entries] or uint64[any], read-only, in memory that all processes share.

    Raises:
        ValueError: it is not the table of this origin, or its checked parts are damaged.
        Untrusted, OSError: see `cachefolder.open_own`.
    """
    with open_own(file) as handle:
        head = read_head(handle)
        if head.origin.digest != origin.digest:
            raise ValueError("it is of something else")
        memory = mmap.mmap(handle, HEAD + head.bytes, access=mmap.ACCESS_READ)
    table = np.frombuffer(memory, origin.dtype, head.length, HEAD)
    if head.bytes <= PIECE and zlib.crc32(table.view(np.uint8).data) != head.checksum:
        raise ValueError(WRONG)
    return table


def verify_table(file: Path, check: Callable[[], None]) -> None:
    """Read all entries of a table, and verify their checksum.

    Args:
        file: its file.
        check: called repeatedly; any exception it raises ends the reading.

    Raises:
        ValueError: the file is damaged.
        Untrusted, OSError: see `cachefolder.open_own`; or it cannot be read.
    """
    with open_own(file, use=False) as handle:
        head, checksum = read_head(handle), 0
        for begin in range(HEAD, HEAD + head.bytes, PIECE):
            check()
            checksum = zlib.crc32(os.pread(handle, PIECE, begin), checksum)
    if checksum != head.checksum:
        raise ValueError(WRONG)
