"""Korf's hundred 15-puzzles: all cheapest solutions counted, by each bound.

The positions are those of R. E. Korf, Depth-first iterative-deepening, Artificial Intelligence 27 (1985) 97–109. The
costs, and the numbers of solutions as far as they are known, are held against what is known, and those of the bounds
against each other, or the benchmark fails. The tables of a bound are built, and its kernel is loaded, before its clock
starts: `set up` says how long that took, in all and for the first puzzle. Nodes are compared with those of Manhattan
distance where that is measured too. With `--write` the counts are written to `results/` besides.

    .venv/bin/python scripts/bench_sliding.py --bounds patterns --workers 1
"""

import csv
import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import benchmark

import parsolve
from parsolve.bench.markdown import spread, table
from parsolve.problem.registry import make

KNOWN = Path(__file__).resolve().parents[1] / "tests" / "oracle" / "korf100.csv"

COUNTS = Path(__file__).resolve().parents[1] / "results" / "korf100_optimal_solutions.csv"

BOUNDS = ("patterns:5-5-5", "patterns:6-6-3")


@dataclass(frozen=True)
class Measured:
    """What one bound took for all positions.

    Attributes:
        counts: the number of cheapest solutions of each.
    """

    counts: list[int]
    nodes: int
    seconds: float
    set_up: float
    first_set_up: float


def main() -> None:
    """Measure and report."""
    options = benchmark.options(
        __doc__,
        rounds=3,
        bounds={"default": BOUNDS, "nargs": "+", "metavar": "BOUND", "help": "such as manhattan, or patterns:7-8"},
        numbers={"type": int, "nargs": "+", "metavar": "N", "help": "which of the hundred; by default all"},
        workers={"type": int, "default": 1, "metavar": "N", "help": "how many processes search"},
    )
    positions = known(options.numbers)
    rounds = benchmark.in_turns(
        options.rounds,
        {bound: functools.partial(measured, bound, positions, options.workers) for bound in options.bounds},
    )
    if len({tuple(run.counts) for each in rounds for run in each.values()}) > 1:
        raise SystemExit("wrong: the bounds disagree on the numbers of solutions")
    benchmark.report("sliding", __doc__, text(rounds, len(positions), options.workers), rounds, options)
    if options.write and not options.numbers:
        write_counts(positions, next(iter(rounds[0].values())).counts, options.bounds)


def write_counts(positions: Sequence[dict[str, str]], counts: Sequence[int], bounds: Sequence[str]) -> None:
    """Write cost and number of cheapest solutions of each position."""
    made = benchmark.facts()
    with COUNTS.open("w", newline="") as file:
        file.write(
            "# Korf's hundred 15-puzzles: moves and number of all shortest solutions, by scripts/bench_sliding.py\n"
        )
        file.write(f"# The same by the bounds {' and '.join(bounds)}. {made['processor']}; commit {made['commit']}\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "tiles", "moves", "solutions"])
        for row, count in zip(positions, counts, strict=True):
            writer.writerow([row["id"], row["tiles"], row["optimal_length"], count])


def known(numbers: Sequence[int] | None) -> list[dict[str, str]]:
    """The positions of some numbers, with what is known of them."""
    with KNOWN.open() as file:
        return [row for row in csv.DictReader(file) if not numbers or int(row["id"]) in numbers]


def measured(bound: str, positions: Sequence[dict[str, str]], workers: int) -> Measured:
    """All positions by one bound.

    Raises:
        SystemExit: a cost or a number of solutions is not what is known.
    """
    name, _, patterns = bound.partition(":")
    counts: list[int] = []
    nodes, seconds, set_up = 0, 0.0, list[float]()
    for row in positions:
        begin = time.perf_counter()
        position = {"start": row["tiles"], "goal": "blank-first", "bound": name, "patterns": patterns}
        puzzle = make("sliding", position)
        found = parsolve.solve(puzzle, want="count", workers=workers)
        count = found.count or 0
        if (found.cost, count) != (int(row["optimal_length"]), int(row["optimal_solutions"] or count)):
            raise SystemExit(f"wrong: position {row['id']} by {bound} has {count} solutions of {found.cost} moves")
        counts.append(count)
        nodes, seconds = nodes + found.nodes, seconds + found.seconds
        set_up.append(time.perf_counter() - begin - found.seconds)
    return Measured(counts, nodes, seconds, sum(set_up), set_up[0])


def text(rounds: Sequence[dict[str, Measured]], positions: int, workers: int) -> str:
    """The table, by bound."""
    rows = []
    for bound, first in rounds[0].items():
        runs = [each[bound] for each in rounds]
        share = f"{first.nodes / rounds[0]['manhattan'].nodes:.3f}" if "manhattan" in rounds[0] else ""
        rows.append(
            [
                bound,
                f"{first.nodes:,}",
                share,
                spread(run.seconds for run in runs),
                spread(run.nodes / run.seconds / 1e6 for run in runs),
                spread(run.set_up for run in runs),
                spread(run.first_set_up for run in runs),
            ]
        )
    head = ["bound", "nodes", "of Manhattan's", "seconds", "M nodes/s", "set up, s", "the first, s"]
    of = f"{positions} positions, {workers} worker{'s' * (workers > 1)}"
    return f"{of}; medians of {len(rounds)} rounds (least – greatest).\n\n{table(head, rows)}"


if __name__ == "__main__":
    main()
