"""The frontier by itself: what it gives out, what it makes of losses, and its heap; any order of events is in
`test_frontier_states.py`."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsolve.deepening.frontier import Frontier, Task
from parsolve.deepening.heap import Heap
from parsolve.deepening.outcome import Outcome, merge_outcomes, paths_of
from parsolve.deepening.pace import Pace
from parsolve.deepening.prefixes import Prefix, prefix_of
from parsolve.errors import BranchLost, WorkersLost
from parsolve.search.branch import Branch, Path
from parsolve.search.tuning import Tuning

pytestmark = pytest.mark.plain


class Tree:
    """A random tree whose nodes are moves, searched as the kernel does: depth first, an outcome after some nodes.

    Args:
        seed: says which.
        depth, children: at most.
    """

    def __init__(self, seed: int, depth: int, children: int) -> None:
        self.seed, self.depth, self.most = seed, depth, children
        self.visits: dict[Path, int] = {}

    def children(self, path: Path) -> int:
        if len(path) >= self.depth:
            return 0
        return random.Random(hash((self.seed, path))).randrange(self.most + 1) if len(path) > 1 else self.most

    def solved(self, path: Path) -> bool:
        return hash((self.seed, path)) % 3 == 0 and self.children(path) == 0

    def search(self, branch: Branch, budget: int, first: bool = False) -> Outcome:
        """One slice of one branch."""
        path, pending, sizes = list(branch.path), [list(moves) for moves in branch.pending], list(branch.sizes)
        nodes, found = 0, []
        while pending:
            if not pending[-1]:
                pending.pop()
                sizes.pop()
                if pending:
                    path.pop()
                continue
            if nodes == budget or (first and found):
                break
            path.append(pending[-1].pop(0))
            here = tuple(path[1:])
            nodes += 1
            self.visits[here] = self.visits.get(here, 0) + 1
            if self.solved(here):
                found.append(here)
            if number := self.children(here):
                pending.append(list(range(number)))
                sizes.append(number)
            else:
                path.pop()
        rest = Branch(tuple(path), tuple(map(tuple, pending)), tuple(sizes)) if pending else None
        counts = ((prefix_of(branch, rest), nodes),)
        left = () if rest is None else (rest,)
        return Outcome(nodes, len(found), paths_of(found), True, nodes * 1e-6, left, counts=counts)

    def all(self) -> list[Path]:
        """All nodes in depth-first order."""
        found, stack = [], [()]
        while stack:
            here = stack.pop()
            found.append(here)
            stack += [(*here, move) for move in reversed(range(self.children(here)))]
        return found


def slice_of(tree: Tree, task: Task, first: bool = False) -> Outcome:
    """Return what a worker makes of a task."""
    outcomes, budget = [], task.budget
    for branch in task.branches:
        outcomes.append(tree.search(branch, budget, first))
        budget -= outcomes[-1].nodes
        if budget <= 0 or outcomes[-1].rest:
            break
    return merge_outcomes(outcomes)


def test_one_machine_leaves_work_to_the_others() -> None:
    """A branch that holds nearly all that is open is split, however many small ones come before it."""
    branches = [Branch((0, 0), ((), (), (move,)), (1, 2, 40)) for move in range(40)]
    branches.append(Branch((0,), ((), (1, 2, 3, 4, 5, 6, 7, 8)), (1, 9)))
    for machines in (2, 4):
        root = Frontier(branches, weigh=Prefix().share, tuning=Tuning().of_machines())
        tasks = [task for _ in range(99) if (task := root.take(machines, 4.0, 0.5))]
        assert len(tasks) == 2 * machines
        assert max(sum(item.share for item in task.items) for task in tasks) < root._open_share / machines


def lose_until(frontier: Frontier, guilty: Path, tree: Tree) -> tuple[list[Task], str]:
    """Lose every task that holds what begins with these moves; returns them, and what the frontier says at last."""
    lost = []
    while not frontier.done:
        task = frontier.take(1, 0.25, 0.04)
        assert task is not None
        if any(item.order[: len(guilty)] == guilty for item in task.items):
            lost.append(task)
            try:
                frontier.lose(task, "crashed", blame=True)
            except BranchLost as error:
                return lost, str(error)
        else:
            frontier.finish(task, slice_of(tree, task))
    raise AssertionError


def test_three_strikes() -> None:
    tree = Tree(7, 6, 3)
    frontier = Frontier([Branch((0,), ((), (0, 1, 2)), (1, 3))], pace=Pace(fixed=64 * 64))
    lost, said = lose_until(frontier, (1,), tree)
    assert said == "a branch cost 3 workers (crashed); its moves: 1"
    assert len(lost[-1].items) == 1
    assert [task.budget for task in lost[-3:]] == [4096, 64, 1]
    # Nothing is lost with the error: all that is left is open.
    assert any(branch.order == (1,) for branch in frontier.branches)


def test_of_a_bundle_nobody_is_guilty_alone() -> None:
    branches = [Branch((0,), ((), (move,)), (1, 100)) for move in range(100)]
    frontier = Frontier(branches, pace=Pace(fixed=1000))
    task = frontier.take(1, 0.25, 0.25)
    assert task is not None
    assert len(task.items) == 16
    frontier.lose(task, "crashed", blame=True)
    for move in range(16):
        task = frontier.take_first(0.25)
        assert task is not None
        assert (task.branches, task.items[0].strikes, task.budget) == ([branches[move]], 1, 15)
        frontier.finish(task, Outcome(1, 0, np.zeros((0, 1), np.uint16), False, 0.01))


def test_tiny_branches_are_no_tasks_of_their_own() -> None:
    """A round trip takes longer than they do; a large one goes alone."""
    branches = [Branch((0,), ((), (move,)), (1, 3)) for move in range(12)]
    frontier = Frontier(branches, weigh=lambda branch: 0.333 if branch.order > (8,) else 1e-4)
    given = [frontier.take(2, 0.25, 0.04) for _ in range(4)]
    assert [[item.order for item in task.items] for task in given if task] == [
        [(move,) for move in range(10)],
        [(10,)],
        [(11,)],
    ]


def test_many_workers_may_be_lost_at_once() -> None:
    branches = [Branch((0,), ((), (move,)), (1, 400)) for move in range(400)]
    frontier = Frontier(branches, tuning=Tuning(bundle=1))
    for _ in range(2):
        tasks = [task for _ in range(200) if (task := frontier.take(100, 0.25, 0.04))]
        assert len(tasks) == 200
        for task in tasks:
            frontier.lose(task, "power cut", blame=False)
    task = frontier.take(100, 0.25, 0.04)
    assert task is not None
    with pytest.raises(WorkersLost, match="401 tasks were lost in a row"):
        frontier.lose(task, "power cut", blame=False)


@given(st.lists(st.tuples(st.sampled_from("push discard first"), st.integers(0, 20), st.integers(0, 5))))
def test_a_heap_is_a_sorted_list(events: Sequence[tuple[str, int, int]]) -> None:
    heap: Heap[int] = Heap()
    keys: dict[int, int] = {}
    for event, item, key in events:
        if event == "push" and item not in keys:
            heap.push(item, key)
            keys[item] = key
        elif event == "discard":
            heap.discard(item)
            keys.pop(item, None)
        least = heap.first()
        assert keys == {} if least is None else keys[least] == min(keys.values())
        assert set(heap) == set(keys)
        assert len(heap) == len(keys)
        assert (item in heap) == (item in keys)


def test_a_heap_keeps_no_dead_entries() -> None:
    heap: Heap[int] = Heap()
    heap.push(-1, -1)
    for item in range(10_000):
        heap.push(item, item)
        heap.discard(item)
    assert 30 < len(heap._entries) < 100  # many are dropped at once
