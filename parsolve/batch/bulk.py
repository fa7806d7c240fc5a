"""Search many items: those that differ in their root alone in bulk, on threads; large ones each by itself.

    items ─▶ parts ─▶ roots by group ─▶ threads (`deepening.bulk`) ─▶ what came of each, in the order of the items
                                              └─▶ those that are large: the engine, with all workers

A group is what shares its lookups. Parts are small at first, so that little is lost where the items are large, or where
a better bound pays; later they are as large as one call should be, so that all threads end together.
"""

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from parsolve.batch.ahead import Ahead, Present
from parsolve.batch.group import Group, Known, in_bulk
from parsolve.batch.items import Items
from parsolve.batch.many import Done, attempt, done
from parsolve.batch.slots import POLL, Slots
from parsolve.deepening.bulk import UNSEARCHED, Bulk, Searched
from parsolve.errors import BadInput, BadPuzzle
from parsolve.problem.problem import Identity, Problem
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint, CheckpointStore
from parsolve.search.result import Result
from parsolve.search.watch import Watch
from parsolve.system.resources import default_workers

T = TypeVar("T")

Array = np.ndarray[Any, Any]

LARGEST_PART = 256
"""Items of a part at most, some 10 ms of 8-puzzles."""

AHEAD = 4
"""Parts that wait for each worker at most: while a large item holds up those behind it, they keep the threads busy."""

FEW = 2
"""Items of a kind from which on they are searched in bulk, which has a kernel of its own."""

MOST_GROUPS = 32
"""Groups that are kept ready: those used last."""


class _Begun(CheckpointStore):
    """Continues a search whose first iterations are finished."""

    def __init__(self, problem: Problem, searched: Searched) -> None:
        super().__init__()
        self._problem, self._searched = problem, searched

    def resume(self) -> Checkpoint | None:
        iterations = self._searched.finished()
        if not iterations:
            return None
        whole = Branch.whole(int(self._problem.root["move"][0]))
        seconds = sum(each.seconds for each in iterations)
        return Checkpoint(iterations, iterations[-1].limit + 1, [whole], 0, 0, False, 0.0, 0.0, seconds)


@dataclass(eq=False, slots=True)
class _Entry(Generic[T]):
    """An item on its way.

    Attributes:
        item: the item.
        kind: its kind.
        problem: what is searched of it, if that has been made.
        roots: its root is one of them; None if it is searched by itself.
        number: of its root there.
        error: why there is nothing to search.
    """

    item: T
    kind: Hashable = None
    problem: Problem | None = None
    roots: "_Roots | None" = None
    number: int = 0
    error: Exception | None = None


@dataclass(eq=False)
class _Roots:
    """The roots of some items of a group: record[n], and which of the limits are each one's; see `Bulk.search`.

    Attributes:
        known: where what comes of each is kept: in one place for all items with one root.
    """

    group: Group
    states: Array
    limits: Sequence[Sequence[int]]
    which: Array
    known: list[Known] = field(default_factory=list)

    def share(self, entries: Iterable[_Entry[Any]], places: Sequence[tuple[int, int]]) -> list[int]:
        """Look where what comes of each root is kept, and return the numbers of those that are to be searched.

        Args:
            entries: of the items.
            places: of the limits, see `Bulk.places`.
        """
        self.known, new = self.group.known(self.states, [places[each] for each in self.which.tolist()])
        for number, entry in enumerate(entries):
            entry.roots, entry.number = self, number
        return new

    def identity(self, number: int) -> Identity:
        """Return the identity of the problem of an entry."""
        return self.group.identity(self.states[number : number + 1], self.limits[self.which[number]])


@dataclass(eq=False)
class _Part(Generic[T]):
    """Items that are searched together, and the calls that search them."""

    entries: list[_Entry[T]]
    calls: list[Future[tuple[Group, list[Searched]]]] = field(default_factory=list)


