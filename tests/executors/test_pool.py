"""A pool of processes: its parts, its tasks, workers that die or hang, and how the processes begin and end."""

import ast
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import pytest
from conftest import assert_workers_end_with, workers_of
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from pool_tasks import Unreadable, hold_interpreter_lock
from shared import ROOT

from parsolve.executors import pool as pool_package
from parsolve.executors.adapter import Adapter, adapted
from parsolve.executors.pool import PoolBroken, WorkerLost
from parsolve.executors.pool.messages import pack
from parsolve.executors.pool.pool import ProcessPool
from parsolve.executors.pool.supervise import PATIENCE, Deaths
from parsolve.executors.pool.tasks import PoolTask, TaskQueue

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
    tasks = [PoolTask(pack(abs, -number), queue.notify) for number in range(6)]
    for task in tasks:
        queue.put(task)
    assert tasks[3].cancel()
    assert tasks[1].cancel()
    assert [queue.take() for _ in range(5)] == [tasks[0], tasks[2], tasks[4], tasks[5], None]
    queue.end()


@pytest.mark.parametrize("error", [PoolBroken("text", "why"), PoolBroken("text"), WorkerLost("text", blame=False)])
def test_errors_are_those_of_executors_and_can_be_sent(error: BrokenExecutor) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), "text", vars(error))
    assert isinstance(copy, BrokenExecutor)


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


@pytest.fixture
def pool(start_method: str) -> Iterator[ProcessPool]:
    made = ProcessPool(2)
    yield made
    made.shutdown(cancel_futures=True)


@pytest.mark.mission
@pytest.mark.parametrize(("number", "blame"), [(signal.SIGSEGV, True), (signal.SIGKILL, False)])
def test_a_dying_worker_loses_its_task_and_no_other(pool: ProcessPool, number: int, blame: bool) -> None:
    assert pool.submit(os.getpid).result(60) > 0
    before = [pool.submit(abs, -number) for number in range(10)]
    lost = pool.submit(signal.raise_signal, number)
    after = [pool.submit(abs, -number) for number in range(10)]
    with pytest.raises(WorkerLost) as caught:
        lost.result(60)
    assert caught.value.blame is blame
    assert [future.result(60) for future in before + after] == [*range(10), *range(10)]


def test_a_result_that_cannot_travel_fails_its_task_alone(pool: ProcessPool) -> None:
    futures = [pool.submit(threading.Lock), pool.submit(Unreadable), pool.submit(abs, -1)]
    assert [type(future.exception(60)) for future in futures] == [TypeError, WorkerLost, type(None)]


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


@pytest.mark.nightly  # the pauses between the deaths grow; above they are counted each time
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
        assert pool._supervisor._deaths.count == 1
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


def test_waiting_for_the_fork_server_takes_no_time_of_this_process() -> None:
    before = time.process_time()
    pool = ProcessPool(1, (time.sleep, (0.5,)))
    assert pool.submit(abs, -3).result(60) == 3
    assert time.process_time() - before < 0.25
    pool.shutdown()


def test_what_is_no_path_in_the_import_path(monkeypatch: pytest.MonkeyPatch, start_method: str) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, Path("here"), 3])
    pool = ProcessPool(1)
    assert pool.submit(abs, -3).result(60) == 3
    pool.shutdown()


def test_a_pool_whose_workers_cannot_be_prepared_says_so(start_method: str) -> None:
    pool = ProcessPool(2, (divmod, (1, 0)))
    with pytest.raises(ZeroDivisionError):
        pool.submit(abs, 1).result(60)
    pool.shutdown()


HOLDING = """
import time
from parsolve.executors.pool.pool import ProcessPool
from pool_tasks import hold_interpreter_lock
pool = ProcessPool(1)
future = pool.submit(hold_interpreter_lock, 600)
while not future.running():
    time.sleep(0.01)
print("running", flush=True)
future.result()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent has ended")
def test_workers_that_hold_the_interpreter_lock_end_with_a_killed_main_process(start_method: str) -> None:
    """They cannot notice the end of their connection."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), *sys.path])}
    command = [sys.executable, "-c", HOLDING]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        assert_workers_end_with(process, 2 if start_method == "forkserver" else 1, 0.2)


