"""A share of the tasks is searched by two workers: it changes no answer, costs its share, and a lie is found."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from at_once import solve_at_once
from toys import Coins, Lamps

import parsolve
from parsolve.deepening.outcome import Outcome
from parsolve.errors import BadInput, Disagreement
from parsolve.executors.pool.errors import WorkerLost
from parsolve.executors.pool.pool import ProcessPool
from parsolve.text import share

pytestmark = pytest.mark.plain

COINS = Coins(14, "none")


class Pool(ProcessPool):
    """A pool that does its work at once, here. Of the second outcomes `change` makes others; some are lost."""

    def __init__(self, change: Callable[[Outcome], Outcome] = lambda outcome: outcome, losses: int = 0) -> None:
        self.change, self.losses = change, losses
        self.calls, self.again = 0, 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        future.set_result(fn(*args))
        return future

    def submit_elsewhere(self, first: Future[Any], fn: Callable[..., Any], /, *args: Any) -> Future[Any]:
        self.again += 1
        future: Future[Any] = Future()
        if self.again <= self.losses:
            future.set_exception(WorkerLost("gone", blame=False))
        else:
            future.set_result(self.change(fn(*args)))
        return future


def searched(pool: Pool, recheck: float | None, want: parsolve.puzzle.Want = "all") -> parsolve.Result:
    return solve_at_once(COINS, want=want, workers=2, executor=pool, budget=20, recheck=recheck)


@pytest.fixture(scope="module")
def answer() -> parsolve.Result:
    return parsolve.solve(COINS, workers=1, engine="deepening")


@pytest.mark.parametrize("recheck", [1, 0.5, 0.1, None])
def test_no_answer_changes_and_it_costs_its_share(answer: parsolve.Result, recheck: float | None) -> None:
    pool = Pool()
    found = searched(pool, recheck)
    assert (found.paths, found.nodes, found.count) == (answer.paths, answer.nodes, answer.count)
    expected = pool.calls * (recheck or 0)
    assert pool.calls > 100
    assert abs(pool.again - expected) <= 5 * (expected * (1 - (recheck or 0))) ** 0.5


def test_lost_ones_are_searched_again(answer: parsolve.Result) -> None:
    pool = Pool(losses=20)
    assert searched(pool, 0.5).paths == answer.paths
    assert pool.again > 20


def other_solution(outcome: Outcome) -> Outcome:
    paths = outcome.paths.copy()
    paths[:, 1:] ^= 1
    return replace(outcome, paths=paths)


LIES: dict[str, Callable[[Outcome], Outcome]] = {
    "a solution more": lambda outcome: replace(outcome, found=outcome.found + 1),
    "a node less": lambda outcome: replace(outcome, nodes=outcome.nodes - 1),
    "of another branch": lambda outcome: replace(outcome, each=tuple((one + 1, two) for one, two in outcome.each)),
    "cut": lambda outcome: replace(outcome, cut=not outcome.cut),
    "nothing left": lambda outcome: replace(outcome, rest=()),
    "another solution": other_solution,
    "no solution": lambda outcome: replace(outcome, paths=np.zeros((0, 1), np.uint16)),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_worker_that_lies_is_found(lie: str) -> None:
    with pytest.raises(Disagreement, match=r"two workers disagree.* nodes \(digest .* by process \d+") as raised:
        searched(Pool(LIES[lie]), 1)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("text", "value"), [("1%", 0.01), ("0.5", 0.5), ("100%", 1), ("1", 1), ("2.5%", 0.025)])
def test_a_share_as_text(text: str, value: float) -> None:
    assert share(text) == pytest.approx(value)


@pytest.mark.parametrize("text", ["0", "0%", "101%", "2", "-1%", "x", "", "%", "nan", "1k", "١%"])
def test_no_share_as_text(text: str) -> None:
    with pytest.raises(BadInput, match="a share such as"):
        share(text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": 1}, "one has no other"),
        ({"want": "first"}, "want first ends it early"),
        ({"at_most": 3}, "at_most ends it early"),
        ({"engine": "sharing"}, "take the engine deepening"),
        ({"executor": Future}, "parsolve's own processes"),
    ],
)
def test_what_it_does_not_go_with(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        parsolve.solve(Lamps(4), **{"want": "count", "recheck": 0.5, "workers": 2, **options})
