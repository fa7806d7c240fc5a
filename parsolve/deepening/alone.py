"""Deepen on the calling thread alone, until the search is finished or all workers are to continue it."""

from collections.abc import Callable
from typing import NoReturn

from parsolve.deepening.engine import Deepening
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.engine import Run
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.watch import Watch


class Handover(Exception):
    """The other workers are to continue a search."""


def deepen_alone(
    problem: Problem,
    request: Request,
    store: CheckpointStore,
    check: Callable[[], None],
    load: Callable[[Problem], bool],
) -> Result:
    """Search a problem without workers, and return the result.

    Args:
        problem: the problem, with its pattern databases.
        request: how to search, without a transposition table.
        store: resumes an earlier search, and keeps a checkpoint however this one ends.
        check: called several times a second; any exception it raises ends the search.
        load: loads the pattern databases of a problem if they are at hand.

    Raises:
        Handover: a better bound pays: the caller changes it for all searches.
        ParsolveError: see `parsolve.solve`.
    """

    def hand_over(_: Problem) -> NoReturn:
        raise Handover

    result = Result(problem, request.want, 1, at_most=request.at_most)
    watch = Watch(check=check, max_memory=request.max_memory)
    Deepening().search(Run(request, watch, result, store, result.paths.append, hand_over, load))
    return result
