"""Boards whose tiles are divided into patterns: the base of the bounds by additive pattern databases.

Each pattern counts only the moves of its own tiles, so the patterns' distances add up. If a symmetry of the board
leaves the goal's blank in place, the board's image is equally far from the goal: the greater of both sums is the bound.
R. E. Korf and A. Felner, Disjoint pattern database heuristics, Artificial Intelligence 134 (2002) 9-22.
"""

from dataclasses import dataclass
from functools import cached_property

from parsolve.puzzle import parameter
from parsolve.puzzles.sliding.abstractions import Pattern
from parsolve.puzzles.sliding.board import Board
from parsolve.puzzles.sliding.geometry import symmetries
from parsolve.puzzles.sliding.partitions import group_sizes, partition


@dataclass(frozen=True)
class Patterned(Board):
    """A board whose tiles are divided into patterns."""

    patterns: str = parameter("", "how many tiles each pattern has, such as 5-5-5; by shape if absent")

    @cached_property
    def groups(self) -> list[tuple[int, ...]]:
        """The homes of each pattern's tiles."""
        sizes = group_sizes(self.patterns, len(self.homes))
        return partition(*self.rows_and_columns, self.homes[0], sizes)

    @cached_property
    def symmetry(self) -> tuple[int, ...] | None:
        """The image of each cell under a symmetry that leaves the goal's blank in place, but not every pattern; None if
        there is none."""
        blank, groups = self.homes[0], {frozenset(group) for group in self.groups}
        for image in symmetries(*self.rows_and_columns):
            if image[blank] == blank and {frozenset(image[cell] for cell in group) for group in groups} != groups:
                return image
        return None

    def abstractions(self) -> list[Pattern]:
        rows, columns = self.rows_and_columns
        shape = f"{rows}x{columns}"
        return [Pattern(shape, " ".join(map(str, group)), self.homes[0]) for group in self.groups]

    @cached_property
    def images(self) -> list[tuple[int, ...]]:
        """The image of each cell under the identity, and under the symmetry if there is one."""
        return [tuple(range(len(self.homes))), *([self.symmetry] if self.symmetry else [])]
