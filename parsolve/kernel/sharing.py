"""The compiled functions of the engine `sharing`, which counts by what is left to do."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

from parsolve.kernel import below, entries
from parsolve.kernel.functions import cached, inner
from parsolve.kernel.marks import with_globals
from parsolve.kernel.rules import Rules

merge_children, merge_entries = cached(entries.merge_children), cached(entries.merge_entries)
pack_entries = cached(entries.pack_entries)
copy_keys, add_below, finish_sums, find_entry = (
    cached(template) for template in (below.copy_keys, below.add_below, below.finish_sums, below.find_entry)
)
"""These call no rules: they are compiled for each number of words of a key, not for each class."""


class SharingKernel(NamedTuple):
    """Counting by what is left to do, for a puzzle class with `unkey`."""

    expand_entries: Callable[..., None]
    write_ways: Callable[..., int]

    @classmethod
    def of(cls, kernel: Rules) -> Self:
        """Return this function for a puzzle class."""
        puzzle = kernel.cls
        level: Any = puzzle.level or entries.no_level
        names = kernel.rules | {
            "key": kernel.key,
            "key_far": inner(puzzle.key),
            "unkey": inner(puzzle.unkey, inline=True),
            "level": inner(level, inline=True),
            "leveled": puzzle.level is not None,
        }
        digest = inner(with_globals(entries.digest_state, names))
        return cls(
            kernel.function(entries.expand_entries, digest=digest, **names), kernel.function(below.write_ways, **names)
        )
