"""Checkpoints of a breadth-first search: its layers in pieces, between two steps."""

import time
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from parsolve.errors import Damaged, ParsolveError
from parsolve.levels.store import Array, Kept
from parsolve.problem.data import digest_of
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import COUNTS, CheckpointStore, Entries, LevelCheckpoint
from parsolve.search.watch import Watch
from parsolve.text import plural

MEANING = 4
"""The version of the pieces' format: raised when a checkpoint would mean something else."""

PIECE = 1 << 20
"""Maximum number of words of a piece."""

FLAGS = -1
"""The level of numbers that are not entries."""


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
    """The checkpoint of a breadth-first search, if there is one.

    Args:
        store: keeps it.
        problem: the problem.
        watch: is told where the search continues.
        explored: what its layers depend on besides the problem, if a whole space is explored.

    Attributes:
        nodes: number of states expanded so far.
    """

    def __init__(self, store: CheckpointStore, problem: Problem, watch: Watch, *explored: Any) -> None:
        self._store, self._problem, self._watch = store, problem, watch
        self._begin = time.perf_counter()
        self._before = 0.0  # seconds of earlier runs
        self.nodes = 0
        kept = store.resume_levels()
        self._kept = None if kept is None or kept.form == COUNTS else kept
        self._explored = explored
        if self._kept is not None:
            self._kept.require(self._meaning, problem)

    @cached_property
    def _meaning(self) -> str:
        """A digest of what the layers mean. Not taken before it is needed: it makes the lookups."""
        return digest_of([MEANING, self._problem.meaning, *self._explored])

    @property
    def form(self) -> str | None:
        """The form of an earlier run's checkpoint, if there is one."""
        return None if self._kept is None else self._kept.form

    def resume(self, states: Kept) -> None:
        """Restore a search from an earlier run's checkpoint, if there is one."""
        self._begin = time.perf_counter()
        states.between = self.save_if_due
        self._states = states
        kept = self._kept
        if kept is None or kept.form.split("-")[0] != states.form.split("-")[0]:
            return
        try:
            states.restore(joined(kept.entries()))
        except (KeyError, ValueError, IndexError) as error:
            if isinstance(error, ParsolveError):
                raise
            raise Damaged(f"what the journal has of the states of {self._problem.name} ({error})") from None
        self._before, layers = kept.seconds, plural(kept.finished, "layer")
        self._watch.listener.warning_given(f"continuing after {layers} of an earlier run")
        self._kept = None

    @property
    def seconds(self) -> float:
        """The seconds of searching, in all runs."""
        return self._before + time.perf_counter() - self._begin

    def save_if_due(self) -> None:
        """Keep a checkpoint, if it is time for one."""
        if self._store.due and self._store.is_due(self._states.bytes_kept):
            self.save()

    def save(self) -> None:
        """Keep a checkpoint; between two steps."""
        states = self._states
        identity = f"{states.form} {self._meaning}"
        sums = states.finished, self.nodes, 0, 0
        self._store.save_levels(LevelCheckpoint(identity, *sums, self.seconds, states.kept))
