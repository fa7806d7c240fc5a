"""How long whole processes take, from their start to their end.

The baseline is a process that imports numba, loads the cached kernel of Hoppers and runs it once: what no search can do
without. All use a kernel cache of their own, which holds the kernel already; the cold one an empty one, and must say on
stderr that it is compiling, or the benchmark fails.

    .venv/bin/python scripts/bench_startup.py
"""

import functools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import benchmark

from parsolve.report.tables import spread, table

PARSOLVE = str(Path(sys.executable).with_name("parsolve"))

BASELINE = """
from parsolve.problem import Problem
from parsolve.search.searcher import Searcher
from parsolve.search.transposition import Table
from parsolve.registry import make
puzzle = make("hoppers", {})
Searcher(Problem(puzzle)).warm_up(Table(puzzle.default_table))
"""

HELP = (PARSOLVE, "--help")
LIST = (PARSOLVE, "list")
NUMBA = (sys.executable, "-c", "import numba")
LOADED = (sys.executable, "-c", BASELINE)
HOPPERS = (PARSOLVE, "solve", "hoppers")

ASKED = {
    "parsolve --help": "under 0.15",
    "parsolve list": "under 0.15",
    "solve hoppers": "at most 1.2",
    "solve hoppers, cold": "under 6",
}


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=10)
    with tempfile.TemporaryDirectory() as cache:
        hoppers(cache, compiles=True)
        measures: dict[str, Callable[[], float]] = {
            "parsolve --help": lambda: seconds(HELP, cache)[0],
            "parsolve list": lambda: seconds(LIST, cache)[0],
            "import numba": lambda: seconds(NUMBA, cache)[0],
            "baseline": lambda: seconds(LOADED, cache)[0],
            "solve hoppers": functools.partial(hoppers, cache, compiles=False),
            "solve hoppers, cold": cold,
        }
        rounds = benchmark.in_turns(options.rounds, measures)
    benchmark.report("startup", __doc__, text(rounds), rounds, options)


def seconds(command: tuple[str, ...], cache: str) -> tuple[float, str, str]:
    """How long a process takes, and what it writes to stdout and stderr."""
    begin = time.perf_counter()
    process = subprocess.run(
        command, env=os.environ | {"PARSOLVE_CACHE_DIR": cache}, capture_output=True, text=True, check=True
    )
    return time.perf_counter() - begin, process.stdout, process.stderr


def hoppers(cache: str, compiles: bool) -> float:
    """Solve Hoppers; stop unless it has 18 solutions, and says that it compiles if and only if it must."""
    taken, solutions, said = seconds(HOPPERS, cache)
    if len(solutions.splitlines()) != 18 or ("compiling" in said) != compiles:
        raise SystemExit(f"parsolve solve hoppers printed:\n{solutions}\n{said}")
    return taken


def cold() -> float:
    """Solve Hoppers with an empty kernel cache."""
    with tempfile.TemporaryDirectory() as cache:
        return hoppers(cache, compiles=True)


def text(rounds: list[dict[str, float]]) -> str:
    """The table, and what a search takes beyond the baseline."""
    rows = [[name, spread(each[name] for each in rounds), ASKED.get(name, "")] for name in rounds[0]]
    beyond = spread(each["solve hoppers"] - each["baseline"] for each in rounds)
    rows.append(["solve hoppers – baseline, round by round", beyond, "at most 0.15"])
    return f"Seconds; medians of {len(rounds)} rounds (least – greatest).\n\n" + table(
        ["process", "seconds", "asked for"], rows
    )


if __name__ == "__main__":
    main()
