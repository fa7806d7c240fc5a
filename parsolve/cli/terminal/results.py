"""A search's results on stdout: the solutions one by one, then the summary, as text or as one JSON object."""

import json
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from parsolve.cli.search_options import SearchOptions
from parsolve.cli.terminal.screen import Screen
from parsolve.parameters import values_of
from parsolve.problem.problem import Problem
from parsolve.problem.replay import Solution
from parsolve.search.progress import Progress


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


class Results(Screen):
    """A screen that also prints the results.

    Args:
        name: of the puzzle.
        problem: what is searched.
        search: what is printed.

    Attributes:
        keep: how many solutions to keep, for a page.
        first_paths: the first solutions that were printed, as moves.
    """

    keep = 0

    def __init__(self, name: str, problem: Problem, search: SearchOptions) -> None:
        super().__init__(name, problem, search.quiet)
        self._search = search
        self.first_paths: list[tuple[int, ...]] = []
        self._object: JsonStream | None = None
        self._lock = threading.Lock()  # the watching thread of `signals` may complete the output

    def progress_made(self, progress: Progress) -> None:
        with self._lock:
            sys.stdout.flush()
        super().progress_made(progress)

    def print_solution(self, moves: tuple[int, ...]) -> None:
        """Print the next solution."""
        if len(self.first_paths) < self.keep:
            self.first_paths.append(moves)
        solution = Solution(moves, self.result.problem)
        shown = self.result.plain(solution) if self._search.as_json else printed(solution, self._search.boards)
        with self._lock:
            if self._search.as_json:
                self._json().item(shown)
            else:
                self._hide_bar()
                sys.stdout.write(f"{shown}\n")

    def finished(self) -> None:
        self._end_results()
        super().finished()

    def stopped(self, why: str = "interrupted") -> None:
        self._end_results(complete=False)
        super().stopped(why)

    def failed(self, why: str) -> None:
        if self._object is not None:  # what has been printed is to become valid JSON
            self._end_results(complete=False)
        super().failed(why)

    def _end_results(self, complete: bool = True) -> None:
        self.close_bar()
        with self._lock:
            if self._search.as_json:
                self._json().end(self._summary())
            elif self.want == "count" and complete:
                print(self._answer())
            sys.stdout.flush()

    def _answer(self) -> str:
        """Return what a count prints: the number, in a table with slack, or whether there is only one."""
        result = self.result
        if self._search.asks_unique:
            return result.answer.in_a_word
        if result.tells_costs and result.status == "solved":
            return "\n".join(["cost\tsolutions", *(f"{cost}\t{number}" for cost, number in result.by_cost.items())])
        return result.answer.number

    def _json(self) -> JsonStream:
        if self._object is None:
            head = {"puzzle": self.name, "parameters": values_of(self.puzzle)}
            self._object = JsonStream(head, None if self.want == "count" else "solutions")
        return self._object

    def _summary(self) -> dict[str, Any]:
        result = self.result
        return {
            **({"unique": result.is_unique} if self._search.asks_unique else {}),
            **result.known,
            "iterations": [each.to_dict() | {"seconds": round(each.seconds, 6)} for each in result.iterations],
            "nodes": result.nodes,
            "seconds": round(result.seconds, 6),
            "setup_seconds": round(result.setup_seconds, 6),
            "workers": result.workers,
            "engine": result.engine,
        }
