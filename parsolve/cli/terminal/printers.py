"""What searches print on stdout, as text, JSON or CSV: of one search the solutions as they become known and then the
result, of many a row of results each, with its solutions."""

import contextlib
import csv
import io
import json
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parsolve.cli.search_options import SearchOptions
from parsolve.errors import BadInput, BadPuzzle, GuardStop
from parsolve.parameters import values_of
from parsolve.problem.replay import Solution
from parsolve.puzzle import Puzzle
from parsolve.search.result import Answer, Result

if TYPE_CHECKING:
    from parsolve.batch.items import Done
    from parsolve.batch.rows import Row

IN_MEMORY = 1 << 24
"""Bytes of a row's solutions that wait in memory for its result; more of them wait in a temporary file."""


def stacked(boards: Sequence[str]) -> str:
    """Return boards below one another; an empty line apart if one has several lines."""
    return ("\n\n" if any("\n" in board for board in boards) else "\n").join(boards)


def printed(solution: Solution, boards: bool) -> str:
    """Return a solution as it is printed, the states along it drawn below it if `boards`."""
    return f"{solution.text}\n{stacked(solution.boards)}\n" if boards else solution.text


class JsonStream:
    """A JSON object that is being written on stdout.

    Args:
        head: the members before the list; not empty.
        key: the list's; None for no list.
    """

    def __init__(self, head: Mapping[str, Any], key: str | None) -> None:
        self._key = key
        self._items = 0
        sys.stdout.write(json.dumps(head, indent=2)[:-2])
        if key is not None:
            sys.stdout.write(f',\n  "{key}": [')

    def item(self, value: Any) -> None:
        """Write the next item of the list."""
        sys.stdout.write(("," if self._items else "") + "\n    " + json.dumps(value))
        self._items += 1

    def end(self, rest: Mapping[str, Any]) -> None:
        """Write the members after the list, of which there is at least one, and the end."""
        if self._key is not None:
            sys.stdout.write("\n  ]" if self._items else "]")
        sys.stdout.write(",\n" + json.dumps(rest, indent=2)[2:] + "\n")


class Printer:
    """Prints text.

    Args:
        source: the puzzle.
        search: what is searched, and what is shown of it.
    """

    def __init__(self, source: str, search: SearchOptions) -> None:
        self._source, self._search, self._lists = source, search, search.want != "count"
        self._columns = ["row", "cost", "unique" if search.asks_unique else "solutions", "nodes", "seconds"]
        self._is_first = True

    def print_solution(self, moves: tuple[int, ...], result: Result) -> None:
        """Print the next solution of one search."""
        sys.stdout.write(self.solution(moves, result))

    def end(self, result: Result, status: str) -> None:
        """Print the result of one search; of a search that has `failed` or was `stopped` only what makes it whole."""
        if not self._lists and status not in ("stopped", "failed"):
            if not self._search.asks_unique and result.tells_costs and result.status == "solved":
                print("cost\tsolutions", *(f"{cost}\t{number}" for cost, number in result.by_cost.items()), sep="\n")
            else:
                print(self._number(result.answer))
        if status != "failed":
            sys.stdout.flush()

    def solution(self, moves: tuple[int, ...], result: Result) -> str:
        """Return the lines of a solution in the result of its row."""
        return f"{printed(Solution(moves, result.problem), self._search.boards)}\n"

    def row(self, done: "Done[Row]", solutions: Iterable[str], make: Callable[..., Puzzle]) -> Iterator[str]:
        """Yield the pieces of the result of one of many searches.

        Args:
            done: the search.
            solutions: the lines of its solutions, see `solution`.
            make: makes the puzzle of a row's parameters.
        """
        if self._is_first:
            self._is_first = False
            yield "\t".join(self._columns) + "\n"
        label, answer, result = done.item.label, done.answer, done.result
        if answer is None:
            yield f"{label}\t-\t-\t-\t-\n"
        else:
            cost = "-" if answer.cost is None else answer.cost
            number = self._number(answer)
            if result is not None and result.tells_costs and result.status == "solved":
                number = " ".join(f"{each}:{some}" for each, some in result.by_cost.items())
            yield f"{label}\t{cost}\t{number}\t{answer.nodes}\t{answer.seconds:.3f}\n"
        yield from solutions

    def _number(self, answer: Answer) -> str:
        """Return how many solutions there are, or whether there is one alone, as a person reads it."""
        return answer.in_a_word if self._search.asks_unique else answer.number


