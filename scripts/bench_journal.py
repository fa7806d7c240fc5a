"""What a journal costs: a 15-puzzle with and without, in turns; and one checkpoint by the number of open branches.

The cheapest solutions of a 15-puzzle are counted on one worker and on two, each by a `parsolve count` in a fresh
process, with `--journal` on the local disk and without. Seconds are those of the search.

A checkpoint is one transaction on the local disk, after which 10 of the open branches are others. Its time is mostly
that of the disk, its CPU time that of parsolve and SQLite.

    .venv/bin/python scripts/bench_journal.py
"""

import functools
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import benchmark
from benchmark import LONG, said

from parsolve.batch.run import get_or_create_job
from parsolve.bench.markdown import spread, table
from parsolve.journal.journal import Journal
from parsolve.problem.problem import Problem
from parsolve.puzzles import Queens
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.result import Result

OPEN = (10, 1000, 20_000)
"""Open branches of a checkpoint."""

CHANGED = 10
"""How many of them are others in the next one."""

SAVES = 9
"""Checkpoints of which the median counts, after the first, which writes all branches."""


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=3)
    measures: dict[str, Callable[[], float]] = {
        f"{workers}, {how}": functools.partial(search, workers, how == "with")
        for workers in (1, 2)
        for how in ("without", "with")
    }
    for open_ in OPEN:
        measures[f"wall, {open_}"] = functools.partial(checkpoint, open_, time.perf_counter)
        measures[f"CPU, {open_}"] = functools.partial(checkpoint, open_, time.process_time)
    rounds = benchmark.in_turns(options.rounds, measures)
    benchmark.report("journal", __doc__, text(rounds), rounds, options)


def search(workers: int, journal: bool) -> float:
    """The seconds of a search."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "parsolve", "count", "sliding", "--goal", "blank-first", "--bound", "manhattan"]
        words += ["--start", LONG.tiles]
        words += ["--workers", str(workers), "--json", "--quiet"]
        if journal:
            words += ["--journal", str(Path(folder) / "journal.sqlite")]
        found = json.loads(said(*words))
    if (found["nodes"], found["count"]) != (LONG.nodes, LONG.solutions):
        raise SystemExit(f"wrong: {found}")
    return float(found["seconds"])


def checkpoint(open_: int, clock: Callable[[], float]) -> float:
    """The milliseconds of a checkpoint with so many open branches."""
    chosen = random.Random(1)
    branches = [branch(chosen) for _ in range(open_)]
    problem = Problem(Queens(8), "count")
    seconds = []
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "journal.sqlite") as journal:
        job = get_or_create_job(journal, "queens", "queens", problem, {})
        for _ in range(1 + SAVES):
            begin = clock()
            saved = Checkpoint([], 0, list(branches), 1, 0, False, 0.5, 1.0, 1.0)
            journal.save(job, Result(problem, "count", 2), saved, [])
            seconds.append(clock() - begin)
            for place in chosen.sample(range(open_), CHANGED):
                branches[place] = branch(chosen)
    return 1000 * statistics.median(seconds[1:])


def branch(chosen: random.Random) -> Branch:
    """A branch as a 15-puzzle has them: 30 to 50 levels, up to two rows pending on each."""
    levels = chosen.randint(30, 50)
    path = tuple(chosen.randrange(4) for _ in range(levels))
    pending = tuple(tuple(chosen.sample(range(4), chosen.randint(0, 2))) for _ in range(levels))
    return Branch(path, (*pending, (chosen.randrange(4),)), (4,) * (levels + 1))


def text(rounds: list[dict[str, float]]) -> str:
    """The table."""
    rows = [
        [
            workers,
            *(spread(each[f"{workers}, {how}"] for each in rounds) for how in ("without", "with")),
            spread(each[f"{workers}, with"] / each[f"{workers}, without"] for each in rounds),
        ]
        for workers in (1, 2)
    ]
    head = f"Seconds; medians of {len(rounds)} rounds (least – greatest). Asked for: a ratio of at most 1.01.\n\n"
    whole = head + table(["workers", "without a journal", "with a journal", "with / without"], rows)
    checkpoints = [
        [f"{n:,}", *(spread(each[f"{kind}, {n}"] for each in rounds) for kind in ("wall", "CPU"))] for n in OPEN
    ]
    head = f"\nMilliseconds of a checkpoint of which {CHANGED} branches are new and {CHANGED} are gone.\n\n"
    return whole + head + table(["open branches", "by the clock", "CPU"], checkpoints)


if __name__ == "__main__":
    main()
