"""The journal: a search is resumed where it stopped, whatever stopped it, and nothing counts twice."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from conftest import Run
from journals import EVERY_OUTCOME, LONG, PUZZLES, run_through, start, until_saved

import parsolve
from parsolve.batch.jobs import Settings
from parsolve.journal.journal import Journal


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("name", ["sliding", "hoppers with a table", "quadrants", "unique quadrants"])
def test_a_search_is_resumed_where_it_stopped(tmp_path: Path, name: str, hard: bool) -> None:
    puzzle, want, count = PUZZLES[name]
    engine = "deepening"
    plain = parsolve.solve(puzzle, want=want, workers=1, engine="deepening")
    settings = Settings(want, workers=1, engine=engine, table=1 << 12 if "table" in name else None)  # type: ignore[arg-type]
    found, given = run_through(tmp_path / "it.sqlite", puzzle, want, settings, [0, 1, 2, 3, 5, 8], hard, EVERY_OUTCOME)
    assert (found.status, found.cost, found.count) == (plain.status, plain.cost, plain.count)
    assert given == plain.paths
    assert found.found_so_far == count
    assert [(each.limit, each.solutions) for each in found.iterations] == [
        (each.limit, each.solutions) for each in plain.iterations
    ]
    with Journal(tmp_path / "it.sqlite", reading=True) as journal:
        (job,) = journal.jobs()
        assert (job.state, job.status, job.count, job.found) == ("done", plain.status, plain.count, count)
        assert list(journal.solutions(job))[: len(given)] == given
        assert journal.checkpoint(job) is None


def test_a_journal_of_other_workers_and_start_methods(tmp_path: Path, run: Run, run_process: Run) -> None:
    """And of another process: stopped by a time limit, twice."""
    words = ("solve", "eight", "--bound", "none", "--journal", "it.sqlite", "--quiet")
    plain = run("solve", "eight", "--quiet").stdout
    for workers, method in ((1, "forkserver"), (3, "spawn"), (2, "forkserver")):
        done = run_process(*words, "--workers", str(workers), "--start-method", method, "--timeout", "0.15s", code=None)
        assert done.returncode in (0, 3)
        if done.returncode == 3:
            assert "the time is up: --timeout 0.15 s" in done.stderr
    assert run_process(*words, "--workers", "2").stdout == plain
    (row,) = json.loads(run("export", "it.sqlite", "--format", "json").stdout)
    assert (row["state"], row["count"], row["cost"]) == ("done", 40, 31)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_keeps_what_was_done(tmp_path: Path, run: Run, number: int, code: int) -> None:
    process = start(tmp_path, *LONG, "--workers", "2")
    until_saved(tmp_path, process, 0.001)
    begin = time.monotonic()
    process.send_signal(number)
    _, told = process.communicate(timeout=20)
    assert process.returncode == code, told
    assert time.monotonic() - begin < 5
    (row,) = json.loads(run("status", "it.sqlite", "--json").stdout)
    assert (row["state"], row["message"]) == ("stopped", "interrupted")
    assert 0 < row["done"] < 1
    assert row["nodes"] > 1000


def test_a_signal_to_all_processes_ends_the_search_in_order(tmp_path: Path) -> None:
    """As a service manager sends it: no worker is taken for lost."""
    process = start(tmp_path, *LONG, "--workers", "2")
    until_saved(tmp_path, process, 0.001)
    for each in [*psutil.Process(process.pid).children(recursive=True), process]:
        each.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=20)
    assert process.returncode == 143
    assert "lost" not in told


def test_nobody_reading_is_a_stop_and_no_failure(tmp_path: Path, run: Run) -> None:
    command = f"{sys.executable} -m parsolve solve queens --n 12 --journal it.sqlite --quiet | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""
    (row,) = json.loads(run("export", "it.sqlite", "--format", "json").stdout)
    assert (row["state"], row["status"]) == ("stopped", "stopped")
    assert len(run("solve", "queens", "--n", "12", "--journal", "it.sqlite", "--quiet").stdout.splitlines()) == 14_200
