"""How long whole processes take, from their start to their end.

All use a kernel cache of their own, which holds the kernels already. `import numba` is what a command no longer waits
for; the baseline imports numpy and llvmlite, which load a kernel. First uses have an empty cache, and must say that
they compile, or the benchmark fails; in turns with another checkout that has an environment, if it is given.

    .venv/bin/python scripts/bench_startup.py --before ../before
"""

import functools
import os
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import benchmark

from parsolve.bench.markdown import spread, table

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from shown import tutorial

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

ASKED = {
    "parsolve --help": "under 0.15",
    "parsolve list": "under 0.13",
    "solve hoppers": "at most 0.40",
    "8-puzzle from import to answer": "at most 0.45",
    "a worker is ready": "at most 0.25",
}

LIGHTS = "count my_puzzle.py:LightsOut --size 4"

FIRST = {
    "solve hoppers": 0.60,
    "count eight": 0.45,
    LIGHTS: 0.45,
    "count sudoku": 0.50,
    "count queens --n 12": 0.17,
    'count polyominoes --board 8x8 --pieces "32*I2" --engine sharing': 0.55,
    "explore sliding --shape 2x3": 0.75,
    f"{LIGHTS} after an edit": 0.45,
    "solve hoppers after count sudoku": 0.35,
    "peg after sudoku in one process": 0.35,
}
"""First uses, and the share of the time before that is asked for."""

SECOND = """
import parsolve, resource
from parsolve.puzzles import Peg, Sudoku
parsolve.solve(Sudoku(), workers=1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
assert parsolve.solve(Peg(), workers=1, want="count").count == 72
print(resource.getrusage(resource.RUSAGE_SELF).ru_utime - before)
"""
"""What a second puzzle takes in a process."""

Measure = Callable[[], float]


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=10, before={"metavar": "FOLDER", "help": "a checkout of before"})
    with tempfile.TemporaryDirectory() as cache:
        hoppers(cache, compiles=True)
        for command in (EIGHT, READY):
            seconds(command, cache)
        measures: dict[str, Measure] = {
            "parsolve --help": lambda: seconds(HELP, cache)[0],
            "parsolve list": lambda: seconds(LIST, cache)[0],
            "import numba": lambda: seconds(NUMBA, cache)[0],
            "baseline": lambda: seconds(LOADS, cache)[0],
            "solve hoppers": functools.partial(hoppers, cache, compiles=False),
            "8-puzzle from import to answer": lambda: seconds(EIGHT, cache)[0],
            "a worker is ready": lambda: seconds(READY, cache)[0],
        }
        rounds = benchmark.in_turns(options.rounds, measures)
    commands = {"now": PARSOLVE}
    if options.before:
        commands = {"before": f"{options.before}/.venv/bin/parsolve", **commands}
    firsts: dict[tuple[str, str], Measure] = {
        (words, when): functools.partial(first, command, words) for words in FIRST for when, command in commands.items()
    }
    used = benchmark.in_turns(options.rounds, firsts)
    benchmark.report("startup", __doc__, text(rounds), rounds, options)
    data = [{" ".join(key): each[key] for key in each} for each in used]
    benchmark.report("first-uses", __doc__, first_text(used, [*commands]), data, options)


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


def first(command: str, words: str) -> float:
    """Return the user CPU seconds of a command with an empty kernel cache, or with that of a command before it."""
    with tempfile.TemporaryDirectory() as folder:
        if words.endswith("in one process"):
            python = str(Path(command).with_name("python"))
            return float(seconds((python, "-P", "-c", SECOND), f"{folder}/cache")[1])
        file = Path(folder, "my_puzzle.py")
        file.write_text(tutorial())
        words, _, earlier = words.partition(" after ")
        if earlier == "an edit":
            user_seconds(command, words, folder)
            file.write_text(tutorial().replace("here.cost + 1 <= limit", "row.cost <= limit"))
        elif earlier:
            user_seconds(command, earlier, folder)
        return user_seconds(command, words, folder)


def user_seconds(command: str, words: str, folder: str) -> float:
    """Return the user CPU seconds of a command, which must say that it compiles."""
    environment = os.environ | {"PARSOLVE_CACHE_DIR": f"{folder}/cache"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(
        [command, *shlex.split(words)], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    if "compiling" not in done.stderr:
        raise SystemExit(f"parsolve {words} compiled nothing:\n{done.stderr}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def text(rounds: list[dict[str, float]]) -> str:
    """The table."""
    rows = [[name, spread(each[name] for each in rounds), ASKED.get(name, "")] for name in rounds[0]]
    return f"Seconds; medians of {len(rounds)} rounds (least – greatest).\n\n" + table(
        ["process", "seconds", "asked for"], rows
    )


def first_text(rounds: list[dict[tuple[str, str], float]], when: list[str]) -> str:
    """The table of first uses."""
    rows = []
    for words, asked in FIRST.items():
        each = [spread(figures[words, name] for figures in rounds) for name in when]
        rows.append([words, *each, f"{each[-1].median / each[0].median:.2f}", asked])
    return f"User CPU seconds of first uses; medians of {len(rounds)} rounds.\n\n" + table(
        ["command", *when, "share", "asked for"], rows
    )


if __name__ == "__main__":
    main()
