"""How far one root carries: simulated speed-up at 1 to 16,384 cores, in machines of 1, 16 and 64.

A simulation of events with a clock of its own. It runs the real code of the root and of each machine: frontier,
driver, splitting, lengths of slices, joining of what is left. Only three things are not real: the kernel, in whose
place a model of a tree says how many nodes a slice visits; the executor; and time. The tree divides as a real one does:
a 15-puzzle's, N queens' and a peg search's trees are really split and recorded, and each node of the simulated tree,
which is much larger, divides as a recorded one does that its path picks. The root knows the tree as from an iteration
before, wrong by up to 30%. What an outcome and a task cost stands in the
script, by measurements (`bench_frontier.py`, `bench_cluster.py`).

Where a job is smaller than the goal is for, the goal is the harder. From 256 cores on the inside of a machine is not
simulated slice by slice, which would take hours: its cores are as busy as a simulated machine's are on average, its
outcomes have as many branches as that one's, and its tasks end a little late.

    .venv/bin/python scripts/simulate_scaling.py --write
"""

import argparse
import heapq
import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import benchmark
from trees import NO_PATHS, Model, record

import parsolve
from parsolve.puzzles import Peg, Queens, Sliding
from parsolve.report.tables import table
from parsolve.search import driver as driver_module
from parsolve.search import progress as progress_module
from parsolve.search.branch import Branch, join
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.driver import Driver
from parsolve.search.frontier import Frontier
from parsolve.search.machine import weight_within
from parsolve.search.outcome import Outcome, merge_outcomes
from parsolve.search.pace import Pace
from parsolve.search.progress import Prefix, Progress
from parsolve.search.tuning import Tuning

RATE = 30e6
"""Nodes a second and core."""

ROUND_TRIP = 0.0012
"""Seconds of a slice's round trip between a machine's coordinator and a process, its worker idle only without another
task."""

COORDINATOR = 0.00025
"""Seconds of a machine's coordinator for an outcome of a slice: pickled, taken, the next one handed out."""

SCHEDULER = 0.001
"""Seconds of dask's scheduler for a task."""

NETWORK = 0.005
"""Seconds from the root to a machine, or back: two hops, and dask's ways between its threads."""

ROOT = 0.002
"""Seconds of the root for an outcome of a machine, whatever is in it."""

ROOT_BRANCH = 0.00005
"""The same for each branch in it."""

INSIDE, LATE, BRANCHES = 0.985, 0.02, 3.5
"""Of a machine whose inside is not simulated: the part of its time that its cores are busy, how much later than it
should its task ends, and the branches a core that its outcomes have. By those that are simulated."""

MACHINES = (1, 16, 64)
"""Cores of a machine."""

JOBS = ((1, 200), (2, 200), (16, 1e3), (64, 2e3), (256, 3e4), (1024, 1e5), (16384, 1e6))
"""Cores, and the core-seconds of the job."""

GOALS = {64: 0.95, 256: 0.92, 1024: 0.9, 16384: 0.8}


@dataclass
class Clock:
    """A clock that the simulation sets, in the place of `time`."""

    now: float = 0.0

    def monotonic(self) -> float:
        return self.now


clock = Clock()


def made(branches: Sequence[Branch], pace: Pace, tuning: Tuning, before: Prefix | None = None) -> Driver:
    """Return a driver of a frontier as it is in a search."""
    frontier = Frontier(branches, weigh=before.share if before else weight_within(branches), pace=pace, tuning=tuning)
    progress = Progress(0, since=clock.now)
    return Driver(None, frontier, progress, store=CheckpointStore(), emit=lambda _: None, tuning=tuning)  # type: ignore[arg-type]


def sliced(model: Model, branches: Sequence[Branch], budget: int) -> Outcome:
    """Return what `run_slice` would."""
    outcomes = []
    for branch in branches:
        outcome = model.search(branch, budget)
        outcomes.append(replace(outcome, seconds=outcome.nodes / RATE))
        budget -= outcome.nodes
        if budget <= 0 or outcome.rest:
            break
    return merge_outcomes(outcomes)


