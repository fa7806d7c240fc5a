"""The parts of a pool that need no process: counted deaths, the queue of tasks, errors."""

import pickle
from concurrent.futures import BrokenExecutor

import pytest

from parsolve.executors.pool import PoolBroken, WorkerLost
from parsolve.executors.pool.messages import pack
from parsolve.executors.pool.supervise import PATIENCE, Deaths
from parsolve.executors.pool.tasks import Task, TaskQueue

pytestmark = pytest.mark.processes


def test_deaths_in_a_row_end_a_pool_and_a_finished_task_forgives_them() -> None:
    deaths = Deaths(size=2)
    for _ in range(PATIENCE + 1):
        assert deaths.add(None, others=False) is None
    deaths.forget()
    for _ in range(PATIENCE + 1):
        assert deaths.add(None, others=True) is None
    error = deaths.add(None, others=True)
    assert str(error) == f"workers cannot be kept alive: {PATIENCE + 2} died in a row"
    assert error is not None
    assert error.refused is None


def test_a_refused_start_counts_only_where_no_other_process_is() -> None:
    deaths = Deaths(size=1)
    for _ in range(10 * PATIENCE):
        assert deaths.add("no more", others=True) is None
    assert (deaths.count, deaths.refused) == (0, "no more")
    for _ in range(PATIENCE):
        assert deaths.add("no more", others=False) is None
    error = deaths.add("no more", others=False)
    assert error is not None
    assert error.refused == "no more"
    assert deaths.pause > 0


def test_the_first_successor_starts_at_once_and_later_ones_ever_more_slowly() -> None:
    deaths = Deaths(size=1)
    pauses = []
    for _ in range(5):
        deaths.add(None, others=False)
        pauses.append(deaths.pause)
    assert pauses[0] == 0
    assert pauses == sorted(pauses)


def test_a_queue_gives_tasks_in_order_but_for_those_that_are_cancelled() -> None:
    queue = TaskQueue()
    tasks = [Task(pack(abs, -number)) for number in range(6)]
    for task in tasks[2:]:
        queue.put(task)
    assert tasks[3].cancel()
    assert tasks[1].cancel()
    queue.put_back(tasks[:2])
    assert [queue.take() for _ in range(5)] == [tasks[0], tasks[2], tasks[4], tasks[5], None]
    queue.end()


@pytest.mark.parametrize("error", [PoolBroken("text", "why"), PoolBroken("text"), WorkerLost("text", blame=False)])
def test_errors_are_those_of_executors_and_can_be_sent(error: BrokenExecutor) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), "text", vars(error))
    assert isinstance(copy, BrokenExecutor)
