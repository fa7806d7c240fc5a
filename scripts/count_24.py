"""The 24-puzzles of Korf and Felner: all cheapest solutions counted, by pattern databases 6-6-6-6.

The fifty positions, and what they cost, are those of R. E. Korf and A. Felner, Disjoint pattern database
heuristics, Artificial Intelligence 134 (2002) 9–22. Each that has not been counted is searched by one worker for
some seconds: by the growth of its last two iterations follows what all up to its cost will take, in seconds of a
processor. Then they are counted, those that take least first, as long as the hours do. Costs are held against the
known ones, or the script fails. With `--write` the counts are added to those in `results/`, after each position,
with what the others are expected to take.

    .venv/bin/python scripts/count_24.py --hours 1 --numbers 25 40
"""

import argparse
import csv
import time
from pathlib import Path
from typing import NamedTuple

import benchmark

import parsolve
from parsolve.problem.registry import make
from parsolve.search.result import Result
from parsolve.system.resources import default_workers
from parsolve.text import size

ROOT = Path(__file__).resolve().parents[1]

KNOWN = ROOT / "tests" / "oracle" / "korf_felner_24.csv"

COUNTS = ROOT / "results" / "korf_felner24_optimal_solutions.csv"

HEAD = ("id", "tiles", "moves", "solutions", "nodes", "table_bytes", "expected_nodes", "expected_core_hours")

STEP = 2
"""Between two limits: a position's parity tells whether its cost is even."""

SHARE = 0.8
"""Of the time that is left, that a position may be expected to take."""


class Expected(NamedTuple):
    """What a position is expected to take."""

    nodes: float
    core_hours: float


def main() -> None:
    """Estimate, count and report.

    Raises:
        SystemExit: a cost is not the known one.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=1, metavar="N", help="for all positions (default: 1)")
    parser.add_argument("--seconds", type=float, default=20, metavar="N", help="to expect by, for each (default: 20)")
    parser.add_argument("--numbers", type=int, nargs="+", metavar="N", help="which of the fifty; by default all")
    parser.add_argument("--workers", type=int, metavar="N", help="how many processes search; by default one a core")
    parser.add_argument(
        "--table",
        type=size,
        default=size("256M"),
        metavar="SIZE",
        help="of the transposition table, shared by the workers (default: 256M, which takes 0.6 of the nodes, and "
        "0.6 to 0.8 of the time; number 5 takes 0.73 of these nodes with 4G and 0.69 with 8G)",
    )
    parser.add_argument("--write", action="store_true", help=f"write {COUNTS.name}")
    options = parser.parse_args()
    end = time.monotonic() + 3600 * options.hours
    positions = read(KNOWN)
    rows = {row["id"]: row for row in read(COUNTS)} if COUNTS.exists() else {}
    chosen = [each for each in positions if not options.numbers or int(each["id"]) in options.numbers]
    left = [each for each in chosen if not rows.get(each["id"], {}).get("solutions")]
    expected = {}
    for each in left:
        before = time.process_time()
        searched = search(each, options.seconds, 1, options.table)
        if searched.status == "solved":
            rows[each["id"]] = counted(each, searched, options.table)
            continue
        found = expected_of(searched, time.process_time() - before, int(each["optimal_length"]))
        expected[each["id"]] = found
        numbers = {"expected_nodes": f"{found.nodes:.2g}", "expected_core_hours": f"{found.core_hours:.2g}"}
        rows[each["id"]] = blank(each) | numbers
        print(f"{each['id']}: {found.nodes:.3g} nodes and {found.core_hours:.3g} core-hours are expected", flush=True)
    if options.write:
        write(rows)
    for each in sorted((each for each in left if each["id"] in expected), key=lambda each: expected[each["id"]]):
        seconds = end - time.monotonic()
        workers = options.workers or default_workers()
        if 3600 * expected[each["id"]].core_hours / workers > SHARE * seconds:
            break
        searched = search(each, seconds, options.workers, options.table)
        if searched.status == "solved":
            rows[each["id"]] = counted(each, searched, options.table)
            if options.write:
                write(rows)


def search(position: dict[str, str], seconds: float, workers: int | None, table: int) -> Result:
    """Count a position's cheapest solutions for so many seconds at most.

    Raises:
        SystemExit: its cost is not the known one.
    """
    puzzle = make("sliding", {"start": position["tiles"], "goal": "blank-first", "bound": "patterns"})
    found = parsolve.solve(
        puzzle, want="count", engine="deepening", workers=workers, timeout=seconds, transposition=table
    )
    if found.status == "solved":
        print(f"{position['id']}: {found}", flush=True)
        if found.cost != int(position["optimal_length"]):
            raise SystemExit(f"wrong: position {position['id']} is known to cost {position['optimal_length']}")
    return found


def expected_of(searched: Result, seconds: float, cost: int) -> Expected:
    """Return what all iterations up to a cost take, by those that have finished in so many seconds of a processor."""
    *_, before, last = searched.iterations
    growth = last.nodes / max(1, before.nodes)
    steps = max(0, cost - last.limit) // STEP
    nodes = sum(each.nodes for each in searched.iterations)
    nodes += sum(round(last.nodes * growth**step) for step in range(1, steps + 1))
    return Expected(nodes, nodes / searched.nodes * seconds / 3600)


def blank(position: dict[str, str]) -> dict[str, str]:
    """Return the row of a position of which nothing is known but its cost."""
    known = {"id": position["id"], "tiles": position["tiles"], "moves": position["optimal_length"]}
    return dict.fromkeys(HEAD, "") | known


def counted(position: dict[str, str], found: Result, table: int) -> dict[str, str]:
    """Return the row of a position that has been counted."""
    numbers = {"solutions": found.count, "nodes": found.nodes, "table_bytes": table}
    return blank(position) | {name: str(number) for name, number in numbers.items()}


def read(file: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file without its comments."""
    return [*csv.DictReader(line for line in file.read_text().splitlines() if not line.startswith("#"))]


def write(rows: dict[str, dict[str, str]]) -> None:
    """Write what is known of the positions."""
    made = benchmark.facts()
    with COUNTS.open("w", newline="") as file:
        file.write("# 24-puzzles of Korf and Felner: moves and number of all shortest solutions, nodes visited, with\n")
        file.write(
            "# a transposition table of so many bytes if it says so; where they have not been counted, what is\n"
        )
        file.write("# expected by the growth of the first iterations\n")
        file.write(f"# by scripts/count_24.py, several runs; the last: {made['processor']}; commit {made['commit']}\n")
        writer = csv.DictWriter(file, HEAD, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(sorted(rows.values(), key=lambda row: int(row["id"])))


if __name__ == "__main__":
    main()
