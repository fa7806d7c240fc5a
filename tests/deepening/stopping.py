"""Searches that are stopped within a limit, and what they leave."""

from typing import Any

import pytest
from searching import search as solve

from parsolve.search.checkpoint import Checkpoint, CheckpointStore
from parsolve.search.progress import Progress
from parsolve.search.watch import Listener


class Enough(Exception):
    """Raised by a stop condition."""


class Kept(CheckpointStore):
    """Keeps the last checkpoint and every solution, as a journal does."""

    def __init__(self, checkpoint: Checkpoint | None = None) -> None:
        super().__init__()
        self.checkpoint = checkpoint
        self.every: list[tuple[int, ...]] = []

    def resume(self) -> Checkpoint | None:
        return self.checkpoint

    def save(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint

    def add(self, paths: list[tuple[int, ...]]) -> None:
        self.every += paths
        super().add(paths)


class Stop(Listener):
    """Ends a search within a limit after so many nodes of it."""

    def __init__(self, limit: int, nodes: int) -> None:
        self._limit, self._nodes = limit, nodes
        self._reached = False

    def progress_made(self, progress: Progress) -> None:
        self._reached = progress.limit == self._limit and progress.nodes >= self._nodes

    def check(self) -> None:
        """Look.

        Raises:
            Enough: it is time.
        """
        if self._reached:
            raise Enough


def stopped(puzzle: Any, limit: int, nodes: int, checkpoint: Checkpoint | None = None, budget: int = 5) -> Kept:
    """Search in slices of `budget` until so many nodes within a limit."""
    store, stop = Kept(checkpoint), Stop(limit, nodes)
    with pytest.raises(Enough):
        solve(puzzle, workers=1, budget=budget, store=store, listener=stop, check=stop.check)
    assert store.checkpoint is not None
    assert store.checkpoint.limit == limit
    return store
