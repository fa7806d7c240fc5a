"""The memory of a search's processes.

A 15-puzzle's cheapest solutions are counted on two workers, for 10 s and more. Every 0.1 s the unique set size (USS:
what ending the process would free, and so the libraries too as long as nobody else has them loaded) and the resident
set size (RSS: with all that it shares) of each process are read. Where the system does not tell the USS, the RSS stands
for it. The puzzle's own tables are some kB.

    .venv/bin/python scripts/bench_memory.py
"""

import contextlib
import functools
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass

import benchmark
import psutil
from benchmark import KORF, LONG, bare, checked, result, solved, start

from parsolve.bench.markdown import spread, table

EVERY = 0.1
"""Seconds between two looks."""

ROLES = {"forkserver": ("main process", "fork server", "worker"), "spawn": ("main process", "worker")}
"""By start method: what a process is, by how many generations it is from the main process."""

NAMES = ("main process", "fork server", "worker 1", "worker 2")


@dataclass(frozen=True)
class Memory:
    """Megabytes of a process."""

    uss: float
    rss: float


@dataclass(frozen=True)
class Search:
    """What one search took: the peaks of each process by name, and the main process's USS while there were workers."""

    peaks: dict[str, Memory]
    quarter: float
    end: float


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=3)
    result(start(bare, KORF[2].tiles))  # from here on the kernel is in the cache, and no process compiles
    rounds = benchmark.in_turns(options.rounds, {method: functools.partial(search, method) for method in ROLES})
    benchmark.report("memory", __doc__, text(rounds), rounds, options)


def search(method: str) -> Search:
    """Search on two workers, and watch."""
    process = start(solved, LONG.tiles, 2, method)
    looks = list(watch(process, method))
    checked(LONG, result(process))
    each = {name: [look[name] for look in looks if name in look] for name in NAMES}
    peaks = {
        name: Memory(max(memory.uss for memory in seen), max(memory.rss for memory in seen))
        for name, seen in each.items()
        if seen
    }
    # But the last: once the workers have left, the libraries are the main process's alone.
    working = [look["main process"].uss for look in looks if "worker 2" in look][:-1]
    return Search(peaks, working[len(working) // 4], working[-1])


def watch(process: subprocess.Popen[str], method: str) -> Iterator[dict[str, Memory]]:
    """The memory of each process of a search by name, again and again while it runs."""
    main_process = psutil.Process(process.pid)
    while process.poll() is None:
        look: dict[str, Memory] = {}
        generation = [main_process]
        with contextlib.suppress(psutil.NoSuchProcess):  # it has just ended
            for role in ROLES[method]:
                for number, each in enumerate(generation, 1):
                    look[f"worker {number}" if role == "worker" else role] = memory_of(each)
                generation = [child for each in generation for child in each.children()]
        yield look
        time.sleep(EVERY)


def memory_of(process: psutil.Process) -> Memory:
    """What a process takes now."""
    try:
        full = process.memory_full_info()
    except psutil.AccessDenied:
        resident = process.memory_info().rss
        return Memory(resident / 1e6, resident / 1e6)
    return Memory(full.uss / 1e6, full.rss / 1e6)


def text(rounds: list[dict[str, Search]]) -> str:
    """The tables: peaks by process, and whether the main process grows."""
    peaks, growth = [], []
    for method in ROLES:
        searches = [each[method] for each in rounds]
        for name in searches[0].peaks:
            memories = [search.peaks[name] for search in searches]
            uss, rss = spread(memory.uss for memory in memories), spread(memory.rss for memory in memories)
            peaks.append([method, name, uss, rss, "at most 150" if name.startswith("worker") else ""])
        quarter, end = spread(search.quarter for search in searches), spread(search.end for search in searches)
        growth.append([method, quarter, end, spread(search.end - search.quarter for search in searches)])
    return "\n".join(
        (
            f"Peaks in MB; medians of {len(rounds)} rounds (least – greatest).\n",
            table(["start method", "process", "USS", "RSS", "asked for"], peaks),
            "The main process's USS in MB, after a quarter of the time that there are workers, and at its end.\n",
            table(["start method", "quarter", "end", "growth (asked for: none)"], growth),
        )
    )


if __name__ == "__main__":
    main()
