"""Peg solitaire boards as drawings: any shape of holes, with the jumps of a square or a triangular lattice."""

from functools import lru_cache

from parsolve.errors import BadInput
from parsolve.puzzles.peg.boards import Board, Place, holes_of, square, triangular
from parsolve.text import lines_of, shown

LATTICES = {"square": square, "triangular": triangular}

FEWEST, MOST = 3, 64
"""Minimum and maximum number of holes: a jump takes three, and a position is a word of 64 bits."""

ROWS, COLUMNS = 64, 128
"""The maximum size of a drawing."""


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
    places = _shifted(_spaced(places) if lattice == "square" else places)
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


def _spaced(places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Return the holes of a square board two columns apart, as they are if every other column is empty."""
    if len({column % 2 for _, column in places}) == 1:
        return places
    return tuple((row, 2 * column) for row, column in places)


def _shifted(places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Return holes shifted so that the first row and the leftmost column are 0."""
    top, left = (min(numbers) for numbers in zip(*places, strict=True))
    return tuple((row - top, column - left) for row, column in places)
