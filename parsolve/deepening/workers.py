"""The workers of a search: those of the user's executor, or a process pool that is started once it pays."""

import math
from typing import TYPE_CHECKING, Self, cast

from parsolve.deepening.remote import Remote
from parsolve.deepening.slices import Setup, prepare, searcher_of
from parsolve.executors.adapter import Adapter
from parsolve.executors.warm import warm_pools
from parsolve.search.request import Request
from parsolve.search.watch import Listener
from parsolve.system.processes import may_fork, owns_process

if TYPE_CHECKING:
    from parsolve.deepening.machine import Cluster
    from parsolve.executors.dask import DaskMachines
    from parsolve.executors.local import LocalPool


class Workers:
    """The executor of a search: the user's, or a process pool that is started once the search has run for a while,
    unless an earlier search has left one.

    Args:
        workers: how many.
        adapter: the user's executor; None for a process pool.
        setup: setup of a worker.
        request: when a process pool is started, and the waits; if the user's executor has
            machines, the processes of each and the nodes of a slice there.
        listener: receives reports of lost and of long tasks.

    Attributes:
        tuning: tuning of the frontier whose tasks are run.
    """

    def __init__(
        self,
        workers: int,
        adapter: Adapter | None,
        setup: Setup,
        request: Request,
        listener: Listener,
    ) -> None:
        tuning = request.tuning
        self._workers, self._listener = workers, listener
        self._setup, self._tuning = setup, tuning
        self._pool: LocalPool | None = None
        self._has_warned = False
        self._cluster: Cluster | None = None
        self._remote: Remote | None = None
        self.tuning = tuning
        if adapter and adapter.has_machines:
            from parsolve.deepening import machine

            self._cluster = machine.Cluster(cast("DaskMachines", adapter.executor), request, listener)
            self.tuning = tuning.of_machines()
        elif adapter:
            self._remote = self._remote_on(adapter)
        # Workers do not repeat the imports of a user's puzzle: they serve the same sources only.
        sources = "" if setup.spec.is_own else f"{setup.spec.source} {setup.identity}"
        self._key = (workers, sources)

    def turn_to(self, setup: Setup) -> None:
        """Search another puzzle from the next slice on. A forked pool is ended: a new one inherits what this process
        has loaded for the puzzle."""
        self._setup = setup
        if self._cluster is not None:
            self._cluster.turn()
        if self._pool is not None and owns_process():
            self.close()
            self._pool = self._remote = None

    def head_start(self, expected: float | None) -> float:
        """Return for how many seconds the next iteration first runs in this process.

        Args:
            expected: expected seconds of the iteration, if known.
        """
        if self._workers == 1 and self._remote is None and self._cluster is None:
            return math.inf
        is_brief = self._remote is not None or self._pool is not None or warm_pools.has(self._key)
        is_brief |= expected is not None and expected > self._worthwhile
        return self._tuning.head_start_beside_workers if is_brief else self._tuning.head_start

    @property
    def patch(self) -> float:
        """Seconds for which this process searches before it looks again for workers: more while it compiles, for then
        each slice may wait some ms for the interpreter's lock."""
        is_ready = self._pool is not None or self._cluster is not None or searcher_of(self._setup).can_split()
        return self._tuning.patch if is_ready else self._tuning.slice_seconds

    def get(self, left: float | None) -> Remote | None:
        """Return the runner of slices; None if this process still searches by itself.

        Args:
            left: seconds that the iteration still needs, if known.
        """
        if self._cluster is not None:
            return None if left is not None and left < self._tuning.worthwhile else self._cluster.get(self._setup)
        if left is not None and left < self._tuning.head_start_beside_workers:  # over before a worker has answered
            return None
        if self._remote is not None:
            return self._remote
        if self._pool is None and not searcher_of(self._setup).can_split():
            return None
        self._pool = self._pool or warm_pools.take(self._key)
        if self._pool is None:
            if left is not None and left < self._worthwhile:
                return None
            from parsolve.executors.local import LocalPool  # not needed by a short search

            self._pool = LocalPool(self._workers, (prepare, (self._setup,)))
        if self._pool.is_ready:
            self._remote = self._remote_on(Adapter(self._pool, lease=None))
        return self._remote

    def _remote_on(self, adapter: Adapter) -> Remote:
        return Remote(adapter, self._workers, self._listener, self._tuning)

    @property
    def _worthwhile(self) -> float:
        return self._tuning.worthwhile_forked if may_fork() else self._tuning.worthwhile

    def warnings(self) -> list[str]:
        """Return warnings for the user, once, such as that the system refuses to start all workers."""
        if self._cluster is not None:
            return self._cluster.warnings()
        trouble = self._pool.trouble if self._pool is not None else None
        if not trouble or self._has_warned:
            return []
        self._has_warned = True
        return [trouble]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type | None, *_: object) -> None:
        """Leave the pool, if there is one, to the next search; end it after an error, if a fresh one would start as
        fast, or if its workers hold a transposition table."""
        if self._pool is None or error or owns_process() or self._setup.table.size or not self._pool.usable:
            self.close()
        else:
            warm_pools.keep(self._key, self._pool)

    def close(self) -> None:
        """End the pool, if there is one."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
