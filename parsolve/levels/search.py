"""Breadth-first search with paths: the engine that checks deepening, and that ends on unsolvable puzzles."""

import time
from collections.abc import Iterable

from parsolve.errors import BadInput
from parsolve.levels.files import made
from parsolve.levels.paths import CheapestPaths
from parsolve.levels.pieces import Resuming
from parsolve.levels.store import Layer, Store, Unsuited
from parsolve.levels.stores import stores
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.engine import Run, only_counted
from parsolve.search.progress import Progress
from parsolve.search.request import Request


class Breadth:
    """Breadth-first search with path counts, in this process alone; see `search.engine.Engine`."""

    adds, does = False, frozenset({"spill"})

    def refuse(self, problem: Problem, request: Request) -> None:
        """Refuse weights, and states without a key."""
        if problem.is_weighted:
            raise only_counted(problem)
        if problem.puzzle.multiplicity > 1:
            raise BadInput(f"{problem.name} has each solution several times: take the engine deepening or sharing")
        if not problem.key_rule:
            raise BadInput(f"{problem.name} gives no key, which breadth-first search needs")

    def problem(self, problem: Problem, request: Request) -> Problem:
        """Return the problem without another bound, which would be of no use."""
        return problem.for_breadth

    def resumes(self, problem: Problem, request: Request) -> bool:
        """Return True: layers are kept."""
        return True

    def search(self, run: Run) -> None:
        """Fill the run's result, on as many threads as it has workers."""
        result, begin = run.result, time.perf_counter()
        setup, resuming = result.setup_seconds, Resuming(run.store, result.problem, run.watch)
        folder = run.request.spill
        with made(folder), Threads(result.workers, run.watch) as threads:
            for store in stores(result.problem, threads, folder, resuming.form, run.supply):
                resuming.resume(store)
                result.setup_seconds = setup + time.perf_counter() - begin
                try:
                    return _search(run, store, resuming)
                except Unsuited:
                    result.iterations.clear()
                    result.nodes = 0


def _search(run: Run, store: Store, resuming: Resuming) -> None:
    result = run.result
    with run.searching(resuming.seconds):
        paths = _cheapest_paths(run, store, resuming)
        found: Iterable[tuple[int, ...]] = [] if paths is None else paths.walk(result.problem.root)
        for number, path in enumerate(found, 1):
            if result.want == "count":
                break  # there is one indeed
            run.give_out(path)
            if number == result.most:
                break


def _cheapest_paths(run: Run, store: Store, resuming: Resuming) -> CheapestPaths | None:
    """Search up to the first cost with solutions; None if there is no solution."""
    result = run.result
    layers: list[Layer] = []
    cost: int | None = None
    begin = time.perf_counter()
    progress = Progress(0)

    def ended() -> None:
        run.finish_iteration(progress.limit, progress.nodes, progress.found, time.perf_counter() - begin)

    try:
        for layer in store.search():
            if layer.cost > progress.limit and progress.nodes:
                if cost is not None:
                    break
                ended()
                begin = time.perf_counter()
                progress = Progress(layer.cost)
            layers.append(layer)
            progress.limit = layer.cost
            progress.nodes += layer.states
            result.nodes += layer.states
            resuming.nodes = result.nodes
            if layer.solved:
                cost = layer.cost
            run.watch.listener.progress_made(progress)
    except (Unsuited, BadInput):  # what is refused would not be met again after a checkpoint of now
        raise
    except BaseException:
        if store.is_whole:
            resuming.save()
        raise
    store.prove()
    paths = None
    if cost is not None:
        paths = CheapestPaths(store, layers, cost, result.problem)
        progress.found = paths.count
        run.count_found(progress.found)
        result.cost = cost if result.problem.has_cost else None
    ended()
    return paths
