"""Counting by sharing: parsolve against C and Python packages on one core, on exact covers.

The engine `sharing` with one worker, and iterative deepening for comparison; dancing cells in C (`cover.c`, gcc -O3
-march=native), which enumerate; `dxz`, which keeps the results of subproblems; `exact-cover`, dancing links; and
`graphillion`, decision diagrams, where a solution is a perfect matching. Seconds are the processor's: of parsolve
around `parsolve.solve`, in a fresh process, after a small search that loads the compiled kernels; of the packages
around counting, the model's making included; of the whole C program. Memory is what the process takes beyond the start.
One that is out of time, or gives another number, is not tried again at that problem.

    .venv/bin/python scripts/bench_sharing.py
"""

import functools
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import benchmark
from bench_cover import as_numbers
from bench_peers import environment, version
from benchmark import said
from cover_peers import EXACT_COVER, TIMED

import parsolve
from parsolve.bench.markdown import spread, table
from parsolve.puzzle import EngineName
from parsolve.puzzles import Cover, Langford, Polyominoes, Sudoku
from parsolve.puzzles.cover import dlx
from parsolve.puzzles.exact_cover.instance import Builder
from parsolve.puzzles.exact_cover.rules import Covering
from parsolve.puzzles.sudoku.sudoku import EXAMPLE

HOLE = "\n".join(["oooooooo"] * 3 + ["ooo..ooo"] * 2 + ["oooooooo"] * 3) + "\n"

TROMINOES = ("00 01 02", "00 10 20", "00 01 10", "00 01 11", "00 10 11", "01 10 11")
"""Rows and columns of the cells of each tromino, turned in each way."""


def dominoes(size: int) -> Covering:
    """Dominoes on a square."""
    return Polyominoes(board=f"{size}x{size}", pieces=f"{size * size // 2}*I2")


def trominoes(rows: int, columns: int) -> Covering:
    """Trominoes on a rectangle, as many of each kind as it takes."""
    builder = Builder([f"{row}.{column}" for row in range(rows) for column in range(columns)])
    for shape, row, column in itertools.product(TROMINOES, range(rows), range(columns)):
        cells = [(row + int(down), column + int(right)) for down, right in map(tuple, shape.split())]
        if all(down < rows and right < columns for down, right in cells):
            builder.add([f"{down}.{right}" for down, right in cells])
    return Cover(dlx.write(builder.finish()))


def queens(number: int) -> Covering:
    """As many queens: rows and columns are primary items, diagonals secondary ones."""
    every = range(number)
    diagonals = [f"{kind}{place}" for kind in ("u", "d") for place in range(2 * number - 1)]
    builder = Builder([f"{kind}{place}" for kind in ("r", "c") for place in every], diagonals)
    for row, column in itertools.product(every, every):
        builder.add([f"r{row}", f"c{column}", f"u{row + column}", f"d{row - column + number - 1}"])
    return Cover(dlx.write(builder.finish()))


def few_clues(clues: int) -> Covering:
    """A Sudoku with the last clues of the example."""
    given = [place for place, cell in enumerate(EXAMPLE) if cell != "."][-clues:]
    return Sudoku("".join(cell if place in given else "." for place, cell in enumerate(EXAMPLE)))


PROBLEMS: dict[str, tuple[Callable[[], Covering], int | None]] = {
    "dominoes 8x8": (functools.partial(dominoes, 8), 12_988_816),
    "dominoes 10x10": (functools.partial(dominoes, 10), 258_584_046_368),
    "dominoes 12x12": (functools.partial(dominoes, 12), 53_060_477_521_960_000),
    "dominoes 16x16": (functools.partial(dominoes, 16), 2444888770250892795802079170816),
    "dominoes 20x20": (functools.partial(dominoes, 20), 1269984011256235834242602753102293934298576249856),
    "trominoes 9x12": (functools.partial(trominoes, 9, 12), 20_574_308_184_277_971),
    "trominoes 12x12": (functools.partial(trominoes, 12, 12), 17_735_061_025_562_799_941_630),
    "pentominoes 6x10": (lambda: Polyominoes(board="6x10", pieces="pentominoes"), 9356),
    "pentominoes 8x8 without the middle": (lambda: Polyominoes(board=HOLE, pieces="pentominoes"), 520),
    **{
        f"Langford {n}": (functools.partial(Langford, n), rows)
        for n, rows in ((12, 108_144), (13, 0), (14, 0), (15, 39_809_640))
    },
    **{
        f"queens {n} as a cover": (functools.partial(queens, n), boards)
        for n, boards in ((8, 92), (10, 724), (12, 14200), (14, 365_596))
    },
    "Sudoku with 15 clues": (functools.partial(few_clues, 15), None),
}
"""By name: makes the puzzle; and its number of solutions, if it is known."""

DXZ = """
import dxz

def count(items, options):
    matrix = [0] * (items * len(options))
    for number, option in enumerate(options):
        for item in option:
            matrix[number * items + item] = 1
    return dxz.dxz_count(len(options), items, matrix)
"""

GRAPHILLION = """
from graphillion import GraphSet

def count(items, options):
    GraphSet.set_universe([tuple(option) for option in options])
    return GraphSet.perfect_matchings().len()
"""

MEMORY = """
def peak():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) / 1024

before = peak()
"""

AFTER = """
print(peak() - before)
"""

PEERS = {"dxz": DXZ, "exact-cover": EXACT_COVER, "graphillion": GRAPHILLION}

ENGINES: tuple[EngineName, ...] = ("sharing", "deepening")

