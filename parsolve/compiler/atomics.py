"""Atomic changes of an array that several threads write into; a prefetch; one of several arrays without a jump.

Compiled code uses the processor's own instructions (`lowering.instructions`). As in all compiled code, places are not
checked. Each change is atomic, and nothing else is ordered between threads.
"""

import operator
import threading
from collections.abc import Callable
from typing import Any

from parsolve.compiler.marks import lowered

_lock = threading.Lock()
"""Makes the functions atomic in plain Python."""


def _atomic(name: str, change: Callable[[Any, Any], Any]) -> Any:
    """Return a function that changes an item of an array by an operand and returns its old value."""

    def plain(array: Any, place: Any, operand: Any) -> Any:
        with _lock:
            before = array[place]
            array[place] = change(before, operand)
        return before

    plain.__name__ = plain.__qualname__ = name
    return lowered(plain)


atomic_or = _atomic("atomic_or", operator.or_)
"""`atomic_or(words, place, bits) -> uint64`: set bits in words[place], uint64; return the old word."""

atomic_swap = _atomic("atomic_swap", lambda before, word: word)
"""`atomic_swap(words, place, word) -> uint64`: set words[place], uint64; return the old word."""

atomic_add = _atomic("atomic_add", operator.add)
"""`atomic_add(numbers, place, more) -> int64`: add to numbers[place], int64; return the old number."""


@lowered
def prefetch(array: Any, place: Any) -> None:
    """Begin to load array[place] into the cache."""


@lowered
def item_in(arrays: Any, number: Any, place: Any) -> Any:
    """Return arrays[number][place] without a jump, which a processor would foresee wrongly too often.

    Args:
        arrays: a tuple of arrays[any] of one dtype.
        number: which of them, uint64.
        place: in it, uint64.
    """
    return arrays[number][place]
