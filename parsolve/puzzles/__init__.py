"""The built-in puzzles: their classes, loaded on first use."""

import importlib
from typing import TYPE_CHECKING, Any

from parsolve.problem.catalogue import CATALOGUE

if TYPE_CHECKING:
    from parsolve.puzzles.cover import Cover
    from parsolve.puzzles.cover.langford import Langford
    from parsolve.puzzles.cover.polyominoes import Polyominoes
    from parsolve.puzzles.cover.sudoku import Sudoku
    from parsolve.puzzles.crossing import Crossing
    from parsolve.puzzles.flipit import FlipIt
    from parsolve.puzzles.jugs import Jugs
    from parsolve.puzzles.peg.solitaire import Peg
    from parsolve.puzzles.permutations import Permutations
    from parsolve.puzzles.queens.queens import Queens
    from parsolve.puzzles.sliding import Sliding

__all__ = [
    "Cover",
    "Crossing",
    "FlipIt",
    "Jugs",
    "Langford",
    "Peg",
    "Permutations",
    "Polyominoes",
    "Queens",
    "Sliding",
    "Sudoku",
]


def __getattr__(name: str) -> Any:
    for entry in CATALOGUE.values():
        if entry.cls == name:
            return getattr(importlib.import_module(f"parsolve.puzzles.{entry.module}"), name)
    raise AttributeError(f"module 'parsolve.puzzles' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return what completion is to offer: the classes too that are not loaded yet."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
