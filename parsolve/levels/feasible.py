"""The states of an abstraction on paths from its root to a goal, from which a goal can still be reached."""

from functools import partial

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.levels.both_ends import following, led_on, shared
from parsolve.levels.search import Search
from parsolve.levels.states import Array, misdeclared
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers


def feasible_keys(problem: Problem, back: Problem | None = None, watch: Watch = UNWATCHED) -> Array:
    """Return the keys of all states on paths from the root to a goal.

    Args:
        problem: an abstraction with the way back from keys, whose graph is graded.
        back: the same with moves taken back; None for a search from the root alone, which takes more memory.
        watch: receives each layer.

    Returns:
        uint64[n], ascending; none if there is no way to a goal.

    Raises:
        BadPuzzle: it breaks the contract.
        OutOfMemory: the states do not fit.
    """
    with Threads(default_workers(), watch) as threads:
        layers = _from_root(problem, threads) if back is None else _from_both_ends(problem, back, threads)
    return np.sort(np.concatenate(layers))


def _from_root(problem: Problem, threads: Threads) -> list[Array]:
    """Return the states by layer, from the last to the first."""
    search = Search(problem, threads, counts=False, keeps=True)
    for _ in search.expand():
        threads.watch.listener.progress_made(Progress(search.begun, nodes=search.nodes))
    assert search.keys is not None
    found = [np.zeros(0, np.uint64)]
    for _, level in sorted(search.levels.settled.items(), reverse=True):
        layer = level.entries()
        rows, leads_on = search.keys.states_of(layer)
        for _, parents, children in search.keys.expander.children(rows, False):
            leads_on[parents[np.isin(children[:, 0], found[-1])]] = True
        found.append(layer[leads_on])
    return found


def _from_both_ends(problem: Problem, back: Problem, threads: Threads) -> list[Array]:
    """Return the states by layer: layers from the root and from the goals until they meet, and back."""
    if not problem.has_cost:
        raise BadPuzzle(f"{problem.name}: 'taken_back' needs a cost and 'limits', how far the goals are")
    front = Search(problem, threads, counts=False)
    rear = Search(back, threads, counts=False, past=True, start=problem.goals(), beside=front)
    for end, other in ((front, rear), (rear, front)):
        end.begin()
        end.levels.empty()  # only what is asked for follows
        if end.proof is not None:
            end.proof.opposite = other.keys
    assert front.keys is not None
    goals, solved = front.keys.look(problem.goals())
    if not solved.all():
        raise misdeclared(problem, "'goals' gives a state that is not solved")
    near, far = [front.keys.ids_of(problem.root)], [np.unique(goals)]
    moves = next(iter(problem.limits()), 0) - int(problem.root["cost"][0])
    if moves <= 0 or not len(goals):
        return [shared(near[0], goals)]
    while len(near) + len(far) <= moves:
        end, layers = (front, near) if len(near[-1]) <= len(far[-1]) else (rear, far)
        layers.append(following(end, layers[-1], len(layers) - 1))
        threads.watch.listener.progress_made(Progress(len(near) + len(far), nodes=front.nodes + rear.nodes))
    onward, backward = (partial(following, end) for end in (front, rear))
    _, common = led_on(near[-1], far[-1:], onward)  # in parts: the last step is the largest
    found = led_on(common, near[::-1], backward) + led_on(common, far[-2::-1], onward)[1:]
    front.end()
    rear.end()
    return found
