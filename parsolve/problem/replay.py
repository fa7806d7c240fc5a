"""Moves replayed through a puzzle's rules into states: all that is shown of a solution follows from its moves."""

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from parsolve.compiler.rows import rows_to_overrun
from parsolve.errors import NotReproducible, ParsolveError
from parsolve.problem.calling import call_kernel
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.hooks import images_from, picture_from, text_from
from parsolve.problem.problem import Problem
from parsolve.problem.templates.restore import Stack
from parsolve.puzzle.core import Shape, State
from parsolve.text import one_line, plural


class Solution:
    """One solution. Methods that show it raise BadPuzzle if the puzzle's own method fails.

    Args:
        moves: their codes.
        problem: its problem.

    Attributes:
        moves: tuple of int, the codes of the moves.
    """

    def __init__(self, moves: Sequence[int], problem: Problem) -> None:
        self.moves = tuple(moves)
        self._problem = problem

    @cached_property
    def states(self) -> list[State]:
        """The states along it, the root first, by their fields; an array field is a list."""
        return [self._problem.state_of(row) for row in replay(self._problem, self.moves)]

    @property
    def cost(self) -> int:
        """Its cost."""
        return int(self.states[-1]["cost"])

    @property
    def text(self) -> str:
        """Its text for a person."""
        return text_from(self._problem.puzzle, "show", self)

    def render(self, step: int) -> str:
        """Return the state after `step` moves as text for a terminal."""
        return text_from(self._problem.puzzle, "render", self.states[step], self.moves[:step])

    @property
    def boards(self) -> list[str]:
        """The states along it as text: those from which a move with a cost leads on, and the last."""
        costs = [state["cost"] for state in self.states]
        ends = [number for number, (cost, on) in enumerate(itertools.pairwise(costs)) if cost < on]
        return [self.render(number) for number in (*ends, len(costs) - 1)]

    @property
    def pictures(self) -> list[tuple[Shape, ...]]:
        """Every state along it as shapes, the root first."""
        puzzle = self._problem.puzzle
        return [picture_from(puzzle, state, self.moves[:number]) for number, state in enumerate(self.states)]

    @property
    def svg(self) -> str:
        """An animated picture of it: an SVG document."""
        from parsolve.problem.svg import animation  # not needed by a search

        return animation(self.pictures, f"{self._problem.name}: {self.text}")

    @property
    def strip(self) -> str:
        """A still picture of it, all states side by side: an SVG document in colours that every program knows."""
        from parsolve.problem.svg import strip

        return strip(self.pictures, f"{self._problem.name}: {self.text}")

    def beginning(self, moves: int) -> "Solution":
        """Return the solution that consists of its first moves."""
        return Solution(self.moves[:moves], self._problem)

    @property
    def representative(self) -> tuple[int, ...]:
        """The least of its images by the puzzle's symmetries, as moves: the same for all of its images."""
        return min(images_from(self._problem.puzzle, self.moves), default=self.moves)

    @property
    def stands_for(self) -> int:
        """How many solutions it stands for: its images, where one of them counts for all."""
        puzzle = self._problem.puzzle
        return len({*images_from(puzzle, self.moves)}) if text_from(puzzle, "up_to") else 1

    def to_dict(self, slack: int | None = None) -> dict[str, Any]:
        """Return it as plain data: its text, its moves, and the states along it, each as text and by its fields. With
        `slack`, where costs differ, also its cost."""
        puzzle = self._problem.puzzle
        states = [{"text": text_from(puzzle, "show_state", each), "fields": each} for each in self.states]
        cost = {"cost": self.cost} if slack else {}
        return {**cost, "text": self.text, "moves": list(self.moves), "states": states}

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        about = f"Solution of {self._problem.name}, {plural(len(self.moves), 'move')}"
        try:
            return f"<{about}: {one_line(self.text, 60)}>"
        except ParsolveError:  # the puzzle cannot show it
            return f"<{about}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Solution):
            return False
        return (self.moves, self._problem.given) == (other.moves, other._problem.given)

    def __hash__(self) -> int:
        return hash(self.moves)


def replay(problem: Problem, moves: Sequence[int]) -> np.ndarray[Any, Any]:
    """Return the states along a path of moves from the root: record[len(moves) + 1].

    Raises:
        NotReproducible: a move is missing.
    """
    if not moves:
        return problem.root.copy()
    levels = len(moves) + 1
    rows = rows_to_overrun((levels + 4) * problem.children + 64, problem.state)
    rows[:1] = problem.root
    nexts, ends = np.zeros(levels, np.uint64), np.zeros(levels, np.uint64)
    first = np.zeros(levels + 1, np.int64)
    first[-1] = 1  # only the last level has a pending row: the last move's
    path = np.array([problem.root["move"][0], *moves[:-1]], np.int64)
    level = call_kernel(
        problem.compiled_rules.restore,
        problem.puzzle,
        problem.tables,
        rows,
        Stack(nexts, ends),
        NO_LIMIT,
        len(rows),
        path,
        first,
        np.array(moves[-1:], np.int64),
    )
    if level != levels - 1:
        raise NotReproducible(f"{problem.name}: move {-1 - level} of a solution is not there")
    at = nexts.astype(np.int64)
    at[:-1] -= 1  # on the path the current row is the one before the next
    return rows[at].copy()
