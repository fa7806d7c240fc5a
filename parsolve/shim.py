"""Distances of abstractions until the engine gives them: to be dropped at the merge."""

import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path

import numba
import numpy as np

from parsolve.kernel.compile import compiled


@numba.njit
def _dummy(x):
    return x


_sweeps = {}


def sweep_of(cls):
    if cls not in _sweeps:
        helpers = {}
        expand, index, unindex = (compiled(getattr(cls, n), helpers) for n in ("expand", "index", "unindex"))
        entry = compiled(cls.entry, helpers) if cls.entry is not None else numba.njit(lambda tables, number: number)

        @numba.njit
        def sweep(tables, rows, frontier, nexts, seen, dist, depth, children):
            n = 0
            for k in range(frontier.size):
                number = np.uint64(frontier[k])
                unindex(tables, number, rows[0])
                rows[0].cost = 0
                e = entry(tables, number)
                if dist[e] == 255:
                    dist[e] = depth
                end = expand(tables, rows[0], 1 << 30, rows, 1)
                for c in range(1, end):
                    j = index(tables, rows[c])
                    if seen[j] == 0:
                        seen[j] = 1
                        if n == nexts.size:
                            return -1
                        nexts[n] = j
                        n += 1
            return n

        _sweeps[cls] = sweep
    return _sweeps[cls]


@cache
def distances(puzzle):
    name = hashlib.sha256(repr(puzzle).encode()).hexdigest()[:16]
    file = Path(tempfile.gettempdir()) / f"shim-{name}.npy"
    if file.exists():
        return np.load(file)
    entries = puzzle.entries or puzzle.size
    tables, cls = puzzle.tables(), type(puzzle)
    names = puzzle.state.names
    fields = [(f, puzzle.state[f]) for f in names] + [(f, "u1") for f in ("cost", "bound") if f not in names]
    rows = np.zeros(1 + puzzle.children, np.dtype(fields, align=True))
    for field, value in puzzle.goals()[0].items():
        rows[0][field] = value
    index = compiled(cls.index, {})

    @numba.njit
    def first(tables, rows):
        return index(tables, rows[0])

    frontier = np.array([first(tables, rows)], np.uint32)
    seen, dist = np.zeros(puzzle.size, np.uint8), np.full(entries, 255, np.uint8)
    seen[frontier[0]] = 1
    nexts, depth = np.zeros(puzzle.size, np.uint32), 0
    sweep = sweep_of(cls)
    while frontier.size:
        n = sweep(tables, rows, frontier, nexts, seen, dist, depth, puzzle.children)
        frontier, depth = nexts[:n].copy(), depth + 1
    scratch = file.with_suffix(f".{os.getpid()}.npy")
    np.save(scratch, dist)
    scratch.rename(file)
    return dist
