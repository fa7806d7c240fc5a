"""A job file with jobs of every kind, for the tests of batches."""

from pathlib import Path

import pytest

JOBS = """
[defaults]
workers = 1
[[job]]
name = "q"
puzzle = "queens"
n = [6, 7, 8]
want = "count"
[[job]]
puzzle = "hoppers"
[[job]]
name = "small"
puzzle = "sliding"
file = "rows.csv"
rename = { tiles = "start" }
shape = "2x3"
want = "count"
[[job]]
puzzle = "queens"
n = [2, 4]
method = ["bits", "backtrack"]
"""

ROWS = "id,tiles,author\na,4 5 0 1 2 3,Ann\nb,1 2 3 4 0 5,Bob\n"


@pytest.fixture
def jobs(tmp_path: Path) -> Path:
    """The job file, beside the table that it names."""
    (tmp_path / "rows.csv").write_text(ROWS)
    path = tmp_path / "jobs.toml"
    path.write_text(JOBS)
    return path
