"""What searches print on stdout, as text, JSON or CSV: of one search the solutions as they become known and then the
result, of many a row of results each, with its solutions."""

import contextlib
import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parsolve.cli.named import Named
from parsolve.cli.search_options import SearchOptions
from parsolve.errors import BadInput
from parsolve.problem.replay import Solution
from parsolve.puzzle.parameters import values_of
from parsolve.search.result import Answer, Result

if TYPE_CHECKING:
    from parsolve.batch.csv_files import Row
    from parsolve.batch.items import Done


def stacked(boards: Sequence[str]) -> str:
    """Return boards below one another; an empty line apart if one has several lines."""
    return ("\n\n" if any("\n" in board for board in boards) else "\n").join(boards)


def printed(solution: Solution, boards: bool) -> str:
    """Return a solution as it is printed, the states along it drawn below it if `boards`."""
    return f"{solution.text}\n{stacked(solution.boards)}\n" if boards else solution.text


def table_of(by_cost: Mapping[int, int]) -> str:
    """Return the number of solutions of each cost as it is printed."""
    return "\n".join(["cost\tsolutions", *(f"{cost}\t{number}" for cost, number in by_cost.items())])


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
    """Prints text of a puzzle's search, or of many with what `named` has in common."""

    def __init__(self, named: Named, search: SearchOptions) -> None:
        self._named, self._search, self._lists = named, search, search.want != "count"
        self._columns = ["row", "cost", "unique" if search.asks_unique else "solutions", "nodes", "seconds"]
        self._is_first = True

    def print_solution(self, moves: tuple[int, ...], result: Result) -> None:
        """Print the next solution of one search."""
        sys.stdout.write(f"{printed(Solution(moves, result.problem), self._search.boards)}\n")

    def end(self, result: Result, status: str) -> None:
        """Print the result of one search; of a search that has `failed` or was `stopped` only what makes it whole."""
        if not self._lists and status not in ("stopped", "failed"):
            shows_costs = result.tells_costs and result.status == "solved"
            print(table_of(result.by_cost) if shows_costs else self._number(result.answer, None))
        if status != "failed":
            sys.stdout.flush()

    def row(self, done: "Done[Row]", answer: Answer | None, result: Result | None) -> str:
        """Return the lines for one of many searches, which may have been stopped or have failed: what is known of its
        answer, and its result, with solutions to list."""
        lines = ["\t".join(self._columns)] if self._is_first else []
        self._is_first = False
        if answer is None:
            lines.append(f"{done.item.label}\t-\t-\t-\t-")
        else:
            cost = "-" if answer.cost is None else answer.cost
            number = self._number(answer, result)
            lines.append(f"{done.item.label}\t{cost}\t{number}\t{answer.nodes}\t{answer.seconds:.3f}")
        lines += (printed(solution, self._search.boards) for solution in (result.solutions if result else ()))
        return "\n".join(lines) + "\n"

    def _number(self, answer: Answer, result: Result | None) -> str:
        """Return how many solutions there are, of each cost if the result tells that, or whether there is one alone."""
        if result is not None and result.tells_costs and result.status == "solved":
            return " ".join(f"{cost}:{number}" for cost, number in result.by_cost.items())
        return answer.in_a_word if self._search.asks_unique else answer.number


class JsonPrinter(Printer):
    """Prints a JSON object, of many searches one a line."""

    _object: JsonStream | None = None

    def print_solution(self, moves: tuple[int, ...], result: Result) -> None:
        self._begun(result).item(Solution(moves, result.problem).to_dict(result.slack))

    def end(self, result: Result, status: str) -> None:
        if status == "failed" and self._object is None:
            return
        unique = {"unique": result.is_unique} if self._search.asks_unique else {}
        self._begun(result).end(unique | result.known | result.effort)
        sys.stdout.flush()

    def row(self, done: "Done[Row]", answer: Answer | None, result: Result | None) -> str:
        row = done.item
        listed = [each.to_dict(result.slack) for each in result.solutions] if result else []
        parameters: dict[str, Any] = row.parameters
        with contextlib.suppress(BadInput):
            parameters = values_of(self._named.with_parameters(row.parameters))
        about = {
            "row": row.number,
            "name": row.label,
            "notes": row.notes,
            "puzzle": self._named.source,
            "parameters": parameters,
            **({"solutions": listed} if self._lists else {}),
            "status": done.status,
            **({"unique": answer and answer.is_unique} if self._search.asks_unique else {}),
            "cost": answer and answer.cost,
            "count": answer and answer.count,
            **({} if answer is None or self._search.at_most is None else {"at_least": answer.at_least}),
            **({"by_cost": result.by_cost} if answer and result and result.tells_costs else {}),
            "nodes": answer and answer.nodes,
            "seconds": answer and round(answer.seconds, 6),
            "wall_seconds": round(done.wall_seconds, 6),
            **({"error": str(done.failure)} if done.failure else {}),
        }
        return json.dumps(about) + "\n"

    def _begun(self, result: Result) -> JsonStream:
        if self._object is None:
            head = {"puzzle": self._named.source, "parameters": values_of(result.problem.given)}
            self._object = JsonStream(head, "solutions" if self._lists else None)
        return self._object


class CsvPrinter(Printer):
    """Prints records of CSV: the columns of the file, and the result of a row; one record for each listed solution."""

    def row(self, done: "Done[Row]", answer: Answer | None, result: Result | None) -> str:
        row = done.item
        given = row.parameters | row.notes
        text = io.StringIO()
        write = csv.writer(text, lineterminator="\n").writerow
        if self._is_first:
            self._is_first = False
            own, names = ["status", *self._columns[1:], *["solution"] * self._lists], ["row"]
            for name in given:
                while name in (*own, *names):
                    name = f"{'parameter' if name in row.parameters else 'note'}_{name}"
                names.append(name)
            write((*names, *own))
        known: Sequence[Any] = ("", "", "", "")
        if answer is not None:
            known = (answer.cost, self._number(answer, result), answer.nodes, f"{answer.seconds:.6f}")
        listed = [[each.text] for each in (result.solutions if result else ())] or [[""] * self._lists]
        for solution in listed:
            write((row.number, *given.values(), done.status, *known, *solution))
        return text.getvalue()


def printer_of(named: Named, search: SearchOptions) -> Printer:
    """Return what prints a search, or many, as the command's options say."""
    return (JsonPrinter if search.as_json else CsvPrinter if search.csv else Printer)(named, search)
