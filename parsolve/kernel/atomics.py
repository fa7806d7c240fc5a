"""Instructions for several threads that write into one array, and one to fetch memory ahead.

Compiled code uses the processor's own (`lowering.atomics`). Places are not checked, as in all compiled code. Each
instruction is atomic, and nothing else is ordered between threads.
"""

import operator
import threading
from collections.abc import Callable
from typing import Any

from parsolve.kernel.marks import taught

_lock = threading.Lock()
"""Makes the plain functions atomic."""


def _atomic(name: str, change: Callable[[Any, Any], Any]) -> Any:
    """Return a function that changes an item of an array and returns what it was.

    Args:
        name: of the function.
        change: returns the new item, from the old one and the operand.
    """

    def plain(array: Any, place: Any, operand: Any) -> Any:
        with _lock:
            before = array[place]
            array[place] = change(before, operand)
        return before

    plain.__name__ = plain.__qualname__ = name
    return taught(plain)


atomic_or = _atomic("atomic_or", operator.or_)
"""`atomic_or(words, place, bits) -> uint64`: set bits in words[place], uint64; return the word before."""

atomic_swap = _atomic("atomic_swap", lambda before, word: word)
"""`atomic_swap(words, place, word) -> uint64`: set words[place], uint64; return the word before."""

atomic_add = _atomic("atomic_add", operator.add)
"""`atomic_add(numbers, place, more) -> int64`: add to numbers[place], int64; return the number before."""


@taught
def prefetch(array: Any, place: Any) -> None:
    """Begin to load array[place] into the cache."""
