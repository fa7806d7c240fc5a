"""The simulation of a search on processes and machines: events with a clock of its own, around the real code.

Real are the frontiers of the root and of each machine, the driver, splitting, the lengths of slices, joining what is
left. Not real are the kernel, in whose place a tree says how many nodes a slice visits, the executor, and
time.
"""

import contextlib
import heapq
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import numpy as np

from parsolve.deepening import driver as driver_module
from parsolve.deepening.driver import Driver
from parsolve.deepening.frontier import Frontier, Task
from parsolve.deepening.outcome import Outcome, merge_outcomes
from parsolve.deepening.pace import Pace
from parsolve.deepening.prefixes import weight_within
from parsolve.search import progress as progress_module
from parsolve.search.branch import Branch, join
from parsolve.search.progress import Progress
from parsolve.search.tuning import Tuning

RATE = 60
"""Nodes a second and core: so few that a tree of some hundred is many tasks."""

ROUND_TRIP = 0.0012
"""Seconds of a slice's round trip between a machine's coordinator and a process, its worker idle only without another
task."""

LOAD = 0.00011
"""Seconds that a process takes to load a branch."""

COORDINATOR = 0.00025
"""Seconds of a machine's coordinator for an outcome of a slice: pickled, taken, the next one handed out."""

SCHEDULER = 0.0020
"""CPU seconds of dask's scheduler for a task (`cluster.md` in `results/`)."""

NETWORK = 0.007
"""Seconds from the root to a machine, or back: two hops, and dask's ways between its threads; half of what a task that
does nothing takes (`cluster.md` in `results/`)."""

ROOT = 0.0017
"""CPU seconds of the root for an outcome of a machine, whatever is in it (`cluster.md` in `results/`)."""

ROOT_BRANCH = 0.000046
"""The same for each branch in it."""


@dataclass
class Clock:
    """A clock that the simulation sets, in the place of `time`."""

    now: float = 0.0

    def monotonic(self) -> float:
        return self.now


clock = Clock()


@contextlib.contextmanager
def simulated() -> Iterator[None]:
    """Let the driver and the progress look at the simulation's clock in the body."""
    with mock.patch.object(driver_module, "time", clock), mock.patch.object(progress_module, "time", clock):
        yield


@dataclass(frozen=True)
class Faults:
    """What goes wrong in a search, by chance, and how often.

    Attributes:
        random: by which chance.
        lost: the part of the tasks whose machine is lost: that is known as late as their outcome would be.
        late: the part of the tasks whose outcome takes up to a hundred times as long.
        twice: the part of the outcomes that come a second time, up to a minute later.
        again: the part of the outcomes after which the root is lost: another one begins with its checkpoint.
    """

    random: random.Random
    lost: float = 0.0
    late: float = 0.0
    twice: float = 0.0
    again: float = 0.0

    def strike(self, part: float) -> bool:
        """Return whether a fault happens."""
        return self.random.random() < part


def made(branches: Sequence[Branch], pace: Pace, tuning: Tuning) -> Driver:
    """Return a driver of a frontier as it is in a search."""
    frontier = Frontier(branches, weigh=weight_within(branches), pace=pace, tuning=tuning)
    progress = Progress(0, since=clock.now)
    return Driver(None, frontier, progress, found=lambda _: None)  # type: ignore[arg-type]


def resumed(root: Driver, tuning: Tuning) -> Driver:
    """Return the driver of a root that begins where a lost one's last checkpoint is, after its last outcome."""
    lost, driver = root.frontier, made(root.frontier.branches, Pace(), tuning.of_machines())
    driver.frontier.resume(lost.nodes, lost.weight, lost.cut, lost.share)
    return driver


def sliced(tree: Any, branches: Sequence[Branch], budget: int) -> Outcome:
    """Return what `run_slice` would."""
    outcomes = []
    for branch in branches:
        outcome = tree.search(branch, budget)
        outcomes.append(replace(outcome, seconds=outcome.nodes / RATE))
        budget -= outcome.nodes
        if budget <= 0 or outcome.rest:
            break
    return merge_outcomes(outcomes)


