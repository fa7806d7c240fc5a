"""Slice: one bounded run of the compiled kernel over one or several branches. What a worker does.

    run_slice(job, branches, budget) -> outcome

A job is plain data, so that any `concurrent.futures.Executor` can carry it to any machine.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from parsolve.errors import NotReproducible
from parsolve.problem import Problem
from parsolve.registry import Spec
from parsolve.resources import within_memory
from parsolve.search.branch import Branch
from parsolve.search.outcome import Outcome, merge_outcomes
from parsolve.search.searcher import NO_TABLE, Searcher
from parsolve.search.transposition import Table
from parsolve.tables.making import Maker, register


@dataclass(frozen=True)
class Job:
    """What an iteration wants of a slice.

    Attributes:
        spec: the puzzle.
        fingerprint: of the puzzle's sources; a worker that has others must not take part.
        limit: the limit of the iteration.
        listing: whether solutions are listed or only counted.
        buffer: how many solutions a slice may list; None for what fits `BUFFER_BYTES`.
        table: the transposition table.
        maker: builds the tables of the puzzle's abstractions where they are not there, on another machine say; None
            where it has none.
        cheaper: whether solutions that cost less than the limit count too.
    """

    spec: Spec
    fingerprint: str
    limit: int
    listing: bool
    buffer: int | None = None
    table: Table = NO_TABLE
    maker: Maker | None = None
    cheaper: bool = False


_mine = threading.local()


def searcher_of(spec: Spec, fingerprint: str, maker: Maker | None = None) -> Searcher:
    """This thread's searcher of a puzzle; the last one is kept.

    Args:
        spec, fingerprint, maker: see `Job`.

    Raises:
        NotReproducible: the puzzle's sources here are others than where the job comes from.
    """
    if getattr(_mine, "spec", None) != (spec, fingerprint):
        register(maker)
        searcher = Searcher(Problem(spec.make()))
        if searcher.problem.fingerprint != fingerprint:
            raise NotReproducible(f"{spec.source} is not the same here as where the job was made")
        adopt(searcher, spec)
    return _mine.searcher  # type: ignore[no-any-return]


def searcher_for(problem: Problem, max_memory: int | None) -> Searcher:
    """Return this thread's last searcher where it is for the same puzzle, tables and all, else a new one.

    Raises:
        OutOfMemory: a new one's tables need more than `max_memory` leaves.
    """
    last: Searcher | None = getattr(_mine, "searcher", None)
    if last and type(last.problem.puzzle) is type(problem.puzzle) and last.problem.spec == problem.spec:
        return last
    with within_memory(max_memory):
        return Searcher(problem)


def adopt(searcher: Searcher, spec: Spec) -> None:
    """Let this thread's slices of a puzzle use a searcher that there is already."""
    _mine.searcher, _mine.spec = searcher, (spec, searcher.problem.fingerprint)


def prepare(spec: Spec, fingerprint: str, table: Table, maker: Maker | None = None) -> None:
    """Make a worker, or the fork server of workers, ready for a puzzle's jobs; see `Job`."""
    searcher = searcher_of(spec, fingerprint, maker)
    searcher.warm_up(table)
    searcher.warm_up_restoring()


def run_slice(job: Job, branches: Sequence[Branch], budget: int) -> Outcome:
    """Search branches, at least one, one after the other until the node budget is spent.

    Raises:
        BadPuzzle, NotReproducible: see `Searcher.run`.
    """
    searcher = searcher_of(job.spec, job.fingerprint, job.maker)
    outcomes: list[Outcome] = []
    for branch in branches:
        outcome = searcher.run(branch, job.limit, budget, job.listing, job.buffer, job.table, job.cheaper)
        outcomes.append(outcome)
        budget -= outcome.nodes
        if budget <= 0 or outcome.rest:
            break
    return merge_outcomes(outcomes)
