"""N queens, 11 to 14, in turns with what a user would write.

`scripts/naive_queens.py` recurses with bit masks, compiled by numba, over pairs of first columns, mirrored. The method
`mirror` counts the same boards, and `quadrants` is the default from 14 queens on. Each figure is the least of all
rounds, and of 25 whole calls in a process of its own: kernels are loaded, and where there are two processes they
stand ready (`executor=LocalPool(2)`).

    .venv/bin/python scripts/bench_naive.py
"""

import functools
import os
import sys
import time
from collections.abc import Callable

import benchmark
from benchmark import HERE, said

import parsolve
from parsolve.bench.markdown import table
from parsolve.executors.local import LocalPool
from parsolve.problem.registry import make
from parsolve.puzzles.queens.queens import KNOWN

METHODS = ("mirror", "quadrants")

CALLS = 25


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=5)
    measures: dict[tuple[int, int, str], Callable[[], float]] = {}
    cells = [(n, processes) for n in (11, 12, 13, 14) for processes in (1, 2)]
    for n, processes in cells:
        words = [sys.executable, str(HERE / "naive_queens.py"), str(n), str(processes)]
        measures[n, processes, "naive"] = functools.partial(least, n, words)
        for method in METHODS:
            call = f"import sys; sys.path[:0] = ['scripts']; from bench_naive import count; count{n, method, processes}"
            measures[n, processes, method] = functools.partial(least, n, [sys.executable, "-c", call])
    rounds = benchmark.in_turns(options.rounds, measures)
    rows: list[list[object]] = []
    for cell in cells:
        naive, *ours = (1000 * min(each[*cell, what] for each in rounds) for what in ("naive", *METHODS))
        figures = [figure for each in ours for figure in (f"**{each:.3g}**", f"{naive / each:.1f}")]
        rows.append([*cell, f"**{naive:.3g}**", *figures])
    about = (
        f"Milliseconds, the least of {len(rounds)} rounds of {CALLS} calls; how many times faster than the script.\n\n"
    )
    head = ["n", "processes", "the script", *(head for method in METHODS for head in (method, "faster"))]
    data = [{" ".join(map(str, key)): seconds for key, seconds in each.items()} for each in rounds]
    benchmark.report("naive", __doc__, about + table(head, rows), data, options)


def least(n: int, words: list[str]) -> float:
    """The least seconds of a process's counts, each a line: n, the count, seconds."""
    counts = [line.split() for line in said(*words).splitlines()]
    if {int(count) for _, count, *_ in counts} != {KNOWN[n]}:
        raise SystemExit(f"wrong: {counts} for {n} queens, not {KNOWN[n]}")
    return min(float(seconds) for _, _, seconds, _ in counts)


def count(n: int, method: str, processes: int) -> None:
    """Count in this process as `naive_queens.py` does, and print the same."""
    puzzle, pool, ready = make("queens", {"n": n, "method": method}), LocalPool(processes), set[int]()
    while len(ready) < processes:
        ready |= {each.result() for each in [pool.submit(os.getpid) for _ in range(processes)]}
    executor = pool if processes > 1 else None
    for _ in range(CALLS):
        began = time.perf_counter()
        result = parsolve.solve(puzzle, want="count", workers=processes, executor=executor)
        print(n, result.count, f"{time.perf_counter() - began:.6f} s")
    pool.shutdown()


if __name__ == "__main__":
    main()
