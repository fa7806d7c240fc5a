"""How honest the estimates are: ten known jobs, estimated before they run and while they do.

Before: the nodes of the last limit by two seconds of random probes, against those that were visited; and whether they
are within the two standard errors that are told. While it runs, at 5%, 20% and 50% of the last limit's time: how long
this limit takes in all by the time left that is told then, against how long it took.

    .venv/bin/python scripts/bench_estimate.py
"""

import functools
import json
import sys
from dataclasses import dataclass, field
from typing import Any

import benchmark
from benchmark import KORF, said

import parsolve
from parsolve.bench.markdown import table
from parsolve.problem.registry import make
from parsolve.search.progress import Progress
from parsolve.search.watch import Listener

KORF_WORDS = {
    number: {"goal": "blank-first", "bound": "manhattan", "start": KORF[number].tiles} for number in (1, 2, 3, 4)
}

JOBS: dict[str, tuple[str, dict[str, Any]]] = {
    **{f"15-puzzle, Korf {number}": ("sliding", words) for number, words in KORF_WORDS.items()},
    "11-puzzle": ("eleven", {}),
    "8-puzzle, plain": ("eight", {"bound": "none"}),
    "queens 15, bits": ("queens", {"n": 15, "method": "bits"}),
    "queens 19, quadrants": ("queens", {"n": 19, "method": "quadrants"}),
    "queens 14, backtrack": ("queens", {"n": 14, "method": "backtrack"}),
    "permutations 11": ("permutations", {"n": 11}),
}

MOMENTS = (0.05, 0.2, 0.5)


@dataclass
class Watch(Listener):
    """Notes the time left that is told as time goes by, in the last limit."""

    lefts: list[tuple[float, float | None]] = field(default_factory=list)

    def iteration_started(self, limit: int) -> None:
        self.lefts.clear()

    def progress_made(self, progress: Progress) -> None:
        self.lefts.append((progress.seconds, progress.left))

    def told(self, moment: float) -> float | None:
        """At a share of the time: the time in all that was promised, as a multiple of what it was."""
        total = self.lefts[-1][0]
        told = [seconds + left for seconds, left in self.lefts if seconds <= moment * total and left is not None]
        return told[-1] / total if told else None


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=1)
    rounds = benchmark.in_turns(options.rounds, {name: functools.partial(measured, *job) for name, job in JOBS.items()})
    benchmark.report("estimate", __doc__, text(rounds[-1]), rounds, options)


def measured(source: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """One job: estimate, then search."""
    watch = Watch()
    result = parsolve.solve(make(source, parameters), want="count", workers=1, engine="deepening", listener=watch)
    last = result.iterations[-1]
    words = [word for key, value in parameters.items() for word in (f"--{key}", str(value))]
    command = [sys.executable, "-m", "parsolve", "estimate", source, *words, "--limit", str(last.limit), "--json"]
    (estimate,) = json.loads(said(*command))
    return {
        "nodes": last.nodes,
        "seconds": last.seconds,
        "estimate": estimate["nodes"],
        "error": estimate["error"],
        "told": [watch.told(moment) for moment in MOMENTS],
    }


def text(jobs: dict[str, dict[str, Any]]) -> str:
    """The table."""
    rows = []
    for name, job in jobs.items():
        within = abs(job["estimate"] - job["nodes"]) <= 2 * job["error"]
        ratio = f"{job['estimate'] / job['nodes']:.2f} ± {2 * job['error'] / job['nodes']:.2f}"
        told = [f"{each:.2f}" if each else "" for each in job["told"]]
        rows.append([name, f"{job['nodes']:,}", ratio, "yes" if within else "no", f"{job['seconds']:.1f}", *told])
    head = ["job, last limit", "nodes", "estimate / truth", "within two errors", "seconds"]
    return table([*head, *(f"time in all told at {moment:.0%} / truth" for moment in MOMENTS)], rows)


if __name__ == "__main__":
    main()
