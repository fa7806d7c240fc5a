"""The compiled functions of levels, by how the states of a puzzle class are stored."""

from collections.abc import Callable
from typing import Any, NamedTuple, Self

from parsolve.compiler.cache import cached, inner
from parsolve.compiler.marks import with_globals
from parsolve.levels.templates import arrange, below, blocks, dense, entries, key_arrays, layer, merge
from parsolve.problem.rules import Rules

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
"""These call no rules: they are compiled once for each number of words of a key."""


merge_duplicates, grow_table = cached(layer.merge_duplicates), cached(layer.grow_table)
"""These are compiled once for each dtype of states."""


class LayerKernel(NamedTuple):
    """Search over whole states, for a puzzle class with a key."""

    expand_layer: Callable[..., bool]
    merge_duplicates: Callable[..., bool]
    grow_table: Callable[..., None]
    inspect_rows: Callable[..., int]

    @classmethod
    def of(cls, rules: Rules) -> Self:
        """Return these functions for a puzzle class."""
        return cls(
            rules.function(layer.expand_layer, key=rules.key, **rules.rules),
            merge_duplicates,
            grow_table,
            rules.function(layer.inspect_rows, key=rules.key, **rules.rules),
        )


class DenseKernel(NamedTuple):
    """Search over numbered states, for a puzzle class with `index`."""

    expand_words: Callable[..., int]
    expand_layer: Callable[..., bool]  # with numbers as keys
    inspect_rows: Callable[..., int]  # with numbers as keys
    write_rows: Callable[..., None]

    @classmethod
    def of(cls, rules: Rules) -> Self:
        """Return these functions for a puzzle class."""
        puzzle = rules.cls
        numbering: dict[str, Any] = {
            "index": puzzle.index,
            "unindex": puzzle.unindex,
            "entry": puzzle.entry or dense.itself,
        }
        names = rules.rules | {name: inner(rule, inline=True) for name, rule in numbering.items()}
        names["index_far"] = inner(numbering["index"])
        numbers = rules.rules | {"key": names["index"]}
        return cls(
            rules.function(dense.expand_words, **names),
            rules.function(layer.expand_layer, "-numbered", **numbers),
            rules.function(layer.inspect_rows, "-numbered", **numbers),
            rules.function(layer.write_rows, "-numbered", write=names["unindex"], **rules.rules),
        )


class LevelsKernel(NamedTuple):
    """Levels, for a puzzle class with `unkey`."""

    expand_keys: Callable[..., int]
    expand_costs: Callable[..., int]  # with the least cost of each key
    expand_counts: Callable[..., int]  # with the number of ways to each
    expand_shortest: Callable[..., int]  # the same if moves may lead back
    write_ways: Callable[..., int]
    write_shortest: Callable[..., int]  # the same if moves may lead back
    write_rows: Callable[..., None]
    mark_keys: Callable[..., bool]
    reverse_keys: Callable[..., None] | None  # None without the rule `reverse`

    @classmethod
    def of(cls, rules: Rules) -> Self:
        """Return these functions for a puzzle class."""
        puzzle = rules.cls
        level: Any = puzzle.level or entries.no_level
        names = rules.rules | {
            "key": rules.key,
            "key_far": inner(puzzle.key),
            "unkey": inner(puzzle.unkey, inline=True),
            "level": inner(level, inline=True),
        }
        by_cost = names | {"level": inner(entries.cost_level, inline=True)}

        def expanding(name: str, leveled: bool, costed: bool, counted: bool, shortest: bool = False) -> Any:
            flags = {"leveled": leveled, "costed": costed, "counted": counted, "shortest": shortest}
            its = by_cost if shortest else names
            digest = inner(with_globals(entries.digest_state, its))
            return rules.function(entries.expand_entries, name, digest=digest, **flags, **its)

        is_leveled, reverse = puzzle.level is not None, None
        if puzzle.reverse is not None:
            reverse = rules.function(key_arrays.reverse_keys, reverse=inner(puzzle.reverse, inline=True), **names)
        return cls(
            expanding("-keys", False, False, False),
            expanding("-costs", False, True, False),
            expanding("-counts", is_leveled, rules.rules["watch"], True),
            expanding("-shortest", True, True, True, True),
            rules.function(below.write_ways, leveled=is_leveled, **names),
            rules.function(below.write_ways, "-shortest", leveled=True, **by_cost),
            rules.function(layer.write_rows, write=names["unkey"], **rules.rules),
            rules.function(key_arrays.mark_keys, **names),
            reverse,
        )


class ArrangeKernel(NamedTuple):
    """The moves of a solution, put in order."""

    arrange_moves: Callable[..., int]

    @classmethod
    def of(cls, rules: Rules) -> Self:
        """Return this function for a puzzle class."""
        return cls(rules.function(arrange.arrange_moves, **rules.rules))


def layer_kernel(rules: Rules) -> LayerKernel | None:
    """Return the functions over whole states; None without a key."""
    return None if rules.key is None else rules.kernels(LayerKernel)


def dense_kernel(rules: Rules) -> DenseKernel | None:
    """Return the functions over numbered states; None without the rule `index`."""
    return None if rules.cls.index is None else rules.kernels(DenseKernel)


def levels_kernel(rules: Rules) -> LevelsKernel | None:
    """Return the functions over keys; None without the rule `unkey`."""
    return None if rules.cls.unkey is None else rules.kernels(LevelsKernel)
