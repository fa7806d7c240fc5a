"""The command line's processes: signals at any moment, the time that counts, and names."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from conftest import Run, start, workers_of
from pages import data_of
from samples import WALK

pytestmark = pytest.mark.cli


HARD = ("sliding", "--goal", "blank-first", "--bound", "none", "--start", "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3")


def await_workers(pid: int, number: int) -> list[psutil.Process]:
    until = time.monotonic() + 60
    while len(workers_of(pid)) < number:
        assert time.monotonic() < until
        time.sleep(0.05)
    return workers_of(pid)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_signal_stops_and_says_what_is_known(tmp_path: Path, number: int, code: int, workers: str) -> None:
    process = start("solve", *HARD, "--workers", workers, "--json", cwd=tmp_path)
    workers_before = await_workers(process.pid, 3) if workers == "2" else []
    assert process.stderr is not None
    while "limit 23" not in process.stderr.readline():
        pass
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == code
    found = json.loads(out)
    assert (found["status"], found["count"], found["found_so_far"]) == ("stopped", None, 0)
    assert found["iterations"]
    assert "stopped before the end" in err
    assert "with --journal FILE it could be resumed" in err
    assert "Traceback" not in err
    _, left = psutil.wait_procs(workers_before, timeout=2)
    assert left == []


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.3, 0.5, 0.8, 1.2, 2.0])
def test_a_signal_while_getting_ready_or_compiling(tmp_path: Path, delay: float) -> None:
    process = start("solve", *HARD, cwd=tmp_path, env={"PARSOLVE_CACHE_DIR": str(tmp_path / "cache")})
    while not psutil.Process(process.pid).children():  # until then it is Python's own start
        time.sleep(0.001)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in err


MOMENTS = 40
"""Moments of a cold start at which Ctrl-C is pressed, evenly from its begin to 1.5 s later."""


@pytest.mark.nightly
@pytest.mark.parametrize("method", ["forkserver", "spawn"])
def test_ctrl_c_at_any_moment_of_a_cold_start(tmp_path: Path, method: str) -> None:
    """To all processes at once, as a terminal sends it: workers that are being started, too."""

    def interrupted(moment: int) -> tuple[int, str]:
        cache = tmp_path / f"cache-{moment}"
        cache.mkdir(mode=0o700)
        process = subprocess.Popen(
            [sys.executable, "-m", "parsolve", "count", *HARD, "--workers", "2", "--start-method", method],
            env=os.environ | ({"PARSOLVE_CACHE_DIR": str(cache)} if moment % 2 else {}),
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

    moments = range(0, MOMENTS, 2) if method == "spawn" else range(MOMENTS)
    with ThreadPoolExecutor(2) as threads:
        for code, err in threads.map(interrupted, moments):
            assert code == 130, err
            assert "Traceback" not in err
            assert "KeyboardInterrupt" not in err


def test_compiling_does_not_count_against_the_timeout(
    run_process: Run, tmp_path: Path, puzzle_file: Callable[..., Path]
) -> None:
    puzzle_file(WALK)
    (tmp_path / "cache").mkdir(mode=0o700)
    env = {"PARSOLVE_CACHE_DIR": str(tmp_path / "cache")}
    done = run_process("count", "my_puzzle.py:Walk", "--workers", "1", "--timeout", "2s", "--json", env=env)
    assert "compiling" in done.stderr
    found = json.loads(done.stdout)
    assert found["setup_seconds"] > 2 > found["seconds"]


@pytest.mark.parametrize(
    ("method", "names"), [("forkserver", {"parsolve-server", "parsolve-worker"}), ("spawn", {"parsolve-worker"})]
)
def test_the_names_of_the_processes(tmp_path: Path, method: str, names: set[str]) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux names processes")
    process = start("count", *HARD, "--workers", "2", "--start-method", method, cwd=tmp_path)
    try:
        until = time.monotonic() + 60
        number = 1 + len(names)  # two workers, and a server where there is one
        while [each.name() for each in workers_of(process.pid)].count("parsolve-worker") < 2:
            assert time.monotonic() < until
            time.sleep(0.05)
        workers = workers_of(process.pid)
        assert {each.name() for each in workers} == names
        assert len(workers) == number
        everyone = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        assert all("parsolve" in " ".join(each.cmdline()) for each in everyone)  # what `pgrep -f` reads
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_signal_while_nobody_reads_the_output(tmp_path: Path, form: list[str]) -> None:
    """Once the end of the output waited for ever for what came before it."""
    row = "B" * 12 + "_"
    process = start(
        "solve", "flipit", "--row", row, "--goal", "W" * 12 + "_", "--engine", "breadth", *form, cwd=tmp_path
    )
    assert process.stdout is not None
    select.select([process.stdout], [], [], 60)
    time.sleep(1.5)  # what nobody reads fills the pipe
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    assert process.wait(timeout=20) in (0, 1, 130)
    process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_a_page_of_what_is_known(tmp_path: Path, number: signal.Signals) -> None:
    process = start("solve", "permutations", "--n", "12", "--html", "it.html", cwd=tmp_path)
    assert process.stdout is not None
    for _ in range(1100):  # more than a page shows
        process.stdout.readline()
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "stopped before the end" in err
    text = (tmp_path / "it.html").read_text()
    assert "stopped: interrupted" in text
    (job,) = data_of(text)["jobs"]
    assert job["heading"].endswith("solutions so far")
    assert "the others were not kept" in job["note"]
    assert job["solutions"][0]["text"] == "1 2 3 4 5 6 7 8 9 10 11 12"
    assert [*tmp_path.glob(".*")] == []


PAGE_FOR_EVER = """\
import time
from parsolve.cli.signals import Stopped, stoppable

with stoppable() as stops:
    stops.on_stop = lambda: print("known", flush=True)
    stops.on_page = lambda why: (print("page", flush=True), time.sleep(99))
    print("ready", flush=True)
    try:
        while True:
            stops.check()
            time.sleep(0.01)
    except Stopped:
        stops.finish()
"""


def test_a_second_signal_ends_the_page() -> None:
    with subprocess.Popen([sys.executable, "-c", PAGE_FOR_EVER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert [process.stdout.readline() for _ in range(2)] == ["known\n", "page\n"]
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.5)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
