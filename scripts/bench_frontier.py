"""What an outcome costs the frontier, by how many branches are open.

The frontier is filled with branches as deep as those of a 15-puzzle; each turn hands out a task and takes a simulated
outcome. Nothing is searched. With plenty of work two workers take turns, and each outcome leaves a branch; with a short
queue half of the open branches are with workers, and the tasks come from branches that are split.

    .venv/bin/python scripts/bench_frontier.py
"""

import functools
import random
import time

import benchmark
import numpy as np

from parsolve.bench.markdown import spread, table
from parsolve.deepening.frontier import Frontier
from parsolve.deepening.outcome import Outcome
from parsolve.deepening.prefixes import Prefix
from parsolve.search.branch import Branch
from parsolve.search.pace import Pace
from parsolve.search.tuning import Tuning

OPEN = (10, 1_000, 100_000)
"""How many branches are open."""

DEPTH = 40
"""Levels of each branch."""

OUTCOMES = 5_000
"""How many are taken in a measurement."""

ASKED = 100.0
"""Microseconds of an outcome at most."""

NO_PATHS = np.zeros((0, 1), np.uint16)


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=5)
    measures = {
        f"{size}, {work}": functools.partial(measured, size, work == "short")
        for work in ("plenty", "short")
        for size in OPEN
    }
    rounds = benchmark.in_turns(options.rounds, measures)
    benchmark.report("frontier", __doc__, text(rounds), rounds, options)


def branch(random_: random.Random) -> Branch:
    """A branch somewhere in a tree of three children a node: one or two rows open at half of its levels."""
    path = tuple(random_.randrange(3) for _ in range(DEPTH))
    pending = [tuple(range(move + 1, 3)) if random_.random() < 0.5 else () for move in path[1:]]
    return Branch((0, *path[1:]), ((), *pending, (0, 1)), (1, *[3] * (DEPTH - 1), 3))


def known(random_: random.Random) -> Prefix:
    """What an iteration before would have counted."""
    before = Prefix()
    for _ in range(3000):
        before.add(branch(random_).path[1:], 1000)
    return before


def measured(size: int, short: bool) -> float:
    """Microseconds that an outcome takes: a task handed out, and its outcome taken.

    Args:
        size: how many branches are open.
        short: whether there are so many workers that half of these are with them, and the other tasks come from
            branches that are split; else there are two, and each outcome leaves a branch.
    """
    random_ = random.Random(size)
    before = known(random_)
    rests = [(branch(random_),) if not short or turn % 4 == 0 else () for turn in range(1000)]
    workers = size // 4 if short else 2
    branches = [branch(random_) for _ in range(size)]
    frontier = Frontier(branches, weigh=before.share, pace=Pace(fixed=1000), tuning=Tuning(bundle=1))
    with_workers = []
    while task := frontier.take(workers, 0.25, 0.04):
        with_workers.append(task)
    begin = time.process_time()
    for turn in range(OUTCOMES):
        place = random_.randrange(len(with_workers))
        task, with_workers[place] = with_workers[place], with_workers[-1]
        with_workers.pop()
        rest = rests[turn % 1000]
        frontier.finish(task, Outcome(1000, 0, NO_PATHS, True, 0.1, rest, counts=((task.items[0].order, 1000),)))
        while new := frontier.take(workers, 0.25, 0.04):
            with_workers.append(new)
        if frontier.earliest is None or not 0 <= frontier.share <= 1:  # what a driver asks for each time
            raise SystemExit("wrong: nothing is open any more")
    return 1e6 * (time.process_time() - begin) / OUTCOMES


def text(rounds: list[dict[str, float]]) -> str:
    """The table."""
    rows = [
        [f"{size:,}", *(spread(each[f"{size}, {work}"] for each in rounds) for work in ("plenty", "short")), ASKED]
        for size in OPEN
    ]
    head = f"Microseconds an outcome; medians of {len(rounds)} rounds (least – greatest).\n\n"
    return head + table(["open branches", "plenty of work", "short queue", "asked"], rows)


if __name__ == "__main__":
    main()
