"""Searches as the tests ask for them: the values of `Request` and `Watch` as keyword arguments."""

from collections.abc import Callable
from typing import Any

from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Puzzle
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.run import run
from parsolve.search.watch import Listener, Watch


def search(
    puzzle: Puzzle,
    *,
    listener: Listener | None = None,
    check: Callable[[], None] = lambda: None,
    on_solution: Callable[[tuple[int, ...]], None] | None = None,
    store: CheckpointStore | None = None,
    executor: Any = None,
    **options: Any,
) -> Result:
    """Search a puzzle; `options` are those of `Request`."""
    request = Request.of(**options)
    watch = Watch(listener or Listener(), check, request.max_memory, on_solution)
    return run(Problem(puzzle, request.want), request, watch, store=store, executor=executor)
