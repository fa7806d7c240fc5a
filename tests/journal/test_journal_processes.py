"""The journal: a search is resumed where it stopped, whatever stopped it, and nothing counts twice."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from conftest import Run, await_workers
from journals import LONG, start, until_saved

pytestmark = pytest.mark.processes


@pytest.mark.parametrize(("number", "to_all"), [(signal.SIGINT, False), (signal.SIGTERM, True)])
def test_a_signal_keeps_what_was_done(tmp_path: Path, run: Run, number: int, to_all: bool) -> None:
    """Also one to all processes, as a service manager sends it: no worker is taken for lost."""
    process = start(tmp_path, *LONG, "--workers", "2")
    await_workers(process.pid, 3)
    until_saved(tmp_path, process, 0.001)
    for each in [*(psutil.Process(process.pid).children(recursive=True) if to_all else []), process]:
        each.send_signal(number)
    _, told = process.communicate(timeout=20)
    assert process.returncode == 128 + number, told
    assert "lost" not in told
    (row,) = json.loads(run("status", "it.sqlite", "--json").stdout)
    assert (row["status"], row["message"]) == ("stopped", "interrupted")
    assert 0 < row["done"] < 1
    assert row["nodes"] > 1000


def test_nobody_reading_is_a_stop_and_no_failure(tmp_path: Path, run: Run) -> None:
    command = f"{sys.executable} -m parsolve solve queens --n 12 --journal it.sqlite --quiet | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""
    (row,) = json.loads(run("export", "it.sqlite", "--format", "json").stdout)
    assert row["status"] == "stopped"
    assert len(run("solve", "queens", "--n", "12", "--journal", "it.sqlite", "--quiet").stdout.splitlines()) == 14_200
