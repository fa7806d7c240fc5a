"""Items, roots and calls that a bulk search is working on."""

import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from parsolve.batch.group import Group, RootResult
from parsolve.deepening.bulk import Searched
from parsolve.problem.problem import Identity, Problem
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint, CheckpointStore
from parsolve.search.result import Iteration

T = TypeVar("T")

Array = np.ndarray[Any, Any]


class CheckpointInMemory(CheckpointStore):
    """Continues a search that was begun elsewhere, and keeps its checkpoints.

    Args:
        problem: the problem.
        searched: the result so far.
        listing: whether solutions are listed: then only finished iterations are kept, which have none.
    """

    def __init__(self, problem: Problem, searched: Searched, listing: bool) -> None:
        super().__init__()
        self._whole, self._listing = Branch.whole(int(problem.root["move"][0])), listing
        self._checkpoint = self._after(searched.finished())

    def _after(self, iterations: Sequence[Iteration]) -> Checkpoint | None:
        if not iterations:
            return None
        seconds = sum(each.seconds for each in iterations)
        return Checkpoint(iterations, iterations[-1].limit + 1, [self._whole], 0, 0, False, 0.0, 0.0, seconds)

    def resume(self) -> Checkpoint | None:
        return self._checkpoint

    def save(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = self._after(checkpoint.iterations) if self._listing else checkpoint


@dataclass(eq=False)
class Alone:
    """A large root that a thread searches by itself while other threads have other work.

    Attributes:
        store: keeps the checkpoints.
        is_wanted: set when all workers are to continue it.
        call: the call that searches it; its result is None if it was handed over.
    """

    store: CheckpointInMemory
    is_wanted: threading.Event
    call: "Future[Searched | None]"


@dataclass(eq=False, slots=True)
class Entry(Generic[T]):
    """An item that is being processed.

    Attributes:
        item: the item.
        kind: its kind.
        problem: its problem, if made.
        roots: the array with this item's root; None if it is searched by itself.
        number: the index of its root there.
        error: why it cannot be searched.
    """

    item: T
    kind: Hashable = None
    problem: Problem | None = None
    roots: "Roots | None" = None
    number: int = 0
    error: Exception | None = None

    @property
    def known(self) -> RootResult | None:
        """The place of its result; None if it is searched by itself."""
        return self.roots.known[self.number] if self.roots else None


@dataclass(eq=False)
class Roots:
    """The roots of some items of a group: record[n], and the places of their limits; see `Bulk.search`.

    Attributes:
        known: the place of each result: one place for all items with the same root.
    """

    group: Group
    states: Array
    limits: Sequence[Sequence[int]]
    which: Array
    known: list[RootResult] = field(default_factory=list)

    def share(self, entries: Iterable[Entry[Any]], places: Sequence[tuple[int, int]]) -> list[int]:
        """Find the place of each root's result, and return the numbers of the roots to search.

        Args:
            entries: the items.
            places: the places of the limits, see `Bulk.places`.
        """
        self.known, new = self.group.known(self.states, [places[each] for each in self.which.tolist()])
        for number, entry in enumerate(entries):
            entry.roots, entry.number = self, number
        return new

    def identity(self, number: int, made: Callable[[], Problem]) -> Identity:
        """Return the identity of an entry's problem, see `Group.identity`."""
        return self.group.identity(self.states[number : number + 1], self.limits[self.which[number]], made)


@dataclass(eq=False)
class Call(Generic[T]):
    """The result of a call that searches roots.

    Attributes:
        group: their group.
        found: the result of each.
        large: the items with unfinished roots.
    """

    group: Group
    found: list[Searched]
    large: list[Entry[T]]


@dataclass(eq=False)
class Part(Generic[T]):
    """Items that are searched together, and the calls that search them."""

    entries: list[Entry[T]]
    calls: "list[Future[Call[T]]]" = field(default_factory=list)
