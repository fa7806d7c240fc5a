"""Search many items: those that differ only in their root in bulk, on threads; large ones each by itself.

    items ─▶ parts ─▶ roots by group ─▶ threads (`deepening.bulk`) ─▶ their results, in the order of the items
                                              └─▶ those that are large: a thread each, while there are others
                                                      └─▶ the engine, with all workers

The items of a group share their lookups. Parts are small at first, so that little is lost if items are large, or if a
better bound pays; later they are as large as one call should be, so that all threads end together.
"""

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Generic, TypeVar

import numpy as np

from parsolve.batch.ahead import Ahead, Present
from parsolve.batch.group import Group, RootResult, in_bulk
from parsolve.batch.items import Items
from parsolve.batch.large import LargeRoots
from parsolve.batch.many import Done, attempt
from parsolve.batch.parts import Alone, Call, CheckpointInMemory, Entry, Part, Roots
from parsolve.batch.slots import POLL, Slots
from parsolve.deepening.bulk import UNSEARCHED, Bulk, Searched
from parsolve.errors import BadInput, BadPuzzle
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.result import Result
from parsolve.search.watch import Watch
from parsolve.system.resources import default_workers

R = TypeVar("R")
T = TypeVar("T")

Array = np.ndarray[Any, Any]

LARGEST_PART = 256
"""Maximum number of items of a part, some 10 ms of 8-puzzles."""

AHEAD = 1024
"""Maximum number of waiting items per worker: they keep threads busy while a large item holds up the others."""

FEW = 2
"""Minimum number of items of a kind that are searched in bulk, which needs a kernel of its own."""

MOST_GROUPS = 32
"""Number of groups that are kept ready: the last ones used."""


