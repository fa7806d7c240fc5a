"""The results of a file's rows on stdout: a line with tabs, or a JSON object, for each."""

import argparse
import contextlib
import io
import json
import shutil
import sys
import tempfile
import threading
from typing import Any

from parsolve.batch.many import Done
from parsolve.batch.rows import Row
from parsolve.cli.terminal.bar import Bar
from parsolve.cli.terminal.results import answer_of, printed
from parsolve.parameters import values_of
from parsolve.problem.replay import Solution
from parsolve.puzzle import Puzzle
from parsolve.search.result import Result

IN_MEMORY = 1 << 24
"""Bytes of a row's solutions that wait in memory for its result; more of them wait in a temporary file."""

COLUMNS = ("row", "cost", "solutions", "nodes", "seconds")

ASKING_UNIQUE = ("row", "cost", "unique", "nodes", "seconds")


class RowResults:
    """Prints the results of rows. A context manager.

    Args:
        options: of the command.
        above_bars: whether there are bars on the terminal that stdout is on.
    """

    def __init__(self, options: argparse.Namespace, above_bars: bool) -> None:
        self._name, self._lists = options.puzzle, options.want != "count"
        self._as_json, self._boards, self._states = options.json, options.boards, options.states
        self._asks_unique = options.asks_unique
        self._above_bars = above_bars
        self._begun = False
        self._solutions: Any = io.StringIO()
        self._listed = 0
        self._lock = threading.Lock()  # the watching thread of `signals` may complete the output

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self._solutions.close()

    def begin(self) -> None:
        """Begin a row: its solutions wait until its result is printed above them."""
        self._listed = 0
        if self._lists:
            self._solutions.close()
            self._solutions = tempfile.SpooledTemporaryFile(  # noqa: SIM115 (closed when the next row begins)
                IN_MEMORY, "w+", encoding="utf-8", newline="\n"
            )

    def keep(self, moves: tuple[int, ...], result: Result) -> None:
        """Keep the next solution of the row, whose result is filled."""
        solution = Solution(moves, result.problem)
        if self._as_json:
            plain = result.plain(solution, self._states)
            self._solutions.write(f"{', ' if self._listed else ''}{json.dumps(plain)}")
        else:
            self._solutions.write(f"{printed(solution, self._boards)}\n")
        self._listed += 1

    def print(self, done: Done[Row], puzzle: Puzzle | None) -> None:
        """Print a row's result; `puzzle` is None where the row gives none."""
        if self._as_json:
            self._print_object(done, puzzle)
        else:
            self._print_line(done.item, done.result)

    def flush(self) -> None:
        """Complete the output; on any thread."""
        with self._lock:
            sys.stdout.flush()

    def _print_line(self, row: Row, result: Result | None) -> None:
        values: tuple[str, ...] = (row.label, "-", "-", "-", "-")
        if result is not None:
            cost = "-" if result.cost is None else str(result.cost)
            number = answer_of(result) if self._asks_unique else result.number
            if result.slack and result.status == "solved":
                number = " ".join(f"{each}:{solutions}" for each, solutions in result.by_cost.items())
            values = (row.label, cost, number, str(result.nodes), f"{result.seconds:.3f}")
        lines = [values] if self._begun else [ASKING_UNIQUE if self._asks_unique else COLUMNS, values]
        self._write("".join("\t".join(line) + "\n" for line in lines), "")

    def _print_object(self, done: Done[Row], puzzle: Puzzle | None) -> None:
        row, result = done.item, done.result
        parameters = row.parameters if puzzle is None else values_of(puzzle)
        head = {"row": row.number, "notes": row.notes, "puzzle": self._name, "parameters": parameters}
        rest = {
            "status": result.status if result else "failed",
            **({"unique": result and result.is_unique} if self._asks_unique else {}),
            "cost": result and result.cost,
            "count": result and result.count,
            **({} if result is None or result.at_most is None else {"at_least": result.at_least}),
            **({} if result is None or not result.slack else {"by_cost": result.by_cost}),
            "nodes": result and result.nodes,
            "seconds": result and round(result.seconds, 6),
            "wall_seconds": round(done.wall_seconds, 6),
        }
        if done.error:
            rest["error"] = done.error
        if self._lists:
            self._write(f'{json.dumps(head)[:-1]}, "solutions": [', f"], {json.dumps(rest)[1:]}\n")
        else:
            self._write(json.dumps(head | rest), "\n")

    def _write(self, before: str, after: str) -> None:
        """Write a row's solutions between two texts, all at once."""
        self._begun = True
        above_bars = Bar.external_write_mode(sys.stdout) if self._above_bars else contextlib.nullcontext()
        with self._lock, above_bars:
            sys.stdout.write(before)
            if self._lists:
                self._solutions.seek(0)
                shutil.copyfileobj(self._solutions, sys.stdout)
            sys.stdout.write(after)
            sys.stdout.flush()