def processes(tree: Any, driver: Driver, workers: int) -> None:
    """Search with the processes of a machine, as `Remote.run` does; the clock is then at its end."""
    free = [clock.now] * workers
    heapq.heapify(free)
    events: list[tuple[float, int, Any, Outcome]] = []
    numbers = itertools.count()
    coordinator = clock.now
    while not driver.frontier.done and (driver.frontier.running or not driver.over):
        if not driver.over:
            while task := driver.frontier.take(workers, *driver.seconds_of_slices):
                outcome = sliced(tree, task.branches, task.budget)
                begin = max(clock.now + ROUND_TRIP / 2, heapq.heappop(free))
                end = begin + outcome.seconds + LOAD * len(task.branches)
                heapq.heappush(free, end)
                heapq.heappush(events, (end + ROUND_TRIP / 2, next(numbers), task, outcome))
        came, _, task, outcome = heapq.heappop(events)
        coordinator = max(coordinator, came) + COORDINATOR
        clock.now = max(clock.now, coordinator)
        driver.finish(task, outcome)


def on_machine(tree: Any, pace: Pace, branches: Sequence[Branch], seconds: float, cores: int, tuning: Tuning) -> Any:
    """Return what `run_on_machine` would, and its seconds; the clock is as before."""
    begin = clock.now
    driver = made(branches, pace, tuning.in_machine())
    driver.until = begin + seconds
    processes(tree, driver, cores)
    took, clock.now = clock.now - begin, begin
    frontier = driver.frontier
    rest = tuple(join(frontier.branches))
    return Outcome(
        frontier.nodes, frontier.weight, np.zeros((0, 1), np.uint16), True, frontier.seconds, rest, len(branches)
    ), took


def cluster(tree: Any, machines: int, cores: int, tuning: Tuning, faults: Faults | None = None) -> dict[str, float]:
    """Search a tree on machines; return the seconds and what was found, and the number of tasks of machines.

    Args:
        tree: what is searched: `nodes`, and `search(branch, budget)`, which returns an outcome.
        machines: how many, of so many cores each.
        cores: see `machines`.
        tuning: of both levels.
        faults: what goes wrong; None for nothing.
    """
    with simulated():
        return _cluster(tree, machines, cores, tuning, faults or Faults(random.Random(0)))


def _cluster(tree: Any, machines: int, cores: int, tuning: Tuning, faults: Faults) -> dict[str, float]:
    clock.now = 0.0
    root = made([Branch.whole(0)], Pace(), tuning.of_machines())
    paces = [Pace() for _ in range(machines)]
    free, loads = [0.0] * machines, [0] * machines
    idle = [(0, number) for number in range(machines)]
    events: list[tuple[float, int, int, Any, Outcome]] = []
    numbers = itertools.count()
    tasks, scheduler = 0, 0.0
    out: set[Task] = set()
    while not root.frontier.done:
        while task := root.frontier.take(machines, *root.seconds_of_slices):
            while (least := heapq.heappop(idle))[0] != loads[least[1]]:
                pass
            machine = least[1]
            loads[machine] += 1
            heapq.heappush(idle, (loads[machine], machine))
            scheduler = max(scheduler, clock.now) + SCHEDULER
            begin, now = max(scheduler + NETWORK, free[machine]), clock.now
            clock.now = begin
            outcome, took = on_machine(tree, paces[machine], task.branches, task.seconds, cores, tuning)
            clock.now = now
            tasks += 1
            if faults.strike(faults.late):
                took *= faults.random.uniform(1, 100)
            free[machine] = begin + took
            came = begin + took + NETWORK
            out.add(task)
            heapq.heappush(events, (came, next(numbers), machine, task, outcome))
            if faults.strike(faults.twice):
                heapq.heappush(events, (came + faults.random.uniform(0, 60), next(numbers), -1, task, outcome))
        came, _, machine, task, outcome = heapq.heappop(events)
        if machine >= 0:  # not a second time
            loads[machine] -= 1
            heapq.heappush(idle, (loads[machine], machine))
        if task not in out:  # as `Remote` leaves out what has come, or counts as lost
            continue
        out.remove(task)
        if faults.strike(faults.lost):
            clock.now = max(clock.now, came)
            root.frontier.lose(task, "its machine was lost", blame=faults.strike(0.3))
            continue
        clock.now = max(clock.now, came) + ROOT + ROOT_BRANCH * len(outcome.rest)
        root.finish(task, outcome)
        if faults.strike(faults.again):
            root, out = resumed(root, tuning), set()
    if not 0.9 * tree.nodes <= root.frontier.nodes <= tree.nodes:
        raise SystemExit(f"wrong: {root.frontier.nodes} of {tree.nodes} nodes were searched")
    found = root.frontier
    return {
        "seconds": clock.now,
        "nodes": found.nodes,
        "weight": found.weight,
        "share": found.share,
        "tasks": tasks,
    }
