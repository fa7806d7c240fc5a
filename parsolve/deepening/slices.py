"""Slice: one bounded run of the compiled kernel over one or several branches. It is the work of a process.

    run_slice(assignment, branches, budget) -> outcome

An assignment is plain data, so that any `concurrent.futures.Executor` can carry it to any machine.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

from parsolve.deepening.outcome import Outcome, merge_outcomes
from parsolve.deepening.searcher import NO_TABLE, Searcher, Sought
from parsolve.deepening.transposition import TranspositionTable
from parsolve.errors import NotReproducible, OtherData
from parsolve.problem.problem import Identity, Problem, Supplier
from parsolve.problem.registry import Spec
from parsolve.search.branch import Branch
from parsolve.system.resources import within_memory


@dataclass(frozen=True)
class Setup:
    """All that a process needs for slices of a puzzle.

    Attributes:
        spec: the puzzle.
        identity: identity of the puzzle where the search began; a worker with another identity must refuse.
        table: the transposition table.
        supplier: see `Problem.supplier`: on another machine pattern databases may be missing.
    """

    spec: Spec
    identity: Identity
    table: TranspositionTable = NO_TABLE
    supplier: Supplier | None = None


@dataclass(frozen=True)
class Assignment:
    """What is the same for all slices of an iteration.

    Attributes:
        setup: setup of the process that runs it.
        sought: what they look for.
    """

    setup: Setup
    sought: Sought


_mine = threading.local()


def searcher_of(setup: Setup) -> Searcher:
    """Return this thread's searcher of a puzzle; the last one is kept.

    Raises:
        NotReproducible: the puzzle's sources differ from those where the search began.
        OtherData: the puzzle's data differs.
    """
    spec, identity = setup.spec, setup.identity
    if getattr(_mine, "key", None) != (spec, identity):
        searcher = Searcher(Problem(spec.make(), supplier=setup.supplier))
        here = searcher.problem.identity
        if here.rules != identity.rules:
            raise NotReproducible(f"{spec.source} is not the same here as where the search began")
        if here.data != identity.data:
            raise OtherData(
                f"{searcher.problem.name}: 'tables' or 'root' returns something else in a worker than where the search"
                " began: a data file differs or is missing there, or the result depends on a random number or the order"
                " of a set (parsolve check looks for that)"
            )
        adopt(searcher, spec)
    return _mine.searcher  # type: ignore[no-any-return]


def searcher_for(problem: Problem, max_memory: int | None) -> Searcher:
    """Return this thread's last searcher if it is for the same puzzle with the same data, otherwise a new one.

    Raises:
        OutOfMemory: the puzzle's tables need more than `max_memory` leaves.
    """
    last: Searcher | None = getattr(_mine, "searcher", None)
    if last and last.problem is problem:
        return last
    with within_memory(max_memory):
        # By class, parameters and data: what `tables` reads may have changed since.
        if last and last.problem.puzzle == problem.puzzle and last.problem.identity == problem.identity:
            return last
        return Searcher(problem)


def adopt(searcher: Searcher, spec: Spec) -> None:
    """Keep a searcher for this thread's next search, and for the slices of workers that are forked from it."""
    _mine.searcher, _mine.key = searcher, (spec, searcher.problem.identity)


def prepare(setup: Setup) -> None:
    """Make a worker, or the fork server of workers, ready for the slices of a puzzle."""
    searcher = searcher_of(setup)
    searcher.warm_up(setup.table)
    searcher.warm_up_restoring()


def run_slice(assignment: Assignment, branches: Sequence[Branch], budget: int) -> Outcome:
    """Search branches with this thread's searcher; see `search_slice`."""
    return search_slice(searcher_of(assignment.setup), assignment, branches, budget)


def search_slice(searcher: Searcher, assignment: Assignment, branches: Sequence[Branch], budget: int) -> Outcome:
    """Search branches, at least one, one after another until the node budget is spent or enough solutions are known.

    Raises:
        BadPuzzle, NotReproducible: see `Searcher.run`.
    """
    sought, table = assignment.sought, assignment.setup.table
    outcomes: list[Outcome] = []
    for branch in branches:
        outcome = searcher.run(branch, sought, budget, table)
        outcomes.append(outcome)
        budget -= outcome.nodes
        if sought.enough is not None:
            sought = replace(sought, enough=sought.enough - outcome.weight)
        if budget <= 0 or outcome.rest or (sought.enough is not None and sought.enough <= 0):
            break
    return merge_outcomes(outcomes)
