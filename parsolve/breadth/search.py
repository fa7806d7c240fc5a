"""Breadth-first search with paths: the engine that checks deepening, and that ends on unsolvable puzzles."""

import time
from collections.abc import Callable

from parsolve.breadth.layers import Layer, Store, Unsuited
from parsolve.breadth.paths import CheapestPaths
from parsolve.breadth.stores import stores
from parsolve.breadth.threads import Threads
from parsolve.kernel.cache import readying
from parsolve.kernel.listening import telling
from parsolve.search.listener import Listener
from parsolve.search.progress import Progress
from parsolve.search.result import Iteration, Result


def search(
    result: Result,
    emit: Callable[[tuple[int, ...]], None],
    listener: Listener,
    check: Callable[[], None],
    max_memory: int | None,
) -> None:
    """Fill `result` by breadth-first search, on as many threads as it has workers; see `parsolve.solve`."""
    begin = time.perf_counter()
    setup = result.setup_seconds
    with telling(listener), Threads(result.workers, check) as threads:
        for store in stores(result.problem, threads, max_memory, check):
            result.setup_seconds = setup + time.perf_counter() - begin
            try:
                return _search(result, store, emit, listener, check)
            except Unsuited:
                result.iterations.clear()
                result.nodes = 0


def _search(
    result: Result,
    store: Store,
    emit: Callable[[tuple[int, ...]], None],
    listener: Listener,
    check: Callable[[], None],
) -> None:
    begin = time.perf_counter()
    readying.lap()
    try:
        paths = _cheapest_paths(result, store, listener)
        result.status = "none" if paths is None else "solved"
        if result.want != "first":
            result.count = result.found_so_far
        for path in [] if paths is None else paths.walk(result.problem.root):
            if result.want == "count":
                break  # there is one indeed
            emit(path)
            listener.solution_found(path)
            check()
            if result.want == "first":
                break
    except BaseException:
        result.status, result.count = "stopped", None
        raise
    finally:
        compiling = readying.lap()  # such as what draws a solution
        result.setup_seconds += compiling
        result.seconds = time.perf_counter() - begin - compiling


def _cheapest_paths(result: Result, store: Store, listener: Listener) -> CheapestPaths | None:
    """Search up to the first cost with solutions; None if there are none."""
    layers: list[Layer] = []
    cost: int | None = None
    begin = time.perf_counter()
    progress = Progress(0)

    def ended() -> None:
        iteration = Iteration(progress.limit, progress.nodes, progress.found, time.perf_counter() - begin)
        result.iterations.append(iteration)
        listener.iteration_finished(iteration)

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
        if layer.solved:
            cost = layer.cost
        listener.progress_made(progress)
    store.prove()
    paths = None
    if cost is not None:
        paths = CheapestPaths(store, layers, cost, result.problem)
        progress.found = paths.count
        result.found_so_far = 1 if result.want == "first" else paths.count
        result.cost = cost if result.problem.has_cost else None
    ended()
    return paths
