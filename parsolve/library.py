"""The library's functions: `solve`, `solve_each`, `iter_solutions` and others."""

import contextlib
import math
import queue
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sized
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np

from parsolve.batch.bulk import BulkSearch
from parsolve.batch.items import Items
from parsolve.errors import BadInput, GuardStop
from parsolve.executors.adapter import Adapter
from parsolve.problem.compiled import WatchedRules
from parsolve.problem.problem import Problem, require_puzzle
from parsolve.problem.registry import spec_of
from parsolve.problem.replay import Solution
from parsolve.puzzle.catalogue import is_own, name_of
from parsolve.puzzle.core import Puzzle, Want
from parsolve.report.document import result_html
from parsolve.search.checkpoint import Checkpoint, CheckpointStore
from parsolve.search.engine import AnyExecutor
from parsolve.search.progress import Progress
from parsolve.search.request import EachOptions, ListOptions, Options, Request
from parsolve.search.result import Result
from parsolve.search.run import NO_SPEC, run
from parsolve.search.watch import Cancel, Listener, Listeners, Watch, is_set, stop_conditions
from parsolve.tables.databases import Databases
from parsolve.tables.origin import is_keyed
from parsolve.text import shown

QUIET = 2.0
"""Seconds of search without a new kernel or table after which `prepare` ends: other engines have been tried."""

AHEAD = 1000
"""Number of solutions that `iter_solutions` finds before it waits for its caller."""

REFRESH = 0.2
"""Seconds between two calls of `progress` at one limit."""

Shown = Literal[True] | Callable[[Progress], None]


