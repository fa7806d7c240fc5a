"""The workers of a search: those of the user's executor, or a process pool that is started once it pays."""

import contextlib
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from parsolve.deepening.driver import Driver
from parsolve.deepening.remote import Remote
from parsolve.deepening.searcher import Searcher
from parsolve.deepening.slices import Setup, prepare
from parsolve.executors.adapter import Adapter
from parsolve.executors.warm import warm_pools
from parsolve.search.progress import Progress
from parsolve.search.request import Request
from parsolve.search.tuning import Tuning
from parsolve.search.watch import Listener
from parsolve.system.forking import may_fork, owns_process

if TYPE_CHECKING:
    from parsolve.executors.local import LocalPool


class GivenWorkers:
    """The workers of the user's executor.

    Args:
        remote: runs tasks there.
        tuning: of the frontiers whose tasks these are.
        worthwhile: seconds that an iteration must still need for them.
    """

    def __init__(self, remote: Remote, tuning: Tuning, worthwhile: float) -> None:
        self._remote, self.tuning, self._worthwhile = remote, tuning, worthwhile

    def search(self, driver: Driver, searcher: Searcher) -> None:
        """Search an iteration, with this thread's searcher as long as it takes little."""
        driver.run_here(searcher, min(self.tuning.head_start, self._worthwhile))
        while not driver.frontier.done:
            if seconds_left(driver.progress) < self._worthwhile:
                driver.run_here(searcher, self.tuning.patch)
            else:
                self._remote.run(driver)


class OwnWorkers:
    """A process pool that is started once the search has run for a while, unless an earlier search has left one.

    Args:
        workers: how many.
        setup: setup of a worker.
        tuning: when the pool is started, and the waits.
        listener: receives reports of lost and of long tasks.
    """

    def __init__(self, workers: int, setup: Setup, tuning: Tuning, listener: Listener) -> None:
        self._workers, self._setup, self.tuning, self._listener = workers, setup, tuning, listener
        self._pool: LocalPool | None = None
        self._remote: Remote | None = None  # once the pool is ready
        self._has_warned = False
        # Workers do not repeat the imports of a user's puzzle: they serve the same sources only.
        self._key = (workers, "" if setup.spec.is_own else f"{setup.spec.source} {setup.identity}")

    def search(self, driver: Driver, searcher: Searcher) -> None:
        """Search an iteration, with this thread's searcher until workers are ready."""
        setup = driver.assignment.setup
        if setup.spec != self._setup.spec:  # another puzzle: a new forked pool inherits what this process has loaded
            self._setup = setup
            if owns_process():
                self.close()
        tuning, expected = self.tuning, driver.progress.expected
        is_near = self._pool is not None or warm_pools.has(self._key)
        is_near |= expected is not None and expected > self._worthwhile
        first = tuning.head_start_beside_workers if is_near else tuning.head_start
        driver.run_here(searcher, first if self._workers > 1 else math.inf)
        is_compiled = self._pool is not None
        while not driver.frontier.done:
            is_compiled = is_compiled or searcher.warm_up_workers()
            remote = self._ready(seconds_left(driver.progress)) if is_compiled else None
            if remote is not None:
                remote.run(driver)
            else:  # while it compiles, each slice may wait some ms for the interpreter's lock
                driver.run_here(searcher, tuning.patch if is_compiled else tuning.slice_seconds)

    def _ready(self, left: float) -> Remote | None:
        """Return the runner of slices, once there is one that an iteration pays for that needs `left` more seconds."""
        if left < self.tuning.head_start_beside_workers:  # over before a worker has answered
            return None
        self._pool = self._pool or warm_pools.take(self._key)
        if self._pool is None:
            if left < self._worthwhile:
                return None
            from parsolve.executors.local import LocalPool  # not needed by a short search

            self._pool = LocalPool(self._workers, (prepare, (self._setup,)))
        if self._remote is None and self._pool.is_ready:
            adapter = Adapter(self._pool, lease=None)
            self._remote = Remote(adapter, lambda: self._workers, self._listener, warnings=self._warnings)
        return self._remote

    @property
    def _worthwhile(self) -> float:
        return self.tuning.worthwhile_forked if may_fork() else self.tuning.worthwhile

    def _warnings(self) -> list[str]:
        """Return what to tell the user, once, if the system refuses to start all workers."""
        trouble = self._pool.trouble if self._pool is not None else None
        if not trouble or self._has_warned:
            return []
        self._has_warned = True
        return [trouble]

    def leave(self) -> None:
        """Leave the pool, if there is one, to the next search; end it if a fresh one would start as fast, or if its
        workers hold a transposition table."""
        if self._pool is None or owns_process() or self._setup.table.size or not self._pool.usable:
            self.close()
        else:
            warm_pools.keep(self._key, self._pool)

    def close(self) -> None:
        """End the pool, if there is one."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._pool = self._remote = None


Workers = GivenWorkers | OwnWorkers


def seconds_left(progress: Progress) -> float:
    """Return how many seconds an iteration still needs, at least half of those that it has taken, because what seems to
    be a small rest may be the largest branch; infinity while that is unknown."""
    return math.inf if progress.left is None else max(progress.left, progress.seconds / 2)


@contextlib.contextmanager
def workers_of(
    adapter: Adapter | None, workers: int, setup: Setup, request: Request, listener: Listener
) -> Iterator[Workers]:
    """Have workers for a search: those of the user's executor, if there is one."""
    tuning = request.tuning
    if adapter is None:
        own = OwnWorkers(workers, setup, tuning, listener)
        try:
            yield own
        except BaseException:
            own.close()
            raise
        own.leave()
    elif adapter.machines is not None:
        from parsolve.deepening.machine import Machines

        machines = Machines(adapter, adapter.machines, request, listener)
        yield GivenWorkers(machines, tuning.of_machines(), tuning.worthwhile)
    else:
        yield GivenWorkers(Remote(adapter, lambda: workers, listener), tuning, tuning.head_start_beside_workers)
