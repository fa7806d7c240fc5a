"""Machines: an executor whose workers are whole machines, which come and go.

Each has processes of its own for what it is given: how it is made ready for them, and how many tasks it then takes, a
`concurrent.futures.Executor` has no words for.
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
        name: its own; None where none runs.
        dropped: whether it is no longer wanted: it may end as soon as it can, and its result counts for nothing.
    """

    name: str | None = None
    dropped: bool = False

    def drop(self, name: str) -> None:
        self.dropped = self.dropped or name == self.name


running = Running()
"""Of this process: one task runs at a time."""


class Machines(Executor, abc.ABC):
    """An executor of long tasks, one after the other on each machine."""

    @property
    @abc.abstractmethod
    def ready(self) -> int:
        """How many machines are ready and alive.

        Raises:
            Exception: why there will be none.
        """

    @abc.abstractmethod
    def prepare(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Have each machine make a call before its next task, and each that comes later before its first one.

        Args:
            function: of a module; it is given how many workers of the cluster share the machine, then the arguments.
            arguments: plain data.
        """

    @abc.abstractmethod
    def warnings(self) -> list[str]:
        """Return new warnings for the user, for example that a machine that came later cannot take part."""
