"""Rush Hour: slide cars and trucks until the red car can leave.

parsolve solve examples/rush_hour.py:RushHour --want first --boards
parsolve count examples/rush_hour.py:RushHour:hardest               60 moves
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve import BadInput, Puzzle, Shape, State, parameter

SIDE = 6
MOST = 18
"""Cells of a side, and vehicles at most."""


class Vehicle(NamedTuple):
    """A car or truck: its letter, the first cell of the row or column that it moves in, the distance of the cells there
    (1 in a row, 6 in a column), its length, and where it starts."""

    letter: str
    first: int
    step: int
    length: int
    start: int


class Tables(NamedTuple):
    """What the rules look up, by vehicle, the red one first; and the cells that are walls, as bits."""

    first: np.ndarray
    step: np.ndarray
    length: np.ndarray
    walls: np.uint64


@dataclass(frozen=True)
class RushHour(Puzzle):
    """Slide vehicles along their rows and columns, until the red car A is at the right border. A slide over any number
    of cells is one move. A solution prints each move as a letter, a direction and a number of cells."""

    board: str = parameter(
        "BBoooC DooEoC DAAEoC DooEoo FoooGG FoHHHo",
        "the rows from above: letters for vehicles, A for the red car, o for an empty cell, x for a wall",
    )
    state = np.dtype([("place", "u1", (MOST,)), ("cost", "u1"), ("move", "u1")])
    children = 10 * SIDE  # no more slides than empty cells and vehicles around them
    graph = "reversible"
    default_engine = "breadth"  # the states are few, and many ways lead to each

    def __post_init__(self) -> None:
        _ = self.vehicles  # a wrong board is refused at once

    @classmethod
    def instances(cls) -> Mapping[str, Mapping[str, Any]]:
        return {"hardest": {"board": "IBBxoo IooLDD JAALoo JoKEEM FFKooM GGHHHM"}}  # 60 moves: Michael Fogleman, 2018

    @cached_property
    def vehicles(self) -> list[Vehicle]:
        cells = "".join(self.board.split())
        if len(cells) != SIDE**2:
            raise BadInput(f"board: {len(cells)} cells, and there should be {SIDE**2}")
        found = []
        for letter in sorted(set(cells) - set("ox.")):
            covered = [cell for cell in range(SIDE**2) if cells[cell] == letter]
            step = covered[-1] - covered[-2] if len(covered) > 1 else 0
            first = covered[0] - covered[0] % SIDE if step == 1 else covered[0] % SIDE
            if step not in (1, SIDE) or covered != [*range(covered[0], covered[-1] + 1, step)]:
                raise BadInput(f"board: {letter} is not a row or column of cells")
            found.append(Vehicle(letter, first, step, len(covered), (covered[0] - first) // step))
        if not found or found[0].letter != "A" or found[0].step != 1 or len(found) > MOST:
            raise BadInput(f"board: a red car A in a row is wanted, and at most {MOST} vehicles")
        return found

    def root(self) -> dict[str, Any]:
        starts = [vehicle.start for vehicle in self.vehicles]
        return {"place": starts + [0] * (MOST - len(starts))}

    def tables(self) -> Tables:
        _, first, step, length, _ = zip(*self.vehicles, strict=True)
        walls = sum(1 << cell for cell, letter in enumerate("".join(self.board.split())) if letter == "x")
        return Tables(np.array(first), np.array(step), np.array(length), np.uint64(walls))

    @staticmethod
    def expand(tables: Tables, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        if here.cost + 1 > limit:
            return top
        covered = tables.walls
        for vehicle in range(tables.first.size):
            for part in range(tables.length[vehicle]):
                covered |= bit(tables, vehicle, here.place[vehicle] + part)
        for vehicle in range(tables.first.size):
            low = high = np.int64(here.place[vehicle])
            while low > 0 and not covered & bit(tables, vehicle, low - 1):
                low -= 1
            size = tables.length[vehicle]
            while high + size < SIDE and not covered & bit(tables, vehicle, high + size):
                high += 1
            for place in range(low, high + 1):
                if place != here.place[vehicle]:
                    row = rows[top]
                    for each in range(MOST):
                        row.place[each] = here.place[each]
                    row.place[vehicle] = place
                    row.cost, row.move = here.cost + 1, vehicle * SIDE + place
                    top += 1
        return top

    @staticmethod
    def solved(tables: Tables, here: Any) -> Any:
        return here.place[0] + tables.length[0] == SIDE

    @staticmethod
    def key(tables: Tables, here: Any) -> Any:
        number = np.uint64(0)
        for vehicle in range(MOST):
            number = number << np.uint64(3) | np.uint64(here.place[vehicle])
        return number

    def show(self, solution: Any) -> str:
        words = []
        for before, after, move in zip(solution.states, solution.states[1:], solution.moves, strict=False):
            vehicle = move // SIDE
            far = int(after["place"][vehicle]) - int(before["place"][vehicle])
            ways = "←→" if self.vehicles[vehicle].step == 1 else "↑↓"
            words.append(f"{self.vehicles[vehicle].letter}{ways[far > 0]}{abs(far)}")
        return " ".join(words)

    def render(self, state: State, moves: Sequence[int]) -> str:
        cells = [letter if letter in "xo" else "o" for letter in "".join(self.board.split())]
        for vehicle, place in zip(self.vehicles, state["place"], strict=False):
            for part in range(vehicle.length):
                cells[vehicle.first + vehicle.step * (place + part)] = vehicle.letter
        return "\n".join("".join(cells[row : row + SIDE]) for row in range(0, SIDE**2, SIDE))

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        cells = enumerate("".join(self.board.split()))
        shapes = [
            Shape("box", cell % SIDE, cell // SIDE, "hole" if letter == "x" else "cell", 0.94, 0.94)
            for cell, letter in cells
        ]
        for number, (letter, first, step, length, _) in enumerate(self.vehicles):
            row, column = divmod(first + step * state["place"][number], SIDE)
            right, down = (length - 1, 0) if step == 1 else (0, length - 1)
            x, y, name = column + right / 2, row + down / 2, f"vehicle {letter}"
            shapes.append(Shape("box", x, y, "piece" if number else "mark", right + 0.9, down + 0.9, letter, name))
        return shapes


def bit(tables: Tables, vehicle: Any, place: Any) -> Any:
    """Return the bit of a cell in a vehicle's row or column."""
    return np.uint64(1) << np.uint64(tables.first[vehicle] + tables.step[vehicle] * place)
