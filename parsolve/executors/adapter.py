"""An executor and the signs that it has lost a task.

An executor of any library can be used: `concurrent.futures`, dask, a batch system's. Each raises its own errors when a
worker is gone, so an adapter distinguishes such an error from an error of the task:

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

from parsolve.executors.pool import PoolBroken, WorkerLost

if TYPE_CHECKING:
    from distributed import Client

    from parsolve.executors.dask import DaskMachines


def loss_of(error: BaseException) -> WorkerLost | None:
    """Return the loss that an error means; None if it is the task's own error.

    Knows the process pool's error and those of `concurrent.futures`.
    """
    if isinstance(error, WorkerLost):
        return error
    if isinstance(error, BrokenExecutor) and not isinstance(error, PoolBroken):  # the pool accepts no further task
        return WorkerLost(str(error) or type(error).__name__, blame=True)
    if isinstance(error, CancelledError):
        return WorkerLost("the executor has cancelled a task", blame=False)
    return None


@dataclass(frozen=True)
class Adapter:
    """An executor, and how it shows that a task is lost.

    Attributes:
        executor: where slices run.
        lease: seconds after which a running task counts as lost; None for an executor that notices by itself when a
            worker hangs, like the process pool by its heartbeats.
        loss: returns the loss that a future's error means; None: the error is the task's own, and ends the search.
        machines: the executor itself, if its workers are whole machines, which take long tasks; otherwise None.
    """

    executor: Executor
    lease: float | None
    loss: Callable[[BaseException], WorkerLost | None] = loss_of
    machines: "DaskMachines | None" = None


@contextlib.contextmanager
def adapted(executor: "Executor | Adapter | Client | None", lease: float, silence: float) -> Iterator[Adapter | None]:
    """Adapt an executor for a search; it is not shut down.

    Args:
        executor: any executor; a dask client means the machines of its cluster; None for none.
        lease: default for executors that need one and define none.
        silence: see `DaskMachines`.

    Yields:
        The adapter; None for none.
    """
    distributed = sys.modules.get("distributed")  # not imported for this
    if distributed is not None and isinstance(executor, distributed.Client):
        from parsolve.executors.dask import DaskMachines

        with DaskMachines(executor, silence) as machines:
            yield Adapter(machines, lease=None, machines=machines)
    elif executor is None or isinstance(executor, Adapter):
        yield executor
    else:
        from parsolve.executors.pool.pool import ProcessPool  # not needed by a short search

        yield Adapter(cast("Executor", executor), None if isinstance(executor, ProcessPool) else lease)