def solve(
    puzzle: Puzzle,
    *,
    journal: str | Path | None = None,
    name: str | None = None,
    progress: Shown | None = None,
    cancel: Cancel | None = None,
    on_solution: Callable[[tuple[int, ...]], None] | None = None,
    listener: Listener | None = None,
    executor: AnyExecutor = None,
    **options: Unpack[Options],
) -> Result:
    """Find every cheapest solution of a puzzle; the answer is the same for any number of workers.

    Args:
        puzzle: the puzzle to solve.
        want: `all`: count and list every cheapest solution; `count`: count them; `first`: the first in depth-first
            order, without a count; `any`: whichever solution of cost at most `limit` a worker finds first, so it may
            differ each time.
        engine: `deepening`: iterative deepening; `breadth`: breadth-first search with path counts, in this process
            alone, for puzzles with a key; `sharing`: in this process, each state once, however many ways lead to it,
            for puzzles with a way back from their key and a level; `both`: deepening compared with breadth, or for a
            count without its key with sharing; by default the puzzle's own, and for a count deepening or sharing,
            whichever is expected to end sooner.
        workers: how many processes search, on each machine of a cluster; by default the cores that they may use (unless
            `$PARSOLVE_WORKERS` is set), and 1 for a class defined in the main module, in a function or in another
            class, which no other process can load.
        journal: a file that keeps the search: a stopped search in it is resumed, a finished one is read.
        name: the job's name in the journal, which may hold several; by default the puzzle's, alone in the journal.
        timeout: seconds, or a text such as `1h`, after which this returns, also while a table is built or a kernel is
            compiled, which the next call finds; see `prepare`.
        max_memory: bytes, or a text such as `8G`, that this process may use for the puzzle's tables (Linux),
            breadth-first search and sharing; by default four fifths of what is free. Its control groups may leave less.
        spill: a folder for files with states of sharing and breadth-first search that do not fit in memory. The files
            have no name, and vanish with the process; the `journal` keeps what is needed to resume.
        transposition: bytes of the transposition table, for puzzles with a key; 0 for none; by default the puzzle's own
            choice. The workers of this machine share it (Linux); elsewhere each has its own.
        limit: the greatest cost that is searched by iterative deepening; with `any` it is searched at once. If there is
            no solution up to it, the status is `stopped`.
        at_most: end the search as soon as one solution more than this is known: then the status is `more`, `at_least`
            is `at_most` + 1, and `all` lists the first `at_most` + 1 solutions. 1 tells whether a solution is unique.
        slack: search also for solutions that cost up to this much more than the cheapest: `by_cost` has their numbers,
            and they are listed by cost.
        skip: with the engine `sharing`, the number of first solutions to leave out; they need not be found.
        take: with the engine `sharing`, how many of the following solutions are listed; `count` is the number of all.
        sample: with the engine `sharing`, how many are drawn at random instead, with replacement, all equally likely.
        seed: seed of the random choices, by default 0: it gives the same solutions with any number of workers.
        part: a share of the tree, as a text such as `17/1000` or `17-24/1000`, by iterative deepening: parts need not
            know of each other, and together give the answer. With a `journal`, `parsolve merge` adds them.
        progress: True for a bar on stderr, or a function that is called with the `Progress` several times a second.
        cancel: an event, or a function that returns whether to stop; checked several times a second, at any moment.
        on_solution: called with the moves of each solution as it becomes known, in depth-first order; none are kept.
        listener: receives the events of the search.
        executor: where slices run instead of on our own processes; it is not shut down. With a dask `Client`, each
            worker of its cluster is a machine whose cores search. An `executors.adapter.Adapter` defines how an
            executor shows that it has lost a task.
        lease: seconds after which a task on such an executor counts as lost; by default `Tuning.lease`.
        budget: nodes in a slice, instead of a number chosen by the node rate.
        buffer: solutions that a slice may list.
        tuning: lengths of slices, waits and the like; they change no answer.

    Returns:
        The result. Its `status` is `solved`, `none` (searched to the end without a solution), `more` (than
        `at_most`), or `stopped` by `timeout`, `cancel` or `limit`: then `message` says why, and `found_so_far` and
        `iterations` what is known.

    Raises:
        BadInput: an argument is invalid.
        BadPuzzle: the puzzle breaks the contract.
        OutOfMemory: the search would need more memory than there is, or than it may have.
        Disagreement: two engines give different answers.
        ParsolveError: the search failed.
    """
    callbacks = {"progress": progress, "cancel": cancel, "on_solution": on_solution, "listener": listener}
    require("solve", Options, options, journal=journal, name=name, executor=executor, **callbacks)
    if name is not None and journal is None:
        raise BadInput("name is for a journal, which is missing")
    request = Request.of(**options)
    check = stop_conditions(request.timeout, cancel)
    problem = _made_ready(puzzle, request.want)
    started = Started(Result(problem, request))  # a journal may build tables before there is another one
    with bar() if progress is True else contextlib.nullcontext(progress) as show:
        calls = Calls(show) if show else None
        listeners = Listeners([each for each in (started, listener, calls) if each is not None])
        watch = Watch(listeners, check, request.max_memory, on_solution)
        try:
            if journal is None:
                result = run(problem, request, watch, executor=executor)
            else:
                from parsolve.batch.journaled import search_kept

                result = search_kept(Path(journal), name, _source(puzzle), problem, request, watch, executor)
        except GuardStop as why:
            result = replace(started.result, message=str(why))
    result.as_html = result_html
    return result


_last: Problem | None = None


def _made_ready(puzzle: Puzzle, want: Want) -> Problem:
    """Return a puzzle made ready: the last one again if it is the same, and nothing but its parameters can change."""
    global _last
    last = _last
    if last is not None and type(last.given) is type(puzzle) and (last.given, last.want) == (puzzle, want):
        return last
    problem = Problem(puzzle, want)
    if is_own(type(puzzle).__module__) and not problem.abstractions:
        _last = problem
    return problem


def prepare(puzzle: Puzzle, **options: Unpack[EachOptions]) -> None:
    """Compile and build what searches of a puzzle need, and keep it: for a service whose searches have a `timeout`.

    It searches until nothing has been compiled or built for `QUIET` seconds, or to the end. Kernels are those of the
    puzzle's class: a small puzzle prepares for the large ones. Tables are the puzzle's own.

    Args:
        puzzle: the puzzle to prepare for.
        options: of the searches, see `solve_each`; want is here by default `all`.

    Raises:
        ParsolveError: see `solve`.
    """
    require("prepare", EachOptions, options)
    ready = _Ready()
    options["tuning"] = replace(Request.of(**options).tuning, lasting=0.0)
    solve(puzzle, cancel=ready.is_done, listener=ready, on_solution=lambda _: None, **options)


