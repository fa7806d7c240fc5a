"""Exact cover on one core: parsolve against dancing links and dancing cells in C.

The C program (`cover.c`, gcc -O3 -march=native) counts, and covers the item with the fewest options first. An option
that leaves an item without any is no branch for dancing cells, as for parsolve. All search the same problem, with
symmetric solutions left out in the same way. Seconds are the processor's: of the whole C program; of parsolve around
`parsolve.solve` with one worker, in a fresh process, after a first search that loads the compiled kernels.

    .venv/bin/python scripts/bench_cover.py
"""

import functools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import benchmark
from benchmark import said

from parsolve.puzzles.cover.instance import Instance
from parsolve.puzzles.cover.rules import Covering
from parsolve.registry import make
from parsolve.report.tables import spread, table

HOLE = "\n".join(["oooooooo"] * 3 + ["ooo..ooo"] * 2 + ["oooooooo"] * 3) + "\n"

PROBLEMS: dict[str, tuple[str, dict[str, Any], int]] = {
    "pentominoes 6x10, unique": ("polyominoes", {"board": "6x10", "pieces": "pentominoes", "unique": True}, 2339),
    "pentominoes 8x8 without the middle, unique": (
        "polyominoes",
        {"board": HOLE, "pieces": "pentominoes", "unique": True},
        65,
    ),
    "Langford 11": ("langford", {"n": 11}, 17792),
    "Langford 12": ("langford", {"n": 12}, 108144),
}
"""The puzzle of each, its parameters and its number of solutions."""

SEARCH = """
import json, sys, time, parsolve
from parsolve.registry import make
name, parameters = json.loads(sys.argv[1])
puzzle = make(name, parameters)
parsolve.solve(puzzle, want="count", workers=1)
begin = time.process_time()
print(parsolve.solve(puzzle, want="count", workers=1).count, time.process_time() - begin)
"""
"""A search in a process of its own."""


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=5)
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "cover")
        said("gcc", "-O3", "-march=native", "-o", program, "scripts/cover.c")
        measures: dict[tuple[str, str], Callable[[], float]] = {}
        for name, (puzzle, parameters, _) in PROBLEMS.items():
            covering = make(puzzle, parameters)
            assert isinstance(covering, Covering)
            file = Path(folder) / name
            file.write_text(as_numbers(covering.instance))
            for way in ("links", "cells"):
                measures[name, way] = functools.partial(in_c, name, program, way, file)
            measures[name, "parsolve"] = functools.partial(search, name)
        rounds = benchmark.in_turns(options.rounds, measures)
    data = [{" ".join(key): seconds for key, seconds in each.items()} for each in rounds]
    benchmark.report("cover", __doc__, text(rounds), {"rounds": data}, options)


def as_numbers(instance: Instance) -> str:
    """Return a problem without secondary items as the C program reads it."""
    lines = [f"{len(instance.primary)} {len(instance.options)}"]
    for option in range(len(instance.options)):
        items = instance.primary_of(option)
        lines.append(" ".join(map(str, (len(items), *items))))
    return "\n".join(lines)


def in_c(name: str, program: str, way: str, file: Path) -> float:
    """Return the C program's seconds."""
    before = os.times()
    with file.open() as problem:
        done = subprocess.run([program, way], stdin=problem, capture_output=True, text=True, check=True)
    after = os.times()
    return checked(name, done.stdout.split()[0], after.children_user - before.children_user)


def search(name: str) -> float:
    """Return the seconds of a count."""
    arguments = json.dumps(PROBLEMS[name][:2])
    done = subprocess.run([sys.executable, "-c", SEARCH, arguments], capture_output=True, text=True, check=True)
    count, seconds = done.stdout.split()
    return checked(name, count, float(seconds))


def checked(name: str, count: str, seconds: float) -> float:
    """Return the seconds, if the count is right; else the benchmark ends here."""
    if int(count) != PROBLEMS[name][2]:
        raise SystemExit(f"wrong: {count} solutions of {name}")
    return seconds


def text(rounds: list[dict[tuple[str, str], float]]) -> str:
    """Return the table."""
    rows: list[list[Any]] = []
    for name in PROBLEMS:
        seconds = [spread(each[name, way] for each in rounds) for way in ("links", "cells", "parsolve")]
        faster = spread(min(each[name, "links"], each[name, "cells"]) / each[name, "parsolve"] for each in rounds)
        rows.append([name, *seconds, faster, "at least 1.0"])
    heads = [
        "what",
        "dancing links, s",
        "dancing cells, s",
        "parsolve, s",
        "times faster than the faster C",
        "asked for",
    ]
    return table(heads, rows)


if __name__ == "__main__":
    main()
