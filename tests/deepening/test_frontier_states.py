"""The frontier as a machine of states, behind a real driver and remote: however tasks are taken, split, lost, late and
given back twice, and wherever the root begins again, each node and solution counts once."""

from collections import Counter
from concurrent.futures import Future
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from test_frontier import Tree, slice_of

from parsolve.deepening.driver import Driver
from parsolve.deepening.frontier import WHOLE, Frontier, Task
from parsolve.deepening.iterations import Waiting
from parsolve.deepening.outcome import merge_outcomes
from parsolve.deepening.pace import Pace
from parsolve.deepening.prefixes import Prefix
from parsolve.deepening.remote import Remote
from parsolve.executors.adapter import Adapter
from parsolve.executors.pool import WorkerLost
from parsolve.search.branch import Branch, Path
from parsolve.search.progress import Progress
from parsolve.search.tuning import Tuning
from parsolve.search.watch import Listener

pytestmark = pytest.mark.plain

PATIENT = Tuning(strikes=1 << 30, losses=1 << 30)


class Handing(Remote):
    """Hands its tasks to `Hands`."""

    def call_of(self, _: Any, task: Task) -> Any:
        return merge_outcomes, (task,)


class Hands:
    """An executor whose tasks end when the test says so; each future is with its task, the earliest first."""

    def __init__(self) -> None:
        self.given: list[tuple[Future[Any], Task]] = []

    def submit(self, function: Any, task: Task) -> "Future[Any]":
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()  # so that it comes back, needed or not
        self.given.append((future, task))
        return future


