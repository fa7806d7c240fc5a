"""Positions of pegs as text: holes by number or name, and drawings with an o for a peg and a . for an empty hole."""

from parsolve.errors import BadInput
from parsolve.puzzles.peg.boards import Board
from parsolve.text import shown

PEG, EMPTY = "o", "."


def hole_in(text: str, board: Board, what: str) -> int:
    """Return the hole with a number or a name; messages call it `what`, such as `vacancy`.

    Raises:
        BadInput: there is no such hole.
    """
    word = text.lower()
    if word in board.names:
        return board.names.index(word)
    if word.isascii() and word.isdecimal() and len(word) < 9 and int(word) < board.holes:
        return int(word)
    names = ", or names such as " + board.names[board.holes // 2] if board.names else ""
    short = text if text.isprintable() and len(text) < 20 else shown(text)
    raise BadInput(f"peg: {what} {short} is not on the board; holes are 0 to {board.holes - 1}{names}")


def holes_in(text: str, board: Board, what: str) -> list[int]:
    """Return the holes in a list, ascending.

    Raises:
        BadInput: there is none, one is not on the board, or occurs twice.
    """
    holes = [hole_in(word, board, what) for word in text.replace(",", " ").split()]
    if not holes:
        raise BadInput(f"peg: {what} is a hole or a list of holes, not {shown(text)}")
    if len(set(holes)) < len(holes):
        raise BadInput(f"peg: {what} {shown(text)} names a hole twice")
    return sorted(holes)


def is_drawn(text: str) -> bool:
    """Return whether a text is a drawing of a position."""
    return bool(text.strip()) and set("".join(text.split())) <= {PEG, EMPTY}


def pegs_drawn(text: str, board: Board, what: str) -> int:
    """Return the pegs in a drawing, a bit a hole.

    Raises:
        BadInput: it is invalid, or for another board.
    """
    letters = "".join(text.split())
    for letter in letters:
        if letter not in (PEG, EMPTY):
            raise BadInput(f"peg: {what} has {PEG} for a peg and {EMPTY} for an empty hole, not {shown(letter)}")
    if len(letters) != board.holes:
        raise BadInput(f"peg: {what} gives {len(letters)} holes, the board has {board.holes}")
    return sum(1 << hole for hole, letter in enumerate(letters) if letter == PEG)


def drawing_of(pegs: int, board: Board) -> str:
    """Return the drawing of a position on one line."""
    return "".join(PEG if pegs >> hole & 1 else EMPTY for hole in range(board.holes))