def processes(model: Model, driver: Driver, workers: int, tuning: Tuning) -> None:
    """Search with the processes of a machine, as `Remote.run` does; the clock is then at its end."""
    free = [clock.now] * workers
    heapq.heapify(free)
    events: list[tuple[float, int, Any, Outcome]] = []
    numbers = itertools.count()
    coordinator = clock.now
    while not driver.frontier.done and (driver.frontier.running or not driver.over):
        if not driver.over:
            seconds, short = driver.seconds_of_slices(workers)
            while task := driver.frontier.take(workers, seconds, short):
                outcome = sliced(model, task.branches, task.budget)
                begin = max(clock.now + ROUND_TRIP / 2, heapq.heappop(free))
                end = begin + outcome.seconds + 0.00011 * len(task.branches)
                heapq.heappush(free, end)
                heapq.heappush(events, (end + ROUND_TRIP / 2, next(numbers), task, outcome))
        came, _, task, outcome = heapq.heappop(events)
        coordinator = max(coordinator, came) + COORDINATOR
        clock.now = max(clock.now, coordinator)
        driver.finish(task, outcome)


def on_machine(model: Model, pace: Pace, branches: Sequence[Branch], seconds: float, cores: int, tuning: Tuning) -> Any:
    """Return what `run_on_machine` would, and its seconds; the clock is as before."""
    begin = clock.now
    tuning = tuning.in_machine()
    driver = made(branches, pace, tuning)
    driver.until = begin + seconds
    processes(model, driver, cores, tuning)
    took, clock.now = clock.now - begin, begin
    frontier = driver.frontier
    rest = tuple(join(frontier.branches))
    return Outcome(frontier.nodes, 0, NO_PATHS, True, frontier.seconds, rest, len(branches)), took


def as_whole(model: Model, branches: Sequence[Branch], seconds: float, cores: int) -> Any:
    """Return about the same as `on_machine`, at once."""
    busy = INSIDE if cores > 1 else 1.0
    outcome = sliced(model, branches, max(1, int(seconds * RATE * cores * busy)))
    return outcome, outcome.seconds / cores / busy + LATE


def cluster(model: Model, machines: int, cores: int, tuning: Tuning, whole: bool = False) -> dict[str, float]:
    """Search a tree on machines; return the seconds, and what the root had to do.

    Args:
        model: the tree.
        machines: how many, of so many cores each.
        cores: see `machines`.
        tuning: of both levels.
        whole: whether the inside of a machine is not simulated.
    """
    clock.now = 0.0
    root = made([Branch.whole(0)], Pace(), tuning.of_machines(), model.prefix())
    paces = [Pace() for _ in range(machines)]
    free = [0.0] * machines
    loads = [0] * machines
    idle = [(0, number) for number in range(machines)]
    events: list[tuple[float, int, int, Any, Outcome]] = []
    numbers = itertools.count()
    scheduler = busy = 0.0
    outcomes = branches = most = 0
    while not root.frontier.done:
        seconds, short = root.seconds_of_slices(machines)
        while task := root.frontier.take(machines, seconds, short):
            while (least := heapq.heappop(idle))[0] != loads[least[1]]:
                pass
            machine = least[1]
            loads[machine] += 1
            heapq.heappush(idle, (loads[machine], machine))
            scheduler = max(scheduler, clock.now) + SCHEDULER
            begin, now = max(scheduler + NETWORK, free[machine]), clock.now
            clock.now = begin
            if whole:
                outcome, took = as_whole(model, task.branches, task.seconds, cores)
            else:
                outcome, took = on_machine(model, paces[machine], task.branches, task.seconds, cores, tuning)
            clock.now = now
            free[machine] = begin + took
            heapq.heappush(events, (begin + took + NETWORK, next(numbers), machine, task, outcome))
        came, _, machine, task, outcome = heapq.heappop(events)
        loads[machine] -= 1
        heapq.heappush(idle, (loads[machine], machine))
        cost = ROOT + ROOT_BRANCH * (BRANCHES * cores if whole else len(outcome.rest))
        clock.now = max(clock.now, came) + cost
        busy += cost
        outcomes, branches = outcomes + 1, branches + len(outcome.rest)
        root.finish(task, outcome)
        most = max(most, root.frontier.queued)
    if root.frontier.nodes < model.nodes * 0.9:
        raise SystemExit("wrong: some of the tree was not searched")
    return {
        "seconds": clock.now,
        "work": root.frontier.nodes / RATE,
        "outcomes": outcomes,
        "branches": branches / outcomes,
        "root": busy / clock.now,
        "open": most,
    }


