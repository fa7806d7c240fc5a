"""Langford pairs: two of each number from 1 to n, with as many numbers between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from parsolve.puzzle.core import State, parameter
from parsolve.puzzles.exact_cover.covering import Covering
from parsolve.puzzles.exact_cover.instance import Builder, Instance


@dataclass(frozen=True)
class Langford(Covering):
    """Put two of each number from 1 to n in a row, so that as many numbers are between them. Of a row and the same one
    backwards one is a solution."""

    n: int = parameter(7, "the greatest number, up to 64", least=1, most=64)

    def hint(self) -> str:
        return "a row and the same one backwards count once"

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The options: a number, and the first of its two places, counted from 0."""
        # The reflection moves the pair of an odd distance from the ends: only its first half is included.
        halved = self.n - (self.n % 2 == 0)
        found = []
        for number in range(1, self.n + 1):
            places = self.n // 2 if number == halved else 2 * self.n - number - 1
            found += [(number, place) for place in range(places)]
        return found

    @cached_property
    def instance(self) -> Instance:
        numbers = [f"n{number}" for number in range(1, self.n + 1)]
        builder = Builder([*numbers, *(f"s{place}" for place in range(1, 2 * self.n + 1))])
        for number, place in self.pairs:
            builder.add([f"n{number}", f"s{place + 1}", f"s{place + number + 2}"])
        return builder.finish()

    def show(self, solution: Any) -> str:
        return " ".join(map(str, map(sum, zip(*self._places(solution.moves), strict=True))))

    def render(self, state: State, moves: Sequence[int]) -> str:
        width = len(str(self.n))
        return "\n".join(" ".join(str(each or "·").rjust(width) for each in row) for row in self._places(moves))

    def _places(self, moves: Sequence[int]) -> list[list[int]]:
        """Return a row for each number: the number in its two places, 0 elsewhere."""
        rows = [[0] * (2 * self.n) for _ in range(self.n)]
        for move in moves:
            number, place = self.pairs[move]
            rows[number - 1][place] = rows[number - 1][place + number + 1] = number
        return rows
