"""A run of the depth-first walk: what is asked of it, where it stands and why it ended."""

import numpy as np

from parsolve.deepening.templates.subtree import LEFTS

SEARCHING, DONE, PAUSED, FULL, TOO_CHEAP, NO_ROOM, TOO_MANY, TOO_HIGH, MERGED, FALLS = range(10)
"""The status of a run; it never ends as SEARCHING.

DONE; PAUSED: the budget is spent, or enough solutions are known; FULL: the buffer, or one run, has no room for the
solutions of the next row; TOO_CHEAP: a solution costs less than the limit, which is not allowed here; NO_ROOM: there
are more rows than the puzzle declares; TOO_MANY: one solved state stands for 2^63 solutions or more, or for a negative
number; TOO_HIGH: a lower bound exceeds a distance; MERGED: two states with the same key have different numbers of
solutions below them; FALLS: the costs along the path to a solution fall.
"""

NEVER = (1 << 63) - 1
"""More solutions than a run is ever to end at."""

RUN = np.dtype(
    [
        # What is asked of the run.
        ("limit", "i8"),  # on cost + bound
        ("budget", "i8"),  # pause after this many nodes
        ("room", "u8"),  # the last row at which a block may end
        ("children", "i8"),  # the most of a state; checked while the run watches for a cut, when that costs nothing
        ("largest", "i8"),  # the most nodes of a subtree that `count_subtree` is tried on; it changes no result
        ("cheaper", "i8"),  # whether solutions that cost less than the limit count too
        ("passed", "i8"),  # solutions that cost no more than this were counted at earlier limits: they only end a path
        ("enough", "i8"),  # pause as soon as this many solutions are known
        # Where the search stands; the caller sets all except the depth to 0 at the start of a run.
        ("depth", "u8"),  # the current level
        ("nodes", "i8"),
        ("found", "i8"),  # solutions
        ("stored", "i8"),  # those of them that are in the buffer
        ("cut", "i8"),  # see `search.cuts`; without costs NEXT, so that nothing is watched
        # Kept from run to run.
        ("doubt", "i8"),  # at which solution costs and lower bounds are next looked at closely
        ("doubts", "i8"),  # after how many more solutions again: doubled each time, finally 0 for never
        # For speed alone: when `count_subtree` is tried.
        ("earlier", "i8"),  # the nodes of earlier runs
        ("calm", "i8"),  # after how many nodes it may be tried higher up
        ("resume", "i8"),  # after how many nodes it may be tried at all
        ("repeats", "i8"),  # how often states have recurred recently
        ("shallowest", "i8", (LEFTS,)),  # the least depth, by room left below the limit
    ]
)
"""A run of `search`: what is asked of it, and where it stands."""