Measured = tuple[float, float, int] | str
"""Seconds, MB beyond the start, and entries or nodes, 0 where they are unknown; or why there are none."""


def main() -> None:
    """Measure and report."""
    if sys.argv[1:2] == ["search"]:
        search(sys.argv[2], next(each for each in ENGINES if each == sys.argv[3]), float(sys.argv[4]))
        return
    options = benchmark.options(
        __doc__,
        rounds=3,
        limit={"type": float, "default": 60.0, "metavar": "SECONDS", "help": "how long each may take"},
        only={"default": "", "metavar": "TEXT", "help": "measure the problems alone whose names begin with it"},
        environment={"default": "", "metavar": "DIR", "help": "where to keep the packages' environment"},
    )
    if options.environment.startswith("/"):  # the report tells the command line, and no absolute paths
        sys.argv = [each.replace(options.environment, "DIR") for each in sys.argv]
    names = [name for name in PROBLEMS if name.startswith(options.only)]
    failed: dict[tuple[str, str], str] = {}
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "cover")
        said("gcc", "-O3", "-march=native", "-o", program, "scripts/cover.c")
        python = environment(Path(options.environment or folder) / "packages")
        said(python, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PEERS, "numpy")
        versions = {package: version(python, package) for package in PEERS}
        commands: dict[tuple[str, str], tuple[list[str], str]] = {}
        for name in names:
            for engine in ENGINES:
                commands[name, engine] = [sys.executable, __file__, "search", name, engine, str(options.limit)], ""
            instance = PROBLEMS[name][0]().instance
            if instance.secondary:
                continue
            chosen = [instance.primary_of(number) for number in range(len(instance.options))]
            commands[name, "cells in C"] = [program, "cells"], as_numbers(instance)
            for peer, text_ in PEERS.items():
                if peer != "graphillion" or all(len(option) == 2 for option in chosen):
                    whole = [python, "-I", "-c", text_ + MEMORY + TIMED + AFTER, str(options.limit)]
                    commands[name, peer] = whole, json.dumps([len(instance.primary), chosen])
        measures = {
            key: functools.partial(measured, key, *command, options.limit, failed) for key, command in commands.items()
        }
        rounds = benchmark.in_turns(options.rounds, measures)
    data = [{" ".join(key): each for key, each in one.items()} for one in rounds]
    told = {"rounds": data, "versions": versions, "limit": options.limit}
    benchmark.report("sharing", __doc__, text(names, rounds, versions, options.limit), told, options)


def search(name: str, engine: EngineName, limit: float) -> None:
    """Count in this process, and print the number, seconds, MB and nodes."""
    make, _ = PROBLEMS[name]
    parsolve.solve(Polyominoes() if engine == "sharing" else make(), engine=engine, want="count", workers=1, timeout=1)
    puzzle = make()
    memory, begin = peak(), time.process_time()
    found = parsolve.solve(puzzle, engine=engine, want="count", workers=1, timeout=limit, max_memory=8 << 30)
    seconds = time.process_time() - begin
    if found.count is None:
        os.kill(os.getpid(), signal.SIGALRM)
    print(found.count, seconds)
    print(peak() - memory, found.nodes)


def peak() -> float:
    """Return the most memory that this process has taken, in MB (Linux)."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024


def measured(
    key: tuple[str, str], command: Sequence[str], given: str, limit: float, failed: dict[tuple[str, str], str]
) -> Measured:
    """Return what one way to count takes at a problem."""
    if key in failed:
        return failed[key]
    before = os.times()
    try:
        done = subprocess.run(command, input=given, stdout=subprocess.PIPE, text=True, timeout=3 * limit)
    except subprocess.TimeoutExpired:
        done = subprocess.CompletedProcess(command, -signal.SIGALRM, "")
    after = os.times()
    if done.returncode:
        failed[key] = f"> {limit:g} s" if done.returncode == -signal.SIGALRM else "fails"
        return failed[key]
    first, *rest = done.stdout.splitlines()
    count, *seconds = first.split()
    if int(count) != (PROBLEMS[key[0]][1] if PROBLEMS[key[0]][1] is not None else int(count)):
        failed[key] = "wrong"
        return "wrong"
    memory, nodes = (*map(float, rest[0].split()), 0.0, 0.0)[:2] if rest else (0.0, 0.0)
    if key[1] == "cells in C":
        seconds = [str(after.children_user - before.children_user)]
    return float(seconds[0]), memory, int(nodes)


def text(
    names: Sequence[str], rounds: list[dict[tuple[str, str], Measured]], versions: dict[str, str], limit: float
) -> str:
    """Return the tables."""
    ways = (*ENGINES, "cells in C", *PEERS)

    def cell(name: str, way: str, at: int) -> str:
        every = [each[name, way] for each in rounds if (name, way) in each]
        wrong = [each for each in every if isinstance(each, str)]
        if wrong or not every:
            return wrong[0] if wrong else "–"
        return str(spread(each[at] for each in every if not isinstance(each, str)))

    seconds = [[name, *(cell(name, way, 0) for way in ways)] for name in names]
    memory = [[name, *(cell(name, way, 1) for way in (*ENGINES, *PEERS))] for name in names]
    nodes = [[name, *(cell(name, way, 2) for way in ENGINES)] for name in names]
    return "\n".join(
        (
            table(["seconds", *ways], seconds),
            table(["MB beyond the start", *ENGINES, *PEERS], memory),
            table(["visited", "entries", "nodes"], nodes),
            f"Versions: {', '.join(f'{package} {number}' for package, number in versions.items())}."
            f" Each may take {limit:g} s.",
        )
    )


if __name__ == "__main__":
    main()
