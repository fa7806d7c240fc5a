"""The results of a file's rows on stdout: a line with tabs, a JSON object, or a record of CSV for each."""

import contextlib
import csv
import io
import json
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from typing import Any

from parsolve.batch.items import Done
from parsolve.batch.rows import Row
from parsolve.cli.search_options import SearchOptions
from parsolve.cli.terminal.bar import Bar
from parsolve.cli.terminal.results import printed
from parsolve.errors import BadInput, BadPuzzle, GuardStop
from parsolve.parameters import values_of
from parsolve.problem.replay import Solution
from parsolve.puzzle import Puzzle
from parsolve.search.result import Answer, Result

IN_MEMORY = 1 << 24
"""Bytes of a row's solutions that wait in memory for its result; more of them wait in a temporary file."""

COLUMNS = ("row", "cost", "solutions", "nodes", "seconds")

ASKING_UNIQUE = ("row", "cost", "unique", "nodes", "seconds")


class RowResults:
    """Prints the results of rows. A context manager.

    Args:
        source: the puzzle.
        search: how the rows are searched, and what is printed.
        above_bars: whether there are bars on the terminal that stdout is on.
    """

    def __init__(self, source: str, search: SearchOptions, above_bars: bool) -> None:
        self._source, self._search = source, search
        self._lists, self._at_most = search.want != "count", search.at_most
        self._columns = ASKING_UNIQUE if search.asks_unique else COLUMNS
        self._above_bars = above_bars
        self._begun = False
        self._held: list[str] = []
        self._solutions: Any = io.StringIO()
        self._lock = threading.Lock()  # the watching thread of `signals` may complete the output
        self._begin()

    def __enter__(self) -> None:
        pass

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._solutions.close()
        if error is None:
            self.flush()

    def _begin(self) -> None:
        """Begin a row: its solutions wait until its result is printed above them."""
        self._listed = 0
        if self._lists:
            self._solutions.close()
            self._solutions = _spooled()  # closed when the next row begins

    def keep(self, moves: tuple[int, ...], result: Result) -> None:
        """Keep the next solution of the row, whose result is filled."""
        solution = Solution(moves, result.problem)
        if self._search.as_json:
            plain = result.plain(solution)
            self._solutions.write(f"{', ' if self._listed else ''}{json.dumps(plain)}")
        elif self._search.csv:
            self._solutions.write(f"{json.dumps(solution.text)}\n")
        else:
            self._solutions.write(f"{printed(solution, self._search.boards)}\n")
        self._listed += 1

    def print(self, done: Done[Row], make: Callable[[dict[str, Any]], Puzzle]) -> None:
        """Print a row's result.

        Args:
            done: the row's search.
            make: makes the puzzle of a row's parameters.
        """
        if done.result is not None:
            for moves in done.result.paths:
                self.keep(moves, done.result)
        if self._search.as_json:
            self._print_object(done, make)
        elif self._search.csv:
            self._print_record(done)
        else:
            self._print_line(done)
        if self._listed:
            self._begin()

    def flush(self) -> None:
        """Write what is held; on any thread."""
        if not self._held:
            return
        with self._lock, self._above():
            held, self._held = self._held, []
            sys.stdout.write("".join(held))
            sys.stdout.flush()

    def _above(self) -> contextlib.AbstractContextManager[None]:
        """Return what takes the bars away while something is written."""
        return Bar.external_write_mode(sys.stdout) if self._above_bars else contextlib.nullcontext()

    def _print_line(self, done: Done[Row]) -> None:
        label, answer, result = done.item.label, done.answer, done.result
        if answer is None:
            line = f"{label}\t-\t-\t-\t-\n"
        else:
            cost = "-" if answer.cost is None else answer.cost
            number = self._number(answer)
            if result is not None and result.tells_costs and result.status == "solved":
                number = " ".join(f"{each}:{solutions}" for each, solutions in result.by_cost.items())
            line = f"{label}\t{cost}\t{number}\t{answer.nodes}\t{answer.seconds:.3f}\n"
        self._write(line if self._begun else "\t".join(self._columns) + "\n" + line)

    def _number(self, answer: Answer) -> str:
        """Return how many solutions there are, or whether there is one alone, as a person reads it."""
        return answer.in_a_word if self._search.asks_unique else answer.number

    def _print_object(self, done: Done[Row], make: Callable[[dict[str, Any]], Puzzle]) -> None:
        row, answer, result = done.item, done.answer, done.result
        parameters: dict[str, Any] = row.parameters
        with contextlib.suppress(BadInput, BadPuzzle):
            parameters = values_of(make(row.parameters))
        head = {
            "row": row.number,
            "name": row.label,
            "notes": row.notes,
            "puzzle": self._source,
            "parameters": parameters,
        }
        rest = {
            "status": _status(done),
            **({"unique": answer and answer.is_unique} if self._search.asks_unique else {}),
            "cost": answer and answer.cost,
            "count": answer and answer.count,
            **({} if answer is None or self._at_most is None else {"at_least": answer.at_least}),
            **({} if result is None or not result.tells_costs else {"by_cost": result.by_cost}),
            "nodes": answer and answer.nodes,
            "seconds": answer and round(answer.seconds, 6),
            "wall_seconds": round(done.wall_seconds, 6),
        }
        if done.error:
            rest["error"] = done.error
        if self._lists:
            self._write(f'{json.dumps(head)[:-1]}, "solutions": [', f"], {json.dumps(rest)[1:]}\n")
        else:
            self._write(json.dumps(head | rest), "\n")

    def _print_record(self, done: Done[Row]) -> None:
        """Print a record of CSV: the columns of the file, and the row's result; one for each listed solution."""
        row, answer = done.item, done.answer
        given = row.parameters | row.notes
        known: tuple[Any, ...] = ("", "", "", "")
        if answer is not None:
            known = (answer.cost, self._number(answer), answer.nodes, f"{answer.seconds:.6f}")
        records: Any = _spooled() if self._lists else io.StringIO()
        writer = csv.writer(records, lineterminator="\n")
        if not self._begun:
            writer.writerow(["row", *given, "status", *self._columns[1:], *["solution"] * self._lists])
        record = [row.number, *given.values(), _status(done), *known]
        if self._listed:
            self._solutions.seek(0)
            writer.writerows([*record, json.loads(text)] for text in self._solutions)
        else:
            writer.writerow([*record, *[""] * self._lists])
        if self._lists:
            self._solutions.close()
            self._solutions, self._listed = records, 1
        self._write("" if self._lists else records.getvalue())

    def _write(self, before: str, after: str = "") -> None:
        """Write a row's solutions between two texts, all at once; a row without any is held for a moment."""
        self._begun = True
        self._held.append(before)
        if self._listed:
            self.flush()
            with self._lock, self._above():
                self._solutions.seek(0)
                shutil.copyfileobj(self._solutions, sys.stdout)
        self._held.append(after)


def _spooled() -> Any:
    """Return a text file that waits in memory as long as it is short."""
    return tempfile.SpooledTemporaryFile(IN_MEMORY, "w+", encoding="utf-8", newline="\n")


def _status(done: Done[Row]) -> str:
    """Return how a row ended, in a word."""
    if done.answer is not None:
        return done.answer.status
    return "stopped" if done.exit_code == GuardStop.exit_code else "failed"
