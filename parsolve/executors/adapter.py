"""What a search needs to know about an executor: when a task has been lost.

An executor of any library does: `concurrent.futures`, dask, a batch system's. What it raises when a worker is gone is
its own affair, so that an adapter tells such an error from one of the task's own:

    def lost(error):
        return WorkerLost(str(error), blame=True) if isinstance(error, KilledWorker) else None

    solve(puzzle, executor=Adapter(client.get_executor(), lease=600, loss=lost))
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from parsolve.executors.machines import Machines
from parsolve.executors.pool.errors import PoolBroken, WorkerLost

if TYPE_CHECKING:
    from distributed import Client


def loss_of(error: BaseException) -> WorkerLost | None:
    """Return what an error says about a lost worker; None if it is the task's own.

    Knows the process pool's error and those of `concurrent.futures`.
    """
    if isinstance(error, WorkerLost):
        return error
    if isinstance(error, BrokenExecutor) and not isinstance(error, PoolBroken):  # which takes no further task
        return WorkerLost(str(error) or type(error).__name__, blame=True)
    if isinstance(error, CancelledError):
        return WorkerLost("the executor has cancelled a task", blame=False)
    return None


@dataclass(frozen=True)
class Adapter:
    """An executor, and how it shows that a task is lost.

    Attributes:
        executor: where slices run.
        lease: seconds that a task may run before it is taken to be lost; None for an executor that notices itself
            when a worker hangs, by heartbeats as the process pool does.
        loss: what an error of a future says; None: the error is the task's own, and ends the search.
    """

    executor: Executor
    lease: float | None
    loss: Callable[[BaseException], WorkerLost | None] = loss_of


def adapt(executor: Executor | Adapter, lease: float) -> Adapter:
    """Return the adapter of an executor: with this lease, unless it needs none or brings one."""
    if isinstance(executor, Adapter):
        return executor
    from parsolve.executors.pool.pool import ProcessPool  # a short search needs none

    return Adapter(executor, None if isinstance(executor, ProcessPool | Machines) else lease)


@contextlib.contextmanager
def adapted(executor: "Executor | Adapter | Client | None", lease: float, silence: float) -> Iterator[Adapter | None]:
    """Adapt an executor for a search; it is not shut down.

    Args:
        executor: any; a dask client stands for the machines of its cluster; None for none.
        lease: for one that needs it and brings none.
        silence: see `DaskMachines`.

    Yields:
        The adapter; None for none.
    """
    distributed = sys.modules.get("distributed")  # not imported for this
    if distributed is not None and isinstance(executor, distributed.Client):
        from parsolve.executors.dask import DaskMachines

        with DaskMachines(executor, silence) as machines:
            yield Adapter(machines, lease=None)
    else:
        yield None if executor is None else adapt(cast("Executor | Adapter", executor), lease)
