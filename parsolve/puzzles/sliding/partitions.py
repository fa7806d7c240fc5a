"""Partitions of the goal's cells into groups, whose tiles make a pattern together."""

import math
from collections.abc import Sequence

from parsolve.errors import BadInput
from parsolve.puzzles.sliding.geometry import ONE_WORD, symmetries

LARGEST = 8
"""Maximum number of tiles of a pattern."""

MOST_STATES = 1 << 32
"""Maximum number of states of a pattern: marking them while its table is built takes 1.6 GB."""

WIDE = 4
"""Default number of patterns on a board of more than 16 cells."""

FEW = 6
"""Maximum number of tiles of a pattern that is looked up by the cells of its tiles: a table of 16 MB on 16 cells, and
of 244 MB on 25."""

CLASSIC: dict[tuple[int, ...], tuple[tuple[int, ...], ...]] = {
    (6, 6, 6, 6): ((1, 2, 5, 6, 7, 12), (3, 4, 8, 9, 13, 14), (10, 11, 15, 16, 20, 21), (17, 18, 19, 22, 23, 24)),
    (5, 5, 5): ((1, 4, 5, 8, 9), (2, 3, 6, 7, 11), (10, 12, 13, 14, 15)),
    (6, 6, 3): ((4, 5, 8, 9, 12, 13), (6, 7, 10, 11, 14, 15), (1, 2, 3)),
    (7, 8): ((1, 2, 3, 4, 5, 6, 7), (8, 9, 10, 11, 12, 13, 14, 15)),
}
"""Partitions of 5x5 and of 4x4 cells with the goal's blank in cell 0, by the sizes of the groups.

R. E. Korf and A. Felner, Disjoint pattern database heuristics, Artificial Intelligence 134 (2002) 9–22;
A. Felner, R. E. Korf and S. Hanan, Additive pattern database heuristics, JAIR 22 (2004) 279–318.
"""


def largest(cells: int) -> int:
    """Return the maximum number of tiles of a pattern on a board."""
    return max(tiles for tiles in range(1, min(cells, LARGEST + 1)) if math.perm(cells, tiles + 1) <= MOST_STATES)


def group_sizes(text: str, cells: int) -> tuple[int, ...]:
    """Return the number of tiles of each pattern, from a text such as 5-5-5; by default sizes that suit the board.

    Raises:
        BadInput: the sizes are invalid, or do not add up to the tiles.
    """
    tiles = cells - 1
    if not text:
        groups = WIDE if cells > ONE_WORD else -(-tiles // (6 if tiles <= 12 else 5))
        return tuple((tiles + groups - 1 - group) // groups for group in range(groups))
    words = text.split("-")
    if not all(word.isascii() and word.isdigit() for word in words):
        raise BadInput(f"sliding: patterns are sizes such as 5-5-5, not {text!r}")
    sizes = tuple(int(word) for word in words)
    if sum(sizes) != tiles or not all(1 <= size <= largest(cells) for size in sizes):
        raise BadInput(
            f"sliding: patterns {text} must be sizes from 1 to {largest(cells)} that add up to {tiles} tiles"
        )
    return sizes


def partition(rows: int, columns: int, blank: int, sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the homes of each pattern's tiles: a partition from the literature, turned; otherwise pieces of a path
    through the board that runs back and forth along the shorter lines."""
    classic = CLASSIC.get(tuple(sizes), ())
    if rows == columns and sum(sizes) == sum(map(len, classic)) == rows * columns - 1:
        for image in (tuple(range(rows * columns)), *symmetries(rows, columns)):
            if image[0] == blank:
                return [tuple(sorted(image[cell] for cell in group)) for group in classic]
    path = [cell for cell in to_and_fro(rows, columns) if cell != blank]
    starts = [sum(sizes[:group]) for group in range(len(sizes))]
    return [tuple(sorted(path[start : start + size])) for start, size in zip(starts, sizes, strict=True)]


def to_and_fro(rows: int, columns: int) -> list[int]:
    """Return the cells in the order of a path along the shorter lines."""
    if rows <= columns:
        lines = [[row * columns + column for row in range(rows)] for column in range(columns)]
    else:
        lines = [[row * columns + column for column in range(columns)] for row in range(rows)]
    return [cell for number, line in enumerate(lines) for cell in (line if number % 2 == 0 else line[::-1])]
