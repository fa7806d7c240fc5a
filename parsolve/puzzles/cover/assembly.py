"""Assemblies of burrs and packing puzzles, from BurrTools' files."""

import math
from dataclasses import dataclass
from functools import cached_property

from parsolve.puzzle.core import parameter
from parsolve.puzzles.cover import xmpuzzle
from parsolve.puzzles.exact_cover.packing import Packing
from parsolve.puzzles.exact_cover.places import Places, Same
from parsolve.text import plural


@dataclass(frozen=True)
class Assembly(Packing):
    """Put pieces together to a shape. A solution prints as the rows of the shape, a dot where there is nothing, a slash
    between layers.

    Assemblies that turns and reflections of the shape make of each other count once, if the file has the pieces of
    both. Whether the pieces can be moved there is not asked.
    """

    file: str = parameter("", "BurrTools' .xmpuzzle", text_file=True, most=1 << 24)
    problem: int = parameter(1, "of a file with several problems, which one", least=1)

    symmetry: Same = parameter("all", "which assemblies are the same: turns of one another, all also images, or none")

    symmetric = False

    def __post_init__(self) -> None:
        self.check("cover: file: ")

    def hint(self) -> str:
        return self.places.obstacle or self._told_apart

    @cached_property
    def _told_apart(self) -> str:
        """That equal shapes count as one piece, and how many solutions there would be otherwise; empty without them."""
        several = [each for each in self.places.stock.values() if each.listed]
        if not several:
            return ""
        number = sum(len(each.listed) for each in several)
        times = "several times"
        if all(least == most for each in several for least, most in each.listed):
            ways = (
                math.factorial(each.most) // math.prod(math.factorial(n) for n, _ in each.listed) for each in several
            )
            times = plural(math.prod(ways), "time")
        return (
            f"{number} shapes are listed apart but equal to others, and count as {plural(len(several), 'piece')}: told"
            f" apart, each solution without symmetry would count {times}"
        )

    @cached_property
    def places(self) -> Places:
        return Places(*xmpuzzle.read(self.file, self.problem), "free", self.symmetry)
