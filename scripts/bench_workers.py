"""Several workers against what the machine can give, on searches of one second and more.

The cheapest solutions of 15-puzzles are counted by `parsolve count` on one worker and on several. The ceiling is what
as many one-worker commands reach that are started together and know nothing of each other: their nodes over the time of
the slowest. The seconds are those that the command reports of its search, and hold the start of the workers. All visit
the same nodes, or the benchmark fails.

    .venv/bin/python scripts/bench_workers.py
"""

import functools
import json
import subprocess
from collections.abc import Callable, Sequence

import benchmark
from bench_startup import PARSOLVE
from benchmark import KORF, Instance, Run, checked, rounds_table

from parsolve.bench.markdown import spread, table

JOBS: dict[str, tuple[Instance, float]] = {
    "1 s": (KORF[4], 0.88),
    "2 s": (KORF[1], 0.92),
    "4 s": (KORF[37], 0.94),
    "15 s": (KORF[72], 0.97),
}
"""By the seconds on one worker, more or less: the 15-puzzle, and the share of the ceiling that is asked for."""

ONE, WORKERS, CEILING = "one worker", "workers", "ceiling"


def main() -> None:
    """Measure and report."""
    options = benchmark.options(
        __doc__,
        rounds=5,
        workers={"type": int, "default": 2, "metavar": "N", "help": "how many workers"},
        jobs={"nargs": "+", "choices": JOBS, "default": list(JOBS), "help": "which jobs"},
    )
    measures: dict[tuple[str, str], Callable[[], Run]] = {}
    for name in options.jobs:
        instance, _ = JOBS[name]
        measures[name, ONE] = functools.partial(together, instance, 1, 1)
        measures[name, WORKERS] = functools.partial(together, instance, 1, options.workers)
        measures[name, CEILING] = functools.partial(together, instance, options.workers, 1)
    rounds = benchmark.in_turns(options.rounds, measures)
    data = [{f"{name}, {how}": run for (name, how), run in each.items()} for each in rounds]
    benchmark.report(f"workers-{options.workers}", __doc__, text(rounds, options.workers, options.jobs), data, options)


def together(instance: Instance, commands: int, workers: int) -> Run:
    """Commands that are started together, as if they were one search."""
    words = ["count", "sliding", "--start", instance.tiles, "--goal", "blank-first", "--bound", "manhattan"]
    words += ["--json", "--quiet"]
    processes = [
        subprocess.Popen([PARSOLVE, *words, "--workers", str(workers)], stdout=subprocess.PIPE, text=True)
        for _ in range(commands)
    ]
    runs = [checked(instance, result(process)) for process in processes]
    return Run(
        nodes=sum(run.nodes for run in runs),
        solutions=sum(run.solutions for run in runs),
        seconds=max(run.seconds for run in runs),
    )


def result(process: "subprocess.Popen[str]") -> Run:
    """What a command that was started has to say."""
    output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"the measured command ended with exit code {process.returncode}")
    said = json.loads(output)
    return Run(said["nodes"], said["count"], said["seconds"])


def text(rounds: list[dict[tuple[str, str], Run]], workers: int, jobs: Sequence[str]) -> str:
    """The tables: seconds and rates by job, shares of the ceiling by round."""
    rows = []
    for name in jobs:
        instance, asked = JOBS[name]
        seconds = [spread(each[name, how].seconds for each in rounds) for how in (ONE, WORKERS, CEILING)]
        rows.append([name, f"{instance.nodes:,}", *seconds, spread(share(each, name) for each in rounds), asked])
    head = ["job", "nodes", *(f"{how}, s" for how in (ONE, f"{workers} workers", CEILING)), "share", "asked"]
    shares = [[share(each, name) for name in jobs] for each in rounds]
    return "\n".join(
        (
            f"{workers} workers; medians of {len(rounds)} rounds (least – greatest). The share is that of the"
            " ceiling's rate which the workers reach.\n",
            table(head, rows),
            "\nThe share by round:\n",
            rounds_table(jobs, shares),
        )
    )


def share(runs: dict[tuple[str, str], Run], name: str) -> float:
    """The workers' part of the ceiling's rate."""
    return runs[name, WORKERS].rate / runs[name, CEILING].rate


if __name__ == "__main__":
    main()
