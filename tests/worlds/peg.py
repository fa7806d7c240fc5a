"""Instances of peg solitaire: random boards of both lattices, positions, ends and bounds."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Literal

from parsolve.puzzles import Peg
from worlds.plain import Instance, Moves, cheapest, distances, tree_size

Place = tuple[int, int]
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


Game = tuple[Pegs, int]
"""The pegs that are left, and the hole of the one moved last; -1 if none was."""


def peg_moves(jumps: Sequence[tuple[int, int, int]], first: int | None = None) -> Moves[Game]:
    """Return the moves of a game, which show their jump's number; a peg that jumps on does so for nothing.

    Args:
        jumps: from, over and to.
        first: the number of the first jump; None for any.
    """

    def moves(state: Game) -> Iterator[tuple[int, Game, int]]:
        pegs, last = state
        for number, (a, over, b) in enumerate(jumps):
            if a in pegs and over in pegs and b not in pegs and (last >= 0 or first in (None, number)):
                yield number, (pegs - {a, over} | {b}, b), int(a != last)

    return moves


def peg_solutions(
    jumps: Sequence[tuple[int, int, int]], start: int, goals: Iterable[int]
) -> tuple[int | None, list[tuple[int, ...]]]:
    """Return the fewest moves from some pegs to one of the goals, a bit a hole, and all solutions with as many, as
    numbers of jumps."""
    ends = {*map(pegs_of, goals)}
    answer = cheapest((pegs_of(start), -1), peg_moves(jumps), lambda state: state[0] in ends, math.inf)
    return answer.cost, answer.solutions or []


def jumps_from(jumps: Sequence[tuple[int, int, int]]) -> Moves[int]:
    """Return the moves of positions, a bit a hole: each jump costs 1."""

    def moves(pegs: int) -> Iterator[tuple[int, int, int]]:
        for number, (a, over, b) in enumerate(jumps):
            if pegs >> a & pegs >> over & ~pegs >> b & 1:
                yield number, pegs ^ (1 << a | 1 << over | 1 << b), 1

    return moves


def pegs_of(bits: int) -> Pegs:
    """Return pegs that are given as bits."""
    return frozenset(hole for hole in range(bits.bit_length()) if bits >> hole & 1)


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
    can = [number for number, (a, over, b) in enumerate(board.jumps) if {a, over} <= start and b not in start]
    first = random_.choice(can) if can and random_.random() < 0.15 else None
    root, moves = (start, -1), peg_moves(board.jumps, first)

    def solved(state: Game) -> bool:
        return state[0] in ends

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
        and (first is None or tuple(each[hole] for hole in board.jumps[first]) == board.jumps[first])
    ]
    ways = [tuple((board.jumps[jump][0], board.jumps[jump][2]) for jump in path) for path in answer.solutions]
    answer = replaced(answer, ways)
    if unique:
        answer = replaced(answer, {least(maps, path) for path in ways})
    puzzle = Peg(
        board.text,
        position="".join("o" if hole in start else "." for hole in range(holes)),
        first="any" if first is None else "{0}-{2}".format(*board.jumps[first]),
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


def replaced(answer: Any, solutions: Collection[Any]) -> Any:
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
