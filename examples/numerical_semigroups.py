"""Numerical semigroups: sets of whole numbers with 0 that hold the sum of any two of them, and all but a few numbers.

parsolve count examples/numerical_semigroups.py:NumericalSemigroups --genus 12      592: A007323 of the OEIS
parsolve solve examples/numerical_semigroups.py:NumericalSemigroups --genus 3       each by the numbers that are missing
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from parsolve import Puzzle, State, parameter

ONE = np.uint64(1)


class Tables(NamedTuple):
    """What the rules look up."""

    genus: int


@dataclass(frozen=True)
class NumericalSemigroups(Puzzle):
    """Remove generators from the whole numbers, in rising order, until as many numbers are missing as the genus says.
    Each semigroup is found once: taking back its greatest missing number leads to one other."""

    genus: int = parameter(5, "how many numbers are missing", least=1, most=20)
    state = np.dtype([("missing", "u8"), ("cost", "u1"), ("move", "u1")])  # a bit for each number, up to 3 genus + 1

    @property
    def children(self) -> int:
        return self.genus + 1

    def limits(self) -> Sequence[int]:
        return (self.genus,)

    def root(self) -> dict[str, Any]:
        return {}

    def tables(self) -> Tables:
        return Tables(self.genus)

    @staticmethod
    def expand(tables: Tables, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        if here.cost + 1 > limit:
            return top
        least = 1  # the least positive number of the semigroup
        while here.missing >> np.uint64(least) & ONE:
            least += 1
        for number in range(here.move + 1, here.move + least + 1):  # a larger one is the sum of `least` and another
            if is_generator(here.missing, number):
                row = rows[top]
                row.missing = here.missing | ONE << np.uint64(number)
                row.cost, row.move = here.cost + 1, number
                top += 1
        return top

    @staticmethod
    def solved(tables: Tables, here: Any) -> Any:
        return here.cost == tables.genus

    def show_state(self, state: State) -> str:
        return "{" + ", ".join(str(number) for number in range(64) if state["missing"] >> number & 1) + "}"

    def show(self, solution: Any) -> str:
        return self.show_state(solution.states[-1])


def is_generator(missing: Any, number: Any) -> Any:
    """Return whether a number of the semigroup, greater than all missing ones, is no sum of two others."""
    for part in range(1, number // 2 + 1):
        if not (missing >> np.uint64(part) | missing >> np.uint64(number - part)) & ONE:
            return False
    return True
