"""Slices that another worker searches again: it is another one, and one that lies is found."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import parsolve
from parsolve.executors.pool.pool import ProcessPool
from parsolve.journal.journal import Journal
from parsolve.puzzles import Queens

pytestmark = pytest.mark.processes

LYING = """
import os
from dataclasses import replace
from parsolve.cli import entry
from parsolve.deepening.searcher import Searcher

honest = Searcher.run

def lies():
    try:
        handle = os.open("liar", os.O_RDWR | os.O_CREAT | os.O_EXCL)
        os.write(handle, b"%d" % os.getpid())
        return True
    except FileExistsError:
        return open("liar").read() == str(os.getpid())

def run(*arguments, **options):
    outcome = honest(*arguments, **options)
    is_worker = open("/proc/self/comm").read() == "parsolve-worker\\n"
    return replace(outcome, found=outcome.found + 1) if is_worker and lies() else outcome

Searcher.run = run
entry()
"""

WORDS = ("count", "queens", "--n", "14", "--method", "bits", "--workers", "2", "--quiet", "--journal", "it.sqlite")


def lied(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the command with one worker of two that finds a solution too many in each slice."""
    (folder / "liar").unlink(missing_ok=True)
    command = [sys.executable, "-c", LYING, *WORDS, *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200)


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="a worker knows its name by /proc")
def test_a_worker_that_lies_is_found(tmp_path: Path) -> None:
    """And what it says does not count: the search is resumed and gives the right number."""
    done = lied(tmp_path, "--recheck", "100%")
    assert done.returncode == 4
    assert "two workers disagree" in done.stderr
    with Journal(tmp_path / "it.sqlite", reading=True) as journal:
        (job,) = journal.jobs()
    assert job.state == "failed"
    assert job.message in done.stderr
    assert job.message.count(f" of {os.uname().nodename}") == 2
    assert job.message.count("process ") == 2
    command = [sys.executable, "-m", "parsolve", *WORDS]
    assert subprocess.check_output(command, cwd=tmp_path, text=True, timeout=200) == "365596\n"


@pytest.mark.skipif(sys.platform != "linux", reason="a worker knows its name by /proc")
def test_without_it_nobody_notices(tmp_path: Path) -> None:
    done = lied(tmp_path)
    assert done.returncode == 0
    assert int(done.stdout) > 365596


def test_another_worker_of_a_pool() -> None:
    pool = ProcessPool(3)
    for _ in range(30):
        first = pool.submit(os.getpid)
        first.result(60)
        again = [pool.submit_elsewhere(first, os.getpid) for _ in range(4)]
        assert first.result() not in {each.result(60) for each in again}
    pool.shutdown()


def test_a_worker_that_has_no_other() -> None:
    pool = ProcessPool(1)
    first = pool.submit(os.getpid)
    assert pool.submit_elsewhere(first, os.getpid).result(60) == first.result(60)
    pool.shutdown()


@pytest.mark.parametrize("part", [None, "1-2/3"])
def test_the_answer_is_the_same(part: str | None) -> None:
    asked = {"want": "count", "workers": 2, "engine": "deepening", "part": part}
    plain, again = (parsolve.solve(Queens(13, "bits"), recheck=share, **asked) for share in (None, 0.4))  # type: ignore[arg-type]
    assert (plain.found_so_far, plain.nodes, plain.tallies) == (again.found_so_far, again.nodes, again.tallies)
