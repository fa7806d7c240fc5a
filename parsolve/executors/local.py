"""The worker processes of this machine: a process pool with parsolve's names, hooks and errors."""

import logging
from collections.abc import Callable
from typing import Any

from parsolve.errors import WorkersLost
from parsolve.executors.pool import PoolBroken
from parsolve.executors.pool.pool import SILENCE, ProcessPool
from parsolve.system.activity import current as activity
from parsolve.system.forking import may_fork


class LocalPool(ProcessPool):
    """Worker processes for slices; see `ProcessPool` for the arguments.

    The fork server is forked from this process if that is safe (`forking.may_fork`).

    Raises:
        WorkersLost: the system refuses a thread; `submit` raises it too, and futures hold it, once the pool has given
            up.
    """

    def __init__(
        self, workers: int, prepare: tuple[Callable[..., Any], tuple[Any, ...]] = (bool, ()), silence: float = SILENCE
    ) -> None:
        super().__init__(workers, (_prepare, prepare), name="parsolve", silence=silence, fork=may_fork(), broken=_lost)

    @property
    def trouble(self) -> str | None:
        """Why the system refuses to start all requested workers, and what to do; None if it does not."""
        return _refusal(self.refused) if self.refused else None


def _refusal(why: str) -> str:
    return (
        f"the system refuses to start another worker ({why}): ask for fewer with --workers, or raise the limit of"
        " processes (ulimit -u, pids.max of the container, TasksMax of the service)"
    )


def _lost(error: PoolBroken) -> WorkersLost:
    return WorkersLost(_refusal(error.refused) if error.refused else str(error))


def _prepare(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Turn this process into a worker, or the fork server of workers, and make the call that prepares it."""
    activity.separate()  # a forked process shares this memory with its parent
    logging.getLogger("parsolve").setLevel(logging.ERROR)  # the parent has logged all warnings
    function(*arguments)
