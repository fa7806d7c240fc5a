"""How the processes of a pool begin, and that they end with the process that they belong to."""

import ast
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import ROOT, assert_workers_end_with

from parsolve.executors import pool as pool_package
from parsolve.executors.pool.pool import ProcessPool
from parsolve.executors.pool.processes import EARLY

pytestmark = pytest.mark.processes


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


def test_more_workers_than_are_asked_for_early() -> None:
    with ProcessPool(EARLY + 6) as pool:
        futures = [pool.submit(time.sleep, 0.02) for _ in range(3 * EARLY)]
        assert [future.exception(60) for future in futures] == [None] * (3 * EARLY)


def test_a_pool_imports_nothing_of_parsolve() -> None:
    folder = Path(pool_package.__file__).parent
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert node.level <= 1, path
                assert node.level == 1 or str(node.module).split(".")[0] in sys.stdlib_module_names, path
            elif isinstance(node, ast.Import):
                assert all(name.name.split(".")[0] in sys.stdlib_module_names for name in node.names), path
