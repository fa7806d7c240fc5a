"""Search by levels of states: the engines `breadth` and `sharing`, which count, list, choose and draw solutions.

States are merged by key, each with the number of ways to it. A count takes each level once, and gives its memory back.
A list keeps the levels, and takes them once more, from the last to the first: so the number of solutions below each
state is known, and a walk down gives them in order, from any number on, or at random.
"""

import contextlib
import itertools
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

import numpy as np

from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.backward import Below, Walk, unshared
from parsolve.levels.both_ends import BothEnds
from parsolve.levels.expected import expected
from parsolve.levels.pieces import PieceKind
from parsolve.levels.resumable import MEANING, Resumable
from parsolve.levels.search import COUNT, LIST, Search
from parsolve.levels.states import BITS, Coding
from parsolve.levels.templates.entries import cost_of
from parsolve.levels.threads import Threads
from parsolve.problem.data import Array, digest_of
from parsolve.problem.digests import levels_digest
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import COUNTS
from parsolve.search.engine import Engine, Forecast, Run, Stopwatch, only_counted
from parsolve.search.progress import Progress
from parsolve.search.request import Request
from parsolve.system.userfiles import spill_folder
from parsolve.text import plural


class Breadth(Engine):
    """Search by levels of the puzzle's own keys: the second opinion, and the end of puzzles without a solution."""

    title = "breadth-first search"
    does = frozenset({"spill"})
    by_levels = True

    def refuse(self, problem: Problem, request: Request) -> None:
        """Refuse weights, and states without a key."""
        if problem.is_weighted:
            raise only_counted(problem)
        if problem.multiplicity > 1:
            raise BadInput(f"{problem.name} has each solution several times: take the engine deepening or sharing")
        if not problem.key_rule:
            raise BadInput(f"{problem.name} gives no key, which breadth-first search needs")

    def problem(self, problem: Problem, request: Request) -> Problem:
        """Return the problem without another bound, which would be of no use."""
        return problem.for_breadth

    def search(self, run: Run) -> None:
        """Fill the run's result, on as many threads as it has workers."""
        _search(run, run.problem, is_own=True)


class Sharing(Engine):
    """Search by levels of states for counts that are too large to list, and for any part of the solutions."""

    does = frozenset({"any", "spill", "choice"})
    by_levels = True

    def refuse(self, problem: Problem, request: Request) -> None:
        """Refuse weights, states without a way back from a key or without a level, and lists of solutions that are not
        the puzzle's own."""
        searched, lists = problem.for_sharing, request.want != "count"
        instead = "leave out skip, take and sample" if request.chooses else "take the engine deepening"
        needs = f", which the engine sharing needs: {instead}"
        if request.want == "any" and problem.has_cost:
            raise BadInput("any solution up to a limit is for iterative deepening: take want first, or that engine")
        if searched.is_weighted:
            raise only_counted(searched)
        if type(searched.puzzle).unkey is None:
            raise BadInput(f"{searched.name} gives no way back from a key to its state (unkey){needs}")
        if not (searched.rises or searched.has_cost):
            lacks = "no level that every move raises (level, or a graded graph) and no costs"
            raise BadInput(f"{searched.name} gives {lacks}{needs}")
        if lists and searched.multiplicity > 1:
            counts = f"counts several solutions for each one of {problem.name}, and so lists none"
            raise BadInput(f"the engine sharing {counts}: {instead}")

    def problem(self, problem: Problem, request: Request) -> Problem:
        """Return the problem that is counted instead, if the puzzle names one; or to list moves, the problem itself."""
        return problem.for_sharing if request.want == "count" else problem

    def search(self, run: Run) -> None:
        """Fill the run's result, on as many threads as it has workers."""
        _search(run, run.supply(run.problem.for_sharing), is_own=False)

    def forecast(self, run: Run, seconds: float, left: float) -> Forecast | None:
        """Take a sample of each level. None also if moves may lead back, or if pattern databases are not there yet."""
        self.refuse(run.problem, run.request)
        problem = run.problem.for_sharing
        if not problem.rises or (problem.abstractions and not run.load(problem)):
            return None
        found = expected(problem, run.workers, seconds, run.watch, left)
        return found and found.forecast(left, run.workers)


def _search(run: Run, problem: Problem, is_own: bool) -> None:
    """Search a problem, the run's own or another one whose solutions are translated."""
    begin, folder = time.perf_counter(), run.request.spill
    with spill_folder(folder), Threads(run.workers, run.watch) as threads:
        back = problem.inverse if is_own and problem.has_cost and not problem.rises else None
        if back is not None and Coding(problem).words == 1:
            levels: Levels = BothEnds(problem, run.supply(back), threads, folder)
        else:
            levels = Search(problem, threads, folder, COUNT if run.request.want == "count" else LIST)
        answer = _Answer(run, levels, is_own)
        answer.resume()
        run.prepared(time.perf_counter() - begin)
        answer.run()


class Levels(Protocol):
    """A search by levels from the root, or from both ends."""

    problem: Problem

    @property
    def ends(self) -> Sequence[Search]: ...  # what has the entries
    @property
    def nodes(self) -> int: ...
    @property
    def level(self) -> int: ...
    def expand(self) -> Iterator[int]: ...
    def counted(self) -> Search: ...