class JsonPrinter(Printer):
    """Prints a JSON object, of many searches one a line."""

    _object: JsonStream | None = None

    def print_solution(self, moves: tuple[int, ...], result: Result) -> None:
        self._begun(result).item(self._plain(moves, result))

    def end(self, result: Result, status: str) -> None:
        if status == "failed" and self._object is None:
            return
        rest = {
            **({"unique": result.is_unique} if self._search.asks_unique else {}),
            **result.known,
            "iterations": [each.to_dict() | {"seconds": round(each.seconds, 6)} for each in result.iterations],
            "nodes": result.nodes,
            "seconds": round(result.seconds, 6),
            "setup_seconds": round(result.setup_seconds, 6),
            "workers": result.workers,
            "engine": result.engine,
        }
        self._begun(result).end(rest)
        sys.stdout.flush()

    def solution(self, moves: tuple[int, ...], result: Result) -> str:
        return json.dumps(self._plain(moves, result)) + "\n"

    def row(self, done: "Done[Row]", solutions: Iterable[str], make: Callable[..., Puzzle]) -> Iterator[str]:
        row, answer, result = done.item, done.answer, done.result
        parameters: dict[str, Any] = row.parameters
        with contextlib.suppress(BadInput, BadPuzzle):
            parameters = values_of(make(row.parameters))
        about = {"row": row.number, "name": row.label, "notes": row.notes}
        head = json.dumps({**about, "puzzle": self._source, "parameters": parameters})
        rest = {
            "status": _status(done),
            **({"unique": answer and answer.is_unique} if self._search.asks_unique else {}),
            "cost": answer and answer.cost,
            "count": answer and answer.count,
            **({} if answer is None or self._search.at_most is None else {"at_least": answer.at_least}),
            **({} if result is None or not result.tells_costs else {"by_cost": result.by_cost}),
            "nodes": answer and answer.nodes,
            "seconds": answer and round(answer.seconds, 6),
            "wall_seconds": round(done.wall_seconds, 6),
            **({"error": done.error} if done.error else {}),
        }
        yield head[:-1]
        if self._lists:
            yield ', "solutions": ['
            yield from (", " * bool(number) + line.rstrip("\n") for number, line in enumerate(solutions))
            yield "]"
        yield f", {json.dumps(rest)[1:]}\n"

    def _plain(self, moves: tuple[int, ...], result: Result) -> dict[str, Any]:
        return result.plain(Solution(moves, result.problem))

    def _begun(self, result: Result) -> JsonStream:
        if self._object is None:
            head = {"puzzle": self._source, "parameters": values_of(result.problem.given)}
            self._object = JsonStream(head, "solutions" if self._lists else None)
        return self._object


class CsvPrinter(Printer):
    """Prints records of CSV: the columns of the file, and the result of a row; one record for each listed solution."""

    def solution(self, moves: tuple[int, ...], result: Result) -> str:
        return json.dumps(Solution(moves, result.problem).text) + "\n"

    def row(self, done: "Done[Row]", solutions: Iterable[str], make: Callable[..., Puzzle]) -> Iterator[str]:
        row, answer = done.item, done.answer
        given = row.parameters | row.notes
        if self._is_first:
            self._is_first = False
            yield _record("row", *given, "status", *self._columns[1:], *["solution"] * self._lists)
        known: Sequence[Any] = ("", "", "", "")
        if answer is not None:
            known = (answer.cost, self._number(answer), answer.nodes, f"{answer.seconds:.6f}")
        record = (row.number, *given.values(), _status(done), *known)
        if not self._lists:
            yield _record(*record)
            return
        texts = (json.loads(line) for line in solutions)
        first = next(texts, "")
        yield _record(*record, first)
        yield from (_record(*record, text) for text in texts)


class Rows:
    """Writes the results of rows as a printer has them. A context manager.

    Args:
        printer: what prints them.
        make: makes the puzzle of a row's parameters.
        above_bars: whether there are bars on the terminal that stdout is on.
    """

    def __init__(self, printer: Printer, make: Callable[..., Puzzle], above_bars: bool) -> None:
        self._printer, self._make, self._above_bars = printer, make, above_bars
        self._held: list[str] = []
        self._listed = 0
        self._solutions: Any = _spooled()
        self._lock = threading.Lock()  # the watching thread of `signals` may complete the output

    def __enter__(self) -> None:
        pass

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._solutions.close()
        if error is None:
            self.flush()

    def keep(self, moves: tuple[int, ...], result: Result) -> None:
        """Keep the next solution of the row, which waits until its result is printed above it."""
        self._solutions.write(self._printer.solution(moves, result))
        self._listed += 1

    def print(self, done: "Done[Row]") -> None:
        """Print a row's result and its solutions; without any, it is held for a moment."""
        if done.result is not None:
            for moves in done.result.paths:
                self.keep(moves, done.result)
        if not self._listed:
            self._held += self._printer.row(done, (), self._make)
            return
        self.flush()
        self._solutions.seek(0)
        with self._lock, self._above():
            for piece in self._printer.row(done, self._solutions, self._make):
                sys.stdout.write(piece)
        self._solutions.close()
        self._solutions, self._listed = _spooled(), 0

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
        from parsolve.cli.terminal.bar import Bar

        return Bar.external_write_mode(sys.stdout) if self._above_bars else contextlib.nullcontext()


def printer_of(source: str, search: SearchOptions) -> Printer:
    """Return what prints a search, or many, as the command's options say."""
    return (JsonPrinter if search.as_json else CsvPrinter if search.csv else Printer)(source, search)


def _spooled() -> Any:
    """Return a text file that waits in memory as long as it is short."""
    return tempfile.SpooledTemporaryFile(IN_MEMORY, "w+", encoding="utf-8", newline="\n")


def _record(*values: Any) -> str:
    """Return a record of CSV."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue()


def _status(done: "Done[Row]") -> str:
    """Return how a row ended, in a word."""
    if done.answer is not None:
        return done.answer.status
    return "stopped" if done.exit_code == GuardStop.exit_code else "failed"
