"""The folder of a search level by level: its large arrays as files, and its checkpoints, as a head and pieces.

Files of arrays have no name, so they vanish with the process. The pieces are in a file of their own, which counts once
`head.json` names it; the head is replaced in one step. A seal in the head shows damage to it, and a checksum damage to
each piece.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from parsolve.errors import BadInput, OutOfMemory
from parsolve.levels.pool import Array
from parsolve.parameters import values_of
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import Entries, LevelCheckpoint
from parsolve.system.activity import current as activity
from parsolve.system.files import read_plain

MEANING = 3
"""The version of the files' format: raised when a file would mean something else."""

NAME, BEFORE = "head.json", "layer.json"
"""The head's name; and that of older versions."""

PART = 0.05
"""The part of a search's time that may be spent on writing."""

PAUSE = 10.0
"""Minimum number of seconds between two checkpoints; 0 for one after each step."""


class Folder:
    """The folder of one search. A context manager that closes it: as done, unless there is an error.

    Args:
        path: made if missing; this process alone uses it.
        problem: the problem.
        start: record[n], the states from which the search starts.
        pause: see `PAUSE`.

    Attributes:
        path: its path; the arrays of the search are there, too.

    Raises:
        BadInput: it cannot be used, is in use, or holds another search.
    """

    def __init__(self, path: Path, problem: Problem, start: Array, pause: float = PAUSE) -> None:
        self.path, self._pause = path, pause
        self._what = f"{problem.name} {json.dumps(values_of(problem.puzzle), sort_keys=True)}"
        depends = [MEANING, self._what, problem.identity, hashlib.sha256(start.tobytes()).hexdigest()]
        self._digest = hashlib.sha256(json.dumps(depends).encode()).hexdigest()
        self._kept: LevelCheckpoint | None = None
        self._generation = 0
        self._saved, self._took = time.monotonic(), 0.0
        self._is_made = not path.exists()
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise BadInput(f"the folder {path} cannot be used: {error.strerror}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise BadInput(f"another search uses the folder {path}: name another one") from None
        try:
            self._read()
            self._delete(f"{NAME}.draft", *self._others())  # files that a killed process had begun to write
        except BaseException:
            os.close(self._lock)
            raise

    def _read(self) -> None:
        if (self.path / BEFORE).exists():
            raise BadInput(
                f"the folder {self.path} holds a search of another version of parsolve: use that one, or delete its"
                " files"
            )
        if not (self.path / NAME).exists():
            return
        try:
            text = read_plain(self.path / NAME, "head").decode()
            found = dict(json.loads(text))
            found.pop("seal", None)
            if text != _sealed(found):
                raise ValueError(f"{NAME} is not as it was written")
            digest, what, generation = str(found["digest"]), str(found["what"]), int(found["generation"])
            pieces = [tuple(map(int, piece)) for piece in found["pieces"]]
            if any(len(piece) != 4 for piece in pieces):
                raise ValueError("a piece is not described")
            identity, finished, nodes = str(found["identity"]), int(found["finished"]), int(found["nodes"])
            cost, count, seconds = int(found["cost"]), int(found["count"]), float(found["seconds"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self.damaged(str(error)) from None
        if digest != self._digest:
            raise BadInput(f"the folder {self.path} holds a search of {what}: name another one, or delete its files")
        self._generation, self._is_made = generation, bool(found.get("made", True))

        def entries() -> Iterator[Entries]:
            return self._load(pieces)

        self._kept = LevelCheckpoint(identity, finished, nodes, cost, count, seconds, entries)

    def _others(self) -> set[str]:
        """Return the piece files that the head does not name."""
        return {file.name for file in self.path.glob("pieces-*.bin")} - {self._pieces.name}

    @property
    def _pieces(self) -> Path:
        return self.path / f"pieces-{self._generation}.bin"

    def damaged(self, why: str) -> BadInput:
        """Return the error of a damaged folder."""
        return BadInput(f"the folder {self.path} is damaged ({why}): delete its files to start over")

    def resume_levels(self) -> LevelCheckpoint | None:
        """Return the checkpoint of an earlier run, if there is one."""
        return self._kept

    def _load(self, pieces: list[tuple[int, ...]]) -> Iterator[Entries]:
        name = self._pieces.name
        try:
            if not self._pieces.is_file() or self._pieces.stat().st_size != 8 * sum(size for *_, size, _ in pieces):
                raise ValueError(f"{name} is not there, or not as long as it was")
            with self._pieces.open("rb") as file:
                for level, words, size, checksum in pieces:
                    data = file.read(8 * size)
                    if zlib.crc32(data) != checksum:
                        raise ValueError(f"{name} is not as it was written")
                    yield Entries(level, words, np.frombuffer(data, np.uint64))
        except (OSError, ValueError) as error:
            raise self.damaged(str(error)) from None

    due = True
    """Whether it may be time for a checkpoint: `is_due` decides."""

    def is_due(self, size: int) -> bool:
        """Whether it is time for a checkpoint of `size` bytes."""
        return not self._pause or time.monotonic() - self._saved > max(self._pause, self._took / PART)

    def save_levels(self, checkpoint: LevelCheckpoint) -> None:
        """Keep a checkpoint.

        Raises:
            OutOfMemory: the disk is full; the previous checkpoint is still there.
        """
        with activity.saving():  # it may be large
            self._save(checkpoint)

    def _save(self, checkpoint: LevelCheckpoint) -> None:
        begin, before = time.monotonic(), self._pieces
        self._generation += 1
        pieces = []
        try:
            with self._pieces.open("wb") as file:
                for level, words, data in checkpoint.entries():
                    array = np.ascontiguousarray(data, np.uint64)
                    file.write(array.data)
                    pieces.append((level, words, len(array), zlib.crc32(array.data)))
                _sync(file)
            found = {name: value for name, value in vars(checkpoint).items() if name != "entries"}
            found |= {"what": self._what, "digest": self._digest, "made": self._is_made}
            found |= {"pieces": pieces, "generation": self._generation}
            draft = self.path / f"{NAME}.draft"
            with draft.open("wb") as file:
                file.write(_sealed(found).encode())
                _sync(file)
            draft.replace(self.path / NAME)
        except OSError as error:
            self._delete(self._pieces.name)
            self._generation -= 1
            raise OutOfMemory(f"the folder {self.path} has no room for a layer: {error.strerror}") from None
        self._delete(before.name)
        self._saved = time.monotonic()
        self._took = self._saved - begin

    def _delete(self, *names: str) -> None:
        for name in names:
            with contextlib.suppress(OSError):
                (self.path / name).unlink()

    def __enter__(self) -> "Folder":
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self.close(done=error is None)

    def close(self, done: bool) -> None:
        """Close the folder; delete its files if the search is done, and the folder itself if the search made it."""
        if done:
            self._delete(NAME, self._pieces.name, "lock")
            if self._is_made:
                with contextlib.suppress(OSError):
                    self.path.rmdir()
        os.close(self._lock)


def _sync(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def _sealed(found: dict[str, Any]) -> str:
    """Return the text of a file with a seal over all of it."""
    seal = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
    return json.dumps(found | {"seal": seal}, sort_keys=True)