def local(model: Model, workers: int, tuning: Tuning) -> dict[str, float]:
    """Search a tree with the processes of one machine and no cluster."""
    clock.now = 0.0
    driver = made([Branch.whole(0)], Pace(), tuning)
    processes(model, driver, workers, tuning)
    return {"seconds": clock.now, "work": driver.frontier.nodes / RATE}


TREES: dict[str, Callable[[], list[tuple[float, ...]]]] = {
    "15-puzzle": lambda: record(Sliding(start=benchmark.KORF[1].tiles, goal="blank-first", bound="manhattan"), 55),
    "queens": lambda: record(Queens(n=13), 0),
    "peg": lambda: record(Peg(board="triangle21", vacancy="4", target="4", bound="none"), 8),
}


def plot(data: Sequence[dict[str, Any]]) -> None:
    """Draw the efficiency by cores into results/."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for name, a_machine in sorted({(each["tree"], each["a machine"]) for each in data}):
        points = [each for each in data if (each["tree"], each["a machine"]) == (name, a_machine)]
        cores = [each["cores"] for each in points]
        efficiency = [each["speed-up"] / each["cores"] for each in points]
        axes.plot(cores, efficiency, "o-", label=f"{name}, {a_machine} a machine")
    axes.plot(list(GOALS), list(GOALS.values()), "k_", markersize=14, label="goal")
    axes.set(xscale="log", xlabel="cores", ylabel="efficiency", ylim=(0, 1.05))
    axes.legend(fontsize="small")
    figure.savefig(benchmark.results_folder() / "scaling.svg", metadata={"Date": None})


def main() -> None:
    """Simulate and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", nargs="+", choices=TREES, default=list(TREES), help="which trees")
    parser.add_argument("--cores", nargs="+", type=int, default=[cores for cores, _ in JOBS], help="how many cores")
    parser.add_argument("--machines", nargs="+", type=int, default=list(MACHINES), help="cores of a machine")
    parser.add_argument("--seconds", type=float, default=Tuning.machine_seconds, help="of a machine's task")
    parser.add_argument("--short", type=float, default=Tuning.machine_short, help="the same with a short queue")
    parser.add_argument("--write", action="store_true", help="write into results/ instead of only printing")
    parser.set_defaults(began=benchmark.commit())
    options = parser.parse_args()
    for module in (driver_module, progress_module):
        vars(module)["time"] = clock
    tuning = parsolve.Tuning(machine_seconds=options.seconds, machine_short=options.short)
    rows, data = [], []
    for name in options.trees:
        divisions = TREES[name]()
        for cores, work in JOBS:
            for a_machine in options.machines:
                if cores not in options.cores or a_machine > cores:
                    continue
                begin = time.process_time()
                model = Model(divisions, int(work * RATE))
                found = cluster(model, cores // a_machine, a_machine, tuning, whole=cores >= 256)
                speedup = found["work"] / found["seconds"]
                made = {"tree": name, "cores": cores, "a machine": a_machine, "speed-up": speedup, **found}
                data.append(made)
                rows.append(
                    [
                        *(name, f"{cores:,}", a_machine, f"{work:,.0f}", f"{found['seconds']:.1f}", f"{speedup:,.1f}"),
                        *(f"{speedup / cores:.3f}", GOALS.get(cores, ""), f"{found['outcomes']:,}"),
                        *(f"{found['branches']:.1f}", f"{found['root']:.2f}", f"{found['open']:,}"),
                    ]
                )
                print(*rows[-1], f"({time.process_time() - begin:.0f} s)", flush=True)
    head = ["tree", "cores", "a machine", "core-seconds", "seconds", "speed-up", "efficiency", "goal"]
    head += ["outcomes at the root", "branches in each", "root busy", "open at most"]
    benchmark.report("scaling", __doc__, table(head, rows), data, options)
    if options.write:
        plot(data)


if __name__ == "__main__":
    main()
