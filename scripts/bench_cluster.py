"""Two dask workers of one core each against two worker processes, on a search of some 15 seconds.

Queens are counted by `parsolve count` with `--workers 2` and with `--dask`, in turns with two searches of one worker
each at the same time: half of their seconds is what two cores can reach, whatever else the machine does. The seconds
are those that the command reports of its search; the CPU seconds are those of all its processes, of the cluster's too.
The cluster runs beforehand and has searched a smaller puzzle, as one does that has searched for a while; what it takes
to get ready stands in a line of its own. A task of dask is one that does nothing. What an outcome costs the root is its
CPU time, the least of three measurements: it comes from dask, the frontier takes its branches, hands out as many, and
gives them to dask.

    .venv/bin/python scripts/bench_cluster.py
"""

import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import benchmark
import distributed
import psutil
from bench_frontier import NO_PATHS, branch, known
from dask_processes import Cluster, running

from parsolve.bench.markdown import spread, table
from parsolve.deepening.frontier import Frontier
from parsolve.deepening.outcome import Outcome, merge_outcomes
from parsolve.executors.dask import DaskMachines
from parsolve.search.tuning import Tuning

JOB: dict[str, Any] = {"n": 16, "method": "bits"}

SMALL: dict[str, Any] = {"n": 14, "method": "bits"}

COUNTS = {14: 365_596, 16: 14_772_512}

ASKED = 0.95

BRANCHES = (1, 16, 64, 128, 256)
"""In an outcome."""


@dataclass(frozen=True)
class Measured:
    """A search: its own seconds, the CPU seconds of all its processes, its nodes, and the CPU seconds of all but the
    root and dask's scheduler, which a cluster has elsewhere."""

    seconds: float
    cpu: float
    nodes: int
    machines: float


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=5)
    with running(2) as cluster:
        (ready,) = search(cluster, SMALL, "--dask", cluster.address)
        rounds = in_turns(cluster, options.rounds)
        alone, many = tasks(cluster)
        measured = [outcome_costs(cluster) for _ in range(3)]
    costs = {number: min(each[number] for each, _ in measured) for number in BRANCHES}
    scheduler = min(seconds for _, seconds in measured)
    text = f"{speeds(rounds)}\n\nMedians of {len(rounds)} rounds (least – greatest). A first search, of"
    text += f" {ready.nodes:,} nodes, took {ready.seconds:.1f} s, the workers' start with it. A task of dask takes"
    text += f" {1e3 * alone:.1f} ms alone, {1e3 * many:.1f} ms where there are always four, and"
    text += f" {1e3 * scheduler:.1f} ms of CPU time at the scheduler.\n\n"
    text += table(["branches in an outcome", "ms of the root"], [[n, f"{1e3 * cost:.1f}"] for n, cost in costs.items()])
    fixed, each = statistics.linear_regression(list(costs), list(costs.values()))[::-1]
    text += f"\n\nSo {1e3 * fixed:.1f} ms for an outcome, and {1e3 * each:.3f} ms for each branch in it."
    data = {"rounds": rounds, "task": alone, "tasks": many, "scheduler": scheduler, "outcomes": costs}
    benchmark.report("cluster", __doc__, text, data, options)


def in_turns(cluster: Cluster, rounds: int) -> list[dict[str, Measured]]:
    """Return the rounds: two searches of one worker each at once, as one search on two cores; one worker; two workers;
    two machines of one core."""

    def ceiling() -> Measured:
        one, other = search(cluster, JOB, "--workers", "1", at_once=2)
        seconds = 1 / (1 / one.seconds + 1 / other.seconds)
        cpu = (one.cpu + other.cpu) / 2
        return Measured(seconds, cpu, one.nodes, cpu)

    return benchmark.in_turns(
        rounds,
        {
            "ceiling": ceiling,
            "workers": lambda: search(cluster, JOB, "--workers", "2")[0],
            "dask": lambda: search(cluster, JOB, "--dask", cluster.address)[0],
        },
    )


