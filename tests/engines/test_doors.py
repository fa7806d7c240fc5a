"""A puzzle with tables has one answer, whichever door it is searched by, each in a process of its own: nothing that
another search has left behind, such as an import, can help."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cases import nightly
from conftest import Run
from samples import TOWERS

from parsolve.cli.named import as_option
from parsolve.journal.reader import JournalReader

pytestmark = pytest.mark.processes


class Case(NamedTuple):
    """A puzzle with the number of its solutions."""

    source: str
    count: int
    parameters: dict[str, Any]

    @property
    def words(self) -> list[str]:
        """It as the command line names it."""
        return [self.source, *(word for name, each in self.parameters.items() for word in (as_option(name), str(each)))]


TABLED = [
    Case("towers.py:Towers", 22, {"disks": 4, "known": 3}),
    Case("peg", 388, {"board": 4 * "oooooo\n", "vacancy": "a1", "target": "a1"}),
]
"""One has a table for its lower bound. The other is counted without its table, which its job's identity needs."""

Door = Callable[[Case, Path, Run], int]


def by_command(case: Case, folder: Path, run: Run) -> int:
    return int(run("count", *case.words).stdout)


def by_listing(case: Case, folder: Path, run: Run) -> int:
    found = json.loads(run("solve", *case.words, "--json").stdout)
    assert all(each["states"] for each in found["solutions"])
    return len(found["solutions"])


def by_file(case: Case, folder: Path, run: Run) -> int:
    with (folder / "rows.csv").open("w", newline="") as file:
        csv.writer(file).writerows([case.parameters, case.parameters.values()])
    (line,) = run("count", case.source, "--file", "rows.csv", "--json").stdout.splitlines()
    return int(json.loads(line)["count"])


def by_journal(case: Case, folder: Path, run: Run) -> int:
    words = ("count", *case.words, "--journal", "x.sqlite")
    found = int(run(*words).stdout)
    assert int(run(*words).stdout) == found  # from the journal
    return found


def by_jobs(case: Case, folder: Path, run: Run) -> int:
    values = "\n".join(f"{name} = {json.dumps(value)}" for name, value in case.parameters.items())
    job = f'[[job]]\nname = "one"\npuzzle = "{case.source}"\nwant = "count"\n{values}\n'
    (folder / "jobs.toml").write_text(job + '[[job]]\nname = "other"\npuzzle = "queens"\nn = 5\nwant = "count"')
    run("run", "jobs.toml", "--journal", "jobs.sqlite")
    with JournalReader(folder / "jobs.sqlite") as journal:
        found = {job.name: job.count for job in journal.jobs()}
    assert found["other"] == 10
    return found["one"] or 0


def by_program(text: str) -> Door:
    """Return the door that is a program, which prints the number of solutions."""

    def door(case: Case, folder: Path, run: Run) -> int:
        make = (
            f"import parsolve\nfrom parsolve.problem.registry import make\npuzzle = make{case.source, case.parameters}"
        )
        (folder / "program.py").write_text(f"{make}\n{text}\n")
        words = [sys.executable, "program.py"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=200, check=False)
        assert done.returncode == 0, done.stderr
        return int(done.stdout)

    return door


DOORS: dict[str, Door] = {
    "command": by_command,
    "listing": by_listing,
    "file": by_file,
    "journal": by_journal,
    "run": by_jobs,
    "solve": by_program("print(parsolve.solve(puzzle, want='count', workers=1).count)"),
    "solve_each": by_program("print(*[each.count for each in parsolve.solve_each([puzzle])])"),
    "iter_solutions": by_program("print(sum(len(each.states) > 0 for each in parsolve.iter_solutions(puzzle)))"),
}

BY_DAY = (("command", 0), ("journal", 1), ("solve_each", 0), ("iter_solutions", 1))


@pytest.mark.parametrize(
    ("door", "number"),
    [each if each in BY_DAY else nightly(each) for door in DOORS for each in ((door, 0), (door, 1))],
)
def test_doors(door: str, number: int, tmp_path: Path, run_process: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(TOWERS, "towers.py")
    assert DOORS[door](TABLED[number], tmp_path, run_process) == TABLED[number].count
