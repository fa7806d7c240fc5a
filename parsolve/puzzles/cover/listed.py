"""Exact cover problems in Knuth's text format, whose solutions are shown as their options."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from parsolve.puzzle import State
from parsolve.puzzles.exact_cover.instance import Instance
from parsolve.puzzles.exact_cover.rules import Covering


class Listed(Covering):
    """Base class of exact cover problems with names."""

    @property
    @abstractmethod
    def written(self) -> Instance:
        """The problem."""

    @property
    def instance(self) -> Instance:
        return self.written

    def chosen(self, moves: Sequence[int]) -> list[int]:
        """Return the numbers of the options that moves choose, ascending."""
        return sorted(move for move in moves if move < len(self.written.options))

    def show(self, solution: Any) -> str:
        return ", ".join(" ".join(self.written.words(option)) for option in self.chosen(solution.moves))

    def render(self, state: State, moves: Sequence[int]) -> str:
        names = self.written.primary + self.written.secondary
        by: dict[int, list[str]] = {}
        for option in self.chosen(moves):
            for item, _ in self.written.options[option]:
                by.setdefault(item, []).append(" ".join(self.written.words(option)))
        width = max(map(len, names), default=0)
        covered = [", ".join(by.get(item, "·")) for item in range(len(names))]
        return "\n".join(f"{name.ljust(width)}  {options}" for name, options in zip(names, covered, strict=True))