def speeds(rounds: Sequence[dict[str, Measured]]) -> str:
    """Return the table of the searches."""
    rows = []
    for what, name in (("seconds", "seconds"), ("CPU seconds", "cpu")):
        values = {how: [getattr(each[how], name) for each in rounds] for how in ("ceiling", "workers", "dask")}
        parts = [
            spread(one / other for one, other in zip(values[one], values[other], strict=True))
            for one, other in (("ceiling", "workers"), ("ceiling", "dask"), ("workers", "dask"))
        ]
        rows.append([what, *map(spread, values.values()), *parts, ASKED])
    head = ["", "half of two alone", "2 workers", "2 dask workers", "half of two alone / 2 workers"]
    return table([*head, "half of two alone / 2 dask workers", "2 workers / 2 dask workers", "asked of that"], rows)


def search(cluster: Cluster, queens: dict[str, Any], *how: str, at_once: int = 1) -> list[Measured]:
    """Run a command so many times at once, and measure each."""
    words = ["count", "queens", *(word for name, value in queens.items() for word in (f"--{name}", str(value)))]
    command = [sys.executable, "-m", "parsolve", *words, "--json", "--quiet", *how]
    # Machines' processes end after a minute without a task, and their CPU seconds are gone with them.
    on_cluster = "--dask" in how
    before, before_there = on_cluster * cluster.seconds + sum(os.times()[2:4]), cluster.worker_seconds
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(at_once)]
    said = [json.loads(process.communicate()[0]) for process in started]
    cpu = (on_cluster * cluster.seconds + sum(os.times()[2:4]) - before) / at_once
    machines = cluster.worker_seconds - before_there if on_cluster else cpu
    if any(each["count"] != COUNTS[queens["n"]] for each in said):
        raise SystemExit(f"wrong: {said}")
    return [Measured(each["seconds"], cpu, each["nodes"], machines) for each in said]


def tasks(cluster: Cluster, number: int = 200) -> tuple[float, float]:
    """Return the seconds of a task that does nothing: one after the other, and with four at a time."""
    with distributed.Client(cluster.address, set_as_default=False) as client, machines_of(client) as machines:
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


def outcome_costs(cluster: Cluster, number: int = 200) -> tuple[dict[int, float], float]:
    """Return the CPU seconds of the root for an outcome, by the number of branches in it, and those of dask's scheduler
    for a task. The machines return what they are given."""
    random_ = random.Random(1)
    costs = {}
    assert cluster.scheduler is not None
    scheduler = psutil.Process(cluster.scheduler.pid)
    with distributed.Client(cluster.address, set_as_default=False) as client, machines_of(client) as machines:
        before = sum(scheduler.cpu_times()[:2])
        for branches in BRANCHES:
            open_ = [branch(random_) for _ in range(16 * branches)]
            tuning = Tuning(bundle=branches, bundle_share=1.0, branches_per_worker=0)
            frontier = Frontier(open_, weigh=known(random_).share, tuning=tuning)
            given: list[Any] = []
            for turn in range(number + 4):
                if turn == 4:
                    begin = time.process_time()
                if turn >= 4:
                    task, future = given.pop(0)
                    frontier.finish(task, future.result())
                next_ = frontier.take(2, 4.0, 0.5)
                if next_ is None or len(next_.items) != branches:
                    raise SystemExit("wrong: the frontier hands out other tasks")
                outcome = Outcome(1000, 0, NO_PATHS, True, 0.1, tuple(next_.branches), branches)
                given.append((next_, machines.submit(merge_outcomes, [outcome])))
            costs[branches] = (time.process_time() - begin) / number
        return costs, (sum(scheduler.cpu_times()[:2]) - before) / number / len(BRANCHES)


def machines_of(client: distributed.Client) -> DaskMachines:
    """Return the two machines of a cluster once they are ready."""
    machines = DaskMachines(client, 30.0)
    machines.prepare(max, 0)
    while machines.ready < 2:
        time.sleep(0.1)
    return machines


if __name__ == "__main__":
    main()
