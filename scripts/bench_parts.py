"""What searching in parts costs: CPU seconds of all parts beside those of one search, in turns; how even parts are.

.venv/bin/python scripts/bench_parts.py [--puzzle queens|korf] [--parts 16,256] [--turns 1]
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import parsolve
from parsolve.puzzle import Puzzle
from parsolve.puzzles import Queens, Sliding
from parsolve.search.watch import Listener

KORF_82 = "14 10 2 1 13 9 8 11 7 3 6 12 15 5 4 0"

PUZZLES: dict[str, tuple[Puzzle, int | None]] = {
    "queens": (Queens(18), None),
    "korf": (Sliding(shape="4x4", start=KORF_82, goal="blank-first", bound="manhattan"), 62),
}
"""Each with the limit up to which it is searched."""


class Clock(Listener):
    """Notes the processor time at which the search begins, when everything is ready."""

    began = 0.0

    def search_started(self, result: parsolve.Result) -> None:
        self.began = 0.0

    def iteration_started(self, limit: int) -> None:
        self.began = self.began or time.process_time()


@dataclass
class Timed:
    """CPU seconds of a search, with and without making it ready; nodes, and the weight or number of solutions."""

    seconds: float
    all_seconds: float
    nodes: int
    found: int


def timed(puzzle: Puzzle, limit: int | None, part: str | None = None) -> Timed:
    """Search in this process."""
    clock, before = Clock(), time.process_time()
    found = parsolve.solve(puzzle, want="count", engine="deepening", workers=1, limit=limit, part=part, listener=clock)
    end = time.process_time()
    number = sum(sum(tally.weights) for tally in found.tallies) if part else found.found_so_far
    return Timed(end - clock.began, end - before, found.nodes, number)


def lines(name: str, numbers: list[int], turns: int) -> Iterator[str]:
    """Yield the rows of the table."""
    puzzle, limit = PUZZLES[name]
    timed(puzzle, limit, f"1/{max(numbers)}")  # compiles
    for of in numbers:
        for _ in range(turns):
            whole = timed(puzzle, limit)
            parts = [timed(puzzle, limit, f"{number}/{of}") for number in range(1, of + 1)]
            nodes = [part.nodes for part in parts]
            assert sum(nodes) == whole.nodes
            assert sum(part.found for part in parts) == whole.found
            seconds, ready = (sum(getattr(part, each) for part in parts) for each in ("seconds", "all_seconds"))
            cells = (
                *(name, of, f"{whole.seconds:.2f}", f"{seconds:.2f}", f"{seconds / whole.seconds:.3f}"),
                *(f"{(ready - seconds) / of:.3f}", f"{max(nodes) * of / sum(nodes):.2f}"),
            )
            yield f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--puzzle", choices=PUZZLES, nargs="*", default=[*PUZZLES])
    parser.add_argument("--parts", default="16,64,256")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    rows = [
        "| puzzle | parts | one search, CPU s | all parts, CPU s | ratio | to make a part ready, s | largest / mean |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        print(row)
    for name in options.puzzle:
        for row in lines(name, [*map(int, options.parts.split(","))], options.turns):
            print(row, flush=True)
            rows.append(row)
    if options.output is not None:
        options.output.write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
