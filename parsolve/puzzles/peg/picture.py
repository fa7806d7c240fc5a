"""A position of peg solitaire as shapes: round pegs in a board of numbered holes, and the last move."""

import itertools
import math
from collections.abc import Sequence

from parsolve.puzzles.peg.boards import Board
from parsolve.shapes import Shape, extent

EDGE = 0.4
"""The margin of the board around its holes."""


def peg_picture(board: Board, pegs: int, jumps: Sequence[int]) -> list[Shape]:
    """Return the position after some jumps, by their numbers, from `pegs` on, a bit a hole.

    Each peg is named after its first hole. A line marks the last run of jumps by one peg.
    """
    places = _places(board)
    pegs_in = {hole: hole for hole in range(board.holes) if pegs >> hole & 1}
    run: list[int] = []
    for jump in jumps:
        start, over, to = board.jumps[jump]
        pegs_in[to] = pegs_in.pop(start)
        del pegs_in[over]
        run = [*run, to] if run and run[-1] == start else [start, to]
    holes = [Shape("disc", x, y, "hole", 0.8, 0.8) for x, y in places]
    left, top, width, height = extent(holes)
    middle = left + width / 2, top + height / 2
    shapes = [Shape("box", *middle, "board", width + 2 * EDGE, height + 2 * EDGE), *holes]
    shapes += [Shape("disc", x, y, "label", 0.7, 0.7, str(hole)) for hole, (x, y) in enumerate(places)]
    for start, to in itertools.pairwise(run):
        (x, y), (x_to, y_to) = places[start], places[to]
        shapes.append(Shape("line", x, y, "mark", x_to - x, y_to - y))
    pieces = (Shape("disc", *places[hole], "piece", 0.74, 0.74, name=f"peg {peg}") for hole, peg in pegs_in.items())
    return [*shapes, *pieces]


def _places(board: Board) -> list[tuple[float, float]]:
    """Return the place of each hole: x and y, neighbours in a row 1 apart."""
    is_triangular = any(
        abs(board.places[a][0] - board.places[over][0]) == abs(board.places[a][1] - board.places[over][1]) == 1
        for a, over, _ in board.jumps
    )
    row_height = math.sqrt(3) / 2 if is_triangular else 1.0
    return [(column / 2, row_height * row) for row, column in board.places]
