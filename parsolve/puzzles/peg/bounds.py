"""Lower bounds on the moves that a peg board still needs, as tables for one rule.

All bounds here have one form. There are some sets of holes; a set is *full* while all of its holes hold pegs other than
the peg moved last, which may go on at no cost. The number of moves needed is looked up by the full sets, in parts of
`BITS` sets at a time.
"""

import functools
import itertools
import operator
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from parsolve.errors import BadInput
from parsolve.puzzles.peg.boards import Board

BITS = 10
"""Number of sets in a part of the table: small enough for the processor's nearest cache."""

MOST_SETS = 5 * BITS
"""Maximum number of sets of a bound: an entry of the table holds a bit for each, 8 bits below and 6 above."""

FILLED = 58
"""The first bit of an entry's second count."""

LARGEST = 6
"""Maximum number of holes of a region: larger ones are hardly ever full once a few pegs are gone."""

CLASS_BOARD, CLASS_VACANCY, CLASS_TARGET = "triangle21_modified", 6, 6
"""The problem for which Hiroi's `classes` and `triples` are valid: his page derives them for it alone."""


class Bound(NamedTuple):
    """A bound on a board, and its consequences for jumps.

    Attributes:
        sets: of holes, a bit a hole.
        packings: uint64[2, parts, 1 << BITS]. Part by part, indexed by the full sets: the moves needed in the low 8
            bits, and above them the sets of later parts that may still count. In the first part another count of all
            moves begins at bit FILLED; the greater one is valid. The first table is for jumps to a hole in `near`.
        keep: holes, one of which must always hold a peg: all if nothing is known, none if there is no solution.
        jumps: the numbers of the jumps that are not ruled out, ascending.
    """

    sets: tuple[int, ...]
    packings: np.ndarray[Any, Any]
    near: frozenset[int]
    keep: int
    jumps: tuple[int, ...]

    def without(self, holes: int) -> int:
        """Return the sets without any of these holes, a bit a set."""
        return sum(1 << number for number, set_ in enumerate(self.sets) if not set_ & holes)

    def moves(self, pegs: int) -> int:
        """Return a lower bound on the moves for some pegs, at the start."""
        full = self.without(~pegs)
        needed, filled = 0, 0
        for part in self.packings[1].tolist():
            entry = part[full % (1 << BITS)]
            needed += entry & 255
            filled = max(filled, entry >> FILLED)
            full = full >> BITS & entry >> 8
        return max(needed, filled)


def make_bound(kind: str, name: str, board: Board, start: int, goals: Sequence[int]) -> Bound:
    """Return the bound of a kind on the board called `name`. If no solution is possible there are no goals.

    Raises:
        BadInput: it is not valid for this board, start and goal.
    """
    every = (1 << board.holes) - 1
    if kind in ("classes", "triples"):
        page = every - (1 << CLASS_VACANCY), (1 << CLASS_TARGET,)
        if name != CLASS_BOARD or (start, tuple(goals)) != page:
            raise BadInput(
                f"peg: bound {kind} holds only for board {CLASS_BOARD} with vacancy {CLASS_VACANCY} and target"
                f" {CLASS_TARGET}, no other board, start or goal; regions holds everywhere"
            )
    leaving = [] if kind == "none" else [1 << corner for corner in corners(board)]
    filling = fillings(board, goals) if kind in ("triples", "regions") else {}
    counted = [1 << hole for hole in itertools.chain(*filling.values())]
    first = [*counted, *(1 << hole for hole in filling)]
    others = regions(board, goals) if kind == "regions" else [each for each in leaving if not may_stay(each, goals)]
    # If the last peg may end in several holes, just one of those that may stay needs no move.
    staying = [each for each in leaving if may_stay(each, goals)][: BITS - len(first)] if len(goals) > 1 else []
    first += staying
    sets = [*first, *(region for region in others if region not in first)][:MOST_SETS]
    plain = packings(sets, set(sets) - {1 << hole for hole in filling}, staying)
    # A peg moved last that may go on to a filled hole does so at no cost: then only the plain count is valid.
    filled = plain.copy()
    filled[0] |= filling_moves(sets, filling)
    class_of = classes(board)
    near = frozenset(hole for hole in range(board.holes) if class_of[hole] in {class_of[over] for over in filling})
    bound = Bound(tuple(sets), np.stack([plain, filled]), near, every, tuple(range(len(board.jumps))))
    if kind in ("classes", "triples", "regions"):
        ruled = [each for goal in goals if (each := ruled_by_classes(bound, board, start, goal)).keep]
        keep = functools.reduce(operator.or_, (each.keep for each in ruled), 0)
        jumps = {jump for each in ruled for jump in each.jumps}
        return bound._replace(keep=keep, jumps=tuple(sorted(jumps)) or bound.jumps)
    return bound


def may_stay(holes: int, goals: Sequence[int]) -> bool:
    """Return whether one of the goals has pegs in all of some holes."""
    return any(holes & goal == holes for goal in goals)


def corners(board: Board) -> list[int]:
    """Return the holes that no peg can jump over: a peg there must leave by a move of its own."""
    over = {jump[1] for jump in board.jumps}
    return [hole for hole in range(board.holes) if hole not in over]


def classes(board: Board) -> list[int]:
    """Return the class of each hole, as its lowest hole: a jump leads to a hole of the same class."""
    class_of = list(range(board.holes))
    for start, _, to in board.jumps:
        low, high = sorted((class_of[start], class_of[to]))
        class_of = [low if each == high else each for each in class_of]
    return class_of


