"""Every family and every named instance has one answer, whichever door it is searched by, each in a process of its own:
nothing that another search has left behind, such as an import, can help."""

import csv
import io
import itertools
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from cases import nightly, some
from clusters import Cluster, running
from conftest import Run
from samples import TOWERS

from parsolve.catalogue import families, names
from parsolve.cli.named import as_option
from parsolve.journal.journal import Journal
from parsolve.parameters import values_of
from parsolve.problem.registry import make, presets_of

pytestmark = pytest.mark.processes


class Case(NamedTuple):
    """A puzzle with the number of its solutions."""

    source: str
    count: int
    parameters: Mapping[str, Any] = MappingProxyType({})

    def __str__(self) -> str:
        return "-".join((self.source, *(str(value).split("\n")[0] for value in self.parameters.values())))


TABLED = [
    Case("towers.py:Towers", 22, {"disks": 4, "known": 3}),
    Case("peg", 388, {"board": 4 * "oooooo\n", "vacancy": "a1", "target": "a1"}),
]
"""One has a table for its lower bound. The other is counted without its table, which its job's identity needs: as is
`LARGE`, whose table takes a quarter of a minute."""

LARGE = Case("peg", 14224, {"board": "english33", "vacancy": "d3", "target": "d3"})

OTHERS = [
    Case("cover", 1),
    Case("crossing", 486),
    Case("flipit", 7),
    Case("flipit-a", 7),
    Case("flipit-b", 41),
    Case("flipit-c", 73),
    Case("jugs", 1),
    Case("langford", 26, {"n": 7}),
    Case("peg", 72),
    Case("hoppers", 18),
    Case("peg21", 96),
    Case("permutations", 120, {"n": 5}),
    Case("polyominoes", 95, {"board": "4x5", "pieces": "10*I2"}),
    Case("queens", 4, {"n": 6}),
    Case("queens", 92, {"n": 8, "method": "quadrants"}),
    Case("sliding", 40),
    Case("eight", 40),
    Case("five", 4),
    Case("eleven", 76),
    Case("sudoku", 1),
    Case("hoppers", 18, {"bound": "feasible"}),
    Case("eight", 40, {"bound": "patterns", "patterns": "4-4"}),
    Case("sliding", 40, {"bound": "walking"}),
]

Door = Callable[[Case, Path, Run, "Cluster | None"], int]


def test_every_family_and_instance_is_among_the_cases() -> None:
    assert {case.source for case in OTHERS} == {*families(), *names()}


def options_of(case: Case) -> list[str]:
    """Return a case's parameters as options."""
    return [word for name, value in case.parameters.items() for word in (as_option(name), str(value))]


def by_command(case: Case, folder: Path, run: Run, cluster: Cluster | None) -> int:
    return int(run("count", case.source, *options_of(case)).stdout)


def by_listing(case: Case, folder: Path, run: Run, cluster: Cluster | None) -> int:
    found = json.loads(run("solve", case.source, *options_of(case), "--json").stdout)
    assert all(each["states"] for each in found["solutions"])
    return len(found["solutions"])


def by_file(case: Case, folder: Path, run: Run, cluster: Cluster | None) -> int:
    values = {**presets_of(case.source), **case.parameters}
    values = values or dict([*values_of(make(case.source, {})).items()][:1])
    if "file" in values:  # the puzzle is a file itself
        (folder / "one.txt").write_text(values["file"])
        return int(run("count", case.source, "--file", "one.txt").stdout)
    with (folder / "rows.csv").open("w", newline="") as file:
        csv.writer(file).writerows([values, values.values()])
    (line,) = run("count", case.source, "--file", "rows.csv", "--json").stdout.splitlines()
    return int(json.loads(line)["count"])


def by_journal(case: Case, folder: Path, run: Run, cluster: Cluster | None) -> int:
    words = ("count", case.source, *options_of(case), "--journal", "x.sqlite")
    found = int(run(*words).stdout)
    assert int(run(*words).stdout) == found  # from the journal
    return found


