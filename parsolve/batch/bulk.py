"""Search many items: those that differ only in their root in bulk, on threads; large ones each by itself.

    items ─▶ chunks ─▶ roots by group ─▶ threads (`deepening.bulk`) ─▶ their results, in the order of the items
                                              └─▶ those that are large: the engine, with all workers

The items of a group share their lookups. Chunks are small at first, so that little is lost if items are large, or if a
better bound pays; later they are as large as one call should be, so that all threads end together.
"""

import contextlib
import itertools
import queue
import threading
import time
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from parsolve.batch.group import Group, in_bulk, roots_together
from parsolve.batch.items import Items
from parsolve.deepening.bulk import Searched
from parsolve.errors import NotShared, ParsolveError
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Roots
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.result import Answer, Result
from parsolve.search.watch import Watch
from parsolve.system.resources import default_workers

T = TypeVar("T")

LARGEST_CHUNK = 256
"""Maximum number of items of a chunk, some 10 ms of 8-puzzles."""

MOST_GROUPS = 32
"""Number of groups that are kept ready: the last ones used."""

MOST_AHEAD = 1 << 8
"""Maximum number of items that are read ahead from a slow source."""

POLL = 0.1
"""Seconds between two checks of what ends all searches."""


class Root(NamedTuple):
    """One of the roots of a group, and what a call has found."""

    group: Group
    roots: Roots
    number: int
    searched: Searched


class Done(NamedTuple, Generic[T]):
    """One search that has ended.

    Attributes:
        item: the item.
        answer: its answer; None if the search failed.
        result: its full result; None if the search failed, or if results are not needed, see `Items.needs_results`.
        failure: why it failed; None if it did not.
        wall_seconds: total time, including the preparation, such as building a pattern database.
        root: its root, if it was searched in bulk.
    """

    item: T
    answer: Answer | None
    result: Result | None
    failure: ParsolveError | None
    wall_seconds: float
    root: Root | None = None

    @property
    def status(self) -> str:
        """How it has ended, in a word."""
        if self.answer is not None:
            return self.answer.status
        return "failed" if self.failure is None else self.failure.state


@dataclass(eq=False, slots=True)
class Pending(Generic[T]):
    """An item that is being processed.

    Attributes:
        item: the item.
        kind: its kind.
        problem: its problem, if made.
        error: why it cannot be searched.
        root: its root; None if it has not been searched in a call.
    """

    item: T
    kind: Hashable
    problem: Problem | None = None
    error: Exception | None = None
    root: Root | None = None


class Call(NamedTuple, Generic[T]):
    """Items of a group with their roots, which a thread searches."""

    group: Group
    members: list[Pending[T]]
    roots: Roots
    result: Future[list[Searched]]


class Chunk(NamedTuple, Generic[T]):
    """Items that are begun together, and the calls that search some of them each."""

    members: list[Pending[T]]
    calls: list[Call[T]]


