"""Arrays of keys, and the states that they stand for."""

from collections.abc import Callable

import numpy as np

from parsolve.compiler.cache import cached
from parsolve.compiler.rows import rows_to_overrun
from parsolve.errors import BadInput
from parsolve.levels.coding import Coding
from parsolve.levels.kernels import layer_kernel, levels_kernel
from parsolve.levels.store import Array, crowded
from parsolve.levels.templates import key_arrays as kernel_code
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem

PIECE = 1 << 14
"""Approximate number of keys that a thread takes at once."""

BATCH = 1 << 10
"""Keys of children that are looked up at once."""

cached_hash_keys, cached_find_keys = cached(kernel_code.hash_keys), cached(kernel_code.find_keys)


class KeyArrays(Coding):
    """Queries about arrays of a puzzle's keys.

    Raises:
        BadInput: the puzzle has no way back from a key.
    """

    rules = ("key", "unkey")

    def __init__(self, problem: Problem, threads: Threads) -> None:
        kernel, whole = levels_kernel(problem.compiled_rules), layer_kernel(problem.compiled_rules)
        if kernel is None or whole is None:
            raise BadInput(f"{problem.name} gives no way back from a key to its state (unkey)")
        super().__init__(problem, threads, whole, kernel.write_rows)
        if problem.key_rule == "index":
            self.rules = ("index", "unindex")
        self._kernel, self._mark_keys = kernel, kernel.mark_keys
        self._rows = [rows_to_overrun(1 + problem.children, problem.state) for _ in range(threads.number)]
        self.ids_of(problem.root)  # it must have one word

    def warm_up(self, start: Array) -> None:
        """Load or compile the kernels."""
        keys = self.ids_of(start)
        self.states_of(keys)
        self.mark(keys[:0], keys[:0])
        if self._kernel.reverse_keys is not None:
            self.find(keys[:0], self.reversed(keys[:0]))

    def mark(self, keys: Array, known: Array, past_solved: bool = False) -> Array:
        """Return whether the states of some keys, uint64[n], have a child of a known key or, unless past_solved, are
        solved: bool[n].

        Raises:
            BadPuzzle: a state has too many children.
        """
        table = _hashed(known)
        flags = np.zeros(len(keys), np.bool_)
        size = BATCH + self.problem.children

        def mark(thread: int, part: slice) -> None:
            batch, owners = np.zeros(size, np.uint64), np.zeros(size, np.int64)
            rows, most = self._rows[thread], self.problem.children
            if not self._call(self._mark_keys, rows, keys[part], table, flags[part], batch, owners, past_solved, most):
                raise crowded(self.problem)

        self._each_part(keys, mark)
        return flags

    def find(self, keys: Array, known: Array) -> Array:
        """Return which keys, uint64[n], are among others, uint64[any]: bool[n]."""
        table, flags = _hashed(known), np.zeros(len(keys), np.bool_)

        self._each_part(keys, lambda _, part: cached_find_keys(keys[part], table, flags[part]))
        return flags

    def reversed(self, keys: Array) -> Array:
        """Return the keys of the images of states under `reverse`: uint64[n]."""
        reverse_keys = self._kernel.reverse_keys
        assert reverse_keys is not None
        images = keys.copy()
        self._each_part(keys, lambda thread, part: self._call(reverse_keys, self._rows[thread], images[part]))
        return images

    def _each_part(self, keys: Array, work: Callable[[int, slice], None]) -> None:
        pieces = max(1, -(-len(keys) // PIECE))
        self._threads.each(pieces, lambda thread, piece: work(thread, slice(piece * PIECE, (piece + 1) * PIECE)))


def _hashed(keys: Array) -> Array:
    """Return a hash table of keys, uint64[n]; see `templates.key_arrays.hash_keys`."""
    taken = np.zeros(len(keys) + 1, np.bool_)
    taken[keys[keys <= len(keys)]] = True
    free = int(np.argmin(taken))  # the least number that is not a key
    table = np.full((1 << (len(keys) * 3 // 2).bit_length()) + 1, free, np.uint64)
    cached_hash_keys(keys, table)
    return table
