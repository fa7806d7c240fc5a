"""Search level by level: counts, lists, whole spaces and both ends, on one thread or several.

Each is searched in a fresh process, after a small search of its kind that loads the compiled kernels, and the next one
takes its turn. Seconds are the processor's, of all threads, and those that pass; memory is what the process takes
beyond the start. With `--against FOLDER`, another checkout with its `.venv`, the same is searched there in turns, and
the figures are told as parts of those. An answer that is not the known one ends the benchmark.

    .venv/bin/python scripts/bench_levels.py --workers 1 2 --against ../before
"""

import functools
import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import benchmark

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from worlds.known_covers import TROMINOES, grid
from worlds.known_covers import queens as queens_as_a_cover

import parsolve
from parsolve.bench.markdown import spread, table
from parsolve.puzzle.core import EngineName, Puzzle
from parsolve.puzzles import Cover, Langford, Peg, Polyominoes, Sliding
from parsolve.puzzles.cover import dlx
from parsolve.puzzles.exact_cover.covering import Covering


def dominoes(size: int) -> Covering:
    """Dominoes on a square."""
    return Polyominoes(board=f"{size}x{size}", pieces=f"{size * size // 2}*I2")


def trominoes(rows: int, columns: int) -> Covering:
    """Trominoes on a rectangle, as many of each kind as it takes."""
    return Cover(dlx.write(grid(rows, columns, TROMINOES)))


def queens(number: int) -> Covering:
    """As many queens on a board."""
    return Cover(dlx.write(queens_as_a_cover(number)))


class Unnumbered(Sliding):
    """Sliding tiles by key."""

    index = unindex = size = None  # type: ignore[assignment]


class Task(NamedTuple):
    """What is searched.

    Attributes:
        search: searches a puzzle on some threads, and returns what is found.
        small, large: make puzzles: one to load the kernels, and the one that is measured.
        answer: what is found of the large one.
    """

    search: Callable[[Puzzle, int], Any]
    small: Callable[[], Puzzle]
    large: Callable[[], Puzzle]
    answer: Any


def counted(engine: EngineName, puzzle: Puzzle, workers: int) -> Any:
    """Count the solutions."""
    return parsolve.solve(puzzle, engine=engine, want="count", workers=workers).count


def listed(puzzle: Puzzle, workers: int) -> Any:
    """Count there and back, and list one solution."""
    return parsolve.solve(puzzle, engine="sharing", skip=7, take=1, workers=workers).count


def explored(puzzle: Puzzle, workers: int) -> Any:
    """Find all states."""
    from parsolve.levels.explore import explore

    return explore(puzzle, threads=workers).states


SHARED, BREADTH = functools.partial(counted, "sharing"), functools.partial(counted, "breadth")

DOMINOES = 1269984011256235834242602753102293934298576249856
"""Tilings of 20x20 by dominoes: OEIS A004003."""

TASKS = {
    "Langford 15": Task(SHARED, lambda: Langford(7), lambda: Langford(15), 39_809_640),
    "dominoes 20x20": Task(SHARED, lambda: dominoes(4), lambda: dominoes(20), DOMINOES),
    "trominoes 12x12": Task(SHARED, lambda: trominoes(3, 4), lambda: trominoes(12, 12), 17_735_061_025_562_799_941_630),
    "queens 14 as a cover": Task(SHARED, lambda: queens(6), lambda: queens(14), 365_596),
    "Langford 15, listed": Task(listed, lambda: Langford(7), lambda: Langford(15), 39_809_640),
    "dominoes 20x20, listed": Task(listed, lambda: dominoes(4), lambda: dominoes(20), DOMINOES),
    "3x4 by number": Task(explored, lambda: Sliding(shape="2x3"), lambda: Sliding(shape="3x4"), 239_500_800),
    "3x4 by key": Task(explored, lambda: Unnumbered(shape="2x3"), lambda: Unnumbered(shape="3x4"), 239_500_800),
    "11-puzzle, counted": Task(
        SHARED, Sliding, lambda: Sliding(shape="3x4", start="2 1 4 3 5 6 7 8 9 10 11 0", bound="none"), 6
    ),
    "11-puzzle, breadth-first": Task(
        BREADTH, Sliding, lambda: Sliding(shape="3x4", start="2 1 4 3 5 6 7 8 9 10 11 0", bound="none"), 6
    ),
    "triangle 15, both ends": Task(
        BREADTH, lambda: Peg("triangle10", "1", "1"), lambda: Peg("triangle15", "4", "4"), None
    ),
    "French peg d2-d3, both ends": Task(
        BREADTH, lambda: Peg("triangle10", "1", "1"), lambda: Peg("french37", "d2", "d3"), 402_528
    ),
}


