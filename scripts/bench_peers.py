"""All solutions of N queens, counted by parsolve and by what else a Python user would pick.

The others, in an environment of their own: a bit-mask recursion in plain Python and the same by numba, `exact-cover`,
`python-constraint2`, `clingo` and `ortools` (CP-SAT). Each is written as its users write it, in the fastest of the
forms tried, runs on one thread and is told nothing of the board's symmetry. Ours is `parsolve.solve` with what it does
by default. Each count is made in a fresh process and must be the known one (OEIS A000170). Seconds are those of
counting, the model's making included, once all is imported and compiled and a first board has been counted. Who runs
out of time is not tried again at that size or a greater one.

    .venv/bin/python scripts/bench_peers.py
"""

import functools
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import benchmark
from benchmark import said

from parsolve.bench.markdown import spread, table
from parsolve.puzzles.queens.queens import KNOWN

SIZES = range(8, 13)
LAST = SIZES[-1]

LIMIT: dict[str, Any] = {"type": float, "default": 20.0, "metavar": "SECONDS", "help": "how long one count may take"}
"""The option of the greatest time."""

FIRST = 6
"""The size of the board that is counted before the clock starts."""

RECURSION = """
def place(rows, rising, falling):
    if rows == 0:
        return 1
    found = 0
    free = rows & ~(rising | falling)
    while free:
        queen = free & -free
        free ^= queen
        found += place(rows ^ queen, (rising | queen) << 1, (falling | queen) >> 1)
    return found

def count(n):
    return place((1 << n) - 1, 0, 0)
"""

NUMBA = f"""
import numba

@numba.njit{RECURSION}"""

# It knows no optional columns: a diagonal without a queen is covered by a row of its own.
EXACT_COVER = """
import exact_cover
import numpy as np

def count(n):
    diagonals = 2 * n - 1
    queens = np.zeros((n * n, 2 * n + 2 * diagonals), bool)
    for square in range(n * n):
        row, column = divmod(square, n)
        rising, falling = row + column, row - column + n - 1
        queens[square, [row, n + column, 2 * n + rising, 2 * n + diagonals + falling]] = True
    return exact_cover.get_solution_count(np.vstack([queens, np.eye(queens.shape[1], dtype=bool)[2 * n :]]))
"""

# This solver and one constraint a pair: a little faster than the default solver, and than AllDifferentConstraint.
CONSTRAINT = """
from itertools import combinations
from constraint import BacktrackingSolver, Problem

def count(n):
    problem = Problem(BacktrackingSolver())
    problem.addVariables(range(n), range(n))
    for a, b in combinations(range(n), 2):
        problem.addConstraint(lambda x, y, distance=b - a: x != y and abs(x - y) != distance, (a, b))
    return len(problem.getSolutions())
"""

# The configuration is clingo's own for hard problems: 12 queens take six times as long with its default.
CLINGO = """
import clingo

QUEENS = '''
{ queen(R, 1..n) } = 1 :- R = 1..n.
{ queen(1..n, C) } = 1 :- C = 1..n.
:- D = 2..2*n, { queen(R, D-R) : R = 1..n } > 1.
:- D = 1-n..n-1, { queen(R, R-D) : R = 1..n } > 1.
'''

def count(n):
    control = clingo.Control(["0", "--configuration=crafty", f"--const=n={n}"])
    control.add(QUEENS)
    control.ground()
    control.solve()
    return int(control.statistics["summary"]["models"]["enumerated"])
"""

ORTOOLS = """
from ortools.sat.python import cp_model

class Counter(cp_model.CpSolverSolutionCallback):
    def __init__(self):
        super().__init__()
        self.found = 0

    def on_solution_callback(self):
        self.found += 1

def count(n):
    model = cp_model.CpModel()
    rows = [model.new_int_var(0, n - 1, f"row {column}") for column in range(n)]
    model.add_all_different(rows)
    model.add_all_different(row + column for column, row in enumerate(rows))
    model.add_all_different(row - column for column, row in enumerate(rows))
    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    counter = Counter()
    if solver.solve(model, counter) != cp_model.OPTIMAL:
        raise SystemExit("not searched to the end")
    return counter.found
"""

OURS = """
import parsolve

def count(n):
    return parsolve.solve(parsolve.puzzles.Queens(n), want="count", workers={workers}).count
"""

# The alarm ends the process whatever code it is in; what comes before the counting and after it has all the time.
TIMED = """
import signal, sys, time

count(int(sys.argv[1]))
n, limit = int(sys.argv[2]), float(sys.argv[3])
signal.setitimer(signal.ITIMER_REAL, limit)
begin = time.perf_counter()
found = count(n)
seconds = time.perf_counter() - begin
signal.setitimer(signal.ITIMER_REAL, 0)
print(found, seconds)
"""


