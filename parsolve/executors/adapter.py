"""What a search needs to know about an executor: when a task has been lost.

An executor of any library does: `concurrent.futures`, dask, a batch system's. What it raises when a worker is gone is
its own affair, so that an adapter tells such an error from one of the task's own:

    def lost(error):
        return Loss(str(error), blame=True) if isinstance(error, KilledWorker) else None

    solve(puzzle, executor=Adapter(client.get_executor(), lease=600, loss=lost))
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from parsolve.executors.machines import Machines
from parsolve.executors.pool.errors import PoolBroken, WorkerLost

if TYPE_CHECKING:
    from distributed import Client
    from typing_extensions import TypeIs


@dataclass(frozen=True)
class Loss:
    """A task has been lost with its worker.

    Attributes:
        text: what happened, for a person.
        blame: whether the task may be the cause, by crashing its worker for example.
    """

    text: str
    blame: bool


def loss_of(error: BaseException) -> Loss | None:
    """Return what an error says about a lost worker; None if it is the task's own.

    Knows the process pool's error and those of `concurrent.futures`.
    """
    if isinstance(error, PoolBroken):
        return None  # it takes no further task
    if isinstance(error, WorkerLost):
        return Loss(str(error), error.blame)
    if isinstance(error, BrokenExecutor):
        return Loss(str(error) or type(error).__name__, blame=True)
    if isinstance(error, CancelledError):
        return Loss("the executor has cancelled a task", blame=False)
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
    loss: Callable[[BaseException], Loss | None] = loss_of


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
    if _is_dask_client(executor):
        from parsolve.executors.dask import DaskMachines

        with DaskMachines(executor, silence) as machines:
            yield Adapter(machines, lease=None)
    else:
        yield None if executor is None else adapt(executor, lease)


def _is_dask_client(executor: "Executor | Adapter | Client | None") -> "TypeIs[Client]":
    """Return whether something is a dask client; dask is not imported for that."""
    distributed = sys.modules.get("distributed")
    return distributed is not None and isinstance(executor, distributed.Client)
