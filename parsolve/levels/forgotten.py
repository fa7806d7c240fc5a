"""Keys of settled levels that a search keeps no longer, although a child may lie in them: a hash table that grows."""

import numpy as np

from parsolve.levels.chains import Chains
from parsolve.levels.files import PARTS, Packed
from parsolve.levels.kernels import add_keys, brief
from parsolve.levels.level import NO_TABLE, MergedLevel
from parsolve.levels.templates.blocks import Form
from parsolve.levels.templates.merging import KeyTable


class Forgotten:
    """Keys of forgotten levels.

    Attributes:
        table: all of them, as waiting levels are compared with them.
    """

    def __init__(self) -> None:
        self.table = NO_TABLE

    def add(self, level: MergedLevel) -> bool:
        """Add the keys of a level in memory, and return True; False, without them, if memory is short."""
        chains, like, first = level.chains, level.chains.form.like, self.table.number
        words, last = len(like), first + level.size
        if 2 * last > 1 << self.table.places and not self._grow(last, chains):  # at most half of the places are taken
            return False
        keys = chains.pack(level.ends, 0, 1 << chains.bits, words).entries
        self.table.scratch[words * first : words * last] = keys
        self.table = self.table._replace(number=last)
        brief(add_keys, level.size)(self.table, first, like)
        return True

    def _grow(self, number: int, chains: Chains) -> bool:
        """Make room for that many keys, and return True; False if they take more than a quarter of what is left."""
        before, like, places = self.table, chains.form.like, (2 * number - 1).bit_length()
        size = (8 + 4 * len(like)) << places
        if size > chains.budget.left // 4:
            return False
        chains.budget.take(size - before.table.nbytes - before.scratch.nbytes)
        keys = np.zeros(len(like) << places - 1, np.uint64)
        keys[: len(before.scratch)] = before.scratch
        self.table = KeyTable(np.zeros(1 << places, np.uint64), places, keys, len(like), before.number)
        brief(add_keys, before.number)(self.table, 0, like)
        return True

    def entries(self, form: Form) -> Packed:
        """Return the keys as entries."""
        words, number = len(form.like), self.table.number
        entries = np.zeros((number, form.least), np.uint64)
        entries[:, :words] = self.table.scratch.reshape(-1, words)[:number]
        return Packed(entries.reshape(-1), form.least - words, np.zeros(PARTS + 1, np.int64))
