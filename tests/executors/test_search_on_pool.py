"""Searches on worker processes: started in every way, killed, hung, and never wrong."""

import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from at_once import solve_at_once
from cases import nightly
from conftest import await_workers, workers_of
from heard import Heard
from slow_nodes import SlowRoot

import parsolve
from parsolve.errors import WorkersLost
from parsolve.executors.local import LocalPool
from parsolve.executors.pool import PoolBroken
from parsolve.executors.warm import WarmPools, warm_pools
from parsolve.puzzles import Peg, Queens, Sliding
from parsolve.search.progress import Progress

pytestmark = pytest.mark.processes


PLAIN_EIGHT = Sliding(bound="none")


PLAIN_27 = Sliding(bound="none", start="2 8 7 0 6 4 3 5 1")
"""One solution of 27 moves: a ninth of the nodes."""

NODES_27 = 17_219_735

NODES = 154_972_513  # of plain iterative deepening on it, as counted by one worker in one slice an iteration


@contextlib.contextmanager
def signals(*numbers: int) -> Iterator[list[int]]:
    """Send signals to processes of this one's pools, one after the other; the list is of those that were sent."""
    sent, random_, over = list[int](), random.Random(1), threading.Event()

    def send() -> None:
        for number in itertools.cycle(numbers):
            if over.wait(0.002):
                return
            with contextlib.suppress(psutil.NoSuchProcess, IndexError):  # none yet
                random_.choice(workers_of(os.getpid())).send_signal(number)
                sent.append(number)

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    yield sent
    over.set()
    thread.join()


@pytest.mark.parametrize("start_method", ["forkserver", nightly("spawn")], indirect=True)
def test_killing_any_worker_or_server_again_and_again(start_method: str) -> None:
    """Between two kills some tasks end, however busy the machine is."""
    random_, killed = random.Random(1), list[int]()

    class Killing(parsolve.Listener):
        def progress_made(self, progress: Progress) -> None:
            if progress.nodes > (1 + len(killed)) * NODES // 20 and (workers := workers_of(os.getpid())):
                killed.append(progress.nodes)
                random_.choice(workers).kill()

    found = solve_at_once(PLAIN_EIGHT, workers=2, listener=Killing())
    assert (found.cost, found.count, found.nodes) == (31, 40, NODES)
    assert len(killed) > 5


@pytest.mark.nightly
def test_a_node_longer_than_any_silence_is_waited_for() -> None:
    """Once a task had a lease, and queens of n = 25 ended after 75 s: 'a branch cost 3 workers'."""
    losses = Heard()
    with LocalPool(2, silence=1.0) as pool:
        slow = SlowRoot(turns=7 * 10**8)
        result = solve_at_once(slow, workers=2, executor=pool, listener=losses, lease=0.1)
    assert (result.count, result.nodes) == (2, 3)
    assert losses.losses == []


def test_a_worker_that_hangs_is_replaced(start_method: str) -> None:
    losses = Heard()
    with LocalPool(2, silence=1.0) as pool:
        os.kill(pool.submit(os.getpid).result(60), signal.SIGSTOP)
        result = solve_at_once(PLAIN_27, workers=2, executor=pool, listener=losses)
    assert (result.count, result.nodes) == (1, NODES_27)
    assert losses.losses
    assert all("no sign of life for 1 s" in why for why in losses.losses)


def test_signals_to_single_processes_change_nothing(start_method: str) -> None:
    """Also while they start."""
    losses = Heard()
    with signals(signal.SIGINT, signal.SIGHUP, signal.SIGTERM) as sent, LocalPool(2) as pool:
        assert pool.submit(abs, -3).result(60) == 3
        result = parsolve.solve(PLAIN_27, workers=2, executor=pool, listener=losses)
    assert (result.count, result.nodes, losses.losses, pool._supervisor._deaths.count) == (1, NODES_27, [], 0)
    assert len(sent) > 20


SCRIPT = """
print("main module runs", flush=True)
import parsolve
tuning = parsolve.Tuning(head_start=0, head_start_beside_workers=0, worthwhile=0)
found = parsolve.solve(parsolve.puzzles.Sliding(bound="none"), workers=2, tuning=tuning)
print(found.count, found.workers)
import psutil, time
while len(psutil.Process().children(recursive=True)) < 2: time.sleep(0.01)
print(*(each.pid for each in psutil.Process().children(recursive=True)))
"""


