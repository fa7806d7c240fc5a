"""Who loads or builds the pattern database of an abstraction.

It is the outcome of a breadth-first search, which itself searches a problem, and a problem needs its pattern databases:
so what builds them is above all who need them. It registers here, and is sent along with the work that may need it.
"""

from collections.abc import Callable

from parsolve.errors import ParsolveError
from parsolve.problem.data import PatternDatabase
from parsolve.puzzle import Puzzle

Maker = Callable[[Puzzle], PatternDatabase]
"""Return the pattern database of an abstraction. A function of a module."""

_maker: Maker | None = None


def register(maker: Maker | None) -> None:
    """Let pattern databases be loaded or built by a function, in this process; None changes nothing."""
    global _maker
    _maker = maker or _maker


def registered() -> Maker | None:
    """Return what loads or builds pattern databases in this process."""
    return _maker


def database_of(puzzle: Puzzle) -> PatternDatabase:
    """Return the pattern database of an abstraction; it is built if need be.

    Raises:
        BadInput, BadPuzzle: see `tables.origin.origin_of`.
        OutOfMemory: there is not enough memory to build it.
        ParsolveError: nothing is loaded that builds it.
    """
    if _maker is None:
        raise ParsolveError(f"nothing is loaded that builds the table of {type(puzzle).__name__}")
    return _maker(puzzle)
