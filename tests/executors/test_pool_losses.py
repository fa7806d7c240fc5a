"""Workers that die or hang: nothing is lost but their running task."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from conftest import workers_of
from pool_tasks import hold_interpreter_lock

from parsolve.executors.pool import PoolBroken, WorkerLost
from parsolve.executors.pool.pool import ProcessPool
from parsolve.executors.pool.supervise import PATIENCE

pytestmark = pytest.mark.processes


@pytest.fixture
def pool(start_method: str) -> Iterator[ProcessPool]:
    made = ProcessPool(2)
    yield made
    made.shutdown(cancel_futures=True)


@pytest.mark.parametrize(("number", "blame"), [(signal.SIGSEGV, True), (signal.SIGKILL, False)])
def test_a_dying_worker_loses_its_task_and_no_other(pool: ProcessPool, number: int, blame: bool) -> None:
    pid = pool.submit(os.getpid).result(60)
    before = [pool.submit(abs, -number) for number in range(10)]
    lost = pool.submit(signal.raise_signal, number)
    after = [pool.submit(abs, -number) for number in range(10)]
    with pytest.raises(WorkerLost) as caught:
        lost.result(60)
    assert caught.value.blame is blame
    assert [future.result(60) for future in before + after] == [*range(10), *range(10)]
    assert pid > 0


def test_the_end_of_a_worker_and_the_event_that_tells_it_may_come_together() -> None:
    """Once the pool waited for ever for an event that it had already heard while it reaped the worker."""
    pool = ProcessPool(2)
    pid = pool.submit(os.getpid).result(60)
    with pool._queue.lock:
        pool._queue.notify()
        time.sleep(0.1)
        os.kill(pid, signal.SIGKILL)
        time.sleep(0.3)
    errors = [pool.submit(abs, -number).exception(20) for number in range(20)]
    pool.shutdown()
    # The first may have been on its way to the worker that was no more.
    assert errors[1:] == [None] * 19


@pytest.mark.nightly  # the pauses between the deaths grow; `test_pool_parts` counts them each time
def test_a_pool_whose_workers_always_die_gives_up() -> None:
    pool = ProcessPool(1)
    futures = [pool.submit(os._exit, 3) for _ in range(PATIENCE + 6)]
    errors = [future.exception(60) for future in futures]
    assert all(isinstance(error, WorkerLost | PoolBroken) for error in errors)
    assert isinstance(errors[-1], PoolBroken)
    pool.shutdown()


def test_a_worker_that_holds_the_interpreter_lock_is_replaced() -> None:
    with ProcessPool(1, silence=1.0) as pool:
        pool.submit(abs, -3).result(60)
        with pytest.raises(WorkerLost, match="no sign of life") as caught:
            pool.submit(hold_interpreter_lock, 600).result(60)
        assert not caught.value.blame
        assert pool.submit(abs, -3).result(60) == 3


def test_a_fork_server_that_hangs_is_replaced() -> None:
    with ProcessPool(2, silence=1.0) as pool:
        pool.submit(abs, -3).result(60)
        server, *workers = workers_of(os.getpid())
        server.suspend()
        for worker in workers:
            worker.kill()
        # The first tasks may have been on their way to the workers that are no more.
        errors = [pool.submit(abs, -number).exception(60) for number in range(10)]
        assert errors[2:] == [None] * 8


STOPPED = """
import time
from parsolve.executors.pool.pool import ProcessPool
with ProcessPool(1, silence=1.0) as pool:
    future = pool.submit(time.sleep, 2.5)
    while not future.running():
        time.sleep(0.01)
    print("running", flush=True)
    print(future.exception(60))
"""


def test_a_pool_that_was_stopped_itself_keeps_its_workers() -> None:
    """Ctrl-Z and fg, or a laptop that sleeps."""
    with subprocess.Popen([sys.executable, "-c", STOPPED], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        process.send_signal(signal.SIGCONT)
        assert process.stdout.readline() == "None\n"
