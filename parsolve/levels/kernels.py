"""The compiled functions of levels, by how the states of a puzzle class are stored."""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple, Self

from parsolve.compiler.cache import CompiledFunction, cached, inner
from parsolve.compiler.marks import with_globals
from parsolve.compiler.uncompiled import runnable
from parsolve.compiler.waiting import kernel_time
from parsolve.levels.templates import below, blocks, entries, merging, numbered, rowwise
from parsolve.problem.compiled import CompiledRules

level_size, release_chains = cached(blocks.level_size), cached(blocks.release_chains)
put_entries, pack_chains = cached(blocks.put_entries), cached(blocks.pack_chains)
merge_buckets, add_keys = cached(merging.merge_buckets), cached(merging.add_keys)
add_below, finish_sums = cached(below.add_below), cached(below.finish_sums)
fill_table, find_entry = cached(below.fill_table), cached(below.find_entry)
"""These call no rules: they are compiled once for each number of words of a key."""

PLAIN = 1 << 12
"""Entries that a kernel's plain function takes before the kernel is compiled, which takes longer than these."""

_taken: Counter[Any] = Counter()


def brief(kernel: Any, entries: int) -> Any:
    """Return a kernel without rules for some entries: as plain Python while these are few, if it is not kept."""

    def run(*arguments: Any) -> Any:
        _taken[kernel] += 1 + PLAIN if kernel.is_kept(*arguments) else entries
        if _taken[kernel] > PLAIN:
            return kernel(*arguments)
        with kernel_time.counted():
            return runnable(kernel.function)(*arguments)

    return run if isinstance(kernel, CompiledFunction) and _taken[kernel] < PLAIN else kernel


class RowsKernel(NamedTuple):
    """Rows, for a puzzle class with ids of its states: keys, or numbers."""

    expand_level: Callable[..., tuple[int, int]]
    inspect_rows: Callable[..., int]
    write_rows: Callable[..., None]  # if there is a way back from an id

    @classmethod
    def of(cls, rules: CompiledRules) -> Self:
        """Return these functions with keys."""
        return cls._of(rules, "", rules.key, _names(rules)["unkey"])

    @classmethod
    def of_numbers(cls, rules: CompiledRules) -> Self:
        """Return these functions with numbers."""
        puzzle: Any = rules.cls
        return cls._of(rules, "-numbered", inner(puzzle.index, inline=True), inner(puzzle.unindex, inline=True))

    @classmethod
    def _of(cls, rules: CompiledRules, name: str, there: Any, back: Any) -> Self:
        return cls(
            rules.function(rowwise.expand_level, name, key=there, **rules.names),
            rules.function(rowwise.inspect_rows, name, key=there, **rules.names),
            rules.function(rowwise.write_rows, name, write=back, **rules.names),
        )


def expanding_words(rules: CompiledRules) -> Callable[..., int]:
    """Return the function that expands numbered states."""
    puzzle: Any = rules.cls
    names = {
        "index": inner(puzzle.index, inline=True),
        "index_far": inner(puzzle.index),
        "unindex": inner(puzzle.unindex, inline=True),
        "entry": inner(puzzle.entry or numbered.itself, inline=True),
    }
    return rules.function(numbered.expand_words, **names, **rules.names)


class EntriesKernel(NamedTuple):
    """Levels of entries, for a puzzle class with a key."""

    expand_keys: Callable[..., int]  # without counts
    expand_counts: Callable[..., int]
    expand_shortest: Callable[..., int]  # the same if moves may lead back
    write_ways: Callable[..., int]
    write_shortest: Callable[..., int]  # the same if moves may lead back

    @classmethod
    def of(cls, rules: CompiledRules) -> Self:
        """Return these functions for a puzzle class."""
        has_cost, shortest = rules.names["has_cost"], {"level_of": inner(entries.level_by_cost, inline=True)}
        return cls(
            _expanding(rules, "-keys", shortest=True),
            _expanding(rules, "-counts", counted=True, costed=has_cost),
            _expanding(rules, "-shortest", counted=True, shortest=True),
            rules.function(below.write_ways, **_names(rules)),
            rules.function(below.write_ways, "-shortest", **_names(rules) | shortest),
        )


def way_back(cls: Any) -> Any:
    """Return the rule that gives the state of a key; None without one."""
    return cls.unkey if cls.key is not None else cls.unindex


def _names(rules: CompiledRules) -> dict[str, Any]:
    puzzle = rules.cls
    level: Any = inner(puzzle.level or entries.no_level, inline=True)
    by_rule = with_globals(entries.level_by_rule, {"level": level})
    return rules.names | {
        "key": rules.key,
        "key_far": inner(puzzle.key or puzzle.index),
        "unkey": inner(way_back(puzzle) or entries.no_way_back, inline=True),
        "level": level,
        "level_of": inner(entries.level_by_steps if puzzle.level is None else by_rule, inline=True),
    }


def _expanding(rules: CompiledRules, name: str, **given: bool) -> Any:
    """Return `expand_entries` for some kind of entries."""
    flags = dict.fromkeys(("costed", "counted", "shortest"), False)
    flags |= {"rowed": way_back(rules.cls) is None} | given
    names = _names(rules)
    if flags["shortest"]:
        by_cost = flags["counted"] or rules.names["has_cost"]
        names["level_of"] = inner(entries.level_by_cost if by_cost else entries.level_by_moves, inline=True)
    names["digest"] = inner(with_globals(entries.digest_state, names))
    names["fault_of_key"] = inner(with_globals(entries.key_fault, names))
    return rules.function(entries.expand_entries, name, **flags, **names)


def arranging(rules: CompiledRules) -> Callable[..., int]:
    """Return the function that puts the moves of a solution in order."""
    return rules.function(below.arrange_moves, **rules.names)