class BulkSearch(Generic[T]):
    """Searches items, and yields their results in order.

    Args:
        items: how the items are searched.
        every: the items themselves, as they come.
        watch: ends all searches, and has their listener.
        workers: how many threads search.
        total: how many items there are; None if that is unknown: then they may arrive slowly.

    Attributes:
        ended: how many calls have ended.
    """

    def __init__(
        self, items: Items[T], every: Iterable[T], watch: Watch, workers: int | None = None, total: int | None = None
    ) -> None:
        self._items, self._watch = items, watch
        self._stopped = threading.Event()
        self._incoming = Incoming(every) if total is not None else Ahead(every, self._stopped)
        self._left = total or 0  # items that have not been begun, as far as is known
        self._workers = workers or default_workers()
        self._pool = ThreadPoolExecutor(self._workers, "bulk")  # its threads begin with its first call
        self._groups: dict[tuple[Hashable, Hashable], Group] = {}  # the last used at the end
        self._read: deque[Pending[T]] = deque()
        self._waiting: deque[Chunk[T]] = deque()
        self._open: set[Future[list[Searched]]] = set()
        self.ended = 0
        self._size = 1  # of the next chunk: doubled each time
        self._largest_chunk = LARGEST_CHUNK  # less where a call takes longer than it should
        self._proved = set[Hashable]()  # kinds

    @property
    def is_running(self) -> bool:
        """Whether threads search."""
        return any(not call.done() for call in self._open)

    def search(self) -> Iterator[Done[T]]:
        """Search the items as they come; once.

        Raises:
            Exception: an error that ends all searches, or one of the iterator, after the results of all earlier items.
            BadPuzzle: items of a group differ in more than their roots.
        """
        with self._pool:
            try:
                while True:
                    self._begin_more()
                    if self._waiting:
                        yield from self._finish(self._waiting[0])
                        self._waiting.popleft()
                    elif self._incoming.ended:
                        if self._incoming.error is not None:
                            raise self._incoming.error
                        return
                    self._watch.check()
            finally:
                self._stopped.set()

    def _begin_more(self) -> None:
        """Take items as they come, and begin as many chunks as keep all threads busy."""
        incoming, read, waiting = self._incoming, self._read, self._waiting
        while len(waiting) <= min(self._workers + self.ended, 2 * self._workers):  # few until the first call has ended
            self._size = min(self._size, self._largest_chunk)
            if len(read) < self._size and not incoming.ended:
                more = incoming.take(LARGEST_CHUNK, 0.0 if read or waiting else POLL)
                read += [Pending(item, self._items.kind(item)) for item in more]
            if not read:
                return
            waiting.append(self._begin([read.popleft() for _ in range(min(self._size, len(read)))]))
            self._size *= 2
            self._watch.check()

    def _begin(self, every: list[Pending[T]]) -> Chunk[T]:
        """Let threads search those items that suit a bulk search."""
        calls: list[Call[T]] = []
        self._left = max(0, self._left - len(every))
        kinds: dict[Hashable, list[Pending[T]]] = {}
        for pending in every:
            kinds.setdefault(pending.kind, []).append(pending)
        for kind, some in kinds.items():
            if kind is None or (self._items.proves and kind not in self._proved):
                continue
            last = next((group for key, group in reversed(self._groups.items()) if key[0] == kind), None)
            # A bulk search needs a kernel of its own: one item of a kind is not enough.
            if last or len(some) > 1 or any(kind == other.kind for other in self._read):
                for group, members, roots in self._grouped(some, last):
                    result = group.submit(self._pool, roots, self._stopped.is_set)
                    self._open.add(result)
                    calls.append(Call(group, members, roots, result))
        return Chunk(every, calls)

    def _grouped(self, some: list[Pending[T]], last: Group | None) -> Iterator[tuple[Group, list[Pending[T]], Roots]]:
        """Yield items by group, with their roots, except those that are searched by themselves; `last`: the group that
        was last used for their kind."""
        if last is not None and not last.is_outdated:
            last.improve(self._left)
            texts = [self._items.texts(pending.item) for pending in some]
            roots = last.read(texts, lambda number: self._items.problem(some[number].item))
            if roots is not None:
                known, some = ([*itertools.compress(some, each)] for each in (roots.read, ~roots.read))
                yield last, known, roots
        made: dict[Group | None, list[Pending[T]]] = {}
        for pending in some:
            try:
                group, pending.problem = self._made(pending.kind, pending.item)
                made.setdefault(group, []).append(pending)
            except NotShared:  # what the group has found, and will find, is wrong
                raise
            except Exception as error:
                pending.error = error
        for group, members in made.items():
            if group is not None:
                yield group, members, roots_together([self._problem(pending) for pending in members])

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
        self._groups[key] = group
        if len(self._groups) > MOST_GROUPS:
            del self._groups[next(iter(self._groups))]
        return group, group.join(problem)

    def _wait(self) -> None:
        """Wait until a call ends."""
        _, self._open = wait(self._open, POLL, FIRST_COMPLETED)
        self._watch.check()

    def _finish(self, chunk: Chunk[T]) -> Iterator[Done[T]]:
        """Yield the results of a chunk's items."""
        while not all(call.result.done() for call in chunk.calls):
            self._wait()
            self._begin_more()
        shares = 0.0  # of the time of a call
        for call in chunk.calls:
            found = call.result.result()
            call.group.count(len(found), sum(each.nodes for each in found))
            shares += sum(each.seconds for each in found) / call.group.request.tuning.bulk_seconds
            for number, (pending, searched) in enumerate(zip(call.members, found, strict=True)):
                pending.root = Root(call.group, call.roots, number, searched)
        if chunk.calls:
            self._largest_chunk = max(1, int(min(LARGEST_CHUNK, len(chunk.members) / max(shares, 1e-6))))
        self.ended += len(chunk.calls)
        yield from map(self._done, chunk.members)

    def _done(self, pending: Pending[T]) -> Done[T]:
        if pending.root is None or not pending.root.searched.done:
            self._proved.add(pending.kind)
            return self._by_itself(pending)
        item, root = pending.item, pending.root
        group, searched = root.group, root.searched
        if group.is_counted and not self._items.needs_results:
            return Done(item, group.answer(searched), None, None, searched.seconds, root)
        # A solution is shown by its own puzzle.
        problem = group.problem if group.is_counted else group.member(self._problem(pending))
        result = group.result(problem, searched)
        return Done(item, result.answer, result, None, searched.seconds, root)

    def _problem(self, pending: Pending[T]) -> Problem:
        return pending.problem or self._items.problem(pending.item)

    def _by_itself(self, pending: Pending[T]) -> Done[T]:
        """Search an item by itself, and return its result or its failure."""
        begin, result, failure = time.monotonic(), None, None
        try:
            result = self._search(pending)
        except self._items.ends_all:
            raise
        except ParsolveError as error:
            failure = error
        except Exception as error:
            failure = ParsolveError(f"internal failure: {type(error).__name__}: {error}")
        answer = None if result is None else result.answer
        return Done(pending.item, answer, result, failure, time.monotonic() - begin)

    def _search(self, pending: Pending[T]) -> Result:
        """Search an item by itself, from where a call has left it."""
        if pending.error is not None:
            raise pending.error
        problem, root = self._problem(pending), pending.root
        while self._open:
            self._wait()
        if root is None:
            return self._items.search(pending.item, problem, None)
        root.group.improve(self._left + 1)
        problem = root.group.member(problem)
        result = self._items.search(pending.item, problem, _begun(problem, root.searched))
        root.group.count(0, result.nodes - root.searched.nodes)
        return result


