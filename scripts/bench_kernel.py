"""The kernel on one thread against hand-written C.

15-puzzles with Manhattan distance: all cheapest solutions counted, the last iteration finished. In C (`ida.c`, gcc
-O3 -march=native) with the board as an array and packed into 64 bits; in parsolve the built-in puzzle and the same
file as a user's own puzzle. All visit the same nodes, or the benchmark fails. Seconds are those of the processor.

    .venv/bin/python scripts/bench_kernel.py
"""

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path

import benchmark
from benchmark import KORF, Instance, Run, bare, checked, result, said, start

from parsolve.bench.markdown import spread, table
from parsolve.puzzles.sliding import sliding

INSTANCES = (1, 2, 3, 4)
C, OURS = ("C array", "C packed"), ("parsolve", "own puzzle")


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=5)
    with tempfile.TemporaryDirectory() as folder:
        program, own = Path(folder) / "ida", Path(folder) / "own.py"
        said("gcc", "-O3", "-march=native", "-o", str(program), "scripts/ida.c")
        own.write_bytes(Path(sliding.__file__).read_bytes())
        rounds = benchmark.in_turns(
            options.rounds,
            {number: functools.partial(measure, KORF[number], program, f"{own}:Sliding") for number in INSTANCES},
        )
    benchmark.report("kernel", __doc__, text(rounds), rounds, options)


def measure(instance: Instance, program: Path, own: str) -> dict[str, Run]:
    """One 15-puzzle, by each program once."""
    each: dict[str, Callable[[], Run]] = {
        "C array": lambda: in_c(program, "array", instance),
        "C packed": lambda: in_c(program, "packed", instance),
        "parsolve": lambda: result(start(bare, instance.tiles, "sliding")),
        "own puzzle": lambda: result(start(bare, instance.tiles, own)),
    }
    return {name: checked(instance, run()) for name, run in each.items()}


def in_c(program: Path, board: str, instance: Instance) -> Run:
    """One run of the C program."""
    nodes, solutions, seconds = said(str(program), board, "4", "first", *instance.tiles.split()).split()
    return Run(int(nodes), int(solutions), float(seconds))


def text(rounds: list[dict[int, dict[str, Run]]]) -> str:
    """The tables: rates and ratios, by instance."""
    rates, ratios = [], []
    for number in INSTANCES:
        runs = [each[number] for each in rounds]
        rates.append(
            [number, f"{KORF[number].nodes:,}", KORF[number].solutions]
            + [spread(run[name].rate for run in runs) for name in C + OURS]
        )
        ratios.append(
            [number]
            + [spread(run[ours].rate / run[c].rate for run in runs) for ours in OURS for c in C]
            + [spread(run["own puzzle"].rate / run["parsolve"].rate for run in runs)]
        )
    return (
        f"Million nodes a CPU second; medians of {len(rounds)} rounds (least – greatest).\n\n"
        + table(["instance", "nodes", "solutions", *C, *OURS], rates)
        + "\nRatios of these rates, round by round.\n\n"
        + table(["instance", *(f"{ours} / {c}" for ours in OURS for c in C), "own puzzle / parsolve"], ratios)
    )


if __name__ == "__main__":
    main()
