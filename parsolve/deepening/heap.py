"""A heap from which any item can be removed."""

import heapq
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")

SLACK = 64
"""Number of dead entries that are always allowed."""


class Heap(Generic[T]):
    """Items by rising keys. Each operation takes logarithmic time, on average; the memory is that of twice the items.

    A discarded item leaves a dead entry, which is dropped when it reaches the top, or together with all other dead
    entries when these outnumber the items.
    """

    def __init__(self) -> None:
        self._entries: list[tuple[Any, int, T]] = []
        self._numbers: dict[T, int] = {}  # an entry with another number is dead
        self._next = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[T]:
        return iter(self._numbers)

    def push(self, item: T, key: Any) -> None:
        """Add an item that is not in the heap yet."""
        self._numbers[item] = self._next
        heapq.heappush(self._entries, (key, self._next, item))
        self._next += 1

    def first(self) -> T | None:
        """Return the item with the least key; None if there is none."""
        entries, numbers = self._entries, self._numbers
        while entries:
            _, number, item = entries[0]
            if numbers.get(item) == number:
                return item
            heapq.heappop(entries)
        return None

    def discard(self, item: T) -> None:
        """Remove an item, if present."""
        if self._numbers.pop(item, None) is None:
            return
        if len(self._entries) > 2 * len(self._numbers) + SLACK:
            numbers = self._numbers
            self._entries = [entry for entry in self._entries if numbers.get(entry[2]) == entry[1]]
            heapq.heapify(self._entries)