class Searches(RuleBasedStateMachine):
    """A search of a random tree. The model: the nodes that have counted, each with how often."""

    @initialize(seed=st.integers(0, 1 << 30), budget=st.integers(1, 40), weighed=st.booleans(), first=st.booleans())
    def begin(self, seed: int, budget: int, weighed: bool, first: bool) -> None:
        """`first`: the first solution alone is wanted, and what comes after it is dropped."""
        self.tree, self.budget, self.first, self.given_out = Tree(seed, 6, 3), budget, first, list[Path]()
        self.nodes = self.tree.all()
        self.solutions = [path for path in self.nodes if self.tree.solved(path)]
        self.before = Prefix()
        for path in self.nodes[::3] if weighed else ():
            self.before.add(path, 1)
        self.counted: Counter[Path] = Counter()
        self.share, self.waiting = 0.0, Waiting(self.given_out.append)
        self.root([Branch.whole(0)])

    def root(self, branches: list[Branch]) -> None:
        """Begin, or begin again with what a checkpoint has."""
        weigh, pace, self.earlier = self.before.share, Pace(fixed=self.budget), self.counted.total()
        self.frontier = Frontier(branches, weigh=weigh, pace=pace, first=self.first, tuning=PATIENT)
        self.driver = Driver(
            None,  # type: ignore[arg-type]
            self.frontier,
            Progress(0),
            found=self.waiting.add,
            send_out=self.waiting.release,
        )
        self.hands = Hands()
        executor: Any = self.hands
        self.remote = Handing(Adapter(executor, None), lambda: self.workers, Listener())

    workers = 1

    @rule(workers=st.integers(1, 60))
    def take(self, workers: int) -> None:
        self.workers = workers
        self.remote._fill(self.driver)

    def chosen(self, data: st.DataObject, late: bool = False) -> tuple["Future[Any]", Task]:
        """A task that is out; or, if it is late, one that was lost to its lease, or has come already."""
        there = [each for each in self.hands.given if (each[1] in self.remote._submitted) != late]
        return there[data.draw(st.integers(0, len(there) - 1))]

    def is_out(self) -> bool:
        return bool(self.remote._submitted)

    @precondition(is_out)
    @rule(data=st.data())
    def come_back(self, data: st.DataObject) -> None:
        self.settle(*self.chosen(data))

    def settle(self, future: "Future[Any]", task: Task) -> None:
        """Search a task, and give back its outcome."""
        self.tree.visits = {}
        outcome = slice_of(self.tree, task, self.first)
        if task in self.remote._submitted:
            self.counted.update(self.tree.visits)
        future.set_result(outcome)
        self.arrive()

    def arrive(self) -> None:
        self.remote._take(self.driver, self.remote._events.get_nowait())

    @precondition(is_out)
    @rule(data=st.data(), blame=st.booleans())
    def lose(self, data: st.DataObject, blame: bool) -> None:
        future, _ = self.chosen(data)
        future.set_exception(WorkerLost("lost for the test", blame=blame))
        self.arrive()

    @precondition(is_out)
    @rule(data=st.data())
    def overrun(self, data: st.DataObject) -> None:
        """The lease ends; the outcome may come later. A single node that overruns it ends the search."""
        _, task = self.chosen(data)
        if task.budget > 1:
            self.remote._overrun(self.frontier, task, 1.0, has_begun=True)

    @precondition(lambda self: len(self.hands.given) > len(self.remote._submitted))
    @rule(data=st.data())
    def come_late_or_twice(self, data: st.DataObject) -> None:
        future, task = self.chosen(data, late=True)
        if future.done():
            self.remote._events.put(task)
            self.arrive()
        else:
            self.settle(future, task)

    @rule()
    def begin_again(self) -> None:
        """The root is lost: what is out never counts, and a new one has the branches and sums of a checkpoint."""
        before = self.frontier
        self.root(before.branches)
        self.frontier.resume(before.nodes, before.weight, before.cut, before.share)

    @precondition(lambda self: hasattr(self, "frontier"))
    @invariant()
    def nothing_counts_twice(self) -> None:
        assert self.frontier.nodes == self.counted.total() == len(self.counted)
        assert self.frontier.prefixes.nodes == self.frontier.nodes - self.earlier
        most = 1 if self.first else len(self.given_out)
        assert self.given_out[:most] == self.solutions[: len(self.given_out)][:most]
        assert self.frontier.weight == sum(path in self.counted for path in self.solutions)

    @precondition(lambda self: hasattr(self, "frontier"))
    @invariant()
    def shares_sum_to_one(self) -> None:
        items = list(self.frontier._items())
        assert self.frontier._open_share == sum(item.share for item in items) <= WHOLE * (1 + 1e-9)  # weighed by floats
        assert self.share <= self.frontier.share <= 1
        self.share = self.frontier.share
        assert self.frontier.earliest == min((item.order for item in items), default=None)
        assert {*self.frontier._divisible} == {item for item in self.frontier._queue if item.branch.rows > 1}
        # What is open and what has counted are the whole tree, without what they share.
        open_ = sum(len(self.below(item.branch)) for item in items)
        assert self.first or open_ + len(self.counted) == len(self.nodes)
        found = [path for path in self.solutions if path in self.counted]
        assert not self.first or all(item.order < path for item in items for path in found[:1])

    def below(self, branch: Branch) -> list[Path]:
        """The nodes of a branch."""
        self.tree.visits = {}
        self.tree.search(branch, 1 << 30)
        return list(self.tree.visits)

    def teardown(self) -> None:
        """To the end: all is counted, and all solutions are given out in order."""
        if not hasattr(self, "frontier"):
            return
        while not self.frontier.done:
            self.take(2)
            self.settle(*next(each for each in self.hands.given if each[1] in self.remote._submitted))
        assert self.frontier.share == 1
        if self.first:
            assert self.given_out[:1] == self.solutions[:1]
            return
        assert (self.counted, self.given_out) == (Counter(self.nodes), self.solutions)
        assert self.frontier.weight == len(self.solutions)


Searches.TestCase.settings = settings(max_examples=30, stateful_step_count=30, deadline=None)

test_each_node_counts_once = Searches.TestCase
