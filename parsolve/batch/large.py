"""Large roots of a bulk search: a thread searches each by itself, as long as there are others for the other threads."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from parsolve.batch.group import RootResult
from parsolve.batch.items import Items
from parsolve.batch.parts import Alone, Call, CheckpointInMemory, Entry
from parsolve.deepening.alone import Handover, deepen_alone
from parsolve.deepening.bulk import Searched
from parsolve.engines import may_choose
from parsolve.problem.problem import Problem
from parsolve.search.request import Request
from parsolve.tables.databases import load

T = TypeVar("T")


class LargeRoots(Generic[T]):
    """The large roots of calls that have ended.

    Args:
        items: what is known of them.
        submit: lets a thread call a function; None where there is one thread alone.
        stopped: set when all searches end.
        ends_all: the errors that end all searches.

    Attributes:
        calls: whose large roots have not been looked for.
    """

    def __init__(
        self,
        items: Items[T],
        submit: "Callable[..., Future[Any]] | None",
        stopped: threading.Event,
        ends_all: tuple[type[BaseException], ...],
    ) -> None:
        self._items, self._submit, self._stopped, self._ends_all = items, submit, stopped, ends_all
        self.calls: list[Future[Call[T]]] = []
        self._waiting: list[Entry[T]] = []  # that no thread has begun
        self._begun: dict[RootResult, Alone] = {}

    def begin(self) -> None:
        """Let threads continue the large roots of calls that have ended."""
        for call in [call for call in self.calls if call.done()]:
            self._waiting += call.result().large
            self.calls.remove(call)
        if self._submit is not None:
            self._waiting = [entry for entry in self._waiting if not self._begin(entry, self._submit)]

    def take(self, known: RootResult) -> Alone | None:
        """Return how a thread searches a root, if one does; no other one begins it from now on."""
        self.begin()
        self._waiting = [entry for entry in self._waiting if entry.known is not known]
        return self._begun.pop(known, None)

    def _begin(self, entry: Entry[T], submit: "Callable[..., Future[Any]]") -> bool:
        """Let a thread search an item's root, if it is one for deepening; return False if that is not known yet."""
        known, roots, item = entry.known, entry.roots, entry.item
        assert known is not None
        assert roots is not None
        try:
            entry.problem = entry.problem or self._items.problem(item)
        except self._ends_all:
            raise
        except Exception:
            return True  # the item itself will say why
        request, group = self._items.request(item), roots.group
        if may_choose(entry.problem, request) and group.engine != "deepening":
            return False
        problem = group.member(entry.problem)
        store, is_wanted = CheckpointInMemory(problem, known.searched, not group.is_counted), threading.Event()
        seconds = min(request.tuning.alone_seconds, self._items.seconds(item))
        call = submit(self._deepen, problem, request, store, is_wanted, seconds)
        self._begun[known] = Alone(store, is_wanted, call)
        return True

    def _deepen(
        self, problem: Problem, request: Request, store: CheckpointInMemory, is_wanted: threading.Event, seconds: float
    ) -> Searched | None:
        """Search a root alone, on a thread; return its result; None if others are to continue it."""
        until = time.monotonic() + seconds

        def check() -> None:
            if self._stopped.is_set() or is_wanted.is_set() or time.monotonic() > until:
                raise Handover

        try:
            check()
            return Searched.of(deepen_alone(problem, request, store, check, load))
        except Exception:  # handed over; or something is wrong, which the engine tells then
            return None
