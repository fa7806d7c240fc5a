"""Lower bounds on the moves that a peg board still needs, as tables that one rule looks up.

Every bound here has one form. There are some sets of holes; a set is *full* while all of its holes hold pegs
other than the peg moved last, which may go on at no cost. How many moves are needed is looked up by which sets
are full, in parts of `BITS` sets at a time.
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from parsolve.errors import BadInput
from parsolve.puzzles.boards import Board

BITS = 10
"""How many sets one part of the table tells about: small enough for the processor's nearest cache."""

MOST_SETS = 5 * BITS
"""The most sets of a bound: an entry of the table holds a bit for each and 8 bits besides."""

LARGEST = 6
"""The most holes of a region: larger ones are hardly ever full once a few pegs are gone."""

CLASS_BOARD, CLASS_VACANCY, CLASS_TARGET = "triangle21_modified", 6, 6
"""Where the position classes hold: the page works them out for these alone."""

CLASSES = (0, 1, 3, 1, 0, 3, 2, 3, 1, 0, 1, 0, 2, 3, 2, 3, 2, 3, 2, 1, 0)
"""The class of each hole of `triangle21_modified`: a jump leads to a hole of the same class."""

TRIPLES = ((0, 1, 2), (12, 19, 13), (18, 20, 17))
"""Of `triangle21_modified`: two corners, and the hole that pegs on either jump over."""

TRIPLE_MOVES = (0, 2, 2, 4, 0, 1, 1, 3)
"""By peg(a) + 2 peg(b) + 4 peg(c) of a triple, the moves it needs: each corner peg one, and one more for
every peg that must come to c first for it to jump over."""


class Bound(NamedTuple):
    """A bound on some board, and what it says about jumps.

    Attributes:
        sets: of holes, a bit a hole.
        worth: uint64[2, parts, 1 << BITS]. Part by part, by which sets are full: the moves needed in the low 8
            bits, and above them which sets of the later parts may still count. The first table holds where the
            peg moved last may join in (`near`), the second elsewhere.
        near: the holes where the peg moved last makes the first table hold.
        keep: holes of which one must always hold a peg; all of them where nothing is known.
        jumps: the numbers of the jumps that are not ruled out, ascending.
    """

    sets: tuple[int, ...]
    worth: np.ndarray[Any, Any]
    near: frozenset[int]
    keep: int
    jumps: tuple[int, ...]

    def without(self, holes: int) -> int:
        """Which sets have none of these holes, a bit a set."""
        return sum(1 << number for number, set_ in enumerate(self.sets) if not set_ & holes)

    def moves(self, pegs: int) -> int:
        """The moves that some pegs need at least, at the start."""
        full = self.without(~pegs)
        needed = 0
        for part in self.worth[1].tolist():
            entry = part[full % (1 << BITS)]
            needed += entry & 255
            full = full >> BITS & entry >> 8
        return needed


def make_bound(kind: str, name: str, board: Board, vacancy: int, target: int) -> Bound:
    """A bound by its name.

    Raises:
        BadInput: it does not hold for this board, vacancy and target.
    """
    if kind in ("classes", "triples") and (name, vacancy, target) != (CLASS_BOARD, CLASS_VACANCY, CLASS_TARGET):
        raise BadInput(
            f"peg: bound {kind} holds only for board {CLASS_BOARD} with vacancy {CLASS_VACANCY} and target"
            f" {CLASS_TARGET}, not for {name} with {vacancy} and {target}; regions holds everywhere"
        )
    sets: list[int] = []
    if kind == "regions":
        sets = regions(board, target)
    elif kind == "triples":
        sets = [1 << hole for hole in itertools.chain(*TRIPLES)]
    elif kind != "none":
        sets = [1 << hole for hole in corners(board) if hole != target]
    worth = packings(sets)
    bound = Bound(
        tuple(sets), np.stack([worth, worth]), frozenset(), (1 << board.holes) - 1, tuple(range(len(board.jumps)))
    )
    if kind in ("classes", "triples"):
        bound = bound._replace(
            keep=sum(1 << hole for hole, class_ in enumerate(CLASSES) if class_ == 2),
            jumps=tuple(number for number, jump in enumerate(board.jumps) if class_allows(jump, corners(board))),
        )
    if kind == "triples":
        # A peg of class 3 moved last may go on to some c at no cost, so that only the corners count then.
        bound = bound._replace(
            worth=np.stack(
                [triple_worth(lambda index: (index & 3).bit_count()), triple_worth(TRIPLE_MOVES.__getitem__)]
            ),
            near=frozenset(hole for hole, class_ in enumerate(CLASSES) if class_ == 3),
        )
    return bound


