"""Exact cover: parsolve against C and Python packages on one core.

The C program (`cover.c`, gcc -O3 -march=native) counts, and covers the item with the fewest options first. An option
that leaves an item without any is no branch for dancing cells, as for parsolve. All search the same problem, with
symmetric solutions left out in the same way. Seconds are the processor's: of the whole C program; of parsolve around
`parsolve.solve` with one worker, in a fresh process, after a first search that loads the compiled kernels; of the
packages around counting, the model's making included. One that is out of time is not tried again at that problem.

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
from bench_peers import LIMIT, alarmed, cell, environment
from benchmark import said
from cover_peers import PEERS

from parsolve.bench.markdown import spread, table
from parsolve.problem.registry import make
from parsolve.puzzles.exact_cover.instance import Instance
from parsolve.puzzles.exact_cover.rules import Covering

HOLE = "\n".join(["oooooooo"] * 3 + ["ooo..ooo"] * 2 + ["oooooooo"] * 3) + "\n"

PROBLEMS: dict[str, tuple[str, dict[str, Any], int]] = {
    "pentominoes 6x10, unique": ("polyominoes", {"board": "6x10", "pieces": "pentominoes", "unique": True}, 2339),
    "pentominoes 8x8 without the middle, unique": (
        "polyominoes",
        {"board": HOLE, "pieces": "pentominoes", "unique": True},
        65,
    ),
    "Langford 8": ("langford", {"n": 8}, 150),
    "Langford 11": ("langford", {"n": 11}, 17792),
    "Langford 12": ("langford", {"n": 12}, 108144),
}
"""The puzzle of each, its parameters and its number of solutions."""

SEARCH = """
import json, sys, time, parsolve
from parsolve.problem.registry import make
puzzle = make(*json.loads(sys.argv[1]))
parsolve.solve(puzzle, want="count", workers=1)
begin = time.process_time()
count = parsolve.solve(puzzle, want="count", workers=1).count
print(count, time.process_time() - begin)
"""
"""A search in a process of its own, which has made the same one before the clock starts."""

SMALL = "Langford 8"
"""What C counts in less than its clock can tell."""


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=5, limit=LIMIT)
    late: set[tuple[str, str]] = set()
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "cover")
        said("gcc", "-O3", "-march=native", "-o", program, "scripts/cover.c")
        packages = [package for peer in PEERS.values() for package in peer.packages]
        python, versions = environment(f"{folder}/packages", packages)
        measures: dict[tuple[str, str], Callable[[], float | None]] = {}
        for name in PROBLEMS:
            file = Path(folder) / name
            file.write_text(as_numbers(instance_of(name)))
            for way in ("links", "cells"):
                measures[name, way] = functools.partial(in_c, name, program, way, file)
            measures[name, "parsolve"] = functools.partial(search, name)
            for peer in PEERS:
                measures[name, peer] = functools.partial(by_package, name, peer, python, options.limit, late)
        rounds = benchmark.in_turns(options.rounds, measures)
    data = [{" ".join(key): seconds for key, seconds in each.items()} for each in rounds]
    benchmark.report("cover", __doc__, f"{text(rounds, options.limit)}\n{versions}", data, options)


def instance_of(name: str) -> Instance:
    """Return a problem as an exact cover."""
    covering = make(*PROBLEMS[name][:2])
    assert isinstance(covering, Covering)
    return covering.instance


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


def by_package(name: str, peer: str, python: str, limit: float, late: set[tuple[str, str]]) -> float | None:
    """Return a package's seconds; None if it is out of time, or was before."""
    if (name, peer) in late:
        return None
    instance = instance_of(name)
    problem = [len(instance.primary), [instance.primary_of(option) for option in range(len(instance.options))]]
    found = alarmed([python, "-I", "-c", PEERS[peer].program, str(limit)], json.dumps(problem))
    if found is None:
        late.add((name, peer))
        return None
    return checked(name, found[0], float(found[1]))


def checked(name: str, count: str, seconds: float) -> float:
    """Return the seconds, if the count is right; else the benchmark ends here."""
    if int(count) != PROBLEMS[name][2]:
        raise SystemExit(f"wrong: {count} solutions of {name}")
    return seconds


def text(rounds: list[dict[tuple[str, str], Any]], limit: float) -> str:
    """Return the tables."""
    rows: list[list[Any]] = []
    for name in [each for each in PROBLEMS if each != SMALL]:
        seconds = [spread(each[name, way] for each in rounds) for way in ("links", "cells", "parsolve")]
        faster = spread(min(each[name, "links"], each[name, "cells"]) / each[name, "parsolve"] for each in rounds)
        rows.append([name, *seconds, faster])
    heads = ["what", "dancing links, s", "dancing cells, s", "parsolve, s", "times faster than the faster C"]
    ways = [*PEERS, "parsolve"]
    others = [[name, *(cell([each[name, way] for each in rounds], limit) for way in ways)] for name in PROBLEMS]
    return f"{table(heads, rows)}\n{table(['all solutions, seconds', *ways], others)}"


if __name__ == "__main__":
    main()
