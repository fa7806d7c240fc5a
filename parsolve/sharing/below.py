"""How many solutions lie below each state: the levels of a count are kept, and expanded again from the highest down."""

from collections.abc import Iterator

import numpy as np

from parsolve.breadth.layers import Array, misdeclared
from parsolve.kernel import below as kernel_code
from parsolve.kernel.entries import LEVELS, NEXT, NONE
from parsolve.kernel.sharing import add_below, find_entry, finish_sums
from parsolve.sharing.layers import LOWEST, Layers, Piece, Written, number_of
from parsolve.sharing.table import Form, Table, places_for, used

PIECE = 1 << 12
"""Entries that a thread expands at once."""


class Below:
    """The levels of a count, and, once `count` has been there, the number of solutions below each state."""

    def __init__(self) -> None:
        self._levels: dict[int, list[Table]] = {}
        self._words = 0  # of the greatest number

    def keep(self, level: int, tables: list[Table]) -> None:
        """Keep a level of `Layers`, without the numbers of ways to its states.

        Raises:
            OutOfMemory: it does not fit.
        """
        self._levels[level] = [table.with_keys() for table in tables]

    def count(self, layers: Layers) -> Iterator[int]:
        """Count from the highest level down to the root; yield how many entries each level had.

        Args:
            layers: those that were kept; they have found solutions.

        Raises:
            OutOfMemory: the numbers do not fit.
            BadPuzzle: there are not as many solutions below the root as the layers have counted.
        """
        if self.is_empty:
            return
        for level in sorted(self._levels, reverse=True):
            kept = self._levels[level]
            number = used(kept)
            self._levels[level] = self._counted(layers, level, kept)
            yield number
        (root,) = self._levels[LOWEST]
        entries = root.entries.reshape(root.places, -1)[:, layers.form.head :]
        total = sum(number_of(words, layers.form.bits) for words in entries)
        if total != layers.count:
            raise misdeclared(layers.problem, f"from the root on {layers.count} solutions are counted, back {total}")

    @property
    def is_empty(self) -> bool:
        """Whether there were no levels: the root is solved."""
        return not self._levels

    def number(self, level: int, keys: Array, child: int, cost: int, form: Form) -> int:
        """Return how many solutions are below a state.

        Args:
            level: its level.
            keys: uint64[n * words].
            child: which of these is its key.
            cost: at which it is reached: only cheapest ways count.
            form: of all tables.
        """
        for table in self._levels.get(level, ()):
            at = int(find_entry(table.entries, table.words, keys, child, cost, form.like, form.head)) + form.head
            if at >= form.head:
                return number_of(table.entries[at : at + table.words], form.bits)
        return 0

    def _counted(self, layers: Layers, level: int, kept: list[Table]) -> list[Table]:
        """Return the tables of a level with the numbers of solutions; give the memory of what was kept back."""
        form = layers.form
        # Enough for a number of each child.
        words = self._words + 1 + layers.problem.children.bit_length() // form.bits
        sums = [Table(form, table.places, words) for table in kept]
        ends = [np.zeros(table.places, np.uint32) for table in kept]
        pieces = [
            (part, Piece(table, first, min(first + PIECE, table.places)))
            for part, table in enumerate(kept)
            for first in range(0, table.places, PIECE)
        ]

        def expand(thread: int, number: int) -> None:
            part, left = pieces[number]
            while left.first < left.end:
                written = Written(*layers.buffers[thread], np.zeros(2 + 40 // form.bits, np.uint64))
                layers.expand_piece(thread, level, left, written, ends[part])
                layers.refuse_wrong(level, written.tally)
                self._add(layers, sums[part], written)
                left = left._replace(first=int(written.tally[NEXT]))

        layers.each(len(pieces), expand, used(kept))
        finished: list[Table] = [*kept]

        def finish(_: int, part: int) -> None:
            finished[part] = _finished(sums[part], kept[part], ends[part])

        layers.each(len(kept), finish, used(kept))
        self._words = max(self._words, *(table.words for table in finished))
        return finished

    def _add(self, layers: Layers, sums: Table, written: Written) -> None:
        """Add to the numbers of parents those of their children."""
        form, (children, tally, _) = layers.form, written
        for number in range(int(tally[LEVELS])):
            tables = self._levels.get(int(children.levels[number]), ())
            for part in range(layers.parts if tables else 0):
                first = int(children.heads[number * layers.parts + part])
                table = tables[part % len(tables)]  # early levels have one part
                if first != NONE:
                    add_below(
                        sums.entries,
                        sums.words,
                        children,
                        first,
                        table.entries,
                        table.words,
                        form.like,
                        form.head,
                        form.bits,
                    )


def _finished(sums: Table, packed: Table, ends: Array) -> Table:
    """Return the entries that have solutions below them as a table to look up, and give the memory of both back."""
    form, tally = sums.form, np.zeros(2, np.int64)
    finish_sums(sums.entries, sums.words, packed.entries, ends, tally, form.head, form.bits)
    packed.free()
    table = Table(form, places_for(int(tally[kernel_code.KEPT])), int(tally[kernel_code.WORDS]))
    table.merge_packed(sums.entries, sums.words, np.zeros(1, np.int64))
    sums.free()
    return table
