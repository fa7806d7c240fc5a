"""The compiled functions of the engine `sharing`, which counts by what is left to do."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

from parsolve.kernel import below, blocks, entries, merge
from parsolve.kernel.functions import cached, inner
from parsolve.kernel.marks import with_globals
from parsolve.kernel.rules import Rules

level_size, release_chains, put_entries, split_chains, pack_chains = (
    cached(template)
    for template in (
        blocks.level_size,
        blocks.release_chains,
        blocks.put_entries,
        blocks.split_chains,
        blocks.pack_chains,
    )
)
merge_buckets = cached(merge.merge_buckets)
add_below, finish_sums, fill_table, find_entry = (
    cached(template) for template in (below.add_below, below.finish_sums, below.fill_table, below.find_entry)
)
"""These call no rules: they are compiled for each number of words of a key, not for each class."""


class SharingKernel(NamedTuple):
    """Counting by what is left to do, for a puzzle class with `unkey`."""

    expand_entries: Callable[..., int]
    write_ways: Callable[..., int]

    @classmethod
    def of(cls, kernel: Rules) -> Self:
        """Return these functions for a puzzle class."""
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
