"""Two engines, compared: breadth-first search or sharing first, whole; then deepening, whose solutions are compared."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

from parsolve.errors import Disagreement
from parsolve.problem.problem import Problem
from parsolve.problem.replay import Solution
from parsolve.puzzle.core import Puzzle
from parsolve.search.branch import Path
from parsolve.search.engine import Engine, Forecast, Run, new_engine
from parsolve.search.request import Request
from parsolve.search.watch import Listener


class Both(Engine):
    """Two independent searches, one answer."""

    does = frozenset({"transposition", "spill"})

    def refuse(self, problem: Problem, request: Request) -> None:
        """Refuse a request that either engine refuses."""
        for engine in (_other(problem, request), new_engine("deepening")):
            engine.refuse(problem, request)

    def problem(self, problem: Problem, request: Request) -> Problem:
        """Return the problem that deepening searches."""
        return new_engine("deepening").problem(problem, request)

    def resumes(self, problem: Problem, request: Request) -> bool:
        """Return False: one engine has finished before the other begins."""
        return False

    def estimate(self, run: Run, seconds: float, most: int) -> Iterator[Forecast]:
        """Yield what the engine takes that deepening is compared with."""
        return _other(run.problem, run.request).estimate(run, seconds, most)

    def search(self, run: Run) -> None:
        """Fill the run's result.

        Raises:
            Disagreement: the engines give different answers.
        """
        result, engine = run.result, _other(run.problem, run.request)
        searched = run.supply(engine.problem(run.problem, run.request))
        aside = run.aside(searched, replace(run.watch, listener=_Compiling(run.watch.listener), on_solution=None))
        engine.search(aside)
        other = aside.result
        solutions, numbers = iter(other.paths), itertools.count(1)

        def compare(mine: Path | None) -> None:
            """Compare deepening's next solution, or that there is none, with the other engine's."""
            number, its = next(numbers), next(solutions, None)
            if mine != its:
                texts = ("none" if path is None else Solution(path, run.problem).text for path in (mine, its))
                by = " by deepening, ".join(texts)
                raise Disagreement(f"the engines disagree on solution {number}: {by} by breadth-first search")

        def on_solution(path: Path) -> None:
            compare(path)
            run.give_out(path)

        # If there is no further state, deepening need not search: it would never end if moves go in circles.
        watch = replace(run.watch, on_solution=on_solution)
        new_engine("deepening").search(replace(run, watch=watch, last_limit=other.iterations[-1].limit))
        compare(None)
        # How many solutions of a cost are known at `enough` differs between engines.
        is_whole = result.status != "more" and not run.request.is_single
        for what in ("status", "cost", "count", "at_least", *(("by_cost",) if is_whole else ())):
            mine, its = getattr(result, what), getattr(other, what)
            if mine != its:
                raise Disagreement(f"the engines disagree: {what} {mine} by deepening, {its} by {engine.title}")


def _other(problem: Problem, request: Request) -> Engine:
    """Return the engine that deepening is compared with: sharing for counts where it alone has a key."""
    shares = request.want == "count" and type(problem.given).sharing is not Puzzle.sharing
    return new_engine("sharing" if shares and not problem.key_rule else "breadth")


class _Compiling(Listener):
    """Passes on which kernels are compiled, and nothing else: all other events are deepening's."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener

    def compilation_started(self, template: str) -> None:
        self._listener.compilation_started(template)
