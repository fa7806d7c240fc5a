"""Peg solitaire boards as data."""

from typing import NamedTuple


class Board(NamedTuple):
    """A board: its jumps as (from, over, to), in the order of a plain depth-first program."""

    jumps: tuple[tuple[int, int, int], ...]

    @property
    def holes(self) -> int:
        """How many holes the board has."""
        return 1 + max(max(jump) for jump in self.jumps)


def from_table(text: str) -> Board:
    """A board from a jump table as the pages print it: `hole:(over to)(over to)… hole:…`."""
    jumps = []
    for entry in text.split():
        hole, _, pairs = entry.partition(":")
        for pair in pairs.strip("()").split(")("):
            over, to = pair.split(",")
            jumps.append((int(hole), int(over), int(to)))
    return Board(tuple(jumps))


BOARDS = {
    "hoppers": from_table(
        "0:(1,2)(3,6)(5,10) 1:(3,5)(6,11)(4,7) 2:(1,0)(4,6)(7,12) 3:(6,9) 4:(6,8) 5:(3,1)(6,7)(8,11)"
        " 6:(3,0)(4,2)(8,10)(9,12) 7:(4,1)(6,5)(9,11) 8:(6,4) 9:(6,3) 10:(5,0)(8,6)(11,12)"
        " 11:(8,5)(6,1)(9,7) 12:(11,10)(9,6)(7,2)"
    ),
}
"""The boards by name. Hoppers: ThinkFun's board of 13 holes."""
