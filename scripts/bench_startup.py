"""How long whole processes take, from their start to their end.

All use a kernel cache of their own, which holds the kernels already; the cold ones an empty one, and must say on stderr
that they compile, or the benchmark fails. `import numba` is what a command no longer waits for; the baseline imports
numpy and llvmlite, which load a kernel.

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

from parsolve.bench.markdown import spread, table

PARSOLVE = str(Path(sys.executable).with_name("parsolve"))

LIBRARY = """
import parsolve
from parsolve.puzzles import Sliding
assert parsolve.solve(Sliding(), workers=1).count == 40
"""

WORKER = """
import sys, time
import parsolve
from parsolve.problem.problem import Problem
from parsolve.deepening.searcher import Searcher
from parsolve.puzzles import Sliding
Searcher(Problem(Sliding())).warm_up()
"""
"""What a worker does that is started as a fresh interpreter."""

HELP = (PARSOLVE, "--help")
LIST = (PARSOLVE, "list")
NUMBA = (sys.executable, "-c", "import numba")
LOADS = (sys.executable, "-c", "import numpy, llvmlite.binding")
HOPPERS = (PARSOLVE, "solve", "hoppers")
EIGHT = (sys.executable, "-c", LIBRARY)
READY = (sys.executable, "-c", WORKER)
EXPLORED = (PARSOLVE, "explore", "five")

ASKED = {
    "parsolve --help": "under 0.15",
    "parsolve list": "under 0.13",
    "solve hoppers": "at most 0.40",
    "solve hoppers, cold": "at most 3.5",
    "explore five, cold": "at most 5",
    "8-puzzle from import to answer": "at most 0.45",
    "a worker is ready": "at most 0.25",
}


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=10)
    with tempfile.TemporaryDirectory() as cache:
        hoppers(cache, compiles=True)
        for command in (EIGHT, READY):
            seconds(command, cache)
        measures: dict[str, Callable[[], float]] = {
            "parsolve --help": lambda: seconds(HELP, cache)[0],
            "parsolve list": lambda: seconds(LIST, cache)[0],
            "import numba": lambda: seconds(NUMBA, cache)[0],
            "baseline": lambda: seconds(LOADS, cache)[0],
            "solve hoppers": functools.partial(hoppers, cache, compiles=False),
            "8-puzzle from import to answer": lambda: seconds(EIGHT, cache)[0],
            "a worker is ready": lambda: seconds(READY, cache)[0],
            "solve hoppers, cold": cold,
            "explore five, cold": explored,
        }
        rounds = benchmark.in_turns(options.rounds, measures)
    benchmark.report("startup", __doc__, text(rounds), rounds, options)


def seconds(command: tuple[str, ...], cache: str) -> tuple[float, str, str]:
    """How long a process takes, and what it writes to stdout and stderr.

    It finds the package's Python compiled, as a user's does.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PARSOLVE_CACHE_DIR"] = cache
    begin = time.perf_counter()
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
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


def explored() -> float:
    """Explore a small space with an empty kernel cache."""
    with tempfile.TemporaryDirectory() as cache:
        return seconds(EXPLORED, cache)[0]


def text(rounds: list[dict[str, float]]) -> str:
    """The table."""
    rows = [[name, spread(each[name] for each in rounds), ASKED.get(name, "")] for name in rounds[0]]
    return f"Seconds; medians of {len(rounds)} rounds (least – greatest).\n\n" + table(
        ["process", "seconds", "asked for"], rows
    )


if __name__ == "__main__":
    main()
