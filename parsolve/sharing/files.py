"""Entries of a level that memory does not hold, in a file: written as they come, and merged when its turn has come."""

import contextlib
import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from parsolve.breadth.layers import Array
from parsolve.errors import BadInput, OutOfMemory
from parsolve.kernel.entries import BUCKETS
from parsolve.sharing.table import Form, Packed, Table, places_for


@contextlib.contextmanager
def made(folder: Path | None) -> Iterator[None]:
    """Run the body with a folder for files; one that is made for them is removed afterwards, if it is empty.

    Raises:
        BadInput: it cannot be used.
    """
    if folder is None:
        yield
        return
    is_made = not folder.exists()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise BadInput(f"the folder {folder} cannot be used: {error.strerror}") from None
    try:
        yield
    finally:
        if is_made:
            with contextlib.suppress(OSError):
                folder.rmdir()


class Run(NamedTuple):
    """Packed entries in a file.

    Attributes:
        offset: bytes before them.
        words, starts: see `Packed`.
    """

    offset: int
    words: int
    starts: Array


class LevelFile:
    """A level's entries in a file without a name, which goes with the process. An entry may be there several times,
    each time with other ways to it.

    Args:
        folder: where.
        form: of the entries.

    Raises:
        OutOfMemory: the folder has no room.
    """

    def __init__(self, folder: Path, form: Form) -> None:
        self._folder, self._form = folder, form
        self._lock = threading.Lock()
        self._end = 0
        self._runs: list[Run] = []
        self._sizes = np.zeros(BUCKETS, np.int64)
        try:
            self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 (`close` closes it)
        except OSError as error:
            raise self._full(error) from None

    def _full(self, error: OSError) -> OutOfMemory:
        return OutOfMemory(f"the folder {self._folder} has no room for the states: {error.strerror}")

    def take(self, table: Table) -> None:
        """Write a table's entries, and empty it; several threads may, each for its table.

        Raises:
            OutOfMemory: the folder has no room; the table is as it was.
        """
        runs = [self._write(packed) for packed in table.packed()]
        with self._lock:
            self._runs += runs
            for run in runs:
                self._sizes += np.diff(run.starts)
        table.restart()

    def _write(self, packed: Packed) -> Run:
        data = packed.entries.view(np.uint8).data
        with self._lock:
            offset = self._end
            self._end += len(data)
        run, at = Run(offset, packed.words, packed.starts), 0
        try:
            while at < len(data):
                at += os.pwrite(self._file.fileno(), data[at:], offset + at)
        except OSError as error:
            raise self._full(error) from None
        return run

    def size(self, first: int) -> int:
        """Return the bytes of what was written, in the buckets from one on."""
        return sum(self._form.bytes_of(int(run.starts[-1] - run.starts[first]), run.words) for run in self._runs)

    def ranges(self, most: int) -> list[tuple[int, int]]:
        """Return all buckets in ranges, from one to before another. The table of each takes no more than `most` bytes,
        unless that of one bucket does."""
        found, first = [], 0
        for end in range(1, BUCKETS + 1):
            if end == BUCKETS or self.needs(first, end + 1) > most:
                found.append((first, end))
                first = end
        return found

    def needs(self, first: int, end: int) -> int:
        """Return the bytes of a table for the entries of some buckets."""
        return self._form.bytes_of(places_for(int(self._sizes[first:end].sum())), self._words)

    def load(self, first: int, end: int) -> Table:
        """Return the entries of some buckets, merged.

        Raises:
            OutOfMemory: they do not fit.
        """
        table = Table(self._form, places_for(int(self._sizes[first:end].sum())), self._words)
        for packed in self.packed(first, end):
            run = np.zeros(1, np.int64)
            while came := table.merge_packed(packed.entries, packed.words, run):
                table.enlarge(came)
        return table

    @property
    def _words(self) -> int:
        """The most words of a count."""
        return max((run.words for run in self._runs), default=1)

    def packed(self, first: int, end: int) -> Iterator[Packed]:
        """Yield the entries of some buckets as they were written."""
        for run in self._runs:
            size = self._form.bytes_of(1, run.words)
            starts = np.clip(run.starts, run.starts[first], run.starts[end]) - run.starts[first]
            if starts[-1]:
                data = self._read(run.offset + size * int(run.starts[first]), size * int(starts[-1]))
                yield Packed(np.frombuffer(data, np.uint64), run.words, starts)

    def _read(self, offset: int, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = os.pread(self._file.fileno(), size - len(data), offset + len(data))
            if not more:
                raise OutOfMemory(f"a file in the folder {self._folder} has lost its end")
            data += more
        return data

    def close(self) -> None:
        """Give the file's room back."""
        self._file.close()