@pytest.mark.nightly
def test_a_script_without_a_guard(tmp_path: Path, start_method: str) -> None:
    """It runs once, and ends with its pool."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=100, check=True)
    *said, left = done.stdout.splitlines()
    assert (said, done.stderr) == (["main module runs", "40 2"], "")
    assert until(lambda: not any(psutil.pid_exists(int(pid)) for pid in left.split()), 2.0)


def test_from_a_thread_and_several_puzzles_in_one_process() -> None:
    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(solve_at_once, PLAIN_27, workers=2)
        other = threads.submit(solve_at_once, Peg(first="0-6"), workers=2)
        assert (one.result(100).count, other.result(100).count) == (1, 18)
    assert parsolve.solve(Sliding(start="4 5 0 1 2 3")).count == 4


def test_a_class_of_the_main_module_runs_in_this_process_only(tmp_path: Path) -> None:
    from samples import WALK

    script = tmp_path / "script.py"
    script.write_text(
        WALK + "\nimport parsolve\nprint(parsolve.solve(Walk()).count)\n"
        "try:\n    parsolve.solve(Walk(), workers=2)\nexcept parsolve.BadInput as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=100, check=True)
    assert done.stdout.splitlines()[0] == "1"
    assert "a file of its own" in done.stdout.splitlines()[1]


def test_a_pool_that_gives_up_says_what_to_do(start_method: str) -> None:
    """The pool knows nothing of parsolve's options."""
    with LocalPool(1) as pool:
        pool._supervisor._count_death("not today")
        assert pool.trouble is None  # no worker is there, so that the error will say it
        pool._queue.give_up(pool._supervisor._broken(PoolBroken("no worker starts", "not today")))
        with pytest.raises(WorkersLost, match=r"\(not today\): ask for fewer with --workers"):
            pool.submit(abs, -3)


# Pools that wait for the next search: found by it, ended after a while and with the program.


PUZZLE = Sliding(bound="none", start="4 1 3 7 2 6 5 8 0")


def until(what: object, seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():  # type: ignore[operator]
            return True
        time.sleep(0.02)
    return False


def test_a_second_search_finds_the_workers_of_the_first(start_method: str) -> None:
    assert solve_at_once(PUZZLE, workers=2, budget=10).count == 1
    processes = 3 if start_method == "forkserver" else 2
    before = {process.pid for process in await_workers(os.getpid(), processes)}
    assert solve_at_once(Queens(9), workers=2, budget=100).count == 352
    assert {process.pid for process in workers_of(os.getpid())} == before
    warm_pools.close()
    assert until(lambda: not workers_of(os.getpid()))


def test_short_searches_start_no_workers_and_leave_those_that_wait(start_method: str) -> None:
    def started() -> set[int]:
        for _ in range(2):
            assert parsolve.solve(Queens(12), want="count", workers=2).count == 14200
        return {process.pid for process in workers_of(os.getpid())}

    assert until(lambda: not workers_of(os.getpid()))
    assert not started()
    assert solve_at_once(PUZZLE, workers=2, budget=10).count == 1
    before = await_workers(os.getpid(), 3 if start_method == "forkserver" else 2)
    assert started() == {process.pid for process in before}


def test_a_search_that_fails_leaves_no_pool() -> None:
    class Failing(parsolve.Listener):
        def progress_made(self, progress: object) -> None:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        solve_at_once(PUZZLE, workers=2, budget=10, listener=Failing())
    assert until(lambda: not workers_of(os.getpid()))


def test_a_pool_waits_for_a_while() -> None:
    warm = WarmPools(seconds=0.3)
    pool, other = LocalPool(1), LocalPool(1)
    key = (1, "")
    warm.keep(key, pool)
    warm.keep(key, other)  # there is one
    assert not other.usable
    assert warm.take((2, "")) is None
    assert warm.take(key) is pool
    assert warm.take(key) is None
    assert pool.submit(abs, -3).result() == 3
    warm.keep(key, pool)
    assert until(lambda: not pool.usable)
    assert warm.take(key) is None
    assert until(lambda: not workers_of(os.getpid()))