def by_jobs(case: Case, folder: Path, run: Run, cluster: Cluster | None, *words: str) -> int:
    values = "\n".join(f"{name} = {json.dumps(value)}" for name, value in case.parameters.items())
    others = '[[job]]\nname = "other"\npuzzle = "queens"\nn = 5\nwant = "count"'
    job = f'[[job]]\nname = "one"\npuzzle = "{case.source}"\nwant = "count"\n{values}\n'
    (folder / "jobs.toml").write_text(job + others)
    run("run", "jobs.toml", "--journal", "jobs.sqlite", *words)
    with Journal(folder / "jobs.sqlite", reading=True) as journal:
        found = {job.name: job.count for job in journal.jobs()}
    assert found.get("other", 10) == 10
    return found["one"] or 0


def by_only(case: Case, folder: Path, run: Run, cluster: Cluster | None) -> int:
    return by_jobs(case, folder, run, cluster, "--only", "one")


def by_export(case: Case, folder: Path, run: Run, cluster: Cluster | None) -> int:
    run("solve", case.source, *options_of(case), "--journal", "x.sqlite")
    run("report", "x.sqlite", "--output", "report.html")
    return len([*csv.DictReader(io.StringIO(run("export", "x.sqlite", "--solutions").stdout))])


PREAMBLE = """
import sys
import parsolve
from parsolve.problem.registry import make
puzzle = make({source!r}, {parameters!r})
"""


def by_program(text: str) -> Door:
    """Return the door that is a program, which prints the number of solutions."""

    def door(case: Case, folder: Path, run: Run, cluster: Cluster | None) -> int:
        program = PREAMBLE.format(source=case.source, parameters=dict(case.parameters)) + text
        (folder / "program.py").write_text(program.replace("ADDRESS", cluster.address if cluster else ""))
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
    "only": by_only,
    "export": by_export,
    "solve": by_program("print(parsolve.solve(puzzle, want='count', workers=1).count)"),
    "solve-journal": by_program("print(parsolve.solve(puzzle, want='count', journal='x.sqlite').count)"),
    "solve_each": by_program("print(*[each.count for each in parsolve.solve_each([puzzle])])"),
    "iter_solutions": by_program("print(sum(len(each.states) > 0 for each in parsolve.iter_solutions(puzzle)))"),
    "cluster": by_program(
        """
from distributed import Client
eager = parsolve.Tuning(head_start=0, head_start_beside_workers=0, worthwhile=0, worthwhile_forked=0)
with Client('ADDRESS', set_as_default=False) as client:
    print(parsolve.solve(puzzle, want='count', engine='deepening', executor=client, tuning=eager).count)
"""
    ),
}

LISTED = {"listing", "export", "iter_solutions"}
"""Doors that list all solutions."""

ONLY_COUNTED = [LARGE, Case("permutations", 120, {"n": 5}), Case("queens", 92, {"n": 8, "method": "quadrants"})]


def pairs(cases: list[Case]) -> list[tuple[str, Case]]:
    """Return each case with every third door, the next case with other doors; those of the cluster follow one another,
    because one that idles ends."""
    every = itertools.product(enumerate(DOORS), enumerate(cases))
    tried = [(door, case) for (place, door), (number, case) in every if (place + number) % 3 == 0]
    return [(door, case) for door, case in tried if not (door in LISTED and case in ONLY_COUNTED)]


def in_turns(cases: list[Case]) -> list[Any]:
    """Return the cases with all doors, of which each time every third door is tried with one."""
    numbered = itertools.product(enumerate(DOORS), enumerate(cases))
    return [
        (door, case) if place % 3 == 0 and place // 3 % len(cases) == number else nightly((door, case))
        for (place, door), (number, case) in numbered
    ]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with running(1) as cluster:
        yield cluster


@pytest.mark.parametrize(
    ("door", "case"), [*in_turns(TABLED), *map(nightly, pairs([LARGE])[:1]), *some(pairs(OTHERS)[::2], 46)], ids=str
)
def test_doors(
    door: str,
    case: Case,
    tmp_path: Path,
    run_process: Run,
    puzzle_file: Callable[..., Path],
    request: pytest.FixtureRequest,
) -> None:
    puzzle_file(TOWERS, "towers.py")
    cluster = request.getfixturevalue("cluster") if door == "cluster" else None
    assert DOORS[door](case, tmp_path, run_process, cluster) == case.count