class _Answer(Resumable):
    """Fills a run's result from levels: counted from the root, or both ends, and back where solutions are listed."""

    def __init__(self, run: Run, levels: Levels, is_own: bool) -> None:
        self._run, self._levels, self._is_own = run, levels, is_own
        self._result, self._watch = run.result, run.watch
        self._lists = run.request.want != "count"
        self._is_by_cost = is_own and levels.problem.has_cost and not levels.problem.rises
        self._multiplicity: int = 1 if self._lists else levels.problem.multiplicity
        self._limit: int | None = None  # of the running iteration
        self._nodes, self._stopwatch = 0, Stopwatch(run.prepared)  # a new one when it runs
        self._since = self._other_seconds = run.result.seconds  # of an engine that has searched before
        form = "breadth" if is_own else "sharing" if self._lists else COUNTS
        super().__init__(run.store, run.problem, run.watch, form, levels.ends)

    # Checkpoints.

    @cached_property
    def meaning(self) -> str:
        kind = type(self._levels).__name__
        return digest_of([MEANING, BITS, kind, self._lists, levels_digest(self._levels.problem)])

    @property
    def seconds(self) -> float:
        return self._stopwatch.seconds

    @property
    def finished(self) -> int:
        return sum(end.finished for end in self._levels.ends)

    @property
    def best(self) -> tuple[int, int]:
        return self._levels.ends[0].cost, self._levels.ends[0].count

    def known(self) -> Mapping[PieceKind, Array]:
        iterations = [*([each.limit, each.nodes] for each in self._result.iterations), [self._limit or 0, 0]]
        return {PieceKind.ITERATIONS: np.array(iterations, np.uint64).reshape(-1)}

    def take(self, known: Mapping[int, Array], best: tuple[int, int]) -> None:
        for end in self._levels.ends:
            end.cost, end.count = best
        *ended, (self._limit, _) = known[PieceKind.ITERATIONS].reshape(-1, 2).tolist()  # the last one goes on
        for limit, nodes in ended:
            self._run.finish_iteration(limit, nodes, 0, 0.0)
            self._nodes += nodes
        self._run.record(self._levels.nodes, 0)

    # The search.

    def run(self) -> None:
        """Count level by level, back as well if solutions are listed, and list them."""
        result, levels = self._result, self._levels
        with self._run.searching(self.before) as self._stopwatch, contextlib.ExitStack() as closing:
            for end in levels.ends:
                closing.callback(end.store.close)
            with self.saving():
                for _ in levels.expand():  # up to the first solutions
                    if self._is_by_cost:
                        self._begin_iteration(cost_of(levels.level))
                    self._tell(levels, levels.nodes)
                    self.save_if_due()
                if self._lists and self._store.is_due():  # however large: the way back keeps nothing
                    self._save()
            counted = levels.counted()
            below = Below(counted)
            if counted.count % self._multiplicity:
                text = f"the {counted.count} solutions are not a multiple of {self._multiplicity}"
                raise BadPuzzle(f"{self._run.problem.name}: {text}")
            if counted is not levels or (self._lists and counted.count):  # otherwise all is counted
                if self._is_by_cost and counted.count:
                    self._begin_iteration(counted.cost)  # the way back is a part of it
                for entries in below.count():
                    self._tell(counted, result.nodes + entries)
            self._finish(counted)
            if self._lists and self._result.found_so_far:  # else the search has ended
                paths = self._chosen(Walk(below), counted.count)
                for path in paths if self._is_own else unshared(self._run.problem, paths, result.cost):
                    self._run.store.add(self._limit or 0, [path])
                    self._run.give_out(path)
                    self._watch.check()

    def _chosen(self, walk: Walk, count: int) -> Iterator[tuple[int, ...]]:
        """Return the requested solutions."""
        request = self._run.request
        if request.sample is None:
            return itertools.islice(walk.paths(request.skip), request.most if request.take is None else request.take)
        numbers = random.Random(request.seed)
        return (next(walk.paths(numbers.randrange(count))) for _ in range(request.sample))

    def _finish(self, counted: Search) -> None:
        """Tell how many solutions are found."""
        request, found, cost = self._run.request, counted.count // self._multiplicity, None
        if counted.count and counted.problem.has_cost:  # otherwise all solutions cost the same
            counted.problem.costs.refuse_overflow(counted.cost)
            cost = counted.cost
            self._begin_iteration(cost)
        self._run.record(self._result.nodes, 0, cost)  # what was counted may be more than is wanted
        wanted = self._run.add(self._limit or 0, 0, max(0, found - request.skip) if request.is_single else found)
        if found and not wanted:
            self._run.end(f"skip leaves out all {plural(found, 'solution')}")
        self._end_iteration(wanted)

    def _begin_iteration(self, cost: int) -> None:
        """Begin the iteration of a cost: in breadth-first search each is one."""
        if self._is_by_cost and self._limit not in (None, cost):
            self._end_iteration(0)
        self._limit = cost

    def _end_iteration(self, found: int) -> None:
        self._stopwatch.leave_out_compiling()
        seconds, nodes = self._stopwatch.seconds, self._result.nodes
        self._run.finish_iteration(self._limit or 0, nodes - self._nodes, found, seconds - self._since)
        self._since, self._nodes = seconds, nodes

    def _tell(self, levels: Levels, nodes: int) -> None:
        """Record and report how many entries are expanded, and how many solutions are found so far."""
        found = sum(end.count for end in levels.ends) // self._multiplicity
        self._run.record(nodes, found)
        waiting = sum(end.store.entries for end in levels.ends)
        share = min(end.share for end in levels.ends)  # only one of them has not finished its last level
        if self._lists:  # each entry is expanded twice
            waiting = 2 * (levels.nodes + waiting) - nodes
            share = share if nodes <= levels.nodes else nodes / levels.nodes - 1
        limit, level = self._limit or 0, sum(end.begun for end in levels.ends)
        since, total = time.monotonic() - self._stopwatch.seconds + self._other_seconds, self._run.total
        progress = Progress(limit, share, nodes, found, since=since, level=level, waiting=waiting, total=total)
        self._watch.listener.progress_made(progress)
