"""Boards of sliding tiles: cells, neighbours, symmetries, and reachable positions."""

from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from parsolve.errors import BadInput
from parsolve.puzzle.parameters import whole_numbers

Array = np.ndarray[Any, Any]

MOST = 25
"""Maximum number of cells of a board."""

ONE_WORD = 16
"""Maximum number of cells of a board in one word of 64 bits."""


def packed(tiles: Sequence[int]) -> int:
    """Return the tiles as 4 bits a cell, cell 0 lowest."""
    return sum(tile << 4 * cell for cell, tile in enumerate(tiles))


def neighbours(cell: int, rows: int, columns: int) -> list[int]:
    """Return the cells beside a cell, ascending."""
    row, column = divmod(cell, columns)
    around = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return [r * columns + c for r, c in around if 0 <= r < rows and 0 <= c < columns]


def reachable(start: int, free: Container[int], rows: int, columns: int) -> set[int]:
    """Return the cells that can be reached from a cell through free cells, itself included."""
    reached, waiting = {start}, [start]
    while waiting:
        for near in neighbours(waiting.pop(), rows, columns):
            if near in free and near not in reached:
                reached.add(near)
                waiting.append(near)
    return reached


BLANKS = ("_", ".", "x", "X", "-", "*")
"""What may stand for the blank in a text, beside 0."""

_SEPARATORS = str.maketrans(dict.fromkeys(",;[](){}'\"|", " "))


def tiles_in(text: str, what: str) -> list[int]:
    """Return the tiles in a text, by cell: whole numbers, and 0 or one of `BLANKS` for the blank.

    Args:
        text: words, also in brackets or on several lines.
        what: the parameter's name for messages.

    Raises:
        BadInput: something in it is not a tile.
    """
    words = ("0" if word in BLANKS else word for word in text.translate(_SEPARATORS).split())
    return whole_numbers(" ".join(words), f"sliding: {what}")


def check_tiles(tiles: Sequence[int], what: str) -> None:
    """Refuse a list of tiles that is not 0 … n - 1 in some order.

    Raises:
        BadInput: the message says which tiles are out of range, doubled or missing.
    """
    every = range(len(tiles))
    wrong = {
        "out of range": sorted({tile for tile in tiles if tile not in every}),
        "doubled": sorted({tile for tile in tiles if tiles.count(tile) > 1}),
        "missing": [tile for tile in every if tile not in tiles],
    }
    if any(wrong.values()):
        faults = (f"{fault}: {' '.join(map(str, which))}" for fault, which in wrong.items() if which)
        raise BadInput(f"sliding: {what} has tiles {', '.join(faults)}")


def solvable(start: Sequence[int], goal: Sequence[int], rows: int, columns: int) -> bool:
    """Return whether the goal can be reached: the permutation's parity is that of the blank's distance.

    On a single row the tiles can never pass each other.
    (Wm. W. Johnson and W. E. Story, Notes on the "15" Puzzle, Amer. J. Math. 2, 1879.)
    """
    if rows == 1 or columns == 1:
        return [tile for tile in start if tile] == [tile for tile in goal if tile]
    return bool(each_solvable(np.array([start]), goal, rows, columns)[0])


def symmetries(rows: int, columns: int) -> list[tuple[int, ...]]:
    """Return the symmetries of a board except the identity, each as the image of every cell: the reflection in the
    main diagonal first."""
    flips = [(True, False), (False, True), (True, True)]  # of rows, and of columns
    ways = [(False, *flip) for flip in flips]
    if rows == columns:
        ways = [(True, False, False), (True, True, True), *ways, (True, True, False), (True, False, True)]
    images = []
    for swap, up, left in ways:
        to_row, to_column = range(rows)[:: -1 if up else 1], range(columns)[:: -1 if left else 1]
        places = ((to_row[cell // columns], to_column[cell % columns]) for cell in range(rows * columns))
        images.append(tuple(b * columns + a if swap else a * columns + b for a, b in places))
    return images


def starts_of(texts: Sequence[str], goal: Sequence[int], rows: int, columns: int) -> tuple[Array, Array]:
    """Return the tiles of starts by cell, int64[n, cells], and which starts are valid, bool[n].

    Args:
        texts: the starts in plain form: numbers between spaces, without signs and leading zeros. Others count as
            invalid.
        goal: the tiles at the goal.
        rows, columns: shape of the board.
    """
    tile_of = {str(tile): tile for tile in goal}
    found = [[*map(tile_of.get, text.split())] for text in texts]
    plain = [len(each) == len(goal) and None not in each for each in found]
    tiles = np.array([each if right else goal for each, right in zip(found, plain, strict=True)], np.int64)
    return tiles, np.array(plain) & each_solvable(tiles, goal, rows, columns)


def each_solvable(tiles: Array, goal: Sequence[int], rows: int, columns: int) -> Array:
    """Return which starts, int64[n, cells], have each tile once and can reach the goal, bool[n]; see `solvable`."""
    cells = len(goal)
    once = (np.sort(tiles, axis=1) == np.arange(cells)).all(axis=1)
    if rows == 1 or columns == 1:
        return np.zeros(len(tiles), np.bool_)  # they are checked one by one
    places = np.argsort(goal)[np.where(once[:, None], tiles, goal)]
    first, second = np.triu_indices(cells, 1)
    swaps = (places[:, first] > places[:, second]).sum(axis=1)
    blank, home = np.argmin(tiles, axis=1), list(goal).index(0)
    far = abs(blank // columns - home // columns) + abs(blank % columns - home % columns)
    return once & ((swaps + far) % 2 == 0)  # type: ignore[no-any-return]
