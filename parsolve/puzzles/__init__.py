"""The families that come with parsolve, a folder each. Their classes are loaded on first use."""

from typing import TYPE_CHECKING, Any

from parsolve.puzzle.catalogue import families, is_own

if TYPE_CHECKING:
    from parsolve.puzzles.cover.cover import Cover as Cover
    from parsolve.puzzles.crossing.crossing import Crossing as Crossing
    from parsolve.puzzles.domination.domination import Domination as Domination
    from parsolve.puzzles.flipit.flipit import FlipIt as FlipIt
    from parsolve.puzzles.jugs.jugs import Jugs as Jugs
    from parsolve.puzzles.langford.langford import Langford as Langford
    from parsolve.puzzles.peg.solitaire import Peg as Peg
    from parsolve.puzzles.permutations.permutations import Permutations as Permutations
    from parsolve.puzzles.polyominoes.polyominoes import Polyominoes as Polyominoes
    from parsolve.puzzles.queens.queens import Queens as Queens
    from parsolve.puzzles.sliding.sliding import Sliding as Sliding
    from parsolve.puzzles.sudoku.sudoku import Sudoku as Sudoku


def __getattr__(name: str) -> Any:
    classes = {point.attr: point for point in families().values() if is_own(point.module)}
    if name == "__all__":
        return sorted(classes)
    if name not in classes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return classes[name].load()


def __dir__() -> list[str]:
    """Return the names for completion, including classes that are not loaded yet."""
    return sorted({*__getattr__("__all__"), *(name for name in globals() if name.startswith("__"))})
