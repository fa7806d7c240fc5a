"""Machines: an executor whose workers are whole machines, which come and go.

Each has processes of its own for what it is given: how it is made ready for them, and how many tasks it then takes, a
`concurrent.futures.Executor` has no words for.
"""

import abc
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any


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
        """Return what a person is to know, once: a machine that came later and cannot take part, say."""
