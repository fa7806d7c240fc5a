"""Pools that wait for the next search: found by it, ended after a while and with the program."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from at_once import solve_at_once
from conftest import workers_of

import parsolve
from parsolve.executors.local import LocalPool
from parsolve.executors.warm import WarmPools, warm_pools
from parsolve.puzzles import Queens, Sliding

pytestmark = pytest.mark.processes

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
    assert until(lambda: len(workers_of(os.getpid())) == processes)
    before = {process.pid for process in workers_of(os.getpid())}
    assert solve_at_once(Queens(9), workers=2, budget=100).count == 352
    assert {process.pid for process in workers_of(os.getpid())} == before
    warm_pools.close()
    assert until(lambda: not workers_of(os.getpid()))


def test_short_searches_start_no_workers_and_leave_those_that_wait() -> None:
    def started() -> set[int]:
        for _ in range(2):
            assert parsolve.solve(Queens(12), want="count", workers=2).count == 14200
        return {process.pid for process in workers_of(os.getpid())}

    warm_pools.close()
    before = {process.pid for process in workers_of(os.getpid())}
    assert started() <= before
    assert solve_at_once(PUZZLE, workers=2, budget=10).count == 1
    before = {process.pid for process in workers_of(os.getpid())}
    assert started() == before


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


@pytest.mark.nightly
def test_a_program_ends_with_its_pools(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os, parsolve\n"
        "tuning = parsolve.Tuning(head_start=0, head_start_beside_workers=0, worthwhile=0, patch=0)\n"
        f"print(parsolve.solve(parsolve.puzzles.{PUZZLE!r}, workers=2, budget=10, tuning=tuning).count)\n"
        "import psutil, time\n"
        "while len(psutil.Process().children(recursive=True)) < 3: time.sleep(0.01)\n"
        "print(*(each.pid for each in psutil.Process().children(recursive=True)))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=100, check=True)
    count, left = done.stdout.splitlines()
    assert count == "1"
    assert until(lambda: not any(psutil.pid_exists(int(pid)) for pid in left.split()), 2.0)
    assert done.stderr == ""
