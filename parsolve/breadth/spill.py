"""A folder that a breadth-first search uses: its large arrays as files, and the layer that it has finished last.

Files of arrays have no name, so that they go with the process. A layer is written to files of its own, and counts once
`layer.json` names them, which is replaced at once. A seal in it tells whether it is as it was written, and it has a
checksum of each of the others.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import time
import zlib
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np

from parsolve.breadth.layers import Array
from parsolve.errors import BadInput, OutOfMemory
from parsolve.parameters import values_of
from parsolve.problem.problem import Problem
from parsolve.system.files import read_plain

MEANING = 2
"""Which version of files these are: raised when what is in one would mean something else."""

NAME = "layer.json"

PART = 0.05
"""Of the time of a search, that may be spent with writing layers."""

PAUSE = 10.0
"""Seconds between two layers that are written, at least; 0: each is."""


class Spill:
    """The folder of one search. A context manager, which closes it: done unless there is an error.

    Args:
        folder: made if it is not there; this process alone uses it.
        problem: what is searched.
        start: record[n], where from.
        pause: see `PAUSE`.

    Attributes:
        folder: where the arrays of the search lie, too.
        form: of the states that were written last: `numbers` or `keys`; empty if there are none.
        depths: (cost, states) of the layers that are finished.

    Raises:
        BadInput: the folder cannot be used, is in use, or holds another search.
    """

    def __init__(self, folder: Path, problem: Problem, start: Array, pause: float = PAUSE) -> None:
        self.form = ""
        self.depths: list[tuple[int, int]] = []
        self.folder, self._pause = folder, pause
        self._what = f"{problem.name} {json.dumps(values_of(problem.puzzle), sort_keys=True)}"
        depends = [MEANING, self._what, problem.identity, hashlib.sha256(start.tobytes()).hexdigest()]
        self._digest = hashlib.sha256(json.dumps(depends).encode()).hexdigest()
        self._arrays: dict[str, dict[str, Any]] = {}
        self._generation = 0
        self._saved, self._took = time.monotonic(), 0.0
        self._is_made = not folder.exists()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise BadInput(f"the folder {folder} cannot be used: {error.strerror}") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise BadInput(f"another search uses the folder {folder}: name another one") from None
        try:
            self._read()
            self._delete_unfinished()
        except BaseException:
            os.close(self._lock)
            raise

    def _read(self) -> None:
        if not (self.folder / NAME).exists():
            return
        try:
            text = read_plain(self.folder / NAME, "layer").decode()
            found = dict(json.loads(text))
            found.pop("seal", None)
            if text != _sealed(found):
                raise ValueError(f"{NAME} is not as it was written")
            digest, what = str(found["digest"]), str(found["what"])
            form, arrays = str(found["form"]), {str(name): dict(each) for name, each in found["arrays"].items()}
            if any(not fnmatch(name, "layer-*.bin") or "/" in name for name in _files(arrays)):
                raise ValueError("a file that is none of a layer")
            depths = [(int(depth), int(states)) for depth, states in found["depths"]]
            generation = int(found["generation"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self.damaged(str(error)) from None
        if digest != self._digest:
            raise BadInput(f"the folder {self.folder} holds a search of {what}: name another one, or delete its files")
        self.form, self.depths, self._arrays, self._generation = form, depths, arrays, generation
        self._is_made = bool(found.get("made", True))

    def _delete_unfinished(self) -> None:
        """Delete what a killed process had begun to write."""
        found = {file.name for file in self.folder.glob("layer-*.bin")}
        self._delete(*found.difference(_files(self._arrays)), f"{NAME}.draft")

    def damaged(self, why: str) -> BadInput:
        """Return the error of a folder that is not as it was written."""
        return BadInput(f"the folder {self.folder} is damaged ({why}): delete its files to start over")

    def load(self) -> dict[str, Array]:
        """Return the arrays that were written last, by name, or raise BadInput if they are damaged."""
        arrays = {}
        for name, each in self._arrays.items():
            file = self.folder / str(each["file"])
            try:
                if not file.is_file() or file.stat().st_size != 8 * each["size"]:
                    raise ValueError(f"{file.name} is not there, or not as long as it was")
                array = np.fromfile(file, np.uint64)
                if zlib.crc32(array.data) != each["crc32"]:
                    raise ValueError(f"{file.name} is not as it was written")
            except (OSError, KeyError, ValueError) as error:
                raise self.damaged(str(error)) from None
            arrays[name] = array
        return arrays

    @property
    def due(self) -> bool:
        """Whether a layer should be written."""
        return not self._pause or time.monotonic() - self._saved > max(self._pause, self._took / PART)

    def save(self, form: str, depths: list[tuple[int, int]], arrays: Mapping[str, Array]) -> None:
        """Write a finished layer: the form of the states, (cost, states) of all layers, and by name what the next one
        is made from, uint64[any]; raise OutOfMemory if the disk has no room for it."""
        begin = time.monotonic()
        generation = self._generation + 1
        kept = {}
        try:
            for name, array in arrays.items():
                file = self.folder / f"layer-{name}-{generation}.bin"
                array = np.ascontiguousarray(array, np.uint64)
                _write(file, array.data)
                kept[name] = {"file": file.name, "size": len(array), "crc32": zlib.crc32(array.data)}
            found = {"what": self._what, "digest": self._digest, "form": form, "depths": depths, "made": self._is_made}
            draft = self.folder / f"{NAME}.draft"
            _write(draft, _sealed(found | {"arrays": kept, "generation": generation}).encode())
            draft.replace(self.folder / NAME)
        except OSError as error:
            self._delete(*_files(kept))
            raise OutOfMemory(f"the folder {self.folder} has no room for a layer: {error.strerror}") from None
        self._delete(*_files(self._arrays))
        self._arrays, self._generation = kept, generation
        self._saved = time.monotonic()
        self._took = self._saved - begin

    def _delete(self, *names: str) -> None:
        for name in names:
            with contextlib.suppress(OSError):
                (self.folder / name).unlink()

    def __enter__(self) -> "Spill":
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self.close(done=error is None)

    def close(self, done: bool) -> None:
        """Leave the folder to others; without its files if the search is done, and not at all if they made it."""
        if done:
            self._delete(NAME, *_files(self._arrays), "lock")
            if self._is_made:
                with contextlib.suppress(OSError):
                    self.folder.rmdir()
        os.close(self._lock)


def _files(arrays: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [str(each["file"]) for each in arrays.values()]


def _write(file: Path, data: bytes | memoryview) -> None:
    with file.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())


def _sealed(found: dict[str, Any]) -> str:
    """Return what a file says as its text, with a seal over all of it."""
    seal = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()
    return json.dumps(found | {"seal": seal}, sort_keys=True)
