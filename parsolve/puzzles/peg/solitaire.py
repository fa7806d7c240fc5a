"""Peg solitaire on any board: jump pegs over pegs until one is left, in as few moves as possible."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from parsolve.errors import BadInput
from parsolve.puzzle.core import Counting, Exploring, Instance, Puzzle, Want, parameter
from parsolve.puzzle.parameters import values_of
from parsolve.puzzles.peg import INSTANCES
from parsolve.puzzles.peg.bounds import CLASS_BOARD, CLASS_TARGET, CLASS_VACANCY, Bound
from parsolve.puzzles.peg.moves import PegMoves
from parsolve.puzzles.peg.wide import PegUnique, PegWide

MANY_PEGS, MANY_HOLES = 24, 34
"""`auto` uses feasible boards from this number of pegs on, up to this number of holes: with fewer pegs, a search
without them is faster; with more holes, they take gigabytes."""

MOST_HOLES = 58
"""Maximum number of holes that fit in a key of one word, with the hole of the peg moved last."""


@dataclass(frozen=True)
class Peg(PegMoves):
    """Jump pegs over pegs until one is left. A solution prints as its moves, each a run of jumps by one peg: the
    numbers of its holes, in brackets."""

    bound: Literal["none", "corners", "classes", "triples", "regions", "feasible", "auto"] = parameter(
        "auto",
        "lower bound: corners counts pegs that nothing can jump over, regions full sets of holes that a move must"
        " start in, and what the others know; classes and triples: Hiroi's (docs/peg.md), for"
        f" {CLASS_BOARD} with {CLASS_VACANCY} to {CLASS_TARGET}; feasible: a table of all boards from which the end can"
        " be reached, and breadth-first search among these; auto: regions, or feasible from"
        f" {MANY_PEGS} pegs on up to {MANY_HOLES} holes",
    )

    @property
    def is_feasible(self) -> bool:
        """Whether only feasible boards are searched."""
        holes = self.layout.holes
        are_many = self.start_pegs.bit_count() >= MANY_PEGS and holes <= MANY_HOLES
        return self.bound == "feasible" or (self.bound == "auto" and are_many)

    @cached_property
    def searched(self) -> PegMoves:
        """The puzzle that is searched instead, because its states or bounds suit the board; or this puzzle."""
        is_wide = self.layout.holes > MOST_HOLES or (self.unique and not self.is_feasible)
        is_large = self.layout.holes > MANY_HOLES and self.bound != "none"
        if not (self.is_feasible or is_wide or is_large):
            return self

        from parsolve.puzzles.peg.feasible import PegFeasible
        from parsolve.puzzles.peg.large import PegLarge

        if self.is_feasible:
            kind: type[PegMoves] = PegUnique if self.unique else PegFeasible
        else:
            kind = PegWide if is_wide else PegLarge
        return kind(**values_of(self))

    @property
    def obstacle(self) -> str:
        return super().obstacle if self.searched is self else self.searched.obstacle

    @cached_property
    def bounding(self) -> Bound:
        return self.searched.bounding if self.searched is not self else super().bounding

    @classmethod
    def instances(cls) -> dict[str, Instance]:
        return INSTANCES

    def exploring(self) -> Exploring:
        if self.first_jump >= 0:
            raise BadInput("peg: all positions from the start on are explored: set first to any")
        from parsolve.puzzles.peg.abstraction import PegBoards

        # With any end, so that all symmetries of the start count.
        boards = PegBoards(self.board, self.vacancy, "any", position=self.position)
        pegs = self.start_pegs.bit_count()
        return Exploring(boards, "pegs", lambda depth: pegs - depth, boards.images_in_all, boards.targets)

    def sharing(self) -> Puzzle:
        """The puzzle on feasible boards, whose graph is graded, if these fit in memory."""
        fits = self.is_feasible or self.layout.holes <= MANY_HOLES
        return replace(self, bound="feasible").searched if fits else self

    def counting(self, want: Want) -> Counting | None:
        searched = self.searched
        if self.obstacle:
            warning = f"peg: this cannot be solved: {self.obstacle}"
            return Counting(searched, warning=lambda _: warning, breadth=searched)
        if searched is self:
            return None
        # Breadth-first search has no use for the bound.
        bounded = replace(searched, bound="regions") if self.is_feasible else searched
        is_large = self.layout.holes > MANY_HOLES or (self.is_feasible and self.bound == "auto")
        if want != "count" or not is_large or self.unique or self.first_jump >= 0:
            return Counting(bounded, breadth=searched)
        # Whole moves: as many cheapest solutions, and no more states than positions.
        from parsolve.puzzles.peg.chains import PegChains

        chains = PegChains(self.board, self.vacancy, self.target, position=self.position, goal=self.goal)
        return Counting(bounded, breadth=chains)