def ruled_by_classes(bound: Bound, board: Board, start: int, goal: int) -> Bound:
    """Return a bound with what the classes rule out on the way to one goal.

    A jump removes a peg of one class and leaves the numbers of the others unchanged. So a class with a peg in the goal
    must keep one. If a class has no more pegs to give than corner pegs that can only leave over it, no other peg may
    jump over it. (Hiroi's argument for his board and target, here for every board.)
    """
    class_of = classes(board)
    holes_of_class = {each: sum(1 << hole for hole, other in enumerate(class_of) if other == each) for each in class_of}
    keep = min((holes for holes in holes_of_class.values() if holes & goal), key=int.bit_count)
    jumps = set(bound.jumps)
    for over_class, holes in holes_of_class.items():
        leaving = [
            corner
            for corner in corners(board)
            if (start & ~goal) >> corner & 1
            and {class_of[over] for begin, over, _ in board.jumps if begin == corner} == {over_class}
        ]
        supply = (start & holes).bit_count() - (goal & holes).bit_count()
        if supply < len(leaving):
            return bound._replace(keep=0)
        if supply == len(leaving):
            jumps -= {
                number
                for number, (begin, over, _) in enumerate(board.jumps)
                if class_of[over] == over_class and begin not in leaving
            }
    return bound._replace(keep=keep, jumps=tuple(sorted(jumps)))


def fillings(board: Board, goals: Sequence[int]) -> dict[int, list[int]]:
    """Return the corners whose pegs can leave over one hole only, by that hole, where none of these corners is in its
    class.

    Each such corner peg needs a move of its own if no goal has it, and uses up a peg on that hole. All but the first
    need a further move that brings one there, and so does the first if the hole is empty. These moves are distinct:
    their pegs are of different classes, or end on different holes, or one after another on the same.
    """
    class_of = classes(board)
    filling: dict[int, list[int]] = {}
    for corner in corners(board):
        over = {jump[1] for jump in board.jumps if jump[0] == corner}
        if not may_stay(1 << corner, goals) and len(over) == 1:
            filling.setdefault(min(over), []).append(corner)
    classes_left = {class_of[corner] for corner in itertools.chain(*filling.values())}
    filling = {over: corners for over, corners in filling.items() if class_of[over] not in classes_left}
    while len(filling) + sum(map(len, filling.values())) > BITS:  # all must be in one part
        filling.popitem()
    return filling


def filling_moves(sets: Sequence[int], filling: dict[int, list[int]]) -> np.ndarray[Any, Any]:
    """Return the second count of a first part: uint64[1 << BITS], the moves needed by corner pegs and `fillings`."""
    number = {region: number for number, region in enumerate(sets)}

    def moves(full: int) -> int:
        needed = 0
        for over, corners in filling.items():
            leaving = sum(full >> number[1 << corner] & 1 for corner in corners)
            needed += leaving + max(0, leaving - (full >> number[1 << over] & 1))
        return needed

    return np.array([moves(full) << FILLED for full in range(1 << BITS)], np.uint64)


def regions(board: Board, goals: Sequence[int]) -> list[int]:
    """Return the smallest regions of a board, a bit a hole.

    A region is a set of holes such that every jump over one of them starts or ends inside. No jump can end inside while
    it is full, so the first jump that removes a peg from it starts inside; and that begins a new move, unless the peg
    moved last is inside. So a full region needs a move of its own, and so does each of several disjoint ones. A region
    whose holes all have a peg in the goal needs none. A single corner is a region.

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
    found = {region for region in found if not may_stay(region, goals)}
    smallest = [region for region in found if not any(other & region == other for other in found - {region})]
    # Overlapping ones first, so that one part of the table decides about as many as possible.
    alone = {region: not any(region & other for other in smallest if other != region) for region in smallest}
    return sorted(smallest, key=lambda region: (alone[region], region.bit_count(), region))[:MOST_SETS]


def holes_in(mask: int) -> list[int]:
    """Return the holes of a set, ascending."""
    return [hole for hole in range(mask.bit_length()) if mask >> hole & 1]


def packings(sets: Sequence[int], counting: Collection[int], staying: Collection[int] = ()) -> np.ndarray[Any, Any]:
    """Return the table of a bound that counts disjoint full sets, as many as possible: uint64[parts, 1 << BITS].

    Each part is exact; the sets that it counts determine which sets of later parts may still count. Only sets in
    `counting` count. Of those in `staying`, all in the first part, one counts nothing.
    """
    parts = max(1, -(-len(sets) // BITS))
    table = np.zeros((parts, 1 << BITS), np.uint64)
    for part in range(parts):
        mine, later = sets[part * BITS : (part + 1) * BITS], sets[(part + 1) * BITS :]
        best = [0]  # by the full sets of this part: the sets counted
        for number, region in enumerate(mine):
            apart = sum(1 << other for other in range(number) if not mine[other] & region)
            mark = 1 << number if region in counting else 0
            with_it = [best[full & apart] | mark for full in range(1 << number)]
            best += [a if a.bit_count() >= b.bit_count() else b for a, b in zip(best, with_it, strict=True)]
        for full in range(1 << BITS):
            counted = best[full % len(best)]
            taken = [mine[number] for number in holes_in(counted)]
            free = sum(1 << other for other, region in enumerate(later) if not region & sum(taken))
            table[part, full] = free << 8 | len(taken) - any(region in staying for region in taken)
    return table
