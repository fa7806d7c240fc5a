"""Exact cover: parsolve against C and Python packages on one core, and two workers against their ceiling.

The C program (`cover.c`, gcc -O3 -march=native) counts, and covers the item with the fewest options first. An option
that leaves an item without any is no branch for dancing cells, as for parsolve. All search the same problem, with
symmetric solutions left out in the same way. Seconds are the processor's: of the whole C program; of parsolve around
`parsolve.solve` with one worker, in a fresh process, after a first search that loads the compiled kernels; of the
packages around counting, the model's making included. One that is out of time is not tried again at that problem.

Two workers, by whole commands: the ceiling is half of what two searches with one worker take at once, by the clock.

    .venv/bin/python scripts/bench_cover.py
"""

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import benchmark
from bench_peers import environment, version
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

LONG = ("count", "langford", "--n", "14", "--json", "--quiet")
"""What two workers count, as a command; it has no solution."""


def main() -> None:
    """Measure and report."""
    options = benchmark.options(
        __doc__,
        rounds=5,
        limit={"type": float, "default": 20.0, "metavar": "SECONDS", "help": "how long a package may take"},
        environment={"default": "", "metavar": "DIR", "help": "where to keep the packages' environment"},
    )
    if options.environment.startswith("/"):  # the report tells the command line, and no absolute paths
        sys.argv = [each.replace(options.environment, "DIR") for each in sys.argv]
    late: set[tuple[str, str]] = set()
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "cover")
        said("gcc", "-O3", "-march=native", "-o", program, "scripts/cover.c")
        python = environment(Path(options.environment or folder) / "packages")
        packages = [package for peer in PEERS.values() for package in peer.packages]
        said(python, "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
        versions = {package: version(python, package) for package in dict.fromkeys(packages)}
        measures: dict[tuple[str, str], Callable[[], float | None]] = {}
        for name, (puzzle, parameters, _) in PROBLEMS.items():
            covering = make(puzzle, parameters)
            assert isinstance(covering, Covering)
            file = Path(folder) / name
            file.write_text(as_numbers(covering.instance))
            for way in ("links", "cells"):
                measures[name, way] = functools.partial(in_c, name, program, way, file)
            measures[name, "parsolve"] = functools.partial(search, name)
            for peer in PEERS:
                measures[name, peer] = functools.partial(by_package, name, peer, python, options.limit, late)
        measures["two workers", "ceiling"] = ceiling
        measures["two workers", "parsolve"] = two_workers
        rounds = benchmark.in_turns(options.rounds, measures)
    data = [{" ".join(key): seconds for key, seconds in each.items()} for each in rounds]
    told = {"rounds": data, "versions": versions, "limit": options.limit}
    benchmark.report("cover", __doc__, text(rounds, versions, options.limit), told, options)


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
    covering = make(*PROBLEMS[name][:2])
    assert isinstance(covering, Covering)
    instance = covering.instance
    problem = [len(instance.primary), [instance.primary_of(option) for option in range(len(instance.options))]]
    command = [python, "-I", "-c", PEERS[peer].program, str(limit)]
    done = subprocess.run(command, input=json.dumps(problem), stdout=subprocess.PIPE, text=True)
    if done.returncode == -signal.SIGALRM:
        late.add((name, peer))
        return None
    if done.returncode:
        raise SystemExit(f"{peer}, {name}: the process ended with exit code {done.returncode}")
    count, seconds = done.stdout.split()
    return checked(name, count, float(seconds))


def start(workers: int) -> "subprocess.Popen[str]":
    """Begin the long search."""
    command = [sys.executable, "-m", "parsolve", *LONG, "--workers", str(workers)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def seconds_of(process: "subprocess.Popen[str]") -> float:
    """Return the seconds by the clock that a long search says it took."""
    output, _ = process.communicate()
    found = json.loads(output)
    if found["count"] != 0:
        raise SystemExit(f"wrong: {found['count']} solutions of Langford 14")
    return float(found["seconds"])


def ceiling() -> float:
    """Return half of what two searches with one worker take at once, on average."""
    both = [start(1), start(1)]
    return sum(map(seconds_of, both)) / 4


def two_workers() -> float:
    """Return what one search with two workers takes."""
    return seconds_of(start(2))


def checked(name: str, count: str, seconds: float) -> float:
    """Return the seconds, if the count is right; else the benchmark ends here."""
    if int(count) != PROBLEMS[name][2]:
        raise SystemExit(f"wrong: {count} solutions of {name}")
    return seconds


def text(rounds: list[dict[tuple[str, str], Any]], versions: dict[str, str], limit: float) -> str:
    """Return the tables."""
    rows: list[list[Any]] = []
    for name in PROBLEMS:
        if name == SMALL:
            continue
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
    others = []
    for name in PROBLEMS:
        cells: list[Any] = []
        for peer in PEERS:
            taken = [each[name, peer] for each in rounds if each[name, peer] is not None]
            cells.append(spread(taken) if len(taken) == len(rounds) else f"> {limit:g} s")
        others.append([name, *cells, spread(each[name, "parsolve"] for each in rounds)])
    pairs = [(each["two workers", "ceiling"], each["two workers", "parsolve"]) for each in rounds]
    row = [spread(a for a, _ in pairs), spread(b for _, b in pairs), spread(a / b for a, b in pairs), "at least 0.95"]
    return "\n".join(
        (
            table(heads, rows),
            table(["all solutions, seconds", *PEERS, "parsolve"], others),
            table(["Langford 14: ceiling, s", "two workers, s", "share of the ceiling", "asked for"], [row]),
            f"Versions: {', '.join(f'{package} {number}' for package, number in versions.items())}.",
        )
    )


if __name__ == "__main__":
    main()
