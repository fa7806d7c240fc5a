"""Pagoda functions of peg solitaire: values of holes whose sum over the pegs no jump raises.

So a position cannot lead to a goal with a greater sum. (J. H. Conway and others: E. R. Berlekamp, J. H. Conway, R. K.
Guy, Winning Ways, 1982, chapter 23.)

Suppose that jumps may be made even if pegs are missing or in the way, and in fractions. If even so none lead from a
position to the goal, then a function shows that, and only then: this is a linear program, and its dual solution is the
function. Functions are computed for positions after random jumps, and then prune all others.
"""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from parsolve.puzzles.peg.boards import Board
from parsolve.puzzles.peg.symmetries import symmetries

Array = np.ndarray[Any, Any]

MOST_PAGODAS = 16
"""Maximum number of functions that a search uses: two words of eight."""

PLAYS = 150
"""Number of positions for which refuting functions are computed."""

ENOUGH = 3 * MOST_PAGODAS
"""Number of functions from which the best are chosen."""

LARGEST_SLACK = 100
"""Maximum difference of a function between the start and the end. One that falls more refutes little."""

GREATEST = 20
"""Maximum value of a hole: a search holds sums in 8 bits."""

TINY = 1e-9


class Pagoda(NamedTuple):
    """A pagoda function.

    Attributes:
        values: by hole.
        start, end: its sums at the start and at the end.
    """

    values: tuple[int, ...]
    start: int
    end: int

    def image(self, holes: Sequence[int]) -> "Pagoda":
        """Return its image by a symmetry of start and end: by hole, the image of the hole."""
        values = [0] * len(holes)
        for hole, to in enumerate(holes):
            values[to] = self.values[hole]
        return Pagoda(tuple(values), self.start, self.end)

    def loss(self, jump: tuple[int, int, int]) -> int:
        """Return the amount by which a jump lowers the sum."""
        start, over, to = jump
        return self.values[start] + self.values[over] - self.values[to]


@lru_cache(maxsize=64)
def pagodas(board: Board, start: int, goal: int) -> tuple[Pagoda, ...]:
    """Return functions that refute positions on the way from a start to a goal, a bit a hole, the most useful first.

    They are the same on every machine: random choices are seeded, and rounding follows IEEE 754.
    """
    random_ = random.Random(1)
    keeping = [each.holes for each in symmetries(board) if each.image(goal) == goal]
    found: dict[tuple[int, ...], Pagoda] = {}
    ends = _pegs(goal, board.holes)
    for pegs, towards in itertools.chain(_near_ends(board, start, goal), _played(board, start, ends, random_, found)):
        function = refuting(board, pegs, towards)
        if function is None:
            continue
        for holes in keeping:
            image = [0] * board.holes
            for hole, to in enumerate(holes):
                image[to] = function[hole]
            sums = [sum(value for hole, value in enumerate(image) if at >> hole & 1) for at in (start, goal)]
            found.setdefault(tuple(image), Pagoda(tuple(image), *sums))
        if reason_of(board, start, goal, [*found.values()]) or len(found) >= ENOUGH:
            break
    useful = [each for each in found.values() if each.start - each.end <= LARGEST_SLACK]
    return tuple(sorted(useful, key=lambda each: each.start - each.end)[:MOST_PAGODAS])


def _near_ends(board: Board, start: int, goal: int) -> Iterator[tuple[Array, Array]]:
    """Yield the positions after each first jump, with those before each last one."""
    begin, end = _pegs(start, board.holes), _pegs(goal, board.holes)
    for first, last in itertools.product(_open_jumps(board, begin), _open_jumps(board, 1 - end)):
        yield _after(begin, first), _after(end, last)


def _played(
    board: Board, start: int, goal: Array, random_: random.Random, found: Mapping[tuple[int, ...], Pagoda]
) -> Iterator[tuple[Array, Array]]:
    """Yield positions after random jumps that the functions so far do not refute, each with the goal."""
    for most in range(PLAYS):
        pegs, values = _pegs(start, board.holes), np.array([*found], np.int64).reshape(-1, board.holes)
        for _ in range(int(random_.random() * most)):
            after = [_after(pegs, jump) for jump in _open_jumps(board, pegs)]
            after = [each for each in after if (values @ each >= values @ goal).all()]
            if not after:
                break
            pegs = after[int(random_.random() * len(after))]
        yield pegs, goal


