"""A batch of many short searches that is killed again and again: every answer is right, none is there twice."""

import itertools
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from conftest import Run
from worlds.families import sliding_moves
from worlds.plain import distances

from parsolve.errors import BadInput
from parsolve.journal.journal import Journal

pytestmark = pytest.mark.nightly

COMMITTING_OFTEN = """
from functools import partial
from parsolve.batch import run
from parsolve.cli import entry
from parsolve.journal.store import JournalStore
run.search = partial(run.search, make_store=partial(JournalStore, interval=0.02))
entry()
"""

KILLS = 4


def test_a_batch_that_is_killed_again_and_again(tmp_path: Path, run: Run) -> None:
    ways = ways_of_small_boards()
    assert len(ways) == 360
    (tmp_path / "rows.csv").write_text("\n".join(["start", *(" ".join(map(str, board)) for board in ways)]) + "\n")
    (tmp_path / "jobs.toml").write_text(
        '[[job]]\nname = "b"\npuzzle = "sliding"\nfile = "rows.csv"\nshape = "2x3"\nbound = "manhattan"\nworkers = 1\n'
    )
    words = ("run", "jobs.toml", "--journal", "it.sqlite", "--quiet")
    random_, done = random.Random(5), 0
    for _ in range(KILLS):
        process = subprocess.Popen(
            [sys.executable, "-c", COMMITTING_OFTEN, *words], cwd=tmp_path, stdout=subprocess.PIPE
        )
        enough, until = done + random_.randrange(50), time.monotonic() + 60
        while (done := done_in(tmp_path / "it.sqlite")) <= enough and process.poll() is None:
            assert time.monotonic() < until
            time.sleep(random_.uniform(0.0, 0.02))
        below = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        process.kill()
        process.communicate()
        psutil.wait_procs(below)
    run(*words)
    jobs = json.loads(run("export", "it.sqlite", "--format", "json").stdout)
    assert [(job["status"], job["cost"], job["count"]) for job in jobs] == [
        ("solved", cost, count) for cost, count in ways.values()
    ]
    listed = [
        json.loads(line) for line in run("export", "it.sqlite", "--solutions", "--format", "json").stdout.splitlines()
    ]
    found = [(each["name"], tuple(each["moves"])) for each in listed]
    assert len(found) == len(set(found)) == sum(count for _, count in ways.values())


def done_in(path: Path) -> int:
    """How many jobs are done, as another process sees it."""
    try:
        with Journal(path, reading=True) as journal:
            return sum(job.state == "done" for job in journal.jobs())
    except BadInput:  # it is not there yet, or another process is rolling it back
        return 0


def ways_of_small_boards() -> dict[tuple[int, ...], tuple[int, int]]:
    """Return the fewest moves and the number of ways from every board of 2 rows and 3 columns, by plain search."""
    moves = sliding_moves(3)
    far = distances([(1, 2, 3, 4, 5, 0)], moves)  # from the nearest on
    ways = dict.fromkeys(itertools.islice(far, 1), 1)
    for board, cost in itertools.islice(far.items(), 1, None):
        ways[board] = sum(ways[near] for _, near, _ in moves(board) if far[near] < cost)
    return {board: (cost, ways[board]) for board, cost in far.items()}


CRASHING = '''
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parsolve import Puzzle, parameter


class Places(NamedTuple):
    places: np.ndarray


@dataclass(frozen=True)
class Walk(Puzzle):
    """Walk up to 3, with a look at a place that is far beyond its table if the walk starts at 7."""

    start: int = parameter(0, "where")

    state = np.dtype([("at", "u8"), ("move", "u1")])
    children = 1

    def batch_key(self):
        return 1 // (self.start != 8)

    def root(self):
        return {"at": self.start}

    def tables(self):
        return Places(np.zeros(8, np.uint8))

    @staticmethod
    def expand(tables, here, limit, rows, top):
        row = rows[top]
        row.at = here.at + tables.places[here.at << np.uint64(50) if here.at == 7 else np.uint64(0)] + 1
        row.move = 1
        return top + 1 if row.at < 30 else top

    @staticmethod
    def solved(tables, here):
        return here.at > 9
'''


def test_the_job_whose_code_crashes_among_many_is_named(tmp_path: Path, run: Run, run_process: Run) -> None:
    """Its calls are for several jobs: after the first crash each runs by itself."""
    (tmp_path / "crashing.py").write_text(CRASHING)
    (tmp_path / "jobs.toml").write_text(
        '[[job]]\nname = "w"\npuzzle = "crashing.py:Walk"\nwant = "count"\nworkers = 1\n'
        f"start = {[*range(10, 30), 7, *range(30, 50)]}\n"
    )
    done = run_process("run", "jobs.toml", "--journal", "it.sqlite", "--quiet", code=4)
    together, alone = done.stderr.splitlines()
    assert together.startswith("jobs that are searched together: the process was ended by SIGSEGV")
    assert alone.startswith("w-7: the process was ended by SIGSEGV, while a rule of Walk")
    rows = json.loads(run("status", "it.sqlite", "--json").stdout)
    assert {row["name"]: row["status"] for row in rows if row["status"] != "solved"} == {"w-7": "failed"}
    # One that fails before its search.
    many = f'[[job]]\nname = "w"\npuzzle = "crashing.py:Walk"\nwant = "count"\nstart = {[*range(10, 50), 8]}\n'
    (tmp_path / "jobs.toml").write_text(many)
    done = run_process("run", "jobs.toml", "--journal", "other.sqlite", "--quiet", code=4)
    *others, last = json.loads(run("status", "other.sqlite", "--json").stdout)
    assert {row["status"] for row in others} == {"solved"}
    assert (last["status"], f"w-8: {last['message']}\n") == ("failed", done.stderr)
