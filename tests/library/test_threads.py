"""Searches that begin on several threads of a fresh process, while what they need is imported for the first time."""

import subprocess
import sys
from pathlib import Path

import pytest
from cases import nightly

pytestmark = pytest.mark.processes

SCRIPT = """
import sys, threading
import parsolve
first = parsolve.puzzles.Sliding(shape="2x3", start="1 2 0 3 4 5")
puzzle = parsolve.puzzles.Sliding(shape="2x3", start="4 5 0 1 2 3")
if "a search before" in sys.argv:
    parsolve.solve(first, workers=1)
ended, found = threading.Event(), []

def search(engine):
    has_ended = False
    while not has_ended:
        has_ended = ended.is_set()
        try:
            found.extend(parsolve.solve(puzzle, engine=engine, want=want, workers=1).count for want in ("count", "all"))
        except Exception as error:
            found.append(f"{engine}: {type(error).__name__}: {error}")

threads = [threading.Thread(target=search, args=(each,)) for each in ["deepening", "breadth", "sharing", "both"] * 2]
for thread in threads:
    thread.start()
import numba
ended.set()
for thread in threads:
    thread.join()
print(*dict.fromkeys(found))
"""


@pytest.mark.parametrize("before", ["a search before", "none before"])
@pytest.mark.parametrize("times", [2, nightly(50)])
def test_engines_on_threads_of_a_fresh_process(before: str, times: int) -> None:
    for _ in range(times):
        words = [sys.executable, "-c", SCRIPT, before]
        done = subprocess.run(words, capture_output=True, text=True, timeout=200, check=False)
        assert (done.stdout, done.stderr) == ("4\n", "")


@pytest.mark.nightly
@pytest.mark.parametrize("time", range(5))
def test_without_kept_kernels(time: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", str(tmp_path))
    test_engines_on_threads_of_a_fresh_process("none before", 1)
