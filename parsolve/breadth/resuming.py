"""Where a breadth-first search stands, in a journal: its layers in pieces, between two steps."""

import hashlib
import json
import time
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from parsolve.breadth.layers import Array, Store
from parsolve.errors import BadInput, Damaged
from parsolve.search.checkpoint import Entries, LevelCheckpoint
from parsolve.search.engine import Run
from parsolve.text import plural

MEANING = 1
"""Which version of pieces these are: raised when what a checkpoint holds would mean something else."""

PIECE = 1 << 20
"""Words of a piece, at most."""

FLAGS = -1
"""The level of numbers that are no entries."""


def split(level: int, array: Array, words: int = 0) -> Iterator[Entries]:
    """Yield an array of 8 bytes an item in pieces, each with a level."""
    for first in range(0, len(array), PIECE):
        yield Entries(level, words, array[first : first + PIECE])


def joined(pieces: Iterable[Entries]) -> Mapping[tuple[int, int], Array]:
    """Return the arrays of some pieces: uint64[n], by level and words."""
    parts: dict[tuple[int, int], list[Array]] = {}
    for level, words, data in pieces:
        parts.setdefault((level, words), []).append(np.array(data, np.uint64))
    return {place: np.concatenate(arrays) for place, arrays in parts.items()}


class Resuming:
    """What a journal keeps of a search, if there is one.

    Args:
        run: the search.
    """

    def __init__(self, run: Run) -> None:
        self._run, self._begin = run, time.perf_counter()
        self._before = 0.0  # seconds of earlier runs
        kept = run.store.resume_levels()
        self._kept = kept if kept is not None and " " in kept.identity else None  # else another engine has left it
        if self._kept is not None and self._kept.identity.split()[1] != self._digest:
            raise BadInput(
                f"what breadth-first search searches of {run.result.problem.name} is not what an earlier run has begun:"
                " use another name or another journal to start from scratch"
            )

    @property
    def _digest(self) -> str:
        identity = [MEANING, *self._run.result.problem.identity]
        return hashlib.sha256(json.dumps(identity).encode()).hexdigest()

    @property
    def form(self) -> str | None:
        """The form of what an earlier run has left, if there is something."""
        return None if self._kept is None else self._kept.identity.split()[0]

    def resume(self, store: Store) -> None:
        """Let a store take up what an earlier run has left, if there is something."""
        self._begin = time.perf_counter()
        store.between = self.save_if_due
        self._store = store
        kept = self._kept
        if kept is None or kept.identity.split()[0].split("-")[0] != store.form.split("-")[0]:
            return
        try:
            store.restore(joined(kept.entries()))
        except (KeyError, ValueError, IndexError) as error:
            raise Damaged(f"what the journal has of the states of {self._run.result.problem.name} ({error})") from None
        self._before, layers = kept.seconds, plural(kept.finished, "layer")
        self._run.watch.listener.warning_given(f"going on after {layers} of an earlier run")
        self._kept = None

    @property
    def seconds(self) -> float:
        """How long all has been searched, in all runs."""
        return self._before + time.perf_counter() - self._begin

    def save_if_due(self) -> None:
        """Keep where the search stands, if it is time for that."""
        if self._run.store.due and self._run.store.is_due(self._store.bytes_kept):
            self.save()

    def save(self) -> None:
        """Keep where the search stands; between two steps."""
        store, result = self._store, self._run.result
        identity = f"{store.form} {self._digest}"
        sums = store.finished, result.nodes, 0, 0
        self._run.store.save_levels(LevelCheckpoint(identity, *sums, self.seconds, store.kept))
