"""Several workers against one, and against what the machine can give.

A 15-puzzle's cheapest solutions are counted by `parsolve.solve` on one worker, by the bare kernel on one thread, and by
`parsolve.solve` on several workers. The ceiling is what as many one-worker searches reach that are started together and
know nothing of each other: their nodes over the time of the slowest. Each runs in fresh processes; the seconds are
those of the search and hold the start of the workers. All visit the same nodes, or the benchmark fails.

    .venv/bin/python scripts/bench_workers.py
"""

from collections.abc import Callable

import benchmark
from benchmark import LONG, Run, bare, checked, result, rounds_table, solved, start

RATIOS: dict[str, tuple[str, str]] = {
    "workers / ceiling": ("workers", "ceiling"),
    "workers / one worker": ("workers", "one worker"),
    "workers / bare kernel": ("workers", "bare kernel"),
    "ceiling / one worker": ("ceiling", "one worker"),
}
ASKED = "asked for: workers / ceiling at least 0.95"


def main() -> None:
    """Measure and report."""
    options = benchmark.options(
        __doc__, rounds=5, workers={"type": int, "default": 2, "metavar": "N", "help": "how many workers"}
    )
    measures: dict[str, Callable[[], Run]] = {
        "one worker": lambda: alone(solved, 1),
        "bare kernel": lambda: alone(bare),
        "workers": lambda: alone(solved, options.workers),
        "ceiling": lambda: side_by_side(options.workers),
    }
    rounds = benchmark.in_turns(options.rounds, measures)
    benchmark.report(f"workers-{options.workers}", __doc__, text(rounds, options.workers), rounds, options)


def alone(function: Callable[..., Run], *arguments: int) -> Run:
    """One search, with the machine to itself."""
    return checked(LONG, result(start(function, LONG.tiles, *arguments)))


def side_by_side(number: int) -> Run:
    """Searches on one worker each, started together, as if they were one."""
    processes = [start(solved, LONG.tiles, 1) for _ in range(number)]
    runs = [checked(LONG, result(process)) for process in processes]
    return Run(
        nodes=sum(run.nodes for run in runs),
        solutions=sum(run.solutions for run in runs),
        seconds=max(run.seconds for run in runs),
    )


def text(rounds: list[dict[str, Run]], workers: int) -> str:
    """The tables: rates and ratios, by round and in all."""
    names = list(rounds[0])
    ratios = [[each[above].rate / each[below].rate for above, below in RATIOS.values()] for each in rounds]
    return "\n".join(
        (
            f"{workers} workers; {LONG.nodes:,} nodes, {LONG.solutions} solutions; {ASKED}.\n",
            "Million nodes a second:\n",
            rounds_table(names, [[each[name].rate for name in names] for each in rounds]),
            "Seconds of the search:\n",
            rounds_table(names, [[each[name].seconds for name in names] for each in rounds]),
            "Ratios of the rates:\n",
            rounds_table(RATIOS, ratios),
        )
    )


if __name__ == "__main__":
    main()
