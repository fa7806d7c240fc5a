"""Counts and lists every cheapest solution of a puzzle, on every core, exactly.

>>> import parsolve
>>> result = parsolve.solve(parsolve.puzzles.Sliding(start="8 6 7 2 5 4 3 0 1"))
>>> result.cost, result.count
(31, 40)
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the names of `_NAMES`
    from parsolve import puzzles as puzzles
    from parsolve.errors import BadInput as BadInput
    from parsolve.errors import BadPuzzle as BadPuzzle
    from parsolve.errors import Disagreement as Disagreement
    from parsolve.errors import GuardStop as GuardStop
    from parsolve.errors import OutOfMemory as OutOfMemory
    from parsolve.errors import ParsolveError as ParsolveError
    from parsolve.journal.reader import JournalReader as JournalReader
    from parsolve.library import aiter_solutions as aiter_solutions
    from parsolve.library import distances as distances
    from parsolve.library import iter_solutions as iter_solutions
    from parsolve.library import prepare as prepare
    from parsolve.library import solve as solve
    from parsolve.library import solve_each as solve_each
    from parsolve.problem.replay import Solution as Solution
    from parsolve.puzzle.catalogue import Instance as Instance
    from parsolve.puzzle.core import Better as Better
    from parsolve.puzzle.core import Counting as Counting
    from parsolve.puzzle.core import Exploring as Exploring
    from parsolve.puzzle.core import Puzzle as Puzzle
    from parsolve.puzzle.core import Roots as Roots
    from parsolve.puzzle.core import State as State
    from parsolve.puzzle.core import parameter as parameter
    from parsolve.puzzle.shapes import Shape as Shape
    from parsolve.search.progress import Progress as Progress
    from parsolve.search.result import Iteration as Iteration
    from parsolve.search.result import Result as Result
    from parsolve.search.tuning import Tuning as Tuning
    from parsolve.search.watch import Listener as Listener

__version__ = "0.1.0"

# Loaded on first use: `parsolve --help` must not pay for numpy.
_NAMES = {
    "parsolve.puzzle.catalogue": "Instance",
    "parsolve.errors": "BadInput BadPuzzle Disagreement GuardStop OutOfMemory ParsolveError",
    "parsolve.journal.reader": "JournalReader",
    "parsolve.library": "aiter_solutions distances iter_solutions prepare solve solve_each",
    "parsolve.problem.replay": "Solution",
    "parsolve.puzzle.core": "Better Counting Exploring Puzzle Roots State parameter",
    "parsolve.search.progress": "Progress",
    "parsolve.search.result": "Iteration Result",
    "parsolve.search.tuning": "Tuning",
    "parsolve.search.watch": "Listener",
    "parsolve.puzzle.shapes": "Shape",
}

_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted([*_HOMES, "puzzles"])


def __getattr__(name: str) -> Any:
    if name == "puzzles":
        return importlib.import_module("parsolve.puzzles")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'parsolve' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names for completion: no modules."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
