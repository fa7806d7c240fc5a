"""How far one root carries: simulated speed-up at 1 to 16,384 cores, in machines of 1, 16 and 64.

A simulation of events with a clock of its own. It runs the real code of the root and of each machine: frontier,
driver, splitting, lengths of slices, joining of what is left. Only three things are not real: the kernel, in whose
place a model of a tree says how many nodes a slice visits; the executor; and time. The tree divides as a real one does:
a 15-puzzle's, N queens' and a peg search's trees are really split and recorded, and each node of the simulated tree,
which is much larger, divides as a recorded one does that its path picks. The root knows the tree as from an iteration
before, wrong by up to 30%. What an outcome and a task cost the root and dask was measured
(`cluster.md` in `results/`) and is in `simulation.py`. Compared with real searches (`scaling-check.md`), it was right
within 5% for one and two processes, and 9 to 19% too good for two dask workers on the cores of root and scheduler.

The first table is of machines whose inside is not simulated slice by slice, which would take hours: they are as the
second table's are on average, where it is, for a job of a minute. A goal is for machines of many cores: of one core
each, 1,024 give back more outcomes than one root should take, and 16,384 cannot be served by one.

    .venv/bin/python scripts/simulate_scaling.py --write
"""

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

import benchmark
from simulation import RATE, Inside, cluster, inside_of
from trees import Model, record

from parsolve.bench.markdown import table
from parsolve.puzzles import Peg, Queens, Sliding
from parsolve.search.tuning import DEFAULT

MACHINES = (1, 16, 64)
"""Cores of a machine."""

JOBS = {1: 1e5, 2: 1e5, 16: 1e5, 64: 1e5, 256: 1e5, 1024: 1e5, 4096: 1e5, 16384: 1e6}
"""The core-seconds of the job, by cores."""

GOALS = {64: 0.95, 256: 0.92, 1024: 0.9, 16384: 0.8}

MINUTE = 60

TREES: dict[str, Callable[[], Model]] = {
    "15-puzzle": lambda: record(Sliding(start=benchmark.KORF[1].tiles, goal="blank-first", bound="manhattan"), 55),
    "queens": lambda: record(Queens(n=13), 0),
    "peg": lambda: record(Peg(board="triangle21", vacancy="4", target="4", bound="none"), 8),
}


def main() -> None:
    """Simulate and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", nargs="+", choices=TREES, default=list(TREES), help="which trees")
    parser.add_argument("--cores", nargs="+", type=int, default=list(JOBS), help="how many cores")
    parser.add_argument("--write", action="store_true", help="write into results/ instead of only printing")
    parser.set_defaults(began=benchmark.commit())
    options = parser.parse_args()
    sections, data = [], []
    insides, averages = {}, []
    for name in options.trees:
        tree = TREES[name]()
        for cores in MACHINES:
            insides[cores], row = inside(tree, cores)
            averages.append([name, cores, *row])
        for cores in options.cores:
            data += [{"tree": name, **one(tree, cores, each, insides[each])} for each in MACHINES if each <= cores]
    head = ["tree", "cores", "a machine", "core-seconds", "seconds", "speed-up", "efficiency", "goal", "outcomes"]
    sections.append(table([*head, "root busy", "open at most"], [row_of(each) for each in data]))
    head = ["tree", "a machine", "branches an outcome", "busy while asked", "late, ms", "efficiency of 2 machines"]
    sections.append(table([*head, "the same not slice by slice"], averages))
    benchmark.report("scaling", __doc__, "\n\n".join(sections), data, options)
    if options.write:
        plot(data)


def inside(tree: Model, cores: int) -> tuple[Inside, list[str]]:
    """Return what the tasks of a machine are like, from two that are simulated slice by slice, and that as a row."""
    model = tree.of_size(int(2 * cores * MINUTE * RATE))
    found, tasks = cluster(model, 2, cores, DEFAULT, before=model.prefix())
    made = inside_of(tasks, cores)
    whole, _ = cluster(model, 2, cores, DEFAULT, made, model.prefix())
    figures = (f"{made.branches:.1f}", f"{made.busy:.3f}", f"{1e3 * made.late:.0f}")
    return made, [*figures, f"{found['efficiency']:.3f}", f"{whole['efficiency']:.3f}"]


def one(tree: Model, cores: int, a_machine: int, made: Inside) -> dict[str, Any]:
    """Simulate a search on so many cores."""
    begin = time.process_time()
    model = tree.of_size(int(JOBS[cores] * RATE))
    found, _ = cluster(model, cores // a_machine, a_machine, DEFAULT, made, model.prefix())
    print(cores, a_machine, f"{found['efficiency']:.3f}", f"({time.process_time() - begin:.0f} s)", flush=True)
    return {"cores": cores, "a machine": a_machine, **found}


def row_of(found: dict[str, Any]) -> list[Any]:
    """Return a row of the table."""
    cores, efficiency = found["cores"], found["efficiency"]
    return [
        *(found["tree"], f"{cores:,}", found["a machine"], f"{JOBS[cores]:,.0f}", f"{found['seconds']:,.1f}"),
        *(f"{efficiency * cores:,.1f}", f"{efficiency:.3f}", GOALS.get(cores, "")),
        *(f"{found['outcomes']:,}", f"{found['root']:.2f}", f"{found['open']:,}"),
    ]


def plot(data: Sequence[dict[str, Any]]) -> None:
    """Draw the efficiency by cores into results/."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for name, a_machine in sorted({(each["tree"], each["a machine"]) for each in data}):
        points = [each for each in data if (each["tree"], each["a machine"]) == (name, a_machine)]
        cores = [each["cores"] for each in points]
        axes.plot(cores, [each["efficiency"] for each in points], "o-", label=f"{name}, {a_machine} a machine")
    axes.plot(list(GOALS), list(GOALS.values()), "k_", markersize=14, label="goal")
    axes.set(xscale="log", xlabel="cores", ylabel="efficiency", ylim=(0, 1.05))
    axes.legend(fontsize="small")
    figure.savefig(benchmark.results_folder() / "scaling.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
