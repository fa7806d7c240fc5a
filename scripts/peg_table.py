"""Write results/peg_minimal_solutions.csv: moves and number of minimal solutions of peg solitaire problems.

    .venv/bin/python scripts/peg_table.py hoppers triangle10 triangle15 triangle21 >> results/peg_minimal_solutions.csv
    .venv/bin/python scripts/peg_table.py english33:d4 english33:d4:d1

A board alone: every vacancy and target up to symmetry. BOARD:HOLE: this hole as both. BOARD:HOLE:HOLE: vacancy and
target. The lines are those of a CSV file, without its head; what was run on stands in each. The sequences of jumps that
solve a problem, in however many moves, are counted as the paths of its feasible boards.
"""

import csv
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import parsolve
from parsolve.compiler.bits import least_image, trailing_zeros
from parsolve.puzzles.peg.feasible import PegFeasible, in_sieve
from parsolve.puzzles.peg.jumps import ONE, WORD, ZERO, agreeing
from parsolve.puzzles.peg.solitaire import Peg
from parsolve.system.hardware import processor


@dataclass(frozen=True)
class Sequences(PegFeasible):
    """Count jumps instead of moves: no peg is the one moved last."""

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for word in range(tables.can.shape[0]):
            can = agreeing(tables.can, here.pegs, word)
            while can != ZERO:
                jump = np.uint64(word * WORD + trailing_zeros(can))
                can &= can - ONE
                after = here.pegs ^ tables.holes[jump]
                row = rows[top]
                row.pegs = after
                row.last = here.last
                row.move = tables.move[jump]
                row.cost = here.cost + 1
                row.bound = 0
                top += in_sieve(tables.sieve, tables.shift, least_image(tables.boards, after, 0)) & (here.cost < limit)
        return top


def problems(words: list[str]) -> Iterator[Peg]:
    """Yield the problems that the words of the command name."""
    for word in words:
        board, *holes = word.split(":")
        if holes:
            yield Peg(board, holes[0], holes[-1])
        else:
            yield from (each for each in Peg(board).variants() if isinstance(each, Peg))


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
            boards = Sequences(puzzle.board, puzzle.vacancy, puzzle.target)
            sequences = parsolve.solve(boards, want="count", engine="breadth").count
            problem = puzzle.board, puzzle.vacancy, puzzle.target, found.cost, found.count, sequences
            how = puzzle.default_engine, seconds, parsolve.__version__, commit, processor(), command
            lines.writerow([*problem, *how])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
