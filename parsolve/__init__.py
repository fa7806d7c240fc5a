"""Counts and lists every cheapest solution of a puzzle, on every core, exactly.

>>> import parsolve
>>> result = parsolve.solve(parsolve.puzzles.Sliding(start="8 6 7 2 5 4 3 0 1"))
>>> result.cost, result.count
(31, 40)
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from parsolve import puzzles
    from parsolve.catalogue import Instance
    from parsolve.errors import BadInput, BadPuzzle, Disagreement, GuardStop, OutOfMemory, ParsolveError
    from parsolve.iterators import aiter_solutions, iter_solutions
    from parsolve.journal.journal import Journal
    from parsolve.library import distances, solve, solve_each
    from parsolve.problem.replay import Solution
    from parsolve.puzzle import Better, Counting, Exploring, Puzzle, Roots, State, parameter
    from parsolve.search.progress import Progress
    from parsolve.search.result import Iteration, Result
    from parsolve.search.tuning import Tuning
    from parsolve.search.watch import Listener
    from parsolve.shapes import Shape

__version__ = "0.1.0"

__all__ = [
    "BadInput",
    "BadPuzzle",
    "Better",
    "Counting",
    "Disagreement",
    "Exploring",
    "GuardStop",
    "Instance",
    "Iteration",
    "Journal",
    "Listener",
    "OutOfMemory",
    "ParsolveError",
    "Progress",
    "Puzzle",
    "Result",
    "Roots",
    "Shape",
    "Solution",
    "State",
    "Tuning",
    "aiter_solutions",
    "distances",
    "iter_solutions",
    "parameter",
    "puzzles",
    "solve",
    "solve_each",
]

# Loaded on first use: `parsolve --help` must not pay for numpy.
_HOMES = {
    "BadInput": "parsolve.errors",
    "BadPuzzle": "parsolve.errors",
    "Better": "parsolve.puzzle",
    "Counting": "parsolve.puzzle",
    "Disagreement": "parsolve.errors",
    "Exploring": "parsolve.puzzle",
    "GuardStop": "parsolve.errors",
    "Instance": "parsolve.catalogue",
    "Result": "parsolve.search.result",
    "Roots": "parsolve.puzzle",
    "Iteration": "parsolve.search.result",
    "Journal": "parsolve.journal.journal",
    "OutOfMemory": "parsolve.errors",
    "ParsolveError": "parsolve.errors",
    "Progress": "parsolve.search.progress",
    "Puzzle": "parsolve.puzzle",
    "Shape": "parsolve.shapes",
    "Listener": "parsolve.search.watch",
    "parameter": "parsolve.puzzle",
    "Solution": "parsolve.problem.replay",
    "aiter_solutions": "parsolve.iterators",
    "distances": "parsolve.library",
    "iter_solutions": "parsolve.iterators",
    "State": "parsolve.puzzle",
    "solve": "parsolve.library",
    "solve_each": "parsolve.library",
    "Tuning": "parsolve.search.tuning",
}


def __getattr__(name: str) -> Any:
    if name == "puzzles":
        return importlib.import_module("parsolve.puzzles")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'parsolve' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names for completion: no modules."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
