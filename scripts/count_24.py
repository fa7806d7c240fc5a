"""The 24-puzzles of Korf and Felner: all cheapest solutions counted, by pattern databases 6-6-6-6.

The fifty positions, and what they cost, are those of R. E. Korf and A. Felner, Disjoint pattern database heuristics,
Artificial Intelligence 134 (2002) 9–22. They are searched in the order of their cost, each for so many minutes at most;
what takes longer is left out. Costs are held against the known ones, or the script fails. With `--write` the counts are
written to `results/`.

    .venv/bin/python scripts/count_24.py --minutes 3 --numbers 25 40
"""

import argparse
import csv
import sys
from pathlib import Path

import benchmark

import parsolve
from parsolve.problem.registry import make

ROOT = Path(__file__).resolve().parents[1]

KNOWN = ROOT / "tests" / "oracle" / "korf_felner_24.csv"

COUNTS = ROOT / "results" / "korf_felner24_optimal_solutions.csv"


def main() -> None:
    """Count and report.

    Raises:
        SystemExit: a cost is not the known one.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=3, metavar="N", help="for each position (default: 3)")
    parser.add_argument("--numbers", type=int, nargs="+", metavar="N", help="which of the fifty; by default all")
    parser.add_argument("--workers", type=int, metavar="N", help="how many processes search; by default one a core")
    parser.add_argument("--write", action="store_true", help=f"write {COUNTS.name}")
    options = parser.parse_args()
    with KNOWN.open() as file:
        positions = [row for row in csv.DictReader(file) if not options.numbers or int(row["id"]) in options.numbers]
    rows = []
    for row in sorted(positions, key=lambda each: int(each["optimal_length"])):
        puzzle = make("sliding", {"start": row["tiles"], "goal": "blank-first", "bound": "patterns"})
        found = parsolve.solve(puzzle, want="count", workers=options.workers, timeout=60 * options.minutes)
        print(f"{row['id']}: {found}", flush=True)
        if found.status != "solved":
            continue
        if found.cost != int(row["optimal_length"]):
            raise SystemExit(f"wrong: position {row['id']} is known to cost {row['optimal_length']}")
        rows.append([row["id"], row["tiles"], found.cost, found.count, found.nodes])
    if options.write:
        made = benchmark.facts()
        with COUNTS.open("w", newline="") as file:
            file.write("# 24-puzzles of Korf and Felner: moves and number of all shortest solutions, nodes visited;\n")
            file.write(f"# by python {' '.join(['scripts/count_24.py', *sys.argv[1:]])}\n")
            file.write(f"# Each position was given {options.minutes:g} minutes. {made['processor']};")
            file.write(f" commit {made['commit']}\n")
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["id", "tiles", "moves", "solutions", "nodes"])
            writer.writerows(rows)


if __name__ == "__main__":
    main()
