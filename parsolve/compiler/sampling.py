"""Choose states by a hash of their ids, so that every layer, thread and run chooses the same."""

from typing import Any

import numpy as np

from parsolve.compiler.marks import inlined

SPREAD = np.uint64(0xBF58476D1CE4E5B9)
"""An odd number that spreads ids over 64 bits: the first multiplier of the generator SplitMix64 (G. L. Steele, D. Lea,
C. H. Flood, OOPSLA 2014). It is not `keys.MIX`, which chooses the bucket of a key."""


@inlined
def hash_of_id(number: Any) -> Any:
    """Return the hash of an id, uint64."""
    return number * SPREAD


def choose(chosen: Any, number: Any) -> Any:
    """Append an id to a list, uint64[any], whose first word is its length, if there is room."""
    place = chosen[0] + np.uint64(1)
    if place < np.uint64(chosen.size):
        chosen[0], chosen[place] = place, number
