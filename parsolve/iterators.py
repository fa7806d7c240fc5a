"""Solutions as they become known: `iter_solutions` and `aiter_solutions`."""

import queue
import threading
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from parsolve.errors import GuardStop
from parsolve.executors.adapter import Adapter
from parsolve.library import Cancel, Shown, is_set, solve
from parsolve.problem.problem import Problem
from parsolve.problem.replay import Solution
from parsolve.puzzle.core import Puzzle
from parsolve.search.request import ListOptions, refuse_unknown
from parsolve.search.watch import Listener
from parsolve.tables.databases import supply_later

if TYPE_CHECKING:
    from distributed import Client

AHEAD = 1000
"""Number of solutions that `iter_solutions` finds before it waits for its caller."""


class IterOptions(ListOptions, total=False):
    """What iterators pass on to `solve`."""

    journal: str | Path | None
    name: str | None
    progress: Shown | None
    listener: Listener | None
    executor: "Executor | Adapter | Client | None"


def iter_solutions(
    puzzle: Puzzle, *, cancel: Cancel | None = None, **options: Unpack[IterOptions]
) -> Generator[Solution, None, None]:
    """Yield every cheapest solution in depth-first order as it becomes known, in bounded memory.

    The search runs in a thread, a little ahead; closing the iterator, or `cancel`, ends it.

    Args:
        puzzle: the puzzle to solve.
        cancel: see `solve`.
        options: for `solve`, except `want` and `on_solution`.

    Raises:
        GuardStop: `timeout` or `limit` has stopped the search: there may be more solutions than were yielded.
        ParsolveError: see `solve`.
    """
    refuse_unknown("iter_solutions", options, {"cancel", *IterOptions.__annotations__})
    found: queue.Queue[tuple[int, ...] | BaseException | None] = queue.Queue(AHEAD)
    closed = threading.Event()
    problem = supply_later(Problem(puzzle, "all"))

    def put(item: tuple[int, ...] | BaseException | None) -> None:
        while not closed.is_set():
            try:
                return found.put(item, timeout=0.1)
            except queue.Full:
                continue
        return None

    def ended() -> bool:
        return closed.is_set() or (cancel is not None and is_set(cancel))

    def search() -> None:
        try:
            result = solve(puzzle, want="all", on_solution=put, cancel=ended, **options)
            put(GuardStop(result.message) if result.status == "stopped" and not ended() else None)
        except BaseException as error:
            put(error)

    thread = threading.Thread(target=search, name="iter_solutions", daemon=True)
    thread.start()
    try:
        while (item := found.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield Solution(item, problem)
    finally:
        closed.set()
        thread.join()


async def aiter_solutions(
    puzzle: Puzzle, *, cancel: Cancel | None = None, **options: Unpack[IterOptions]
) -> AsyncGenerator[Solution, None]:
    """Yield the same as `iter_solutions`, for `async for`: the event loop goes on while a solution is searched for.

    Cancelling the task that waits for a solution ends the search.

    Args:
        puzzle, cancel, options: see `iter_solutions`.

    Raises:
        ParsolveError: see `iter_solutions`.
    """
    import asyncio  # it takes longer to import than all else here

    ended = threading.Event()
    solutions = iter_solutions(
        puzzle, cancel=lambda: ended.is_set() or (cancel is not None and is_set(cancel)), **options
    )
    loop = asyncio.get_running_loop()
    # One, so that closing waits for the solution that is searched for.
    thread = ThreadPoolExecutor(1, "aiter_solutions")
    try:
        while (solution := await loop.run_in_executor(thread, next, solutions, None)) is not None:
            yield solution
    finally:
        ended.set()
        await loop.run_in_executor(thread, solutions.close)
        thread.shutdown()