class _Ready(Listener):
    """Listens to when something was last compiled or built for a search."""

    def __init__(self) -> None:
        self._since = math.inf

    def compilation_started(self, template: str) -> None:
        self._since = math.inf

    def table_progress_made(self, what: str, progress: Progress) -> None:
        self._since = math.inf

    def progress_made(self, progress: Progress) -> None:
        self._since = min(self._since, time.monotonic())

    def is_done(self) -> bool:
        """Return whether the search has gone on for a while since."""
        return time.monotonic() > self._since + QUIET


class _Puzzles(Items[Puzzle]):
    """The puzzles of `solve_each`."""

    ends_all = (Exception,)

    def __init__(self, request: Request, watch: Watch) -> None:
        self._request, self._watch = request, watch
        self._rules: dict[type[Puzzle], list[WatchedRules]] = {}

    def watched(self, puzzles: Iterable[Puzzle]) -> Iterator[Puzzle]:
        """Yield puzzles read ahead, as long as the rules of a class still read the same values."""
        for puzzle in puzzles:
            if type(puzzle) not in self._rules:
                with contextlib.suppress(BadInput):  # its search reports that
                    classes = {type(puzzle), type(self.problem(puzzle).puzzle)}
                    self._rules[type(puzzle)] = [*map(WatchedRules, classes)]
            self.require_same_reads(puzzle)
            yield puzzle

    def kind(self, item: Puzzle) -> Hashable:
        return type(item)

    def request(self, item: Puzzle) -> Request:
        return self._request

    def problem(self, item: Puzzle) -> Problem:
        return Problem(item, self._request.want)

    def require_same_reads(self, item: Puzzle) -> None:
        for rules in self._rules.get(type(item), ()):
            rules.require_unchanged()

    def search(self, item: Puzzle, problem: Problem, begun: Checkpoint | None) -> Result:
        result = run(problem, self._request, self._watch, store=CheckpointStore(begun))
        self.require_same_reads(item)
        return result


def solve_each(
    puzzles: Iterable[Puzzle], *, listener: Listener | None = None, **options: Unpack[EachOptions]
) -> Generator[Result, None, None]:
    """Search many puzzles, and yield their results in order.

    Small puzzles with the same `batch_key` are searched in common calls, large ones each by all workers. Puzzles are
    read a few hundred ahead.

    Args:
        puzzles: the puzzles to solve.
        listener: receives the events of searches, except those of small puzzles.
        options: of each search, see `solve`: want (here by default `count`), engine, workers, max_memory,
            transposition, limit, at_most, slack, tuning.

    Raises:
        TypeError: it does not take an option.
        GuardStop: a puzzle has no solution up to `limit`.
        ParsolveError: see `solve`, for the first puzzle whose search fails.
    """
    require("solve_each", EachOptions, options, listener=listener)
    request = Request.of(**{"want": "count", **options})
    watch = Watch(listener or Listener(), max_memory=request.max_memory)
    items = _Puzzles(request, watch)
    every = [*puzzles] if isinstance(puzzles, Sized) else puzzles
    total = len(every) if isinstance(every, list) else None
    for each in BulkSearch(items, items.watched(every), watch, request.workers, total).search():
        assert each.result is not None
        each.result.as_html = result_html
        yield each.result


class IterOptions(ListOptions, total=False):
    """What iterators pass on to `solve`."""

    journal: str | Path | None
    name: str | None
    progress: Shown | None
    listener: Listener | None
    executor: AnyExecutor


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
    require("iter_solutions", IterOptions, options, cancel=cancel)
    found: queue.Queue[tuple[int, ...] | BaseException | None] = queue.Queue(AHEAD)
    closed = threading.Event()
    problem = Problem(puzzle, "all", supplier=Databases())

    def put(item: tuple[int, ...] | BaseException | None) -> None:
        while not closed.is_set():
            with contextlib.suppress(queue.Full):
                return found.put(item, timeout=0.1)

    def ended() -> bool:
        return closed.is_set() or is_set(cancel)

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
    require("aiter_solutions", IterOptions, options, cancel=cancel)
    import asyncio  # it takes longer to import than all else here

    ended = threading.Event()
    solutions = iter_solutions(puzzle, cancel=lambda: ended.is_set() or is_set(cancel), **options)
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1, "aiter_solutions") as thread:  # one, so that closing waits for what is searched for
        try:
            while (solution := await loop.run_in_executor(thread, next, solutions, None)) is not None:
                yield solution
        finally:
            ended.set()
            await loop.run_in_executor(thread, solutions.close)


