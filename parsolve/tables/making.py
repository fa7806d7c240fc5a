"""Who builds a table that is not there.

A table is the outcome of a breadth-first search, which itself searches a problem, and a problem needs tables: so what
builds them is above all who need them. It registers here, and is sent along with the work that may need it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.errors import ParsolveError
from parsolve.puzzle import Puzzle
from parsolve.tables.store import find

Maker = Callable[[Puzzle], np.ndarray[Any, Any]]
"""Return the table of an abstraction, uint8[entries] or uint64[any], read-only. A function of a module."""

_maker: Maker | None = None


def register(maker: Maker | None) -> None:
    """Let tables that are not there be built by a function, in this process; None changes nothing."""
    global _maker
    _maker = maker or _maker


def registered() -> Maker | None:
    """Return what builds tables in this process."""
    return _maker


def table_of(puzzle: Puzzle) -> np.ndarray[Any, Any]:
    """Return the table of an abstraction, uint8[entries] or uint64[any], read-only; it is built if need be.

    Raises:
        BadInput, BadPuzzle: see `origin_of`.
        OutOfMemory: there is not enough memory to build it.
    """
    found = find(puzzle)
    if found is not None:
        return found
    if _maker is None:
        raise ParsolveError(f"the table of {type(puzzle).__name__} is not there, and nothing is loaded that builds it")
    return _maker(puzzle)
