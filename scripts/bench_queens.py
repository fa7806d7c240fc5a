"""N queens: the counter by quadrants against recursion in C.

The C program (`queens.c`, gcc -O3 -march=native) recurses with bit masks and mirrors half of the first column. The
searches are timed around `parsolve.solve`, tables and workers included, in a fresh process each, after a first search
of n = 8 that loads the compiled kernels. The ceiling of two workers is two searches on one worker each, begun together:
the time in which the machine could do both. Memory is the greatest sum over all processes of a search, read every
20 ms: of the proportional sets (PSS), where what several share counts once in all.

    .venv/bin/python scripts/bench_queens.py
"""

import contextlib
import functools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import benchmark
import psutil
from bench_startup import seconds as seconds_of
from benchmark import said

from parsolve.bench.markdown import Spread, spread, table
from parsolve.puzzles.queens.queens import KNOWN
from parsolve.system.resources import memory_of

SEARCH = """
import json, sys, time, parsolve
from parsolve.executors.local import LocalPool
n, workers, ready = json.loads(sys.argv[1])
parsolve.solve(parsolve.puzzles.Queens(8, "quadrants"), want="count", workers=1)
puzzle = parsolve.puzzles.Queens(n, "quadrants")
if ready:
    from parsolve.problem.problem import Problem
    from parsolve.deepening.slices import Setup, prepare
    problem = Problem(puzzle, "count")
    pool = LocalPool(workers, (prepare, (Setup(problem.spec, problem.identity),)))
    while not pool.is_ready:
        time.sleep(0.01)
    time.sleep(0.5)
begin = time.perf_counter()
found = parsolve.solve(puzzle, want="count", workers=workers, executor=pool if ready else None)
print(found.count, time.perf_counter() - begin)
if ready:
    pool.shutdown()
"""
"""A search in a process of its own, on workers that are there already if `ready`."""

LOADED = """
from parsolve.problem.problem import Problem
from parsolve.deepening.searcher import Searcher
from parsolve.puzzles import Queens
searcher = Searcher(Problem(Queens(14), "count"))
searcher.warm_up()
"""
"""What a count cannot do without: numba imported, the cached kernels loaded."""

COUNT = (sys.executable, "-m", "parsolve", "count", "queens", "--n")


def main() -> None:
    """Measure and report."""
    options = benchmark.options(
        __doc__,
        rounds=3,
        great={"type": int, "default": 20, "metavar": "N", "help": "a size to count once, on two workers"},
    )
    with tempfile.TemporaryDirectory() as folder:
        program, cache = str(Path(folder) / "queens"), str(Path(folder) / "cache")
        said("gcc", "-O3", "-march=native", "-o", program, "scripts/queens.c")
        first = compiled(14, cache)
        measures: dict[str, Callable[[], Any]] = {
            **{f"C {n}": functools.partial(in_c, program, n) for n in (16, 17)},
            **{f"{n}, one worker": functools.partial(search, n) for n in (16, 17, 18, 19)},
            **{f"{n}, two workers": functools.partial(search, n, 2) for n in (18, 19)},
            **{f"{n}, two workers that wait": functools.partial(search, n, 2, True) for n in (18, 19)},
            **{f"{n}, ceiling": functools.partial(ceiling, n) for n in (18, 19)},
            **{f"command {n}": functools.partial(command, n, cache) for n in (11, 12, 13, 14)},
            "loaded": lambda: seconds_of((sys.executable, "-c", LOADED), cache)[0],
            "memory": memory,
        }
        rounds = benchmark.in_turns(options.rounds, measures)
        great = search(options.great, 2)
    data = {"rounds": rounds, "compilation": first, "great": [options.great, great]}
    benchmark.report("queens", __doc__, text(rounds, first, options.great, great), data, options)


def in_c(program: str, n: int) -> float:
    """The C program's seconds."""
    count, seconds = said(program, str(n)).split()
    return checked(n, int(count), float(seconds))


def search(n: int, workers: int = 1, ready: bool = False) -> float:
    """The seconds of a count by quadrants."""
    return result(n, start(n, workers, ready))


def start(n: int, workers: int, ready: bool = False) -> "subprocess.Popen[str]":
    """Begin a count by quadrants in a fresh process."""
    arguments = json.dumps([n, workers, ready])
    return subprocess.Popen([sys.executable, "-c", SEARCH, arguments], stdout=subprocess.PIPE, text=True)


