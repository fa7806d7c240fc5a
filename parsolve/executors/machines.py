"""Machines: an executor whose workers are whole machines, which may come and go.

Each machine has its own processes. How it is prepared, and how many tasks it then takes, the interface of
`concurrent.futures.Executor` cannot express.
"""

import abc
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any


@dataclass
class Running:
    """The task that this machine runs.

    Attributes:
        name: the task's name; None if none runs.
        dropped: whether it was cancelled: it may end early, and its result is ignored.
    """

    name: str | None = None
    dropped: bool = False

    def drop(self, name: str) -> None:
        self.dropped = self.dropped or name == self.name


running = Running()
"""The task of this process: one runs at a time."""


class Machines(Executor, abc.ABC):
    """An executor of long tasks, one after another on each machine."""

    @property
    @abc.abstractmethod
    def ready(self) -> int:
        """The number of machines that are ready and alive.

        Raises:
            Exception: why there will be none.
        """

    @abc.abstractmethod
    def prepare(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Let each machine make a call before its next task, and each later machine before its first task.

        Args:
            function: a function of a module; its arguments are the number of the cluster's workers on the machine, then
                `arguments`.
            arguments: plain data.
        """

    @abc.abstractmethod
    def warnings(self) -> list[str]:
        """Return new warnings for the user, for example that a machine that came later cannot take part."""
