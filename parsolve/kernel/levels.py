"""The compiled functions of levels: of entries in chains of blocks."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

from parsolve.kernel import below, blocks, entries, key_arrays, layer, merge
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
merge_buckets, merge_words = cached(merge.merge_buckets), cached(merge.merge_words)
list_common, largest_bucket = cached(blocks.list_common), cached(blocks.largest_bucket)
add_below, finish_sums, fill_table, find_entry = (
    cached(template) for template in (below.add_below, below.finish_sums, below.fill_table, below.find_entry)
)
"""These call no rules: they are compiled for each number of words of a key, not for each class."""


class LevelsKernel(NamedTuple):
    """Levels, for a puzzle class with `unkey`."""

    expand_keys: Callable[..., int]
    expand_costs: Callable[..., int]  # with the least cost of each key
    expand_counts: Callable[..., int]  # with the number of ways to each
    expand_shortest: Callable[..., int]  # the same where moves may lead back
    write_ways: Callable[..., int]
    write_shortest: Callable[..., int]  # the same where moves may lead back
    write_rows: Callable[..., None]
    mark_keys: Callable[..., bool]
    reverse_keys: Callable[..., None] | None  # None without the rule `reverse`

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
        }
        by_cost = names | {"level": inner(entries.cost_level, inline=True)}

        def expanding(name: str, leveled: bool, costed: bool, counted: bool, shortest: bool = False) -> Any:
            flags = {"leveled": leveled, "costed": costed, "counted": counted, "shortest": shortest}
            rules = by_cost if shortest else names
            digest = inner(with_globals(entries.digest_state, rules))
            return kernel.function(entries.expand_entries, name, digest=digest, **flags, **rules)

        is_leveled, reverse = puzzle.level is not None, None
        if puzzle.reverse is not None:
            reverse = kernel.function(key_arrays.reverse_keys, reverse=inner(puzzle.reverse, inline=True), **names)
        return cls(
            expanding("-keys", False, False, False),
            expanding("-costs", False, True, False),
            expanding("-counts", is_leveled, kernel.rules["watch"], True),
            expanding("-shortest", True, True, True, True),
            kernel.function(below.write_ways, leveled=is_leveled, **names),
            kernel.function(below.write_ways, "-shortest", leveled=True, **by_cost),
            kernel.function(layer.write_rows, write=names["unkey"], **kernel.rules),
            kernel.function(key_arrays.mark_keys, **names),
            reverse,
        )
