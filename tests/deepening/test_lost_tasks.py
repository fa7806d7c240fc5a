"""Executors of any kind that lose tasks, are slow, hang, or break: the answer stays, or an error says why."""

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest
from at_once import solve_at_once
from losses import Losses
from toys import Coins

import parsolve
from parsolve.errors import BranchLost, WorkersLost
from parsolve.executors.pool.errors import WorkerLost

pytestmark = pytest.mark.plain

PUZZLE = Coins(11, "none")


class Unreliable(ThreadPoolExecutor):
    """Loses tasks: `decide(branches)` raises what a lost worker would."""

    def __init__(self, decide: Callable[[Any], None]) -> None:
        super().__init__(2)
        self._decide = decide

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        def task() -> Any:
            self._decide(args[1])
            return fn(*args, **kwargs)

        return super().submit(task)


def test_lost_tasks_change_no_answer() -> None:
    random_ = random.Random(5)

    def decide(_: Any) -> None:
        if random_.random() < 0.3:
            raise WorkerLost("lost for the test", blame=random_.random() < 0.1)

    with Unreliable(decide) as executor:
        result = solve_at_once(PUZZLE, workers=2, executor=executor, budget=5)
    assert (result.cost, result.paths) == PUZZLE.answer()


def test_a_branch_that_costs_three_workers_is_named_and_no_other_is() -> None:
    tries: list[Any] = []
    lost: list[str] = []

    class Lost(parsolve.Listener):
        def worker_lost(self, why: str) -> None:
            lost.append(why)

    def decide(branches: Any) -> None:
        if any(branch.order[:2] == guilty for branch in branches):
            tries.append(branches)
            raise WorkerLost("crashed for the test", blame=True)

    # The branch is there in every iteration that goes on that long.
    guilty = PUZZLE.answer()[1][-1][:2]
    with Unreliable(decide) as executor, pytest.raises(BranchLost, match=" ".join(map(str, guilty))):
        solve_at_once(PUZZLE, workers=2, executor=executor, budget=5, listener=Lost())
    assert len(tries[-1]) == 1
    assert len(lost) >= 3


def test_a_branch_that_is_only_slow_is_never_given_up() -> None:
    """Once a branch whose nodes took far longer than the rest was taken to hang, again and again."""

    class Slow(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            def task() -> Any:
                if args[2] > 5:
                    time.sleep(1.2)
                return fn(*args)

            return super().submit(task)

    with Slow(8) as executor:
        result = solve_at_once(PUZZLE, workers=2, executor=executor, budget=300, lease=0.5)
    assert result.paths == PUZZLE.answer()[1]


def test_a_node_that_overruns_its_lease_on_another_executor_is_named() -> None:
    """And not tried again for ever."""
    losses = Losses()
    tries: list[Any] = []

    class Slow(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            def task() -> Any:
                if any(branch.order[:1] == guilty for branch in args[1]):
                    tries.append(args)
                    time.sleep(0.5)
                return fn(*args)

            return super().submit(task)

    guilty = PUZZLE.answer()[1][-1][:1]
    with Slow(8) as executor, pytest.raises(BranchLost, match=rf"one node below the moves {guilty[0]} .*`lease`"):
        solve_at_once(PUZZLE, workers=2, executor=executor, budget=5, lease=0.2, listener=losses)
    assert len(tries) <= 6
    assert len(losses.losses) <= 6


def test_a_task_that_never_comes_back_is_done_again() -> None:
    release = threading.Event()
    hung = []

    def decide(_: Any) -> None:
        if len(hung) < 1:
            hung.append(1)
            release.wait(60)

    with Unreliable(decide) as executor:
        result = solve_at_once(PUZZLE, workers=2, executor=executor, budget=20, lease=0.2)
        release.set()
    assert result.paths == PUZZLE.answer()[1]
    assert hung


def test_an_executor_that_breaks_is_an_error_and_no_hang() -> None:
    class Broken(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            raise BrokenProcessPool("broken for the test")

    with Broken(1) as executor, pytest.raises(WorkersLost, match="broken for the test"):
        solve_at_once(PUZZLE, workers=2, executor=executor, budget=20)
