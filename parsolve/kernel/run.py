"""A run of the depth-first walk: what is asked of it, where it stands and why it ended."""

import numpy as np

from parsolve.kernel.subtree import LEFTS

SEARCHING, DONE, PAUSED, FULL, TOO_CHEAP, NO_ROOM, TOO_MANY, TOO_HIGH, MERGED = range(9)
"""The status of a run; it never ends as SEARCHING.

DONE; PAUSED: the budget is spent, or enough solutions are known; FULL: the solutions of the next row have no room in
the buffer, or in one run; TOO_CHEAP: a solution costs less than the limit, and is not to; NO_ROOM: there are more rows
than the puzzle declared; TOO_MANY: a solved state alone stands for 2^63 solutions or more, or for fewer than none;
TOO_HIGH: a bound exceeds a distance; MERGED: two states of one key have different numbers of solutions below.
"""

NEVER = (1 << 63) - 1
"""More solutions than a run is ever to end at."""

RUN = np.dtype(
    [
        # What is asked of the run.
        ("limit", "i8"),  # on cost + bound
        ("budget", "i8"),  # pause after this many nodes
        ("room", "u8"),  # the last row at which a block may end
        ("children", "i8"),  # the most of a state; checked while the run watches for a cut, where that costs nothing
        ("largest", "i8"),  # the most nodes of a subtree that `count_subtree` is tried on; it changes no result
        ("cheaper", "i8"),  # whether solutions that cost less than the limit count too
        ("passed", "i8"),  # solutions that cost no more than this were counted at earlier limits: they only end a path
        ("enough", "i8"),  # pause as soon as so many solutions are known
        # Where the search stands; the caller sets all but the depth to 0 at the start of a run.
        ("depth", "u8"),  # the current level
        ("nodes", "i8"),
        ("found", "i8"),  # solutions
        ("stored", "i8"),  # those of them that are in the buffer
        ("was_cut", "i8"),  # whether the limit has cut something: else the iteration has seen the whole tree
        # Kept from run to run.
        ("doubt", "i8"),  # at which solution the bound is next held against true distances near it
        ("doubts", "i8"),  # how many solutions later again, twice as many each time; at last 0 for never
        # For speed alone: when `count_subtree` is tried.
        ("earlier", "i8"),  # the nodes of earlier runs
        ("calm", "i8"),  # after how many nodes it may be tried higher up
        ("resume", "i8"),  # after how many nodes it may be tried at all
        ("shallowest", "i8", (LEFTS,)),  # the least depth, by room left below the limit
    ]
)
"""A run of `search`: what is asked of it, and where it stands."""
