"""Write results/peg_minimal_solutions.csv: moves and number of minimal solutions of peg solitaire problems.

    .venv/bin/python scripts/peg_table.py hoppers triangle10 triangle15 >> results/peg_minimal_solutions.csv
    .venv/bin/python scripts/peg_table.py english33:d4 english33:d3

A board alone: every vacancy and target up to symmetry. BOARD:HOLE: this hole as both. The lines are those of a CSV
file, without its head; what was run on stands in each.
"""

import csv
import subprocess
import sys
import time
from collections.abc import Iterator

import parsolve
from parsolve.machine import processor
from parsolve.parameters import values_of
from parsolve.puzzle import Puzzle
from parsolve.puzzles.peg import Peg


def problems(words: list[str]) -> Iterator[Puzzle]:
    """Yield the problems that the words of the command name."""
    for word in words:
        board, _, hole = word.partition(":")
        yield from [Peg(board, hole, hole)] if hole else Peg(board).variants()


def main() -> None:
    """Search, and print a line for each problem with a solution."""
    git = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    command = "scripts/peg_table.py " + " ".join(sys.argv[1:])
    lines = csv.writer(sys.stdout, lineterminator="\n")
    for puzzle in problems(sys.argv[1:]):
        begin = time.perf_counter()
        found = parsolve.solve(puzzle, want="count")
        seconds = f"{time.perf_counter() - begin:.2f}"
        if found.status == "solved":
            problem = *(values_of(puzzle)[name] for name in ("board", "vacancy", "target")), found.cost, found.count
            how = puzzle.default_engine, seconds, parsolve.__version__, commit, processor(), command
            lines.writerow([*problem, *how])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