def corners(board: Board) -> list[int]:
    """The holes that nothing can jump over: a peg there must leave by a move of its own."""
    over = {jump[1] for jump in board.jumps}
    return [hole for hole in range(board.holes) if hole not in over]


def class_allows(jump: tuple[int, int, int], corners: Sequence[int]) -> bool:
    """Whether the classes allow a jump: only corner pegs may jump over class 3."""
    start, over, _ = jump
    return CLASSES[over] != 3 or start in corners


def triple_worth(moves: Callable[[int], int]) -> np.ndarray[Any, Any]:
    """The table of a bound that adds up over triples: uint64[1, 1 << BITS].

    Args:
        moves: of one triple, by peg(a) + 2 peg(b) + 4 peg(c).
    """
    return np.array([[sum(moves(full >> 3 * i & 7) for i in range(3)) for full in range(1 << BITS)]], np.uint64)


def regions(board: Board, target: int) -> list[int]:
    """The smallest regions of a board, a bit a hole.

    A region is a set of holes such that every jump over one of them starts or ends inside. No jump can end
    inside while it is full, so that the first jump to take a peg from it starts inside; and that begins a new
    move, unless the peg moved last is inside. So a full region needs a move of its own, and so does each of
    several that are disjoint. The target alone needs none. A single corner is a region.

    (The idea is R. Merson's, for the English board: J. D. Beasley, The Ins and Outs of Peg Solitaire, 1985.)
    """
    ends: list[set[int]] = [set() for _ in range(board.holes)]
    for start, over, to in board.jumps:
        ends[over].add(1 << start | 1 << to)
    seen: set[int] = set()
    found: set[int] = set()

    def grow(region: int) -> None:
        if region in seen or region.bit_count() > LARGEST:
            return
        seen.add(region)
        outside = next((pair for hole in holes_in(region) for pair in ends[hole] if not pair & region), 0)
        if not outside:
            found.add(region)
        for hole in holes_in(outside):
            grow(region | 1 << hole)

    for hole in range(board.holes):
        grow(1 << hole)
    found.discard(1 << target)
    smallest = [region for region in found if not any(other & region == other for other in found - {region})]
    # Those that overlap others first, so that as many as can be are weighed up in one part of the table.
    alone = {region: not any(region & other for other in smallest if other != region) for region in smallest}
    return sorted(smallest, key=lambda region: (alone[region], region.bit_count(), region))[:MOST_SETS]


def holes_in(mask: int) -> list[int]:
    """The holes of a set, ascending."""
    return [hole for hole in range(mask.bit_length()) if mask >> hole & 1]


def packings(sets: Sequence[int]) -> np.ndarray[Any, Any]:
    """The table of a bound that counts disjoint full sets, as many as can be: uint64[parts, 1 << BITS].

    Each part is exact; what it counts decides which sets of the later parts may still count.
    """
    parts = max(1, -(-len(sets) // BITS))
    worth = np.zeros((parts, 1 << BITS), np.uint64)
    for part in range(parts):
        mine, later = sets[part * BITS : (part + 1) * BITS], sets[(part + 1) * BITS :]
        best = [0]  # by which of mine are full: the sets counted
        for number, region in enumerate(mine):
            apart = sum(1 << other for other in range(number) if not mine[other] & region)
            taken = [best[full & apart] | 1 << number for full in range(1 << number)]
            best += [a if a.bit_count() >= b.bit_count() else b for a, b in zip(best, taken, strict=True)]
        for full in range(1 << BITS):
            counted = best[full % len(best)]
            used = sum(mine[number] for number in holes_in(counted))
            free = sum(1 << other for other, region in enumerate(later) if not region & used)
            worth[part, full] = free << 8 | counted.bit_count()
    return worth
