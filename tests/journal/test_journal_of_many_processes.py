"""A batch of many short searches, one of which ends its process: it is named, and the others are answered."""

import json
from pathlib import Path

import pytest
from conftest import Run
from samples import WALK

pytestmark = pytest.mark.nightly

CRASHING = (
    WALK.replace('parameter(8, "places")', 'parameter(100, "places")\n    start: int = parameter(0, "where")')
    .replace("    size: int\n\n", "    size: int\n    places: np.ndarray\n\n")
    .replace('{"place": 0}', '{"place": self.start}')
    .replace("Tables(self.size)", "Tables(self.size, np.zeros(8, np.uint8))")
    .replace("range(1, 3)", "range(1, 2)")
    .replace("here.place + step", "here.place + step + tables.places[(here.place == 7) * (1 << 50)]")
    + "\n    def batch_key(self):\n        return 1 // (self.start != 8)\n"
)
"""A walk that looks at a place far beyond its table if it starts at 7."""


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
