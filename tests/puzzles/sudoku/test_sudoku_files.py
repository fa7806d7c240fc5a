"""Files of Sudokus in the forms that people have, compressed or not, from a file, a pipe and a job file."""

import gzip
import io
import sys
from pathlib import Path

import pytest
from conftest import Run

from parsolve.batch.jobs import read

GRIDS = (
    "003020600900305001001806400008102900700000008006708200002609500800203009005010300",
    "200080300060070084030500209000105408000000000402706000301007040720040060004010003",
)

EULER = "".join(
    f"Grid {number:02}\n" + "".join(f"{grid[row : row + 9]}\n" for row in range(0, 81, 9))
    for number, grid in enumerate(GRIDS, 1)
)
"""The first two grids of Project Euler's problem 96."""


@pytest.mark.parametrize("name", ["sudoku.txt", "sudoku.txt.gz"])
def test_the_grids_of_project_euler(run_here: Run, tmp_path: Path, name: str) -> None:
    data = EULER.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    done = run_here("count", "sudoku", "--file", name)
    assert [line.split("\t")[:3] for line in done.stdout.splitlines()[1:]] == [["1", "-", "1"], ["2", "-", "1"]]
    (tmp_path / "jobs.toml").write_text(f'[[job]]\npuzzle = "sudoku"\nfile = "{name}"\n')
    jobs = read(tmp_path / "jobs.toml")
    assert [job.puzzle.cells.replace(".", "0") for job in jobs if job.puzzle] == [*GRIDS]


def test_compressed_grids_from_a_pipe(run_here: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "it.gz").write_bytes(gzip.compress(EULER.encode()))
    with (tmp_path / "it.gz").open("rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        done = run_here("count", "sudoku", "--file", "-")
        assert len(done.stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"hello\n", "there is no grid in the first 1 line: a file has 81 cells on each line"),
        (gzip.compress(EULER.encode())[:-20], "it cannot be read beyond line"),
        (b"\x1f\x8b\x08 no gzip", "it cannot be read beyond line"),
    ],
)
def test_files_without_grids(run_here: Run, tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / "it").write_bytes(data)
    done = run_here("count", "sudoku", "--file", "it", code=2)
    assert says in done.stderr