class Measured(NamedTuple):
    """What a search takes."""

    cpu: float
    wall: float
    memory: float  # MB beyond the start


def main() -> None:
    """Measure and report."""
    if sys.argv[1:2] == ["search"]:
        print(json.dumps(measured(TASKS[sys.argv[2]], int(sys.argv[3]))))
        return
    options = benchmark.options(
        __doc__,
        rounds=5,
        only={
            "nargs": "+",
            "default": [""],
            "metavar": "TEXT",
            "help": "measure the searches alone whose names begin with one of them",
        },
        workers={"type": int, "nargs": "+", "default": [1], "metavar": "N", "help": "on how many threads each (1)"},
        against={"type": Path, "metavar": "FOLDER", "help": "another checkout that takes turns"},
    )
    places = {"here": (sys.executable, __file__)}
    if options.against is not None:
        places["before"] = (f"{options.against}/.venv/bin/python", f"{options.against}/scripts/bench_levels.py")
        sys.argv = [each if each != str(options.against) else "FOLDER" for each in sys.argv]
    every = [name for name in TASKS if name.startswith(tuple(options.only))]
    measures = {
        f"{name}, {workers} workers, {place}": functools.partial(run, script, name, workers)
        for name, workers, (place, script) in itertools.product(every, options.workers, places.items())
    }
    rounds = benchmark.in_turns(options.rounds, measures)
    told = text(rounds, "before" in places)
    if options.against is not None:
        told += f"\nBefore: commit {benchmark.said('git', '-C', str(options.against), 'rev-parse', '--short', 'HEAD')}."
    benchmark.report("levels", __doc__, told, rounds, options)


def run(script: tuple[str, str], name: str, workers: int) -> Measured:
    """Search in a fresh process, by the script of a checkout."""
    command = [*script, "search", name, str(workers)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{name} ends with exit code {done.returncode}")
    return Measured(*json.loads(done.stdout))


def measured(task: Task, workers: int) -> Measured:
    """Search in this process."""
    task.search(task.small(), workers)
    puzzle, memory = task.large(), peak()
    begin, cpu = time.perf_counter(), time.process_time()
    found = task.search(puzzle, workers)
    took = Measured(time.process_time() - cpu, time.perf_counter() - begin, peak() - memory)
    if task.answer is not None and found != task.answer:
        raise SystemExit(f"{found} is not the known answer, {task.answer}")
    return took


def peak() -> float:
    """Return the most memory that this process has taken, in MB (Linux)."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024


def text(rounds: list[dict[str, Measured]], has_before: bool) -> str:
    """Return the table."""
    heads, rows = ["CPU seconds", "seconds", "MB"], []
    for name in rounds[0]:
        if not name.endswith("here"):
            continue
        label = name.removesuffix(", here")
        figures = [[each[name][at] for each in rounds] for at in range(3)]
        row = [label, *map(spread, figures)]
        if has_before:
            before = [[each[f"{label}, before"][at] for each in rounds] for at in range(3)]
            row += [spread(a / b for a, b in zip(*pair, strict=True)) for pair in zip(figures, before, strict=True)]
        rows.append(row)
    parts = [f"{head} / before" for head in heads] if has_before else []
    return table(["search", *heads, *parts], rows)


if __name__ == "__main__":
    main()
