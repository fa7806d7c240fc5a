"""What is printed of searches on stdout, as text, JSON or CSV: of one the solutions as they become known and then the
result, of many a row of results each, with its solutions."""

import contextlib
import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parsolve.cli.named import Named
from parsolve.errors import BadInput
from parsolve.problem.replay import Solution
from parsolve.puzzle.parameters import values_of
from parsolve.search.request import Request
from parsolve.search.result import Answer, Result

if TYPE_CHECKING:
    from parsolve.batch.bulk import Done
    from parsolve.batch.csv_files import Row


def stacked(boards: Sequence[str]) -> str:
    """Return boards below one another; an empty line apart if one has several lines."""
    return ("\n\n" if any("\n" in board for board in boards) else "\n").join(boards)


def printed(solution: Solution, boards: bool) -> str:
    """Return a solution as it is printed, the states along it drawn below it if `boards`."""
    return f"{solution.text}\n{stacked(solution.boards)}\n" if boards else solution.text


def table_of(by_cost: Mapping[int, int]) -> str:
    """Return the number of solutions of each cost as it is printed."""
    return "\n".join(["cost\tsolutions", *(f"{cost}\t{number}" for cost, number in by_cost.items())])


class Printer:
    """Prints an answer as text: its solutions as they become known, with the states along each if `boards`, or else
    their number, or whether there is one alone. `head` is what JSON has before the solutions."""

    _has_begun = False  # a JSON object, which is to be made whole

    def __init__(self, head: Mapping[str, Any], lists: bool, boards: bool = False, asks_unique: bool = False) -> None:
        self._head, self._lists, self._boards, self._asks_unique = head, lists, boards, asks_unique

    def print_solution(self, solution: Solution, slack: int | None) -> None:
        """Print the next solution."""
        sys.stdout.write(f"{printed(solution, self._boards)}\n")

    def print_rest(self, number: object, rest: Mapping[str, Any]) -> None:
        """Print the number of solutions, if it is known and they are not listed; as JSON the rest of what is known."""
        if not self._lists and number is not None:
            print(number)

    def end(self, result: Result, status: str) -> None:
        """Print the result of a search; of one that has `failed` or was `stopped` only what makes it whole."""
        if status == "failed" and not self._has_begun:
            return
        answer, number = result.answer, None
        if status not in ("stopped", "failed"):
            number = answer.in_a_word if self._asks_unique else answer.number
            if result.tells_costs and result.status == "solved":
                number = table_of(result.by_cost)
        unique = {"unique": answer.is_unique} if self._asks_unique else {}
        self.print_rest(number, unique | result.known | result.effort)
        sys.stdout.flush()


class JsonPrinter(Printer):
    """Prints an answer as a JSON object."""

    _listed = 0

    def print_solution(self, solution: Solution, slack: int | None) -> None:
        self._begin()
        sys.stdout.write(("," if self._listed else "") + "\n    " + json.dumps(solution.to_dict(slack)))
        self._listed += 1

    def print_rest(self, number: object, rest: Mapping[str, Any]) -> None:
        self._begin()
        if self._lists:
            sys.stdout.write("\n  ]" if self._listed else "]")
        sys.stdout.write(",\n" + json.dumps(rest, indent=2)[2:] + "\n")

    def _begin(self) -> None:
        if not self._has_begun:
            self._has_begun = True
            sys.stdout.write(json.dumps(self._head, indent=2)[:-2] + ',\n  "solutions": [' * self._lists)


class RowPrinter:
    """Prints a row of text for each of many searches, with its solutions, if they are listed."""

    def __init__(self, named: Named, request: Request, boards: bool, asks_unique: bool) -> None:
        self._named, self._at_most, self._lists = named, request.at_most, request.want != "count"
        self._boards, self._asks_unique = boards, asks_unique
        self._columns = ["row", "cost", "unique" if asks_unique else "solutions", "nodes", "seconds"]
        self._is_first = True
        self._held: list[str] = []

    def print_row(self, done: "Done[Row]", answer: Answer | None, result: Result | None) -> None:
        """Hold the lines for one of many searches for a moment, see `row`: until `flush`."""
        self._held.append(self.row(done, answer, result))

    def flush(self) -> None:
        """Write what is held; on any thread."""
        held, self._held = self._held, []
        if held:
            sys.stdout.write("".join(held))
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
        lines += (printed(solution, self._boards) for solution in (result.solutions if result else ()))
        return "\n".join(lines) + "\n"

    def _number(self, answer: Answer, result: Result | None) -> str:
        """Return how many solutions there are, of each cost if the result tells that, or whether there is one alone."""
        if result is not None and result.tells_costs and result.status == "solved":
            return " ".join(f"{cost}:{number}" for cost, number in result.by_cost.items())
        return answer.in_a_word if self._asks_unique else answer.number


class JsonRowPrinter(RowPrinter):
    """Prints a JSON object a line."""

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
            **({"unique": answer and answer.is_unique} if self._asks_unique else {}),
            "cost": answer and answer.cost,
            "count": answer and answer.count,
            **({} if answer is None or self._at_most is None else {"at_least": answer.at_least}),
            **({"by_cost": result.by_cost} if answer and result and result.tells_costs else {}),
            "nodes": answer and answer.nodes,
            "seconds": answer and round(answer.seconds, 6),
            "wall_seconds": round(done.wall_seconds, 6),
            **({"error": str(done.failure)} if done.failure else {}),
        }
        return json.dumps(about) + "\n"


class CsvRowPrinter(RowPrinter):
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
