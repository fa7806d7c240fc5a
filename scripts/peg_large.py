"""The fewest moves on the French board and on the diamond, and how many solutions have them.

A problem begins with one gap and ends with one peg; one stands for all its images, and those that a pagoda function
rules out are left out. Each is counted by breadth-first search over whole moves from both ends (`--engine breadth`) in
a process of its own, for so many minutes and with so much memory at most. Where that does not do, the steps that were
finished are a lower limit. Positions are those that were reached, from both ends together and up to symmetry. With
`--write`, problems that an earlier run on this machine has ended are kept and not counted again.

    .venv/bin/python scripts/peg_large.py --boards diamond41 --minutes 30 --memory 16
"""

import contextlib
import functools
import json
import resource
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import benchmark

import parsolve
from parsolve.bench.markdown import table
from parsolve.errors import OutOfMemory
from parsolve.puzzles import Peg
from parsolve.search.result import Result
from parsolve.search.watch import Listener

WORKERS = 2


class Kept(Listener):
    """Keeps what is known of a search, whatever ends it."""

    def search_started(self, result: Result) -> None:
        """Keep the result, which is filled while the search runs."""
        self.result = result


def counted(board: str, vacancy: str, target: str, minutes: float, gigabytes: float) -> dict[str, Any]:
    """Count one problem, and return the result as plain data."""
    puzzle, kept = Peg(board, vacancy, target), Kept()
    with contextlib.suppress(OutOfMemory):  # the steps that were finished are a lower limit
        parsolve.solve(
            puzzle,
            want="count",
            engine="breadth",
            workers=WORKERS,
            timeout=60 * minutes,
            max_memory=int(gigabytes * 1e9),
            listener=kept,
        )
    result = kept.result
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "problem": name_of(puzzle),
        "status": result.status,
        "moves": result.cost,
        "solutions": result.count,
        "finished": result.iterations[-1].limit if result.iterations else 0,
        "positions": result.nodes,
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 1),
        "megabytes": round(used.ru_maxrss / 1024),
        "message": result.message,
    }


def name_of(puzzle: Peg) -> str:
    """Return what a problem is called."""
    names = puzzle.layout.names
    return f"{names[int(str(puzzle.vacancy))]} to {names[int(str(puzzle.target))]}"


def lines(found: list[dict[str, Any]]) -> str:
    """Return the table of a board's problems as Markdown."""
    rows = []
    for each in found:
        known = {"solved": str(each["moves"]), "none": "unsolvable"}
        moves = known.get(each["status"], f"more than {each['finished']}")
        solutions = f"{each['solutions']:,}" if each["status"] == "solved" else ""
        measured = [f"{each['positions']:,}", f"{each['cpu_seconds']:,.0f}", f"{each['megabytes']:,}"]
        rows.append([each["problem"], moves, solutions, *measured])
    return table(["problem", "moves", "solutions", "positions", "CPU s", "MB"], rows)


def main() -> None:
    """Count, and write the report."""
    options = benchmark.options(
        __doc__ or "",
        1,
        boards={"nargs": "+", "default": ["french37", "diamond41"]},
        minutes={"type": float, "default": 30.0},
        memory={"type": float, "default": 16.0},
    )
    file = benchmark.results_folder() / "peg-large.json"
    found = json.loads(file.read_text())["rounds"] if options.write and file.exists() else {}
    for board in options.boards:
        problems = [each for each in Peg(board, "0", "0").variants() if isinstance(each, Peg) and not each.obstacle]
        here = found[board] = [each for each in found.get(board, ()) if each["status"] != "stopped"]
        for puzzle in sorted(problems, key=lambda puzzle: -len(puzzle.symmetries)):  # the smallest ones first
            if name_of(puzzle) in {each["problem"] for each in here}:
                continue
            ends = str(puzzle.vacancy), str(puzzle.target)
            count = functools.partial(counted, board, *ends, options.minutes, options.memory)
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                here.append(pool.submit(count).result())
            text = "\n".join(f"## {board}\n\n{lines(each)}" for board, each in found.items() if each)
            benchmark.report("peg-large", __doc__ or "", text, found, options)  # with what is known so far


if __name__ == "__main__":
    main()