FORKED = """
import os, sys
from parsolve.executors.pool.pool import ProcessPool
sys.setrecursionlimit(12345)
kept = open(os.devnull)
print("still in the buffer", end=" ")
with ProcessPool(2, name="test", fork=True) as pool:
    print(pool.submit(sys.getrecursionlimit).result(60))
    print(pool.submit(os.path.exists, f"/proc/self/fd/{kept.fileno()}").result(60))
    print(pool.submit(os.getpgid, 0).result(60) == os.getpgid(0))
    server = pool.submit(os.getppid).result(60)
    print(open(f"/proc/{server}/comm").read(), end="")
    os.kill(server, 9)
    lost, limit = 0, 12345
    while limit == 12345:  # the system ends the workers of a killed server in its own time
        answer = pool.submit(sys.getrecursionlimit)
        if answer.exception(60) is None:
            limit = answer.result()
        else:
            lost += 1
    print(lost <= 2)  # of each worker the task that it ran
    print(limit)
    print(open(f"/proc/{pool.submit(os.getpid).result(60)}/comm").read(), end="")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux a process may be forked")
def test_a_fork_server_that_is_forked_from_this_process() -> None:
    """It has what this process has, but for files, terminal and signals; its successor is a fresh interpreter."""
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=100, check=True)
    first = ["still in the buffer 12345", "False", "False", "test-server"]
    assert done.stdout.splitlines() == [*first, "True", str(sys.getrecursionlimit()), "test-worker"]
    assert done.stderr == ""


def test_a_pool_imports_nothing_of_parsolve() -> None:
    folder = Path(pool_package.__file__).parent
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.level <= 1, path
                assert node.level == 1 or str(node.module).split(".")[0] in sys.stdlib_module_names, path
            elif isinstance(node, ast.Import):
                assert all(name.name.split(".")[0] in sys.stdlib_module_names for name in node.names), path


def test_which_executors_need_a_lease() -> None:
    with ProcessPool(1) as pool, ThreadPoolExecutor(1) as other:
        own = Adapter(other, lease=7.0)
        for executor, expected in ((pool, Adapter(pool, None)), (other, Adapter(other, 5.0)), (own, own)):
            with adapted(executor, 5.0, 1.0) as adapter:
                assert adapter == expected


# A pool as a machine of states: whatever is submitted, cancelled and killed, each task ends once, as it should.


class Pools(RuleBasedStateMachine):
    """A pool of two workers. The model: what each task gives, and how many tasks may be lost."""

    def __init__(self) -> None:
        super().__init__()
        self.tasks: list[tuple[Future[Any], Any]] = []  # with its result, or the type of its error
        self.losses = self.deaths = 0
        self.unwanted: set[Future[Any]] = set()

    @initialize(fork=st.booleans())
    def begin(self, fork: bool) -> None:
        self.pool: ProcessPool | None = ProcessPool(2, fork=fork)

    def submit(self, result: Any, function: Callable[..., Any], *arguments: Any) -> None:
        assert self.pool is not None
        self.tasks.append((self.pool.submit(function, *arguments), result))

    @rule(numbers=st.lists(st.integers(), max_size=9))
    def submit_short_ones(self, numbers: list[int]) -> None:
        for number in numbers:
            self.submit(abs(number), abs, number)

    @rule(size=st.integers(1, 1 << 20))
    def submit_a_large_one(self, size: int) -> None:
        self.submit(bytes(size), bytes.upper, bytes(size))

    @rule()
    def submit_a_failing_one(self) -> None:
        self.submit(ZeroDivisionError, divmod, 1, 0)

    @rule(seconds=st.floats(0, 0.05))
    def submit_a_slow_one(self, seconds: float) -> None:
        self.submit(None, time.sleep, seconds)

    @precondition(lambda self: self.deaths < PATIENCE)
    @rule(number=st.sampled_from([signal.SIGKILL, signal.SIGSEGV]))
    def submit_a_deadly_one(self, number: int) -> None:
        self.submit(WorkerLost, signal.raise_signal, number)
        self.deaths += 1

    @precondition(lambda self: self.tasks and self.deaths < PATIENCE)
    @rule(which=st.integers(0, 1 << 30))
    def cancel(self, which: int) -> None:
        task, _ = self.tasks[which % len(self.tasks)]
        if not task.cancel() and not task.done():
            self.unwanted.add(task)  # its worker dies, unless it ends before
            self.deaths += 1

    @precondition(lambda self: self.deaths < PATIENCE)
    @rule(which=st.integers(0, 1 << 30))
    def kill(self, which: int) -> None:
        for worker in (workers := workers_of(os.getpid())[1:])[which % max(1, len(workers)) :][:1]:
            worker.kill()
            self.losses += 1
            self.deaths += 1

    @rule()
    def await_all(self) -> None:
        """Afterwards no death is in a row with later ones."""
        self.submit(0, abs, 0)
        assert not wait([task for task, _ in self.tasks], timeout=60).not_done
        self.check()
        self.tasks, self.losses = [], 0
        self.submit(0, abs, 0)
        if self.tasks[0][0].exception(60) is None:
            self.deaths = 0

    def check(self) -> None:
        """Each task has ended: cancelled, lost with a worker, or as it should."""
        lost = 0
        for task, result in self.tasks:
            assert task.done()
            if task.cancelled() or task in self.unwanted:
                continue
            error = task.exception()
            if error is None:
                assert task.result() == result
            elif type(error) is not result:
                assert isinstance(error, WorkerLost)
                lost += 1
        assert lost <= self.losses

    @invariant()
    def accepts_tasks(self) -> None:
        assert self.pool is None or self.pool.usable

    def teardown(self) -> None:
        if self.pool is None:
            return
        self.pool.shutdown(cancel_futures=len(self.tasks) % 2 == 1)
        self.losses += 2 + len(self.tasks)  # what ran, and what waited
        self.check()
        with pytest.raises(RuntimeError):
            self.pool.submit(abs, 1)
        until = time.monotonic() + 10
        while left := workers_of(os.getpid()):
            assert time.monotonic() < until, left
            time.sleep(0.01)


Pools.TestCase.settings = settings(
    max_examples=12, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
TestPools = Pools.TestCase
