"""Which engine counts sooner, and which one a count takes that names none: 41 problems, on one core.

Iterative deepening, sharing, and the choice between them, each in a fresh process with one worker, kernels loaded.
Seconds are the processor's, around `parsolve.solve`. A way that is out of time is not tried again at that problem. What
the choice takes beyond 1.3 times the better way is its overhead: it is told as a ratio, and in seconds.

    .venv/bin/python scripts/bench_choice.py
"""

import functools
import itertools
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

import benchmark
from bench_levels import HOLE, dominoes, few_clues, queens, trominoes

import parsolve
from parsolve.bench.markdown import table
from parsolve.puzzle import EngineName, Puzzle
from parsolve.puzzles import Cover, Langford, Permutations, Polyominoes, Sudoku
from parsolve.puzzles.cover import dlx
from parsolve.puzzles.exact_cover.instance import Builder

WAYS: dict[str, EngineName | None] = {"deepening": "deepening", "sharing": "sharing", "choice": None}

GOAL = 1.3


def latin(size: int, columns: int) -> Cover:
    """Latin rectangles: each symbol once in each row, and in each column at most once."""
    every = range(size)
    once = [f"c{row}.{column}" for row in range(columns) for column in every]
    once += [f"r{row}.{symbol}" for row in range(columns) for symbol in every]
    builder = Builder(once, [f"k{column}.{symbol}" for column in every for symbol in every])
    for row, column, symbol in itertools.product(range(columns), every, every):
        builder.add([f"c{row}.{column}", f"r{row}.{symbol}", f"k{column}.{symbol}"])
    return Cover(dlx.write(builder.finish()))


def matchings(size: int, edges: int) -> Cover:
    """Perfect matchings of a random graph."""
    pairs = random.Random(size).sample([*itertools.combinations(range(size), 2)], edges)
    builder = Builder([str(vertex) for vertex in range(size)])
    for a, b in pairs:
        builder.add([str(a), str(b)])
    return Cover(dlx.write(builder.finish()))


def permanent(size: int, ones: int) -> Cover:
    """The permanent of a random matrix of zeros and ones."""
    places = random.Random(size).sample([*itertools.product(range(size), repeat=2)], ones)
    builder = Builder([f"{kind}{place}" for kind in "rc" for place in range(size)])
    for row, column in places:
        builder.add([f"r{row}", f"c{column}"])
    return Cover(dlx.write(builder.finish()))


def random_cover(items: int, options: int, largest: int) -> Cover:
    """Random options of 2 items up to the largest."""
    choose = random.Random(items)
    builder = Builder([str(item) for item in range(items)])
    for _ in range(options):
        builder.add([str(item) for item in choose.sample(range(items), choose.randint(2, largest))])
    return Cover(dlx.write(builder.finish()))


def pieces(board: str, names: str) -> Polyominoes:
    """Pieces on a board."""
    return Polyominoes(board=board, pieces=names)


PROBLEMS: dict[str, Callable[[], Puzzle]] = {
    **{f"dominoes {n}x{n}": functools.partial(dominoes, n) for n in (6, 8, 10, 14, 20)},
    "dominoes 3x20": functools.partial(pieces, "3x20", "30*I2"),
    **{f"trominoes {a}x{b}": functools.partial(trominoes, a, b) for a, b in ((6, 7), (6, 9), (9, 12))},
    "tetrominoes 6x8, L4 and T4": functools.partial(pieces, "6x8", "6*L4 6*T4"),
    "pentominoes 3x20": functools.partial(pieces, "3x20", "pentominoes"),
    "pentominoes 5x12": functools.partial(pieces, "5x12", "pentominoes"),
    "pentominoes 6x10": functools.partial(pieces, "6x10", "pentominoes"),
    "pentominoes 8x8 without the middle": functools.partial(pieces, HOLE, "pentominoes"),
    "Soma": functools.partial(pieces, "3x3x3", "soma"),
    **{f"Langford {n}": functools.partial(Langford, n) for n in (11, 12, 13, 14)},
    **{f"queens {n} as a cover": functools.partial(queens, n) for n in (8, 10, 12, 13)},
    **{f"Sudoku with {clues} clues": functools.partial(few_clues, clues) for clues in (19, 20, 21, 22)},
    "Sudoku, the example": Sudoku,
    "Latin squares of order 5": functools.partial(latin, 5, 5),
    "Latin rectangles 7x2": functools.partial(latin, 7, 2),
    "Latin rectangles 6x3": functools.partial(latin, 6, 3),
    "matchings, 30 vertices, 60 edges": functools.partial(matchings, 30, 60),
    "matchings, 40 vertices, 100 edges": functools.partial(matchings, 40, 100),
    "matchings, 24 vertices, 200 edges": functools.partial(matchings, 24, 200),
    "permanent of 16x16, 64 ones": functools.partial(permanent, 16, 64),
    "permanent of 18x18, 180 ones": functools.partial(permanent, 18, 180),
    "random cover, 30 items, 300 options": functools.partial(random_cover, 30, 300, 5),
    "random cover, 36 items, 250 options": functools.partial(random_cover, 36, 250, 4),
    "random cover, 50 items, 150 options": functools.partial(random_cover, 50, 150, 4),
    "permutations of 9": functools.partial(Permutations, 9),
    "permutations of 13": functools.partial(Permutations, 13),
}
"""By name: makes the puzzle."""