class BulkSearch(Generic[T]):
    """Searches items, and yields what came of each in their order.

    Args:
        items: what is known of them.
        watch: what ends all searches, and who is told of them.
        workers: how many threads search.
        total: how many items there are; None if that is unknown: then they may come slowly.
        ends_all: the errors that end all searches.
        proves: whether an item of each kind is searched by itself before others are in bulk: its puzzle's code may not
            return, and then it is to be named.

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
        self._waiting: deque[_Part[T]] = deque()
        self._begun = self.ended = 0
        self._slots, self._largest_part, self._parts_ended = Slots(self._workers), LARGEST_PART, 0
        self._proves, self._proved = proves, set[Hashable]()
        self._stopped = threading.Event()

    @property
    def is_running(self) -> bool:
        """Whether threads search, or may."""
        return self._slots.are_open and any(not call.done() for part in self._waiting for call in part.calls)

    def search(self, items: Iterable[T]) -> Iterator[Done[T]]:
        """Search items as they come.

        Raises:
            Exception: one that ends all.
        """
        source: Present[T] | Ahead[T] = Ahead(items) if self._total is None else Present(items)
        waiting, size = self._waiting, 1
        with ThreadPoolExecutor(self._workers, "bulk") as pool:
            try:
                while True:
                    size = min(size, self._largest_part)
                    if len(self._read) < size and not source.ended:
                        more = source.take(LARGEST_PART, 0.0 if self._read or waiting else POLL)
                        kinds = [self._items.kind(item) for item in more]
                        self._kinds.update(kinds)
                        self._read.extend(zip(kinds, more, strict=True))
                    ahead = min(self._workers + self._parts_ended, AHEAD * self._workers)
                    if self._read and len(waiting) <= ahead:
                        waiting.append(self._begin(size, pool))
                        size *= 2
                    elif waiting:
                        yield from self._finish(waiting[0])
                        waiting.popleft()
                    elif source.ended:
                        return
                    self._watch.check()
            finally:
                self._stopped.set()

    @property
    def _left(self) -> int:
        """How many items have not been begun, as far as is known."""
        return (self._begun if self._total is None else self._total) - self._begun

    def _begin(self, size: int, pool: ThreadPoolExecutor) -> _Part[T]:
        """Take items that have been read, and let threads search those that can be searched in bulk."""
        part: _Part[T] = _Part([])
        kinds: dict[Hashable, list[_Entry[T]]] = {}
        for _ in range(min(size, len(self._read))):
            kind, item = self._read.popleft()
            entry = _Entry(item, kind)
            part.entries.append(entry)
            kinds.setdefault(kind, []).append(entry)
        self._begun += len(part.entries)
        for kind, entries in kinds.items():
            is_proved = kind in self._proved or not self._proves
            if kind is not None and is_proved and (kind in self._last or self._kinds[kind] >= FEW):
                for members, roots in self._roots(kind, entries):
                    bulk = roots.group.bulk  # the group may have another one soon
                    places = bulk.places(roots.limits)
                    new = roots.share(members, places)
                    if new:
                        part.calls.append(pool.submit(self._call, roots, new, bulk, places))
            self._kinds[kind] -= len(entries)
            if not self._kinds[kind]:
                del self._kinds[kind]
        return part

    def _roots(self, kind: Hashable, entries: list[_Entry[T]]) -> Iterator[tuple[list[_Entry[T]], _Roots]]:
        """Yield the roots of items of a kind, by group."""
        group = self._last.get(kind)
        if group is not None:
            group.improve(self._left)
            read = group.read([self._items.texts(entry.item) for entry in entries])
            if read is not None:
                known = [entry for entry, is_read in zip(entries, read.read.tolist(), strict=True) if is_read]
                entries = [entry for entry, is_read in zip(entries, read.read.tolist(), strict=True) if not is_read]
                states, which = read.states[read.read], read.which[read.read]
                if known and group.is_doubted(len(known)):
                    self._compare(group, known[-1].item, states[-1], read.limits[which[-1]])
                yield known, _Roots(group, states, read.limits, which)
        made: dict[Group, list[tuple[_Entry[T], Problem]]] = {}
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
            yield [entry for entry, _ in members], _Roots(group, states, limits, np.arange(len(members)))

    def _compare(self, group: Group, item: T, state: Any, limits: Sequence[int]) -> None:
        try:
            problem = self._items.problem(item)
        except BadInput as error:
            raise BadPuzzle(f"{group.problem.name}: 'roots' reads what the constructor refuses: {error}") from error
        group.compare(problem, state, limits)

    def _made(self, kind: Hashable, item: T) -> tuple[Group | None, Problem]:
        """Return the group of an item, and its problem; None if it must be searched by itself."""
        problem, request = self._items.problem(item), self._items.request(item)
        if not in_bulk(problem, request):
            return None, problem
        key = kind, problem.batch_key
        group = self._groups.pop(key, None) or Group(problem, request, self._watch)
        self._groups[key] = self._last[kind] = group
        while len(self._groups) > MOST_GROUPS:
            (gone, _), _ = self._groups.popitem(last=False)
            self._last.pop(gone, None)
        if group.is_doubted(1):
            group.compare(problem)
        return group, group.member(problem)

    def _call(
        self, roots: _Roots, new: Sequence[int], bulk: Bulk, places: Sequence[tuple[int, int]]
    ) -> tuple[Group, list[Searched]]:
        """Search some of the roots; on a thread. Return their group, and what came of them."""
        with self._slots.shared():
            found = bulk.search(roots.states[new], places, roots.which[new], self._stopped.is_set)
        for number, searched in zip(new, found, strict=True):
            roots.known[number].searched = searched
        return roots.group, found

    def _finish(self, part: _Part[T]) -> Iterator[Done[T]]:
        """Yield what came of a part's items."""
        open_ = {*part.calls}
        while open_:
            _, open_ = wait(open_, POLL)
            self._watch.check()
        shares = 0.0  # of the time that a call may take
        for call in part.calls:
            group, found = call.result()
            group.count(len(found), sum(each.nodes for each in found))
            shares += sum(each.seconds for each in found) / group.bulk.tuning.bulk_seconds
        if part.calls:
            self._largest_part = max(1, int(min(LARGEST_PART, len(part.entries) / max(shares, 1e-6))))
        self.ended += len(part.calls)
        self._parts_ended += 1
        for entry in part.entries:
            yield self._done(entry)

    def _done(self, entry: _Entry[T]) -> Done[T]:
        roots = entry.roots
        searched = roots.known[entry.number].searched if roots else UNSEARCHED
        if not roots or not searched.done:
            done_ = attempt(entry.item, lambda item: self._search(entry), self._ends_all)
            if self._proves:
                self._proved.add(entry.kind)
            return done_
        group = roots.group
        if group.is_counted and not self._items.needs_results:
            return done(entry.item, group.answer(searched), None, searched.seconds)
        problem = group.problem
        if not group.is_counted:  # a solution is shown by its own puzzle
            problem = entry.problem or group.member(self._items.problem(entry.item))
        result = group.result(problem, searched)
        self._items.found(entry.item, result, lambda: roots.identity(entry.number))
        return done(entry.item, result.answer, result, searched.seconds)

    def _search(self, entry: _Entry[T]) -> Result:
        """Search an item by itself, from where it stands."""
        if entry.error is not None:
            raise entry.error
        problem, roots = entry.problem, entry.roots
        if problem is None:
            problem = self._items.problem(entry.item)
        if roots is None:
            with self._slots.first(self._watch.check):
                return self._items.search(entry.item, problem, CheckpointStore())
        group, known = roots.group, roots.known[entry.number]
        searched = known.searched
        group.improve(self._left + 1)
        problem = group.member(problem)
        with self._slots.first(self._watch.check):
            result = self._items.search(entry.item, problem, _Begun(problem, searched))
        group.count(0, result.nodes - searched.nodes)
        if group.is_counted and result.status != "stopped":
            iterations = tuple((each.limit, each.nodes, each.solutions) for each in result.iterations)
            known.searched = Searched(True, result.nodes, iterations, (), result.seconds)
        return result