def distances(puzzle: Puzzle) -> np.ndarray[Any, Any]:
    """Return the distance of every state of a puzzle from the nearest of its goals, in moves or in costs.

    The table is built once and kept in the cache folder, like those of abstractions.

    Args:
        puzzle: it numbers its states (`index`, `unindex`, `size`), gives its `goals`, and its moves can be taken back.

    Returns:
        uint8[entries], read-only: by `entry`, or by `index` if the puzzle has no `entry`; 255 if there is no way.

    Raises:
        BadInput: it does not number its states, or gives no goals.
        BadPuzzle: it breaks the contract, or a distance is above 254.
        OutOfMemory: its states do not fit.
    """
    require_puzzle(puzzle)
    if is_keyed(puzzle):
        raise BadInput(f"{type(puzzle).__name__} does not number its states (index, unindex, size)")
    return Databases().of(puzzle).table


def _source(puzzle: Puzzle) -> str:
    """Return what a journal calls a puzzle, like the command line, so that each can resume the other's search."""
    spec = spec_of(puzzle)
    if spec is None:
        raise BadInput(f"{NO_SPEC}, where no journal can name it: put it into a file of its own")
    return name_of(type(puzzle)) or spec.source


# What callers hand over.

TAKEN: dict[str, tuple[Callable[[Any], bool], str]] = {
    "journal": (lambda value: isinstance(value, str | Path), "a file's path"),
    "name": (lambda value: isinstance(value, str), "a text"),
    "progress": (lambda value: isinstance(value, bool) or callable(value), "True or a function"),
    "cancel": (lambda value: callable(value) or hasattr(value, "is_set"), "an event or a function"),
    "on_solution": (callable, "a function"),
    "listener": (lambda value: isinstance(value, Listener), "a parsolve.Listener"),
    "executor": (lambda value: isinstance(value, Adapter) or hasattr(value, "submit"), "an executor"),
}
"""What each argument is: what recognizes it, and in words."""


def require(function: str, takes: type, options: Mapping[str, Any], **given: Any) -> None:
    """Require that a function takes these options, and what else it is given.

    Raises:
        TypeError: it does not.
    """
    known = {*takes.__annotations__, *given}
    for name in options.keys() - known:
        raise TypeError(f"{function} takes no {name}: it takes {', '.join(sorted(known))}")
    for name, value in given.items():
        is_right, wanted = TAKEN[name]
        if value is not None and not is_right(value):
            raise TypeError(f"{name} is {wanted}, not {shown(value)}")


class Started(Listener):
    """Has the result that a search fills, however it ends."""

    def __init__(self, result: Result) -> None:
        self.result = result

    def search_started(self, result: Result) -> None:
        self.result = result


class Calls(Listener):
    """Calls a function with the progress: at each limit, and several times a second."""

    def __init__(self, function: Callable[[Progress], None]) -> None:
        self._function, self._next, self._limit = function, 0.0, -1

    def progress_made(self, progress: Progress) -> None:
        now = time.monotonic()
        if now >= self._next or progress.limit != self._limit:
            self._next, self._limit = now + REFRESH, progress.limit
            self._function(progress)


@contextlib.contextmanager
def bar() -> Iterator[Callable[[Progress], None]]:
    """Show a progress bar on stderr, or in a notebook: the share of the running iteration."""
    from tqdm.auto import tqdm  # tqdm chooses between the two once

    form = "{desc}|{bar}| {percentage:3.0f}% {elapsed} {postfix}"
    with contextlib.closing(tqdm(total=1.0, leave=False, bar_format=form)) as drawn:

        def show(progress: Progress) -> None:
            drawn.n = progress.share
            drawn.set_description_str(f"limit {progress.limit}", refresh=False)
            drawn.set_postfix_str(f"{progress.nodes:,} nodes, {progress.found:,} solutions", refresh=False)
            drawn.update(0)

        yield show
