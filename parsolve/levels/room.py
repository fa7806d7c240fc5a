"""Room for the entries of a store: levels are merged early, divided into more buckets, and written to files.

Functions raise OutOfMemory if memory, and the folder if there is one, have too little room.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from parsolve.levels.chains import TARGET
from parsolve.levels.files import PARTS, LevelFile, SpillFile, end_of
from parsolve.levels.level import Level, Policy, try_merge
from parsolve.levels.pool import Array
from parsolve.levels.store import Store
from parsolve.levels.templates.blocks import BLOCK, FILES

EARLY, GROWTH, GROWTH_OF_KEYS, GROWTH_FACING = 32 << 20, 2.1, 1.6, 1.3
"""Levels are merged early if blocks take more than EARLY bytes, and GROWTH times as much as after the last merge; a
smaller factor applies to keys alone, of which known ones are dropped, and of the last level of both ends, most."""

LEFT, FEWEST, ENOUGH = 32, 4, 2
"""A search ends if merging leaves less than a LEFT-th of the memory free; with a folder, levels are written to files if
it leaves less than a FEWEST-th, until an ENOUGH-th is free."""

READ = 8
"""Pieces of files take at most a READ-th of the memory."""


def make_room(store: Store, wanted: int, but: Sequence[Level] = ()) -> None:
    """Free `wanted` blocks or more: merge levels early, then write them to files, those first that are not needed soon,
    and none of `but`."""
    pool = store.chains.pool
    store.chains.give_back(0)
    wanted = max(wanted, pool.most // LEFT)
    if pool.free >= wanted:
        return
    _merge_all(store, but)
    store.chains.give_back(0)
    if store.folder is not None and pool.free < max(wanted, pool.most // FEWEST):
        enough = max(wanted, pool.most // ENOUGH)
        _write_some(store, (each for each in store.settled.values() if each not in store.policy.older), enough, but)
        _write_some(store, sorted(store.waiting.values(), key=lambda level: -level.size), enough, but)
        for each in (store, *store.partners):
            _write_some(each, each.settled.values(), wanted, but)
    if pool.free < wanted:
        raise store.chains.budget.short()


def merge_early(store: Store) -> None:
    """Merge the chains of all levels if they have grown much since the last time."""
    growth = GROWTH if store.chains.has_payload else GROWTH_FACING if store.policy.facing else GROWTH_OF_KEYS
    if store.chains.pool.used > max(EARLY // store.chains.pool.size, growth * store.used):
        _merge_all(store)


def _merge_all(store: Store, but: Sequence[Level] = ()) -> None:
    # What costs as much as the settled level may be there as well.
    first = -math.inf if store.graph is None or store.graph.last is None else store.graph.next(store.graph.last)
    for number in store.numbers:
        level = store.gathered(number)
        if level not in but and number >= first and not try_merge(level, store.policy):
            break
    store.used = store.chains.pool.used


def merge(store: Store, level: Level, policy: Policy) -> None:
    """Merge a level: afterwards it has one set of chains, and each key once."""
    while not try_merge(level, policy):
        store.chains.give_back(0)
        make_room(store, store.chains.pool.free + 1, [level, *policy.levels])
    level.sets = level.sets or [np.zeros(1 << store.chains.bits, np.int64)]


def put(store: Store, level: Level, entries: Array, words: int) -> None:
    """Add packed entries, whose counts have `words`, to a level, in new sets of chains."""
    chains, size, at = store.chains, store.chains.form.head + words, 0
    chains.widen(words)
    while at < len(entries):
        level.sets.append(np.zeros(1 << chains.bits, np.int64))
        before, at = at, chains.put(0, level.sets[-1], entries, at, size, size)
        level.size += (at - before) // size
        if at < len(entries):
            make_room(store, 1)  # may merge what is there


def divide(store: Store, size: int) -> None:
    """Divide all levels into more buckets if a level of `size` entries is large for the present number."""
    if size <= TARGET << store.chains.bits:
        return
    for number in store.numbers:
        store.gathered(number)
    levels = [store.now, *store.settled.values(), *store.waiting.values()]
    sets = iter(store.chains.divide(size, [ends for level in levels for ends in level.sets]))
    for level in levels:
        level.sets = [next(sets) for _ in level.sets]


# Files.


def write(store: Store, level: Level) -> None:
    """Write the entries of a level from memory to its file."""
    level.file = level.file or new_file(store, level in store.settled.values())
    level.write(level.file)


def _write_some(store: Store, levels: Iterable[Level], wanted: int, but: Sequence[Level]) -> None:
    """Write some levels to files, until this number of blocks is free."""
    for level in levels:
        is_needed = level in but or (level is store.original and store.now.size)
        if level.sets and not is_needed and store.chains.pool.free < wanted:
            write(store, level)
            store.chains.give_back(0)


def new_file(store: Store, stays: bool) -> LevelFile:
    """Return a new file; one is for all settled levels, if none is ever forgotten, as there may be many."""
    assert store.folder is not None
    is_for_all = stays and store.graph is not None and store.graph.stays
    files = (each.file.spill for each in store.settled.values() if is_for_all and each.file is not None)
    return LevelFile(next(files, None) or SpillFile(store.folder), store.chains.form)


def leave_memory(store: Store) -> None:
    """Where memory was short, write all settled levels to files, and give it back."""
    if any(level.file is not None for level in store.settled.values()):
        for level in store.settled.values():
            if level.sets:
                write(store, level)
        store.chains.give_back(0)
        store.chains.pool.close()


def load(store: Store, first: int, level: Level, policy: Policy) -> tuple[int, Level, Policy]:
    """Return a level, and the levels of a policy, in memory: in place of their files, parts of these from the first one
    on, not merged; and before them the part with which to continue, PARTS if all were returned."""
    groups = [level], policy.older, [] if policy.facing is None else [policy.facing]
    chains, every, sizes, end = store.chains, [each for group in groups for each in group], [-1], PARTS
    while True:
        for each in every:
            if each.file is not None and each.sets:
                each.write(each.file)
        files = [each.file for each in every if each.file is not None]
        width = max((file.width for file in files), default=1)
        # The hashes of a part of a bucket are alike, and merging it takes longer.
        most, bucket = chains.pool.most // READ * (BLOCK // width), max(1, PARTS >> chains.bits)
        end = end_of(files, first, most, bucket) if files else PARTS
        before, sizes = sizes, [file.entries(first, end) for file in files]
        if sizes == before or not files:
            break
        more = len(groups) * len(chains.buffers) * (2 + ((end - first) << chains.bits >> FILES))
        make_room(store, sum(sizes) // (BLOCK // width) + more)  # may write more to files
    found = [[each for each in group if each.file is None] for group in groups]
    work = []
    for group, new in zip(groups, found, strict=True):
        written = [each.file for each in group if each.file is not None]
        if written:
            size = sum(file.entries(first, end) for file in written)
            sets = [np.zeros(1 << chains.bits, np.int64) for _ in chains.buffers if size]
            new.append(Level(chains, sets, size=size))
            work += [(new[-1].sets, file, run) for file in written for run in file.runs(first, end)]

    def read(thread: int, piece: int) -> None:
        sets, file, run = work[piece]
        packed = file.read(run, first, end)
        size = chains.form.head + packed.words
        if chains.put(thread, sets[thread], packed.entries, 0, size, width) < len(packed.entries):
            raise chains.budget.short()

    try:
        chains.threads.each(len(work), read)
    except BaseException:
        for sets, _, _ in work:
            Level(chains, sets).release()
        raise
    (piece,), older, facing = found
    return end, piece, replace(policy, older=older, facing=facing[0] if facing else None)
