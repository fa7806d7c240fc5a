"""The driver on executors of every kind: that never say what runs, lose workers in their own way, are slow or gone."""

from collections.abc import Iterator
from concurrent.futures import Executor
from typing import Any

import pytest
from at_once import AT_ONCE
from searching import search as solve
from silent import Silent

from parsolve.executors.adapter import Adapter, adapt
from parsolve.executors.pool.pool import ProcessPool
from parsolve.puzzles import Sliding

pytestmark = pytest.mark.processes

SMALL = Sliding(start="4 5 0 1 2 3")


def test_which_executors_need_a_lease() -> None:
    with ProcessPool(1) as pool, Silent(1) as other:
        assert adapt(pool, 5.0).lease is None
        assert adapt(other, 5.0).lease == 5.0
        own = Adapter(other, lease=7.0)
        assert adapt(own, 5.0) is own


# Stop conditions.


class Enough(BaseException):
    """A caller's own."""


def executors() -> Iterator[Executor | None]:
    yield None
    with Silent(2) as executor:
        yield executor


@pytest.mark.parametrize("engine", ["deepening", "breadth", "both"])
def test_a_check_ends_a_search(engine: Any) -> None:
    for executor in executors():
        calls: list[int] = []

        def check(calls: list[int] = calls) -> None:
            calls.append(1)
            if len(calls) == 3:
                raise Enough

        with pytest.raises(Enough):
            solve(SMALL, engine=engine, workers=2, executor=executor, budget=3, check=check, tuning=AT_ONCE)
        assert len(calls) == 3
