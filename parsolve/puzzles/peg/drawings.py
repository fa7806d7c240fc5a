"""Peg solitaire boards from drawings, with the jumps of a square or a triangular lattice; and positions as shapes."""

import itertools
import math
from collections.abc import Sequence
from functools import lru_cache

from parsolve.errors import BadInput
from parsolve.puzzle.shapes import Shape, extent
from parsolve.puzzles.peg.boards import Board, holes_of, square, triangular
from parsolve.text import lines_of, shown

LATTICES = {"square": square, "triangular": triangular}

FEWEST, MOST = 3, 64
"""Minimum and maximum number of holes: a jump takes three, and a position is a word of 64 bits."""

ROWS, COLUMNS = 64, 128
"""The maximum size of a drawing."""

EDGE = 0.4
"""The margin of a board around its holes, in a picture."""


@lru_cache(maxsize=256)
def drawn_board(text: str) -> tuple[str, Board]:
    """Return the board of a drawing, and the drawing that represents all drawings of this board.

    The first line may be `square` or `triangular`, by default `square`. Below it an o is a hole. On a square board
    neighbours in a row may have a space between them; on a triangular board they must, and rows are shifted by one.

    Raises:
        BadInput: the drawing is invalid.
    """
    lines = lines_of(text)
    is_named = lines[0].strip() in LATTICES
    lattice = lines.pop(0).strip() if is_named else "square"
    for number, line in enumerate(lines, 1 + is_named):
        for letter in line:
            if letter not in "o ":
                raise BadInput(
                    f"peg: line {number} of the drawn board has {shown(letter)}: it begins with square or triangular,"
                    " and then has an o for each hole, and spaces"
                )
    places = holes_of(lines)
    if not FEWEST <= len(places) <= MOST:
        raise BadInput(f"peg: the drawn board has {len(places)} holes; {FEWEST} to {MOST} are possible")
    if lattice == "square" and len({column % 2 for _, column in places}) > 1:
        places = tuple((row, 2 * column) for row, column in places)  # two columns apart, as with spaces between
    top, left = (min(numbers) for numbers in zip(*places, strict=True))
    places = tuple((row - top, column - left) for row, column in places)
    if any(row >= ROWS or column >= COLUMNS for row, column in places):
        raise BadInput(f"peg: the drawn board has more than {ROWS} rows or {COLUMNS} columns")
    if lattice == "triangular" and len({(row + column) % 2 for row, column in places}) > 1:
        raise BadInput(
            "peg: the rows of a triangular board are shifted by one, and have a space between two holes: this drawing"
            " has holes beside or below one another"
        )
    board = LATTICES[lattice](places)
    if not board.jumps:
        raise BadInput(f"peg: the drawn board has no jumps as a {lattice} one: no three holes are in a line")
    return "\n".join([lattice, *(row.rstrip() for row in board.draw(0)), ""]).replace("·", "o"), board


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
