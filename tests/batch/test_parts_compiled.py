"""Searches of real puzzles in parts: the same nodes and solutions as one search."""

import json
from pathlib import Path

import pytest
from conftest import Run
from journals import PUZZLES

import parsolve


@pytest.mark.parametrize("of", [1, 3])
@pytest.mark.parametrize("name", PUZZLES)
def test_all_parts_are_one_search(name: str, of: int) -> None:
    puzzle, want, count = PUZZLES[name]
    whole = parsolve.solve(puzzle, want=want, engine="deepening", transposition=0, workers=1)
    parts = [
        parsolve.solve(puzzle, want=want, part=f"{number}/{of}", limit=whole.cost, workers=1)
        for number in range(1, of + 1)
    ]
    weights = sum(each.weight for part in parts for each in part.iterations)
    assert whole.count == count == whole.problem.total(weights)
    assert [sum(part.iterations[place].nodes for part in parts) for place in range(len(whole.iterations))] == [
        each.nodes for each in whole.iterations
    ]
    assert sorted(path for part in parts for path in part.paths) == whole.paths


SEARCHES = {
    "count queens --n 11": (2680, 3),
    "count queens --n 11 --unique --method quadrants": (341, 2),
    "count hoppers --limit 7": (18, 2),
    "count eight --bound manhattan --limit 33 --slack 2": (None, 3),
}


@pytest.mark.parametrize("words", SEARCHES)
def test_merged(words: str, tmp_path: Path, run_here: Run) -> None:
    count, of = SEARCHES[words]
    journals = [str(tmp_path / f"{number}.sqlite") for number in range(1, of + 1)]
    for number, journal in enumerate(journals, 1):
        run_here(*words.split(), "--part", f"{number}/{of}", "--journal", journal, code=None)
    whole = json.loads(run_here(*words.split(), "--engine", "deepening", "--json").stdout)
    assert count in (None, whole["count"])
    found = json.loads(run_here("merge", *journals, "--json").stdout)
    assert {name: found[name] for name in ("cost", "count", "status")} == {
        name: whole[name] for name in ("cost", "count", "status")
    }
    assert found.get("by_cost") == whole.get("by_cost")


def test_a_list_is_merged_in_order(tmp_path: Path, run_here: Run) -> None:
    for number in (2, 1):
        journal = str(tmp_path / f"{number}.sqlite")
        run_here("solve", "queens", "--n", "8", "--part", f"{number}/2", "--journal", journal)
    journals = [str(tmp_path / f"{number}.sqlite") for number in (2, 1)]
    assert run_here("merge", *journals).stdout == run_here("solve", "queens", "--n", "8").stdout
    solutions = json.loads(run_here("merge", *journals, "--json").stdout)["solutions"]
    assert solutions == json.loads(run_here("solve", "queens", "--n", "8", "--json").stdout)["solutions"]


def test_parts_are_jobs_of_one_journal(tmp_path: Path, run_here: Run) -> None:
    count, journal = ("count", "queens", "--n", "10"), ("--journal", str(tmp_path / "one.sqlite"))
    run_here(*count, "--part", "1/2", *journal)
    refused = run_here(*count, "--part", "2/2", *journal, code=2).stderr
    assert "has part 1/2, not 2/2: name another job or journal" in refused
    run_here(*count, "--part", "2/2", *journal, "--name", "second")
    assert run_here("merge", journal[1]).stdout == "724\n"


def test_a_job_file_takes_a_part(tmp_path: Path, run_here: Run) -> None:
    for number in (1, 2):
        (tmp_path / "jobs.toml").write_text(
            f'[[job]]\npuzzle = "queens"\nn = 10\nwant = "count"\npart = "{number}/2"\n[[job]]\npuzzle = "hoppers"\n'
        )
        run_here("run", str(tmp_path / "jobs.toml"), "--journal", str(tmp_path / f"{number}.sqlite"))
    journals = [str(tmp_path / f"{number}.sqlite") for number in (1, 2)]
    assert run_here("merge", *journals, "--job", "queens").stdout == "724\n"
    assert run_here("merge", *journals).stdout == "724\n"  # of jobs those that are of parts
    run_here("count", "queens", "--n", "3", "--part", "1/2", code=1)  # like any search without a solution
    rest = run_here("merge", journals[0], code=3).stdout
    assert rest == "parsolve count queens --n 10 --part 2/2 --journal part-2.sqlite  # missing\n"
    assert "not of a part" in run_here("merge", *journals, "--job", "hoppers", code=2).stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("count queens --part 4/3", "there is no part 4 of 3"),
        ("count queens --part 1", "such as 17/1000"),
        ("count queens --n 8-10 --part 1/2", "for each job"),
        ("unique queens --n 8 --part 1/2", "at_most"),
        ("count queens --n 8 --part 1/2 --dask local", "leave out --dask"),
        ("count hoppers --part 1/2 --transposition 1M", "without the transposition table"),
        ("merge nowhere.sqlite", "there is no journal"),
    ],
)
def test_refused_in_one_line(words: str, message: str, run_here: Run) -> None:
    done = run_here(*words.split(), code=2)
    assert message in done.stderr.splitlines()[-1]
    assert done.stdout == ""
