"""Entries of a level that memory does not hold, in a file: written as they come, merged when the level is next."""

import os
import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parsolve.errors import OutOfMemory
from parsolve.levels.templates.blocks import FILES, Form
from parsolve.problem.data import Array

PARTS = 1 << FILES
"""Parts of a file, by the first bits of a hash."""


def zeros_in(folder: Path, size: int, dtype: Any) -> Array:
    """Return an array of zeros in a file without a name.

    Raises:
        OutOfMemory: the folder has no room.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, max(1, size * np.dtype(dtype).itemsize))
            return np.memmap(file, dtype, "r+", shape=(size,))
    except OSError as error:
        raise OutOfMemory(f"the folder {folder} has no room for the states: {error.strerror}") from None


class Packed(NamedTuple):
    """Entries one after another.

    Attributes:
        entries: uint64[n * words of an entry], by part.
        words: words of a count.
        starts: int64[PARTS + 1]: by part, the number of its first entry; and the number of all entries.
    """

    entries: Array
    words: int
    starts: Array

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(self.starts[-1])


class SpillFile:
    """A file without a name, which vanishes with the process, with the entries of one level or several.

    Raises:
        OutOfMemory: the folder has no room; methods, too, or the file has become shorter.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock, self._end = folder, threading.Lock(), 0
        try:
            self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 (`finalize` closes it)
        except OSError as error:
            raise self._full(error) from None
        weakref.finalize(self, self._file.close)

    def _full(self, error: OSError) -> OutOfMemory:
        return OutOfMemory(f"the folder {self._folder} has no room for the states: {error.strerror}")

    def write(self, data: memoryview) -> int:
        """Write bytes, and return how many there are before them; several threads may."""
        with self._lock:
            offset = self._end
            self._end += len(data)
        at = 0
        try:
            while at < len(data):
                at += os.pwrite(self._file.fileno(), data[at:], offset + at)
        except OSError as error:
            raise self._full(error) from None
        return offset

    def read(self, offset: int, size: int) -> bytes:
        """Return some bytes."""
        data = b""
        while len(data) < size:
            more = os.pread(self._file.fileno(), size - len(data), offset + len(data))
            if not more:
                raise OutOfMemory(f"a file in the folder {self._folder} has lost its end")
            data += more
        return data


class LevelFile:
    """A level's entries in a file. A key may occur several times, each time with other ways to it.

    Args:
        spill: the file.
        form: of the entries.

    Attributes:
        spill: the file, whose space is given back once no level has it.
        starts: int64[PARTS + 1]: by part, the number of entries in the parts before it.
    """

    def __init__(self, spill: SpillFile, form: Form) -> None:
        self.spill, self._form = spill, form
        self._lock = threading.Lock()
        self.starts = np.zeros(PARTS + 1, np.int64)
        self._runs: list[tuple[int, int, Array]] = []  # bytes before packed entries, words of a count, and starts

    def write(self, packed: Packed) -> None:
        """Write entries; several threads may.

        Raises:
            OutOfMemory: the folder has no room; nothing has changed.
        """
        offset = self.spill.write(packed.entries.view(np.uint8).data)
        with self._lock:
            self._runs.append((offset, packed.words, packed.starts))
            self.starts += packed.starts

    def entries(self, first: int = 0, end: int = PARTS) -> int:
        """Return the number of written entries of some parts."""
        return int(self.starts[end] - self.starts[first])

    def rest(self, first: int) -> "LevelFile":
        """Return the same file without its parts before the first."""
        rest = LevelFile(self.spill, self._form)
        rest._runs = [(offset, words, np.maximum(starts, starts[first])) for offset, words, starts in self._runs]
        rest.starts = np.maximum(self.starts, self.starts[first])
        return rest

    @property
    def width(self) -> int:
        """The words of the widest entry."""
        return max((self._form.head + words for _, words, _ in self._runs), default=self._form.least)

    def runs(self, first: int, end: int) -> list[int]:
        """Return which of the written pieces have entries of some parts."""
        return [run for run, (*_, starts) in enumerate(self._runs) if starts[first] < starts[end]]

    def read(self, run: int, first: int, end: int) -> Packed:
        """Return the entries of some parts in one of the written pieces; safe on several threads."""
        offset, words, starts = self._runs[run]
        size = 8 * (self._form.head + words)
        data = self.spill.read(offset + size * int(starts[first]), size * int(starts[end] - starts[first]))
        found_starts = np.clip(starts, starts[first], starts[end]) - starts[first]
        return Packed(np.frombuffer(data, np.uint64), words, found_starts)

    def read_all(self, first: int = 0, end: int = PARTS) -> Iterator[Packed]:
        """Yield the entries of some parts."""
        return (self.read(run, first, end) for run in self.runs(first, end))


def end_of(files: Sequence[LevelFile], first: int, most: int, bucket: int = 1) -> int:
    """Return the end of the longest run of parts, from the first one on, that have at most `most` entries in the files;
    one part at least, or up to the end of a bucket, of `bucket` parts, if it has at most four times as many."""
    starts = sum((file.starts for file in files), start=np.zeros(PARTS + 1, np.int64))
    end = max(first + 1, int(np.searchsorted(starts, starts[first] + most, side="right")) - 1)
    whole = max(first // bucket + 1, end // bucket) * bucket
    return whole if starts[whole] <= starts[first] + 4 * most else end
