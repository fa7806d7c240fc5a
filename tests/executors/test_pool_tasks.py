"""Tasks of a pool: they come back, fail, are cancelled, and end with it."""

import time
from concurrent.futures import wait

import pytest

from parsolve.executors.pool.pool import ProcessPool
from parsolve.executors.pool.supervise import PATIENCE

pytestmark = pytest.mark.processes


def test_workers_that_the_pool_itself_ends_are_no_bad_sign() -> None:
    pool = ProcessPool(PATIENCE)
    for _ in range(3):
        futures = [pool.submit(time.sleep, 600) for _ in range(2 * PATIENCE)]
        while sum(future.running() for future in futures) < PATIENCE:
            time.sleep(0.01)
        for future in reversed(futures):
            future.cancel()
        assert not wait(futures, timeout=60).not_done
    assert pool.submit(abs, -3).result(60) == 3
    pool.shutdown()


def test_large_tasks_and_large_answers_at_once(start_method: str) -> None:
    """Once pool and worker waited for each other: each had more to send than the connection holds."""
    pool = ProcessPool(1)
    futures = [pool.submit(bytes.upper, bytes(1 << 20)) for _ in range(6)]
    assert [len(future.result(60)) for future in futures] == [1 << 20] * 6
    pool.shutdown()
