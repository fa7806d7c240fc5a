"""Two dask workers of one core each against two worker processes, on a search of some 15 seconds.

A 15-puzzle is counted by `parsolve count` with `--workers 2` and with `--dask`, in turns. The seconds are those that
the command reports of its search; the CPU seconds are those of all its processes, of the cluster's too. The cluster
runs beforehand and has searched such a puzzle, as one does that has searched for a while; what it takes to get ready
stands in a line of its own. A task of dask is one that does nothing.

    .venv/bin/python scripts/bench_cluster.py
"""

import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass

import benchmark
import distributed
from bench_frontier import NO_PATHS, branch, known
from benchmark import KORF
from dask_processes import Cluster, running

from parsolve.executors.dask import DaskMachines
from parsolve.report.tables import spread, table
from parsolve.search.frontier import Frontier
from parsolve.search.outcome import Outcome, merge_outcomes
from parsolve.search.tuning import Tuning

JOB, SMALL = KORF[72], KORF[1]

ASKED = 0.95

BRANCHES = (1, 16, 64, 128, 256)
"""In an outcome."""


@dataclass(frozen=True)
class Measured:
    """A search: its own seconds, and the CPU seconds of all its processes."""

    seconds: float
    cpu: float


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=3)
    with running(2) as cluster:
        ready = search(cluster, SMALL, "--dask", cluster.address).seconds
        rounds = benchmark.in_turns(
            options.rounds,
            {
                "workers": lambda: search(cluster, JOB, "--workers", "2"),
                "dask": lambda: search(cluster, JOB, "--dask", cluster.address),
            },
        )
        alone, many = tasks(cluster)
    parts = {
        "seconds": [each["workers"].seconds / each["dask"].seconds for each in rounds],
        "CPU seconds": [each["workers"].cpu / each["dask"].cpu for each in rounds],
    }
    rows = [
        [what, *(spread(vars(each[how])[name] for each in rounds) for how in ("workers", "dask")), spread(part), ASKED]
        for (what, part), name in zip(parts.items(), ("seconds", "cpu"), strict=True)
    ]
    text = table(["", "2 workers", "2 dask workers", "2 workers / 2 dask workers", "asked"], rows)
    text += f"\n\nMedians of {len(rounds)} rounds (least – greatest). A first search of {SMALL.nodes:,} nodes took"
    text += f" {ready:.1f} s, the workers' start with it. A task of dask takes {1e3 * alone:.1f} ms alone, and"
    text += f" {1e3 * many:.1f} ms where there are always four."
    benchmark.report("cluster", __doc__, text, {"rounds": rounds, "task": alone, "tasks": many}, options)


def search(cluster: Cluster, instance: benchmark.Instance, *how: str) -> Measured:
    """Run a command and measure it."""
    words = ["count", "sliding", "--start", instance.tiles, "--goal", "blank-first", "--bound", "manhattan"]
    command = [sys.executable, "-m", "parsolve", *words, "--json", "--quiet", *how]
    before = cluster.seconds + sum(os.times()[2:4])
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    cpu = cluster.seconds + sum(os.times()[2:4]) - before
    said = json.loads(done.stdout)
    benchmark.checked(instance, benchmark.Run(said["nodes"], said["count"], said["seconds"]))
    return Measured(said["seconds"], cpu)


def tasks(cluster: Cluster, number: int = 200) -> tuple[float, float]:
    """Return the seconds of a task that does nothing: one after the other, and with four at a time."""
    with distributed.Client(cluster.address, set_as_default=False) as client, DaskMachines(client, 30.0) as machines:
        machines.prepare(max, 0)
        while machines.ready < 2:
            time.sleep(0.1)
        begin = time.perf_counter()
        for _ in range(number):
            machines.submit(abs, -1).result()
        alone = (time.perf_counter() - begin) / number
        begin = time.perf_counter()
        futures = [machines.submit(abs, -1) for _ in range(4)]
        for _ in range(number):
            futures.pop(0).result()
            futures.append(machines.submit(abs, -1))
        return alone, (time.perf_counter() - begin) / number


def outcome_costs(cluster: Cluster, number: int = 200) -> dict[int, float]:
    """Return the CPU seconds of the root for an outcome, by the number of branches in it: taken from dask and by the
    frontier, which hands out as many again, given to dask. Machines hand back what they are given."""
    random_ = random.Random(1)
    costs = {}
    with distributed.Client(cluster.address, set_as_default=False) as client, DaskMachines(client, 30.0) as machines:
        machines.prepare(max, 0)
        while machines.ready < 2:
            time.sleep(0.1)
        for branches in BRANCHES:
            open_ = [branch(random_) for _ in range(16 * branches)]
            tuning = Tuning(bundle=branches, bundle_share=1.0, branches_per_worker=0)
            frontier = Frontier(open_, weigh=known(random_).share, tuning=tuning)
            tasks = []
            for turn in range(number + 4):
                if turn == 4:
                    begin = time.process_time()
                if turn >= 4:
                    task, future = tasks.pop(0)
                    frontier.finish(task, future.result())
                task = frontier.take(2, 4.0, 0.5)
                if task is None or len(task.items) != branches:
                    raise SystemExit("wrong: the frontier hands out other tasks")
                outcome = Outcome(1000, 0, NO_PATHS, True, 0.1, tuple(task.branches), len(task.items))
                tasks.append((task, machines.submit(merge_outcomes, [outcome])))
            costs[branches] = (time.process_time() - begin) / number
    return costs


if __name__ == "__main__":
    main()