def result(n: int, process: "subprocess.Popen[str]") -> float:
    """The seconds of a count that was begun."""
    output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"the measured process ended with exit code {process.returncode}")
    count, seconds = output.split()
    return checked(n, int(count), float(seconds))


def checked(n: int, count: int, seconds: float) -> float:
    """The seconds, if the count is right; else the benchmark ends here."""
    if count != KNOWN[n]:
        raise SystemExit(f"wrong: {count} solutions of {n} queens, not {KNOWN[n]}")
    return seconds


def ceiling(n: int) -> float:
    """Two searches on one worker each, started together: half the time in which both are done."""
    return max(result(n, process) for process in [start(n, 1), start(n, 1)]) / 2


def command(n: int, cache: str) -> float:
    """A whole `parsolve count queens`, from the process's start to its end."""
    taken, output, _ = seconds_of((*COUNT, str(n)), cache)
    return checked(n, int(output), taken)


def compiled(n: int, cache: str) -> float:
    """The same with an empty kernel cache, which is then filled."""
    taken, output, told = seconds_of((*COUNT, str(n)), cache)
    if "compiling" not in told:
        raise SystemExit("the first run did not say that it compiles")
    return checked(n, int(output), taken)


def memory() -> float:
    """The greatest memory of all processes of a count on two workers, in MB."""
    process = subprocess.Popen([*COUNT, "18", "--workers", "2", "--quiet"], stdout=subprocess.PIPE)
    most = 0.0
    while process.poll() is None:
        with contextlib.suppress(psutil.NoSuchProcess):
            most = max(most, memory_of(process.pid) / 1e6)
        time.sleep(0.02)
    return most


def text(rounds: list[dict[str, Any]], first: float, great: int, great_seconds: float) -> str:
    """The tables of the counter by quadrants."""

    def seconds(name: str) -> Spread:
        return spread(each[name] for each in rounds)

    def ratio(above: str, below: str) -> Spread:
        return spread(each[above] / each[below] for each in rounds)

    def rate(n: int, name: str) -> str:
        return f"{KNOWN[n] / seconds(name).median / 1e6:,.0f} M solutions/s"

    rows: list[list[Any]] = []
    for n, asked in ((16, 14), (17, 12)):
        rows.append([f"n = {n}, C, one core", seconds(f"C {n}"), "", ""])
        name = f"{n}, one worker"
        rows.append([f"n = {n}, one worker", seconds(name), rate(n, name), ""])
        rows.append([f"n = {n}, times faster than C", ratio(f"C {n}", name), "", f"at least {asked}"])
    for n, asked_one, asked_two in ((18, "at most 8; aim: 150 M a second", "at most 4.4"), (19, "", "")):
        rows.append([f"n = {n}, one worker", seconds(f"{n}, one worker"), rate(n, f"{n}, one worker"), asked_one])
        rows.append([f"n = {n}, two workers", seconds(f"{n}, two workers"), rate(n, f"{n}, two workers"), asked_two])
        rows.append([f"n = {n}, two workers that wait for it", seconds(f"{n}, two workers that wait"), "", ""])
        rows.append([f"n = {n}, ceiling of two workers", seconds(f"{n}, ceiling"), "", ""])
        rows.append([f"n = {n}, ceiling / two workers", ratio(f"{n}, ceiling", f"{n}, two workers"), "", "0.95"])
        waiting = ratio(f"{n}, ceiling", f"{n}, two workers that wait")
        rows.append([f"n = {n}, ceiling / two workers that wait for it", waiting, "", ""])
    found = f"{KNOWN[great]:,} solutions"
    rows.append([f"n = {great}, two workers, once", f"{great_seconds:.1f}", found, ""])
    rows += [[f"`parsolve count queens --n {n}`", seconds(f"command {n}"), "", ""] for n in (11, 12, 13, 14)]
    rows.append(["numba imported, cached kernels loaded", seconds("loaded"), "", ""])
    beyond = spread(each["command 14"] - each["loaded"] for each in rounds)
    rows.append(["n = 14, command beyond that", beyond, "", "at most 0.3"])
    rows.append(["n = 14, command, first compilation", f"{first:.1f}", "", "at most 15"])
    rows.append(["n = 18, two workers, MB in all", seconds("memory"), "", "at most 500"])
    head = f"Quadrants. Seconds; medians of {len(rounds)} rounds (least – greatest).\n"
    return "\n".join((head, table(["what", "seconds", "", "asked for"], rows)))


if __name__ == "__main__":
    main()
