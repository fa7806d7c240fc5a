"""From waiting level to settled level, and back into memory to be expanded.

A level is settled once each of its keys occurs once, and in no level before. Functions raise OutOfMemory if memory, and
the folder if there is one, have too little room.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from parsolve.errors import OutOfMemory
from parsolve.levels.files import PARTS
from parsolve.levels.kernels import level_size
from parsolve.levels.level import Level, Policy, try_know
from parsolve.levels.pool import Array
from parsolve.levels.room import divide, load, merge, new_file, put, write
from parsolve.levels.store import Graph, Store
from parsolve.levels.threads import FEW

WHOLE = 2
"""A level is expanded from its file if it takes more than a WHOLE-th of the memory."""


def add(store: Store, number: int, entries: Array, words: int, settled: bool = False) -> None:
    """Add packed entries, whose counts have `words`, to a waiting level, or to one that an earlier run has settled."""
    if settled and store.graph is not None:
        level = store.graph.restore(number, Level(store.chains))
    else:
        level = store.waiting.setdefault(number, Level(store.chains))
    put(store, level, entries, words)


def replace_now(store: Store, entries: Array, words: int, policy: Policy) -> None:
    """Expand other entries, instead of those of the current level, to levels with another policy."""
    store.now.release()
    store.now, store.original, store.policy = Level(store.chains), None, policy
    put(store, store.now, entries, words)
    merge(store, store.now, Policy())
    divide(store, store.now.size)
    store.piece = store.now.size


def settle(store: Store, number: int) -> Level:
    """Merge the lowest level with entries, without the keys of older ones, and return it: if levels stay, it is one
    of them then. Otherwise it is merged as it is expanded if it is in a file or takes too much memory."""
    level, graph = store.gathered(number), store.graph
    if graph is not None and number not in graph.levels:
        expanded, form = graph.expanded(number, max(store.numbers)), store.chains.form
        keyed = len(form.like) + form.costs
        if graph.stays and not graph.keeps and form.head == keyed:
            _forget(store, graph, number)
        if expanded is not None:
            expanded.strip(form.head if graph.keeps else keyed)  # rows are needed again to list solutions
        _look_in(store, graph.before(number))
    _merge_or_write(store, level)
    if graph is None:
        return level
    if number not in graph.levels:
        level = level if level.file is None else _merged_file(store, level)
        del store.waiting[number]
    graph.add(number, graph.levels.get(number, level))
    for passed in graph.passed(graph.next(number)):
        passed.release()
    _look_in(store, graph.before(graph.next(number)))
    return graph.levels[number]


def take_keys(store: Store, number: int) -> Array:
    """Merge a waiting level, forget it, and return its keys, of one word: uint64[n]."""
    level = store.gathered(number)
    _merge_or_write(store, level)
    keys = (level if level.file is None else _merged_file(store, level)).keys()
    store.drop(number)
    return keys


def _forget(store: Store, graph: Graph, number: int) -> None:
    """Forget small settled levels of less cost than a level; their keys are known then."""
    for each, level in [*graph.levels.items()]:
        is_small = graph.next(each) <= number and level.merged == level.size <= FEW and level.file is None
        if is_small and try_know(level, store.policy):
            store.drop(each)


def _look_in(store: Store, older: Sequence[Level]) -> None:
    """Choose the levels with which waiting ones are merged."""
    if not {*older} <= {*store.policy.older}:
        for level in store.waiting.values():
            level.merged = 0
    store.policy.older = older


def _merge_or_write(store: Store, level: Level) -> None:
    """Merge a level, or write it to a file, if it takes too much memory, or what it is merged with is in one."""
    try:
        merge(store, level, store.policy)
    except OutOfMemory:
        if store.folder is None:
            raise
        write(store, level)
    if level.file is None and store.folder is not None:
        pool = store.chains.pool
        _, blocks, _ = level_size(pool.blocks, np.array(level.sets))
        if blocks > pool.most // WHOLE or any(each.file is not None for each in store.policy.levels):
            write(store, level)


def _merged_file(store: Store, level: Level) -> Level:
    """Return a level that is in a file, merged piece by piece, in another file."""
    policy, file, part = store.policy, new_file(store, stays=True), 0
    while part < PARTS:
        part, piece, loaded = load(store, part, level, policy)
        try:
            merge(store, piece, loaded)
            if loaded.shared_alone and not policy.shared_alone:  # no piece before it has keys that are shared
                file, policy.shared_alone = new_file(store, stays=True), True
            piece.write(file)
        finally:
            for each in {piece, *loaded.levels} - {*policy.levels}:
                each.release()
    return Level(store.chains, file=file)


def load_level(store: Store, number: int) -> Iterator[None]:
    """Make a settled level the current one: all at once or, if it is in a file, piece by piece; yield after each."""
    level = store.waiting.get(number)  # if no levels stay, or an earlier run has begun it
    stays = level is None
    level = level or store.settled[number]
    if level.file is None:
        merge(store, level, Policy())
        divide(store, level.size)
    elif level.sets:
        write(store, level)
    store.original = level if stays and level.file is None else None
    left = Level(store.chains, [each.copy() for each in level.sets], level.size, level.file) if stays else level
    left.merged, store.waiting[number], store.total = level.merged, left, left.total
    while left.part < PARTS:
        left.part, store.now, _ = load(store, left.part, left, Policy())
        if left.part == PARTS:
            del store.waiting[number]
        merge(store, store.now, Policy())
        if left.file is not None:
            divide(store, store.now.size)
        store.piece = store.now.size
        yield
