"""The command line's processes: signals at any moment, the time that counts, and names."""

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import termios
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import psutil
import pytest
from cases import nightly
from conftest import await_workers, start, workers_of

from parsolve.executors.local import LocalPool

pytestmark = pytest.mark.processes


HARD = ("sliding", "--goal", "blank-first", "--bound", "none", "--start", "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3")


def test_a_batch_that_is_stopped_says_how_many_are_done(tmp_path: Path) -> None:
    options = "".join(f'{name[2:]} = "{value}"\n' for name, value in zip(HARD[1::2], HARD[2::2], strict=True))
    (tmp_path / "jobs.toml").write_text(
        f'[[job]]\npuzzle = "queens"\nn = 6\n[[job]]\nname = "hard"\npuzzle = "sliding"\n{options}'
    )
    with start("run", "jobs.toml", "--journal", "it.sqlite", cwd=tmp_path) as process:
        assert process.stderr is not None
        while not process.stderr.readline().startswith("limit 21"):
            pass
        process.send_signal(signal.SIGINT)
        err = process.stderr.read()
    assert process.returncode == 130
    job, batch, resumes = err.splitlines()[-3:]
    assert job.startswith("stopped before the end: no solution found yet, limits up to ")
    assert (batch, resumes) == (
        "stopped before the end: 1 of 2 jobs done (1 solved)",
        "the same command resumes from here",
    )


@pytest.mark.parametrize(("number", "workers"), [(signal.SIGINT, "2"), (signal.SIGTERM, "1")])
def test_a_signal_stops_and_says_what_is_known(tmp_path: Path, number: int, workers: str) -> None:
    process = start("solve", *HARD, "--workers", workers, "--json", cwd=tmp_path)
    workers_before = await_workers(process.pid, 3) if workers == "2" else []
    assert process.stderr is not None
    while "limit 21" not in process.stderr.readline():
        pass
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 128 + number
    found = json.loads(out)
    assert (found["status"], found["count"], found["found_so_far"]) == ("stopped", None, 0)
    assert found["iterations"]
    assert "stopped before the end" in err
    assert "with --journal FILE it could be resumed" in err
    assert "Traceback" not in err
    _, left = psutil.wait_procs(workers_before, timeout=2)
    assert left == []


MOMENTS = 24
"""Moments of a cold start at which Ctrl-C is pressed, evenly from its begin to 1.5 s later."""


@pytest.mark.parametrize(
    ("method", "step"), [("forkserver", 9), nightly(("forkserver", 3)), nightly(("spawn", 5))], ids=str
)
def test_ctrl_c_at_any_moment_of_a_cold_start(tmp_path: Path, method: str, step: int) -> None:
    """To all processes at once, as a terminal sends it: workers that are being started, too."""

    def interrupted(moment: int) -> tuple[int, str]:
        cache = tmp_path / f"cache-{moment}"
        cache.mkdir(mode=0o700)
        process = subprocess.Popen(
            [sys.executable, "-m", "parsolve", "count", *HARD, "--workers", "2"],
            env=os.environ
            | {"PARSOLVE_START_METHOD": method}
            | ({"PARSOLVE_CACHE_DIR": str(cache)} if moment % 2 else {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        while not psutil.Process(process.pid).children():  # until then it is Python's own start
            time.sleep(0.001)
        time.sleep(moment * 1.5 / MOMENTS)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
        return process.returncode, err

    with ThreadPoolExecutor(2) as threads:
        for code, err in threads.map(interrupted, range(0, MOMENTS, step)):
            assert code == 130, err
            assert "Traceback" not in err
            assert "KeyboardInterrupt" not in err


def test_the_names_of_the_processes(start_method: str) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux names processes")
    with LocalPool(2) as pool:
        pool.submit(abs, -1).result(60)
        until = time.monotonic() + 60
        while [each.name() for each in workers_of(os.getpid())].count("parsolve-worker") < 2:
            assert time.monotonic() < until
            time.sleep(0.02)
        found = workers_of(os.getpid())
        names = ["parsolve-server"] * (start_method == "forkserver") + ["parsolve-worker"] * 2
        assert sorted(each.name() for each in found) == names
        assert all("parsolve" in " ".join(each.cmdline()) for each in found)  # what `pgrep -f` reads


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_signal_while_nobody_reads_the_output(tmp_path: Path, form: list[str]) -> None:
    """Once the end of the output waited for ever for what came before it."""
    row = "B" * 12 + "_"
    process = start(
        "solve", "flipit", "--row", row, "--goal", "W" * 12 + "_", "--engine", "breadth", *form, cwd=tmp_path
    )
    assert process.stdout is not None
    select.select([process.stdout], [], [], 60)
    waiting = -1
    while waiting != (now := unread(process.stdout)):  # what nobody reads fills the pipe
        waiting = now
        time.sleep(0.2)
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) in (0, 1, 130)
    process.communicate()


def unread(pipe: IO[str]) -> int:
    """How many bytes wait in a pipe."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


SAVING_FOR_EVER = """\
import time
from parsolve.cli.process.signals import stoppable
from parsolve.system.activity import current as activity
with stoppable() as stops:
    stops.on_stop = lambda: print("known", flush=True)
    stops.check()
    with activity.saving():
        print("ready", flush=True)
        time.sleep(99)
"""


def test_a_signal_after_the_answer_adds_nothing_to_it(tmp_path: Path) -> None:
    """While the page waits for a reader."""
    os.mkfifo(tmp_path / "page")
    with start("count", "queens", "--n", "6", "--json", "--html", "page", cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        out = "".join(iter(process.stdout.readline, "}\n")) + "}"
        for _ in range(2):  # the first lets it write the page
            process.send_signal(signal.SIGINT)
            time.sleep(0.7)
        assert (process.wait(20), process.stdout.read()) == (130, "")
        assert json.loads(out)["count"] == 4
        assert "stopped" not in process.stderr.read()


def test_a_second_signal_ends_a_checkpoint_that_is_written() -> None:
    with subprocess.Popen([sys.executable, "-c", SAVING_FOR_EVER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.0)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "known\n"
        assert process.wait(20) == 130
