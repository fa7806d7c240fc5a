"""How many threads of a batch search at once: one for each worker, and one less while a large item runs."""

import contextlib
import threading
from collections.abc import Callable, Iterator

POLL = 0.1
"""Seconds between two checks of what ends all searches."""


class Slots:
    """Slots for threads that search, and for a large item beside them, which goes first.

    Args:
        number: number of slots.
    """

    def __init__(self, number: int) -> None:
        self._number, self._used, self._wanted = number, 0, 0
        self._changed = threading.Condition()

    @property
    def are_open(self) -> bool:
        """Whether threads use slots, or may."""
        return self._used + self._wanted < self._number or self._used > 0

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        """Wait for a slot, and use it."""
        with self._changed:
            self._changed.wait_for(lambda: self._used + self._wanted < self._number)
            self._used += 1
        try:
            yield
        finally:
            with self._changed:
                self._used -= 1
                self._changed.notify_all()

    @contextlib.contextmanager
    def first(self, check: Callable[[], None]) -> Iterator[None]:
        """Take the next free slot, before all threads, and use it.

        Args:
            check: raises an exception to end the waiting.
        """
        self._wanted = 1
        try:
            while not self._wait():
                check()
            yield
        finally:
            with self._changed:
                self._wanted = 0
                self._changed.notify_all()

    def _wait(self) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self._used < self._number, POLL)