@dataclass(frozen=True)
class Peer:
    """One way to count: a program that defines `count(n)`, and the packages that it imports."""

    program: str
    packages: tuple[str, ...] = ()
    ours: bool = False


PEERS = {
    "plain Python": Peer(RECURSION),
    "numba": Peer(NUMBA, ("numba", "numpy")),
    "exact-cover": Peer(EXACT_COVER, ("exact-cover", "numpy")),
    "python-constraint2": Peer(CONSTRAINT, ("python-constraint2",)),
    "clingo": Peer(CLINGO, ("clingo",)),
    "ortools CP-SAT": Peer(ORTOOLS, ("ortools",)),
    "ours, one worker": Peer(OURS.format(workers=1), ours=True),
    "ours, two workers": Peer(OURS.format(workers=2), ours=True),
}

Round = dict[tuple[str, int], float | None]
"""Seconds by peer and n; None where it was out of time, or had been before."""


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=3, limit=LIMIT)
    with tempfile.TemporaryDirectory() as folder:
        python, versions = environment(folder, [package for peer in PEERS.values() for package in peer.packages])
        out: dict[str, int] = {}
        measures: dict[tuple[str, int], Callable[[], float | None]] = {
            (name, n): functools.partial(in_time, python, name, n, options.limit, out) for n in SIZES for name in PEERS
        }
        rounds = benchmark.in_turns(options.rounds, measures)
    data = [{f"{name}, n = {n}": seconds for (name, n), seconds in each.items()} for each in rounds]
    benchmark.report("peers", __doc__, f"{text(rounds, options.limit)}\n{versions}", data, options)


def environment(folder: str, packages: Iterable[str]) -> tuple[str, str]:
    """Install packages into an environment of their own; return its interpreter, and their versions as a sentence."""
    said(sys.executable, "-m", "venv", folder)
    python, packages = f"{folder}/bin/python", dict.fromkeys(packages)
    said(python, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    installed = said(python, "-I", "-m", "pip", "list", "--format", "freeze").splitlines()
    versions = [each.replace("==", " ") for each in installed if each.partition("==")[0].replace("_", "-") in packages]
    return python, f"Versions: {', '.join(versions)}."


def in_time(python: str, name: str, n: int, limit: float, out: dict[str, int]) -> float | None:
    """Count in a fresh process: the seconds, or None if out of time.

    Args:
        python: the interpreter of the others' environment.
        name: of the peer.
        n: the size of the board.
        limit: the seconds it may take.
        out: by peer, the size that took too long.
    """
    if n >= out.get(name, n + 1):
        return None
    peer = PEERS[name]
    # Ours first counts the same board: another size may be counted by another kernel.
    first = n if peer.ours else FIRST
    command = [sys.executable if peer.ours else python, "-I", "-c", peer.program + TIMED, *map(str, (first, n, limit))]
    found = alarmed(command)
    if found is None:
        out[name] = n
        return None
    if int(found[0]) != KNOWN[n]:
        raise SystemExit(f"{name}, n = {n}: {found[0]} solutions, not {KNOWN[n]}")
    return float(found[1])


def alarmed(command: Sequence[str], told: str = "") -> list[str] | None:
    """Return the words that a process prints; None if its alarm has ended it."""
    process = subprocess.run(command, input=told, stdout=subprocess.PIPE, text=True)
    if process.returncode not in (0, -signal.SIGALRM):
        raise SystemExit(f"a measured process ended with exit code {process.returncode}")
    return None if process.returncode else process.stdout.split()


def cell(seconds: Sequence[float | None], limit: float) -> str:
    """Return the median of seconds; more than the limit where it was out of time."""
    taken = [each for each in seconds if each is not None]
    return str(spread(taken)) if len(taken) == len(seconds) else f"> {limit:g} s"


def text(rounds: list[Round], limit: float) -> str:
    """The table, and how many times as fast ours is as the best of the others on the largest board."""
    rows = [[name, *(cell([each[name, n] for each in rounds], limit) for n in SIZES)] for name in PEERS]
    last = {name: [each[name, LAST] or limit for each in rounds] for name in PEERS}
    best = min((name for name in PEERS if not PEERS[name].ours), key=lambda name: spread(last[name]).median)
    ratios = [
        f"; {name}, is {spread(other / own for other, own in zip(last[best], last[name], strict=True))} times as fast"
        for name in PEERS
        if PEERS[name].ours
    ]
    return "\n".join(
        (
            f"Seconds; medians of {len(rounds)} rounds (least – greatest).\n",
            table(["all solutions", *(f"n = {n}" for n in SIZES)], rows),
            f"The fastest of the others at n = {LAST} is {best}{''.join(ratios)}.\n",
        )
    )


if __name__ == "__main__":
    main()
