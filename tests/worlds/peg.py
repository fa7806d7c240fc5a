"""Instances of peg solitaire: random boards of both lattices, positions, ends and bounds."""

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Literal

from parsolve.puzzles import Peg
from worlds.plain import Instance, cheapest, distances, tree_size

Place = tuple[int, int]
Map = Callable[[Place], Place]
Pegs = frozenset[int]

LARGEST = 20_000
"""Nodes of a search without a bound, at its last limit."""


class Board:
    """A random board of holes.

    Attributes:
        places: of the holes, by their number.
        jumps: from, over and to.
        text: its drawing.
    """

    def __init__(self, random_: random.Random) -> None:
        self.lattice: Literal["square", "triangular"] = random_.choice(("square", "triangular"))
        if self.lattice == "square":
            rows, columns = random_.randint(1, 4), random_.randint(3, 5)
            places = [(row, 2 * column) for row in range(rows) for column in range(columns)]
            steps = [(1, 0), (-1, 0), (0, 2), (0, -2)]
        else:
            side = random_.randint(3, 5)
            places = [(row, side - row + 2 * number) for row in range(side) for number in range(row + 1)]
            steps = [(0, 2), (0, -2), (1, 1), (1, -1), (-1, 1), (-1, -1)]
        for _ in range(min(len(places) - 3, random_.choice((0, 0, 1, 2, 3)))):
            places.remove(random_.choice(places))
        self.places = sorted(places)
        number = {place: hole for hole, place in enumerate(self.places)}
        lines = [(a, (a[0] + y, a[1] + x), (a[0] + 2 * y, a[1] + 2 * x)) for a in self.places for y, x in steps]
        self.jumps = [(number[a], number[b], number[c]) for a, b, c in lines if b in number and c in number]
        top, left = min(row for row, _ in self.places), min(column for _, column in self.places)
        drawn = {(row - top, column - left) for row, column in self.places}
        rows_, columns_ = (range(max(numbers) + 1) for numbers in zip(*drawn, strict=True))
        lines_ = ["".join("o" if (row, column) in drawn else " " for column in columns_) for row in rows_]
        self.text = "\n".join([self.lattice, *lines_]) + "\n"

    def maps(self) -> list[dict[int, int]]:
        """Return the turns and reflections of the lattice that map the board onto itself, by hole."""
        found: dict[tuple[int, ...], dict[int, int]] = {}
        for turned in self._turned():
            top, left = (min(numbers) for numbers in zip(*turned, strict=True))
            base = (min(row for row, _ in self._points), min(column for _, column in self._points))
            moved = [(row - top + base[0], column - left + base[1]) for row, column in turned]
            if set(moved) == set(self._points):
                holes = [self._points.index(place) for place in moved]
                found[tuple(holes)] = dict(enumerate(holes))
        return list(found.values())

    @property
    def _points(self) -> list[Place]:
        """The places in coordinates in which each step of the lattice is 1 in one of them, or in both."""
        if self.lattice == "square":
            return [(row, column // 2) for row, column in self.places]
        return [(row, (column - row) // 2) for row, column in self.places]

    def _turned(self) -> Iterator[list[Place]]:
        """Yield the places by each turn and reflection."""
        points = self._points
        for _ in range(2):
            for _ in range(6):
                yield points
                if self.lattice == "square":
                    points = [(column, -row) for row, column in points]
                else:  # by 60 degrees: the steps (0, 1), (1, 1), (1, 0) each become the next one
                    points = [(row + column, -row) for row, column in points]
            points = [(column, row) for row, column in points]


def peg(random_: random.Random) -> Instance:
    """Return a random game."""
    while True:
        instance = tried(random_)
        if instance is not None:
            return instance


def tried(random_: random.Random) -> Instance | None:
    """Return an instance, or None where there are no jumps, or too many ways to jump."""
    board = Board(random_)
    holes = len(board.places)
    if not board.jumps:
        return None
    start: Pegs = frozenset(range(holes)) - {random_.randrange(holes)}
    if holes > 9 or random_.random() < 0.5:
        start = frozenset(random_.sample(range(holes), random_.randint(1, min(9, holes))))
    ends, words = end_of(random_, holes, start)
    State = tuple[Pegs, int]
    can = [jump for jump in board.jumps if {*jump[:2]} <= start and jump[2] not in start]
    first = random_.choice(can) if can and random_.random() < 0.15 else None

    def moves(state: State) -> Iterator[tuple[tuple[int, int], State, int]]:
        pegs, last = state
        for a, over, b in board.jumps:
            if a in pegs and over in pegs and b not in pegs and (last >= 0 or first in (None, (a, over, b))):
                yield (a, b), (pegs - {a, over} | {b}, b), int(a != last)

    def solved(state: State) -> bool:
        return state[0] in ends

    root = (start, -1)
    if tree_size(root, moves, solved, len(start)) > LARGEST:
        return None
    unique = random_.random() < 0.3
    bound: Any = random_.choice(("none", "corners", "regions", "auto", "feasible"))
    answer = cheapest(root, moves, solved)
    if answer.solutions is None or (answer.cost is None and random_.random() < 0.8):
        return None
    maps = [
        each
        for each in board.maps()
        if moved(each, start) == start
        and {moved(each, end) for end in ends} == ends
        and (first is None or tuple(each[hole] for hole in first) == first)
    ]
    if unique:
        answer = replaced(answer, {least(maps, path) for path in answer.solutions})
    puzzle = Peg(
        board.text,
        position="".join("o" if hole in start else "." for hole in range(holes)),
        first="any" if first is None else f"{first[0]}-{first[2]}",
        bound=bound,
        unique=unique,
        **words,
    )
    return Instance(
        puzzle,
        answer,
        read=lambda solution: least(maps, jumps_of(solution.text)) if unique else jumps_of(solution.text),
        spaces=spaces(board, start) if first is None else {},
    )


def end_of(random_: random.Random, holes: int, start: Pegs) -> tuple[set[Pegs], dict[str, str]]:
    """Return the ends of a game, and how they are told."""
    chance = random_.random()
    if chance < 0.4:
        return {frozenset([hole]) for hole in range(holes)}, {"target": "any"}
    if chance < 0.7:
        hole = random_.randrange(holes)
        return {frozenset([hole])}, {"target": str(hole)}
    goal = frozenset(random_.sample(range(holes), random_.randint(1, len(start))))
    return {goal}, {"goal": "".join("o" if hole in goal else "." for hole in range(holes))}


def jumps_of(text: str) -> tuple[tuple[int, int], ...]:
    """Return the jumps of a solution as it prints, such as [0,6,4][1,3]."""
    runs = [[*map(int, run.split(","))] for run in text.strip("[]").split("][") if run]
    return tuple((a, b) for run in runs for a, b in itertools.pairwise(run))


def moved(each: dict[int, int], pegs: Pegs) -> Pegs:
    """Return the image of some pegs."""
    return frozenset(map(each.__getitem__, pegs))


def least(maps: list[dict[int, int]], path: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """Return the image of a solution that stands for all of them."""
    return min(tuple((each[a], each[b]) for a, b in path) for each in maps)


def replaced(answer: Any, solutions: set[Any]) -> Any:
    """Return an answer with other solutions."""
    return type(answer)(answer.cost, len(solutions), list(solutions))


def spaces(board: Board, start: Pegs) -> dict[str, Counter[int]]:
    """Return the positions by the number of jumps, those once that are images of one another, and all of them."""

    def moves(pegs: Pegs) -> Iterator[tuple[int, Pegs, int]]:
        for a, over, b in board.jumps:
            if a in pegs and over in pegs and b not in pegs:
                yield 0, pegs - {a, over} | {b}, 1

    known = distances([start], moves)
    maps = [each for each in board.maps() if moved(each, start) == start]
    once = {min(sorted(moved(each, pegs)) for each in maps).__repr__(): cost for pegs, cost in known.items()}
    return {"root": Counter(once.values()), "in all": Counter(known.values())}


FAMILIES: dict[str, tuple[Callable[[random.Random], Instance], float]] = {"peg": (peg, 10.0)}
"""What makes random instances of the family, and its share."""
