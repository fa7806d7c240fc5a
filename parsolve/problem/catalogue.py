"""The names of puzzles: built in, and of installed packages.

This file imports no puzzle until it is asked for one, so that `parsolve list` stays fast.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "parsolve.puzzles"
"""The group of entry points that name puzzles of installed packages."""


class Entry(NamedTuple):
    """A name of the command line: a family, or an instance of one with some parameters set."""

    module: str
    cls: str
    about: str
    presets: dict[str, Any] = {}  # noqa: RUF012 (never written to)
    variants: tuple[str, ...] = ()  # `module.Class`: what the constructor returns instead, where it must
    hint: str = ""  # what of its number of solutions may surprise, and what to do

    @property
    def is_family(self) -> bool:
        """Whether this is a family rather than a named instance."""
        return not self.presets


CATALOGUE: dict[str, Entry] = {
    "peg": Entry(
        "peg.solitaire",
        "Peg",
        "peg solitaire: jump pegs over pegs until one is left",
        variants=("peg.wide.PegWide", "peg.feasible.PegFeasible", "peg.unique.PegUnique"),
    ),
    "hoppers": Entry(
        "peg.solitaire",
        "Peg",
        "13 holes, 18 solutions of 7 moves",
        {"board": "hoppers", "vacancy": 6, "target": 6, "first": "0-6"},
        hint="its first jump is 0-6, as on the pages: --first any allows each",
    ),
    "peg21": Entry(
        "peg.solitaire",
        "Peg",
        "21 holes, 96 solutions of 12 moves",
        {"board": "triangle21_modified", "vacancy": 6, "target": 6, "first": "14-6"},
        hint="its first jump is 14-6, as on the pages: --first any allows each",
    ),
    "sliding": Entry("sliding", "Sliding", "sliding tiles of any shape up to 25 cells"),
    "eight": Entry("sliding", "Sliding", "an 8-puzzle of 31 moves", {"start": "8 6 7 2 5 4 3 0 1"}),
    "five": Entry("sliding", "Sliding", "the hardest 5-puzzle, 21 moves", {"start": "4 5 0 1 2 3"}),
    "eleven": Entry(
        "sliding",
        "Sliding",
        "an 11-puzzle, 76 solutions of 53 moves",
        {"start": "0 3 2 1 8 7 6 5 4 11 10 9", "shape": "3x4"},
    ),
    "jugs": Entry("jugs", "Jugs", "water jugs: measure an amount by filling, emptying and pouring"),
    "crossing": Entry("crossing", "Crossing", "river crossings: jealous husbands, missionaries, wolf and goat"),
    "flipit": Entry("flipit", "FlipIt", "a row of two-sided pieces: what is jumped over turns; make all white"),
    "flipit-a": Entry("flipit", "FlipIt", "five pieces, 7 solutions of 8 moves", {"row": "BB_BBB"}),
    "flipit-b": Entry("flipit", "FlipIt", "six pieces, 41 solutions of 8 moves", {"row": "B_WBBBB"}),
    "flipit-c": Entry("flipit", "FlipIt", "seven pieces, 73 solutions of 8 moves", {"row": "B_WWWBBB"}),
    "queens": Entry("queens.queens", "Queens", "n queens that do not attack each other, in five ways"),
    "permutations": Entry("permutations", "Permutations", "all permutations of n things, in two ways"),
    "cover": Entry(
        "cover",
        "Cover",
        "exact cover with colours, from Knuth's text format or BurrTools' files",
        variants=("cover.assembly.Assembly",),
    ),
    "polyominoes": Entry("cover.polyominoes", "Polyominoes", "fill a board with pentominoes or other pieces"),
    "sudoku": Entry("cover.sudoku", "Sudoku", "fill a Sudoku's grid"),
    "langford": Entry(
        "cover.langford",
        "Langford",
        "two of each number from 1 to n, with as many between them",
        hint="a row and the same one backwards count once",
    ),
}


def installed() -> "dict[str, EntryPoint]":
    """Return the entry points of installed packages that offer puzzles, by name; built-in names are not among them."""
    from importlib.metadata import entry_points  # 20 ms

    return {point.name: point for point in entry_points(group=GROUP) if point.name not in CATALOGUE}


def name_of(cls: type) -> str | None:
    """Return the name of a built-in family by its class; None for any other class."""
    place = f"{cls.__module__}.{cls.__name__}"
    for name, entry in CATALOGUE.items():
        classes = (f"{entry.module}.{entry.cls}", *entry.variants)
        if entry.is_family and place in {f"parsolve.puzzles.{each}" for each in classes}:
            return name
    return None