def refuting(board: Board, pegs: Array, goal: Array) -> tuple[int, ...] | None:
    """Return the values of a pagoda function that is less for some pegs than for the goal, int64[holes] each; None if
    there is none, or none with small whole numbers."""
    holes, jumps = board.holes, board.jumps
    wanted = (goal - pegs).astype(np.float64)
    signs = np.where(wanted < 0, -1.0, 1.0)
    # A row a hole: the change there by each jump, the columns of the initial basis, and the required sum.
    rows = np.zeros((holes + 1, len(jumps) + holes + 1))
    for number, (start, over, to) in enumerate(jumps):
        rows[[start, over], number] = -1
        rows[to, number] = 1
    rows[:holes, -1] = wanted
    rows[:holes] *= signs[:, None]
    rows[:holes, len(jumps) : -1] = np.eye(holes)
    # The last row: the cost of a column minus the cost of the basis for it. Only columns of the first basis cost, 1
    # each.
    for row in range(holes):
        rows[holes] -= rows[row]
    rows[holes, len(jumps) : -1] = 0
    _solve(rows, np.arange(len(jumps), len(jumps) + holes))
    if rows[holes, -1] > -TINY:
        return None
    return _whole((1 - rows[holes, len(jumps) : -1]) * signs, board, pegs, goal)


def _solve(rows: Array, basis: Array) -> None:
    """Solve a linear program by the simplex method, in place; with Bland's rule, so that it terminates."""
    while True:
        falling = np.flatnonzero(rows[-1, :-1] < -TINY)
        if not falling.size:
            return
        column = falling[0]
        rising = np.flatnonzero(rows[:-1, column] > TINY)
        if not rising.size:
            return
        ratios = rows[rising, -1] / rows[rising, column]
        least = rising[ratios <= ratios.min() + TINY]
        row = least[np.argmin(basis[least])]
        rows[row] /= rows[row, column]
        factors = rows[:, column].copy()
        factors[row] = 0
        rows -= np.multiply.outer(factors, rows[row])
        basis[row] = column


def _whole(values: Array, board: Board, pegs: Array, goal: Array) -> tuple[int, ...] | None:
    """Return a function in the least whole numbers, if it is a pagoda function and refutes the pegs exactly."""
    for factor in range(1, GREATEST + 1):
        function = np.rint(values * factor).astype(np.int64)
        if abs(values * factor - function).max() < 1e-6 and abs(function).max() <= GREATEST:
            keeps = all(function[start] + function[over] >= function[to] for start, over, to in board.jumps)
            return tuple(function.tolist()) if keeps and function @ pegs < function @ goal else None
    return None


def reason_of(board: Board, start: int, goal: int, functions: Sequence[Pagoda]) -> str:
    """Return the function which shows that a goal is out of reach, with its sums, as text; empty if none does."""
    first, last = (_open_jumps(board, pegs) for pegs in (_pegs(start, board.holes), 1 - _pegs(goal, board.holes)))
    for each in functions:
        losses = [min(map(each.loss, jumps), default=0) for jumps in (first, last)]
        if each.start - each.end < sum(losses):
            lost = f" and the first and the last jump lower it by {losses[0]} and {losses[1]} at least," * any(losses)
            return (
                f"no jump raises a pagoda function that is {each.start} at the start,{lost} and {each.end} at the end:"
                f" {_drawn(board, each.values)}"
            )
    return ""


def _drawn(board: Board, values: Sequence[int]) -> str:
    """Return the values of a function by the rows of a board."""
    rows: dict[int, list[str]] = {}
    for (row, _), value in zip(board.places, values, strict=True):
        rows.setdefault(row, []).append(str(value))
    return " / ".join(" ".join(row) for row in rows.values())


def _pegs(holes: int, size: int) -> Array:
    """Return pegs, a bit a hole, as int64[size]."""
    return np.array([holes >> hole & 1 for hole in range(size)], np.int64)


def _open_jumps(board: Board, pegs: Array) -> list[tuple[int, int, int]]:
    """Return the jumps that can be made. With holes as pegs, these are the possible last jumps."""
    return [jump for jump in board.jumps if pegs[jump[0]] and pegs[jump[1]] and not pegs[jump[2]]]


def _after(pegs: Array, jump: tuple[int, int, int]) -> Array:
    after = pegs.copy()
    after[list(jump)] ^= 1
    return after