def _begun(problem: Problem, searched: Searched) -> Checkpoint | None:
    """Return the checkpoint of a search after the iterations that a call has finished; None if there are none."""
    iterations = searched.finished()
    if not iterations:
        return None
    limit, seconds = iterations[-1].limit + 1, sum(each.seconds for each in iterations)
    return Checkpoint(iterations, limit, [Branch.whole(int(problem.root["move"][0]))], seconds=seconds)


class Incoming(Generic[T]):
    """Items that are all available, as in a list or a file.

    Attributes:
        ended: whether all have been taken.
        error: the exception of their iterator; None if there was none.
    """

    def __init__(self, items: Iterable[T]) -> None:
        self._items, self.ended = iter(items), False
        self.error: BaseException | None = None

    def take(self, most: int, seconds: float) -> list[T]:
        """Return the next items.

        Args:
            most: how many at most.
            seconds: how long to wait for the first of them, if they are read on another thread.
        """
        taken: list[T] = []
        try:
            taken += itertools.islice(self._items, most)  # those before an exception, too
        except Exception as error:
            self.error = error
        self.ended = len(taken) < most
        return taken


class Ahead(Incoming[T]):
    """Reads items on a thread of its own: a pipe may have nothing to read for a long time.

    Args:
        items: the items.
        stopped: whether no further ones are wanted.
    """

    def __init__(self, items: Iterable[T], stopped: threading.Event) -> None:
        super().__init__(items)
        self._stopped, self._is_read = stopped, False
        self._read: queue.Queue[list[T]] = queue.Queue(MOST_AHEAD)  # lists of one; an empty one at the end
        threading.Thread(target=self._fill, name="reading ahead", daemon=True).start()

    def _fill(self) -> None:
        try:
            for item in self._items:
                self._put([item])
                if self._stopped.is_set():
                    return
        except BaseException as error:
            self.error = error
        self._put([])

    def _put(self, read: list[T]) -> None:
        while not self._stopped.is_set():
            with contextlib.suppress(queue.Full):
                self._read.put(read, timeout=POLL)
                return

    def take(self, most: int, seconds: float) -> list[T]:
        taken: list[T] = []
        with contextlib.suppress(queue.Empty):
            while len(taken) < most and not self._is_read:
                read = self._read.get(not taken and seconds > 0, seconds)
                self._is_read = not read
                taken += read
        self.ended = self._is_read and not taken
        return taken
