"""The puzzles of the source pages, beside the pages' own times.

The 21-hole board by each bound, counted on one thread and on two workers; the 8-puzzle, plain and with Manhattan
distance, and all its positions; the 11-puzzle, all 76 solutions on two workers, by Manhattan distance against hand-
written C (`ida.c`, gcc -O3 -march=native) on one thread in turns with it, which visits the same nodes, and by the
pattern databases that parsolve takes unless told otherwise. Seconds are those of the search, kernels and tables
ready; each is measured in a fresh process, the short ones after a first run there. The pages' machines are some
twenty years older.

    .venv/bin/python scripts/bench_pages.py
"""

import functools
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import benchmark
from benchmark import said

from parsolve.bench.markdown import spread, table

ELEVEN = "0 3 2 1 8 7 6 5 4 11 10 9"
FIRST = (
    "3 2 6 5 1 6 2 7 5 1 9 10 11 4 8 5 1 9 10 11 4 8 5 1 9 10 11 4 8"
    " 9 10 2 7 3 1 5 9 10 2 11 4 8 11 7 6 4 7 6 3 2 6 7 8"
)
"""The first solution of the 11-puzzle, as the page finds it."""

LADDER: dict[str, tuple[str, int, str]] = {
    "(a) corners": ("corners", 0, "8.54"),
    "(b) classes": ("classes", 0, "2.88"),
    "(c) triples": ("triples", 0, "0.86"),
    "(d) regions": ("regions", 0, ""),
    "(e) regions, table": ("regions", 1 << 22, "0.56, its best"),
}
"""By rung: the bound, the transposition table, the page's seconds."""


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=3)
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "ida")
        said("gcc", "-O3", "-march=native", "-o", program, "scripts/ida.c")
        measures: dict[str, Callable[[], Any]] = {}
        for name, (bound, table, _) in LADDER.items():
            for workers in (1, 2):
                measures[f"{name}, {workers}"] = functools.partial(fresh, "peg21", {"bound": bound}, workers, table, 96)
        for bound in ("none", "manhattan"):
            measures[f"eight {bound}"] = functools.partial(fresh, "eight", {"bound": bound}, 1, 0, 40)
        measures["explore eight"] = explored
        for board in ("array", "packed"):
            measures[f"eleven C {board}"] = functools.partial(eleven_in_c, program, board)
        measures["eleven manhattan"] = functools.partial(fresh, "eleven", {"bound": "manhattan"}, 2, 0, 76)
        measures["eleven"] = functools.partial(fresh, "eleven", {}, 2, 0, 76)
        rounds = benchmark.in_turns(options.rounds, measures)
    first = json.loads(
        said(sys.executable, "-m", "parsolve", "solve", "eleven", "--want", "first", "--json", "--quiet")
    )
    if [solution["text"] for solution in first["solutions"]] != [FIRST]:
        raise SystemExit(f"the first solution of the 11-puzzle is {first['solutions']}")
    benchmark.report("pages", __doc__, text(rounds), rounds, options)


def fresh(name: str, parameters: dict[str, Any], workers: int, table: int, count: int) -> dict[str, float]:
    """Count a puzzle's solutions in a fresh process: nodes and seconds. What is short is run once before."""
    script = """
import json, sys, parsolve
from parsolve.problem.registry import make
name, parameters, workers, table = json.loads(sys.argv[1])
puzzle = make(name, parameters)
for _ in range(1 if name == "eleven" else 2):
    found = parsolve.solve(puzzle, want="count", workers=workers, transposition=table)
print(json.dumps([found.count, found.nodes, found.seconds]))
"""
    found, nodes, seconds = json.loads(
        said(sys.executable, "-c", script, json.dumps([name, parameters, workers, table]))
    )
    if found != count:
        raise SystemExit(f"{name}: {found} solutions, not {count}")
    return {"nodes": nodes, "seconds": seconds}


def explored() -> dict[str, float]:
    """All positions of the 8-puzzle with their path counts, after compilation."""
    shown = json.loads(said(sys.executable, "-m", "parsolve", "explore", "eight", "--json"))
    if (shown["states"], shown["greatest_depth"]) != (181_440, 31):
        raise SystemExit(f"wrong: {shown}")
    return {"nodes": shown["states"], "seconds": shown["seconds"]}


def eleven_in_c(program: str, board: str) -> dict[str, float]:
    """The 11-puzzle by the C program."""
    nodes, solutions, seconds = said(program, board, "4", "last", *ELEVEN.split()).split()
    if int(solutions) != 76:
        raise SystemExit(f"{solutions} solutions in C, not 76")
    return {"nodes": int(nodes), "seconds": float(seconds)}


def text(rounds: list[dict[str, dict[str, float]]]) -> str:
    """The tables."""

    def seconds(name: str) -> Any:
        return spread(each[name]["seconds"] for each in rounds)

    def nodes(name: str) -> str:
        return f"{rounds[0][name]['nodes']:,.0f}"

    ladder = table(
        ["21 holes, 96 solutions", "nodes", "one thread", "two workers", "the page"],
        [
            [name, nodes(f"{name}, 1"), seconds(f"{name}, 1"), seconds(f"{name}, 2"), page]
            for name, (_, _, page) in LADDER.items()
        ],
    )
    eight = table(
        ["8-puzzle", "nodes or states", "one thread", "the pages"],
        [
            ["plain, 40 solutions", nodes("eight none"), seconds("eight none"), "178 in Scheme, 2.031 in C"],
            ["Manhattan, 40 solutions", nodes("eight manhattan"), seconds("eight manhattan"), "0.3, 0.005"],
            ["explore (asked: under 0.5)", nodes("explore eight"), seconds("explore eight"), ""],
        ],
    )
    best = [min(each["eleven C array"]["seconds"], each["eleven C packed"]["seconds"]) for each in rounds]
    ratio = spread(each["eleven manhattan"]["seconds"] / c for each, c in zip(rounds, best, strict=True))
    eleven = table(
        ["11-puzzle, 76 solutions", "nodes", "seconds"],
        [
            ["C, array, one thread", nodes("eleven C array"), seconds("eleven C array")],
            ["C, packed, one thread", nodes("eleven C packed"), seconds("eleven C packed")],
            ["parsolve, two workers", nodes("eleven manhattan"), seconds("eleven manhattan")],
            ["parsolve / the faster C (asked: at most 0.4)", "", ratio],
            ["parsolve by pattern databases, two workers", nodes("eleven"), seconds("eleven")],
        ],
    )
    head = f"Seconds; medians of {len(rounds)} rounds (least – greatest)."
    note = "The page's C program took 15.1 s for the first solution of the 11-puzzle alone."
    return "\n\n".join([head, ladder, eight, eleven + "\n" + note])


if __name__ == "__main__":
    main()