Measured = tuple[float, str] | None
"""Seconds, and the engine that has counted; None where there was not enough time or memory."""


def main() -> None:
    """Measure and report."""
    if sys.argv[1:2] == ["count"]:
        count(sys.argv[2], WAYS[sys.argv[3]], float(sys.argv[4]))
        return
    options = benchmark.options(
        __doc__,
        rounds=1,
        limit={"type": float, "default": 60.0, "metavar": "SECONDS", "help": "how long each may take"},
        only={"default": "", "metavar": "TEXT", "help": "measure the problems alone whose names begin with it"},
    )
    names = [name for name in PROBLEMS if name.startswith(options.only)]
    counts: dict[str, int] = {}
    failed: set[tuple[str, str]] = set()
    measures = {
        (name, way): functools.partial(measured, name, way, options.limit, counts, failed)
        for name in names
        for way in WAYS
    }
    rounds = benchmark.in_turns(options.rounds, measures)
    data = [{" ".join(key): each for key, each in one.items()} for one in rounds]
    told = {"rounds": data, "limit": options.limit}
    benchmark.report("choice", __doc__, text(names, rounds, options.limit), told, options)


def count(name: str, engine: EngineName | None, limit: float) -> None:
    """Count in this process; print the number, seconds and the engine."""
    make = PROBLEMS[name]
    for each in {engine} - {None} or {"deepening", "sharing"}:
        # Loads the kernels: the timeout is first looked at when they are there.
        parsolve.solve(make(), engine=each, want="count", workers=1, timeout=1e-6)
    puzzle = make()
    begin = time.process_time()
    found = parsolve.solve(puzzle, engine=engine, want="count", workers=1, timeout=limit, max_memory=3 << 30)
    seconds = time.process_time() - begin
    print(json.dumps([found.count, seconds, found.engine]))


def measured(name: str, way: str, limit: float, counts: dict[str, int], failed: set[tuple[str, str]]) -> Measured:
    """Return what one way takes at a problem.

    Raises:
        ValueError: its number is another one than that of another way.
    """
    if (name, way) in failed:
        return None
    command = [sys.executable, __file__, "count", name, way, str(limit)]
    done = subprocess.run(command, capture_output=True, text=True)
    number, seconds, engine = json.loads(done.stdout) if done.returncode == 0 else (None, 0.0, "")
    if number is None:
        failed.add((name, way))
        return None
    if counts.setdefault(name, number) != number:
        raise ValueError(f"{name}: {number} by {way}, {counts[name]} before")
    return seconds, engine


def text(names: Sequence[str], rounds: list[dict[tuple[str, str], Measured]], limit: float) -> str:
    """Return the table."""
    rows, over, beyond = [], 0, []
    for name in names:
        times = {}
        for way in WAYS:
            every = [each[name, way] for each in rounds]
            if all(every):
                times[way] = statistics.median(each[0] for each in every if each)
        chosen = "/".join(sorted({each[name, "choice"][1] for each in rounds if each[name, "choice"]}))  # type: ignore[index]
        better = min((times[way] for way in WAYS if way != "choice" and way in times), default=None)
        ratio = more = ""
        if better is not None and "choice" in times:
            ratio, more = f"{times['choice'] / better:.2f}", f"{times['choice'] - GOAL * better:.2f}"
            beyond.append(times["choice"] - GOAL * better)
            over += times["choice"] > GOAL * better
        elif better is not None:
            beyond.append(limit)
            over += 1
        cells = [f"{times[way]:.2f}" if way in times else f"> {limit:g}" for way in WAYS]
        rows.append([name, *cells, chosen, ratio, more])
    return "\n".join(
        (
            table(["seconds", *WAYS, "chosen", "choice / better", f"beyond {GOAL} times, s"], rows),
            f"Of {len(beyond)} that one way has counted, {over} took more than {GOAL} times the better one;"
            f" the most beyond that were {max(beyond, default=0.0):.2f} s.",
        )
    )


if __name__ == "__main__":
    main()