class BulkSearch(Generic[T]):
    """Searches items, and yields their results in order.

    Args:
        items: the class of the items.
        watch: ends all searches, and has their listener.
        workers: how many threads search.
        total: how many items there are; None if that is unknown: then they may arrive slowly.
        ends_all: the errors that end all searches.
        proves: whether one item of each kind is searched by itself before others are in bulk: if its puzzle's code
            hangs, the message can name it.

    Attributes:
        ended: how many calls have ended.
    """

    def __init__(
        self,
        items: Items[T],
        watch: Watch,
        workers: int | None = None,
        total: int | None = None,
        ends_all: tuple[type[BaseException], ...] = (),
        proves: bool = False,
    ) -> None:
        self._items, self._watch, self._total, self._ends_all = items, watch, total, ends_all
        self._workers = workers or default_workers()
        self._groups: OrderedDict[tuple[Hashable, Hashable], Group] = OrderedDict()
        self._last: dict[Hashable, Group] = {}
        self._kinds: Counter[Hashable] = Counter()
        self._read: deque[tuple[Hashable, T]] = deque()
        self._waiting: deque[Part[T]] = deque()
        self._open: set[Future[Any]] = set()
        self._begun = self._yielded = self.ended = 0
        self._slots, self._largest_part, self._parts_ended = Slots(self._workers), LARGEST_PART, 0
        self._proves, self._proved = proves, set[Hashable]()
        self._stopped = threading.Event()

    @property
    def is_running(self) -> bool:
        """Whether threads search, or may."""
        return self._slots.are_open and any(not call.done() for call in self._open)

    def search(self, items: Iterable[T]) -> Iterator[Done[T]]:
        """Search items as they come.

        Raises:
            Exception: an error that ends all searches.
        """
        source: Present[T] | Ahead[T] = Ahead(items) if self._total is None else Present(items)
        waiting = self._waiting
        with ThreadPoolExecutor(self._workers, "bulk") as pool:
            self._source, self._pool, self._size = source, pool, 1
            submit = self._submit if self._workers > 1 else None
            self._large = LargeRoots(self._items, submit, self._stopped, self._ends_all)
            try:
                while True:
                    self._begin_more()
                    if waiting:
                        yield from self._finish(waiting[0])
                        waiting.popleft()
                    elif source.ended:
                        return
                    self._watch.check()
            finally:
                self._stopped.set()

    def _begin_more(self) -> None:
        """Take items as they come, and begin as many as should wait."""
        source, waiting, most = self._source, self._waiting, AHEAD * self._workers
        while True:
            size = self._size = min(self._size, self._largest_part)
            if len(self._read) < size and not source.ended:
                more = source.take(LARGEST_PART, 0.0 if self._read or waiting else POLL)
                kinds = [self._items.kind(item) for item in more]
                self._kinds.update(kinds)
                self._read.extend(zip(kinds, more, strict=True))
            is_full = len(waiting) > self._workers + self._parts_ended or self._begun - self._yielded >= most
            if is_full or not self._read:
                return
            waiting.append(self._begin(size))
            self._size *= 2
            self._watch.check()

    @property
    def _left(self) -> int:
        """How many items have not been begun, as far as is known."""
        return (self._begun if self._total is None else self._total) - self._begun

    def _begin(self, size: int) -> Part[T]:
        """Take items that have been read, and let threads search those that suit a bulk search."""
        part: Part[T] = Part([])
        kinds: dict[Hashable, list[Entry[T]]] = {}
        for _ in range(min(size, len(self._read))):
            kind, item = self._read.popleft()
            entry = Entry(item, kind)
            part.entries.append(entry)
            kinds.setdefault(kind, []).append(entry)
        self._begun += len(part.entries)
        for kind, entries in kinds.items():
            is_proved = kind in self._proved or not self._proves
            if kind is not None and is_proved and (kind in self._last or self._kinds[kind] >= FEW):
                for members, roots in self._roots(kind, entries):
                    bulk = roots.group.bulk  # the group may get another one soon
                    places = bulk.places(roots.limits)
                    new = roots.share(members, places)
                    if new:
                        part.calls.append(self._submit(self._call, roots, members, new, bulk, places))
            self._kinds[kind] -= len(entries)
            if not self._kinds[kind]:
                del self._kinds[kind]
        self._large.calls += part.calls
        return part

    def _submit(self, function: Callable[..., R], *arguments: Any) -> Future[R]:
        """Let a thread call a function as soon as it may search."""

        def call() -> R:
            with self._slots.shared():
                return function(*arguments)

        future = self._pool.submit(call)
        self._open.add(future)
        return future

    def _roots(self, kind: Hashable, entries: list[Entry[T]]) -> Iterator[tuple[list[Entry[T]], Roots]]:
        """Yield the roots of items of a kind, by group."""
        group = self._last.get(kind)
        if group is not None and not group.is_outdated:
            group.improve(self._left)
            read = group.read([self._items.texts(entry.item) for entry in entries])
            if read is not None:
                known = [entry for entry, is_read in zip(entries, read.read.tolist(), strict=True) if is_read]
                entries = [entry for entry, is_read in zip(entries, read.read.tolist(), strict=True) if not is_read]
                states, which = read.states[read.read], read.which[read.read]
                if known and group.is_doubted(len(known)):
                    self._compare(group, known[-1].item, states[-1], read.limits[which[-1]])
                yield known, Roots(group, states, read.limits, which)
        made: dict[Group, list[tuple[Entry[T], Problem]]] = {}
        for entry in entries:
            try:
                group, problem = self._made(kind, entry.item)
            except self._ends_all:
                raise
            except Exception as error:
                entry.error = error
            else:
                entry.problem = problem
                if group is not None:
                    made.setdefault(group, []).append((entry, problem))
        for group, members in made.items():
            states = np.concatenate([problem.root for _, problem in members])
            limits = [group.bulk.tried(problem.limits_near()) for _, problem in members]
            yield [entry for entry, _ in members], Roots(group, states, limits, np.arange(len(members)))

    def _compare(self, group: Group, item: T, state: Any, limits: Sequence[int]) -> None:
        try:
            problem = self._items.problem(item)
        except BadInput as error:
            raise BadPuzzle(f"{group.problem.name}: 'roots' reads what the constructor refuses: {error}") from error
        group.compare(problem, state, limits)

    def _made(self, kind: Hashable, item: T) -> tuple[Group | None, Problem]:
        """Return the group of an item, and its problem; None as the group if it must be searched by itself."""
        problem, request = self._items.problem(item), self._items.request(item)
        if not in_bulk(problem, request):
            return None, problem
        key = kind, problem.batch_key
        group = self._groups.pop(key, None)
        if group is None or group.is_outdated:
            group = Group(problem, request, self._watch)
            self._items.require_same_reads(item)
        self._groups[key] = self._last[kind] = group
        while len(self._groups) > MOST_GROUPS:
            (gone, _), _ = self._groups.popitem(last=False)
            self._last.pop(gone, None)
        if group.is_doubted(1):
            group.compare(problem)
        return group, group.member(problem)

    def _call(
        self,
        roots: Roots,
        entries: Sequence[Entry[T]],
        new: Sequence[int],
        bulk: Bulk,
        places: Sequence[tuple[int, int]],
    ) -> Call[T]:
        """Search some of the roots; runs on a thread."""
        found = bulk.search(roots.states[new], places, roots.which[new], self._stopped.is_set)
        for number, searched in zip(new, found, strict=True):
            roots.known[number].searched = searched
        large = [entries[number] for number, each in zip(new, found, strict=True) if not each.done]
        return Call(roots.group, found, large)

    def _await(self, known: RootResult) -> Alone | None:
        """Wait for the thread that searches a large root, as long as the other threads are busy, and return its
        state; None if there is none."""
        alone = self._large.take(known)
        if alone is None:
            return None
        while not alone.call.done():
            if len(self._open) < self._workers:
                alone.is_wanted.set()
            self._wait()
        self.ended += 1
        known.searched = alone.call.result() or known.searched
        return alone

    def _wait(self) -> None:
        """Wait until a call ends, and keep all threads busy."""
        _, self._open = wait(self._open, POLL, FIRST_COMPLETED)
        self._watch.check()
        self._large.begin()
        self._begin_more()

    # Their results.

    def _finish(self, part: Part[T]) -> Iterator[Done[T]]:
        """Yield the results of a part's items."""
        while not all(call.done() for call in part.calls):
            self._wait()
        self._large.begin()
        shares = 0.0  # of the time of a call
        for call in part.calls:
            came = call.result()
            came.group.count(len(came.found), sum(each.nodes for each in came.found))
            shares += sum(each.seconds for each in came.found) / came.group.bulk.tuning.bulk_seconds
        if part.calls:
            self._largest_part = max(1, int(min(LARGEST_PART, len(part.entries) / max(shares, 1e-6))))
        self.ended += len(part.calls)
        self._parts_ended += 1
        for entry in part.entries:
            yield self._done(entry)
            self._yielded += 1

    def _done(self, entry: Entry[T]) -> Done[T]:
        roots, known = entry.roots, entry.known
        alone = None
        if roots and known and not known.searched.done:
            nodes, alone = known.searched.nodes, self._await(known)
            roots.group.count(0, known.searched.nodes - nodes)
        searched = known.searched if known else UNSEARCHED
        if not roots or not searched.done:
            ended = attempt(entry.item, lambda item: self._search(entry, alone), self._ends_all)
            if self._proves:
                self._proved.add(entry.kind)
            return ended
        group = roots.group
        if group.is_counted and not self._items.needs_results:
            return Done.of(entry.item, group.answer(searched), None, searched.seconds)
        problem = group.problem
        if not group.is_counted:  # a solution is shown by its own puzzle
            problem = group.member(self._problem(entry))
        result = group.result(problem, searched)
        self._items.found(entry.item, result, lambda: roots.identity(entry.number, lambda: self._problem(entry)))
        return Done.of(entry.item, result.answer, result, searched.seconds)

    def _problem(self, entry: Entry[T]) -> Problem:
        return entry.problem or self._items.problem(entry.item)

    def _search(self, entry: Entry[T], alone: Alone | None) -> Result:
        """Search an item by itself, from where it was left."""
        if entry.error is not None:
            raise entry.error
        problem, roots, known = self._problem(entry), entry.roots, entry.known
        if roots is None or known is None:
            with self._slots.first(self._watch.check):
                return self._items.search(entry.item, problem, CheckpointStore())
        group, nodes = roots.group, known.searched.nodes
        group.improve(self._left + 1)
        problem = group.member(problem)
        store = alone.store if alone else CheckpointInMemory(problem, known.searched, not group.is_counted)
        with self._slots.first(self._watch.check):
            result = self._items.search(entry.item, problem, store)
        group.count(0, result.nodes - nodes)
        group.engine = result.engine
        if group.is_counted and result.status != "stopped":
            known.searched = Searched.of(result)
        return result
