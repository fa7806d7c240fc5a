"""Take all items that an iterator has ready at once, without waiting for more than one."""

import itertools
import queue
import threading
from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")

MOST = 1 << 12
"""Maximum number of items that are read ahead."""

_END = object()


class Present(Generic[T]):
    """Items that are all available, as in a list or a file.

    Args:
        items: the items.
    """

    def __init__(self, items: Iterable[T]) -> None:
        self._items = iter(items)
        self.ended = False

    def take(self, most: int, seconds: float) -> list[T]:
        """Return the next items, no more than `most`; see `Ahead.take`."""
        taken = list(itertools.islice(self._items, most))
        self.ended = len(taken) < most
        return taken


class Ahead(Generic[T]):
    """Reads items on a thread of its own: a pipe may have nothing to read for a long time.

    Args:
        items: the items; they are read ahead.

    Attributes:
        ended: whether all have been taken.
    """

    def __init__(self, items: Iterable[T]) -> None:
        self._read: queue.SimpleQueue[T | BaseException | object] = queue.SimpleQueue()
        self._room = threading.Semaphore(MOST)
        self._items, self.ended = items, False
        threading.Thread(target=self._fill, name="reading ahead", daemon=True).start()

    def _fill(self) -> None:
        last: BaseException | object = _END
        try:
            for item in self._items:
                self._room.acquire()
                self._read.put(item)
        except BaseException as error:
            last = error
        self._read.put(last)

    def take(self, most: int, seconds: float) -> list[T]:
        """Return the items that have been read.

        Args:
            most: how many at most.
            seconds: how long to wait for the first of them.

        Raises:
            Exception: any exception of the iterator, after all earlier items.
        """
        taken: list[T] = []
        while len(taken) < most and not self.ended:
            try:
                item = self._read.get(block=not taken and seconds > 0, timeout=seconds)
            except queue.Empty:
                break
            if item is _END:
                self.ended = True
            elif isinstance(item, BaseException) and taken:
                self._read.put(item)  # for the next call: nothing follows the end mark
                break
            elif isinstance(item, BaseException):
                raise item
            else:
                self._room.release()
                taken.append(item)  # type: ignore[arg-type]
        return taken
