"""Journals that are refused, in one line each, and those that others are using."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from conftest import Run
from journals import LONG, made, run_through, start
from samples import WALK, edited
from variants import Variant

from parsolve.batch.run import get_or_create_job, search
from parsolve.errors import BadInput, Damaged
from parsolve.journal import schema
from parsolve.journal.journal import Journal
from parsolve.problem.problem import Problem
from parsolve.puzzles import Queens
from parsolve.search.request import Request
from parsolve.search.watch import UNWATCHED

pytest_plugins = ["variants"]


@pytest.mark.processes
def test_two_processes_on_one_journal(tmp_path: Path, run: Run) -> None:
    process = start(tmp_path, *LONG, "--workers", "1")
    until = time.monotonic() + 90
    while "running" not in run("status", "it.sqlite", code=None).stdout and time.monotonic() < until:
        time.sleep(0.05)
    done = run(*LONG, code=2)
    assert "it.sqlite is in use by process " in done.stderr
    assert "running" in run("status", "it.sqlite").stdout
    process.kill()
    process.communicate()
    assert "stopped" in run("status", "it.sqlite").stdout
    # The lock goes with its process.
    assert run(*LONG, "--timeout", "0.1s", "--workers", "1", code=3).stderr


def test_another_puzzle_or_parameter_is_refused(run: Run, tmp_path: Path) -> None:
    words = ("--journal", "it.sqlite", "--workers", "1", "--quiet")
    run("solve", "queens", "--n", "6", *words)
    assert "has n 6, not 7" in run("solve", "queens", "--n", "7", *words, code=2).stderr
    assert "has want all, not count" in run("count", "queens", "--n", "6", *words, code=2).stderr
    assert "it.sqlite holds queens, not hoppers" in run("solve", "hoppers", *words, code=2).stderr
    assert len(run("solve", "queens", "--n", "6", *words).stdout.splitlines()) == 4


def test_an_edited_puzzle_is_refused(run: Run, tmp_path: Path, variant: Variant) -> None:
    variant(WALK, own_file=True)
    text = (tmp_path / "my_puzzle.py").read_text()
    words = ("count", "my_puzzle.py:Walk", "--journal", "it.sqlite", "--quiet")
    assert run(*words).stdout == "1\n"
    variant(edited("+ step)", "+ 1 * step)"), own_file=True)
    assert "my_puzzle.py:Walk have been edited since" in run(*words, code=2).stderr
    (tmp_path / "my_puzzle.py").write_text(f"{text}\n# edited\n")  # what it does is the same
    assert run(*words).stdout == "1\n"


@pytest.mark.parametrize("version", [5, schema.VERSION + 1])
@pytest.mark.parametrize("reading", [True, False])
def test_a_journal_of_another_version_is_refused(tmp_path: Path, version: int, reading: bool) -> None:
    path = made(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    said = f"of another version of parsolve .journal version {version}, here {schema.VERSION}.: use that one, or name"
    with pytest.raises(BadInput, match=said):
        Journal(path, reading)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE checkpoint SET branches = replace(branches, '4', '5')",
        "UPDATE job SET nodes = nodes + 1",
        "UPDATE job SET found = 'many'",
        "UPDATE checkpoint SET weight = '7'",
        "UPDATE checkpoint SET branches = '7'",
        "DELETE FROM checkpoint",
        "DELETE FROM solution WHERE moves = (SELECT min(moves) FROM solution)",
        "UPDATE solution SET moves = x'0001' WHERE moves = (SELECT min(moves) FROM solution)",
    ],
)
def test_a_journal_that_is_not_as_it_was_written_is_refused(tmp_path: Path, statement: str) -> None:
    """As SQLite's recovery may leave it: sound as a database."""
    path = made(tmp_path, Queens(10))
    with sqlite3.connect(path) as connection:
        assert connection.execute(statement).rowcount == 1
    with pytest.raises(Damaged, match="written"), Journal(path) as journal:
        get_or_create_job(journal, "it", "it", Problem(Queens(10), "all"), {})


def test_a_job_that_came_to_nothing_yet_is_as_good_as_new(tmp_path: Path) -> None:
    path = tmp_path / "it.sqlite"
    with Journal(path) as journal:
        get_or_create_job(journal, "it", "it", Problem(Queens(6), "count"), {})
        job = get_or_create_job(journal, "it", "it", Problem(Queens(8), "all"), {})
        journal.stop(job, "failed", "the rule 'expand' does not compile")
    found, _ = run_through(path, Queens(7), Request(workers=1), [])
    assert found.count == 40


def test_a_journal_that_cannot_be_written_is_not_waited_for(tmp_path: Path) -> None:
    path = made(tmp_path, Queens(10))
    with Journal(path) as journal:
        problem = Problem(Queens(10), "all")
        job = get_or_create_job(journal, "it", "it", problem, {})
        journal.connection.execute("PRAGMA query_only = ON")
        with pytest.raises(BadInput, match="cannot be used: attempt to write a readonly database"):
            search(journal, job, problem, Request(workers=1), UNWATCHED)
        journal.connection.execute("PRAGMA query_only = OFF")  # so that it can be closed


@pytest.mark.parametrize("where", [".", "/", ""])
def test_a_folder_is_no_journal(run: Run, where: str) -> None:
    assert "the journal is a file" in run("count", "hoppers", "--journal", where, code=2).stderr


def test_names_of_journals_are_taken_literally(run: Run, tmp_path: Path) -> None:
    for name in (":memory:", "file:it?mode=memory", "a b#%20.sqlite"):
        run("count", "queens", "--n", "6", "--journal", name, "--quiet")
        assert (tmp_path / name).stat().st_size
        assert "queens" in run("status", name).stdout


def test_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "it.sqlite"
    path.write_text("hello" * 1000)
    with pytest.raises(BadInput, match="not a parsolve journal, or its first bytes are damaged"):
        Journal(path)
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    with pytest.raises(BadInput, match="not a parsolve journal"):
        Journal(path)
    with pytest.raises(BadInput, match="there is no folder"):
        Journal(tmp_path / "no" / "it.sqlite")
    with pytest.raises(BadInput, match="there is no journal"):
        Journal(tmp_path / "other.sqlite", reading=True)
    assert not (tmp_path / "other.sqlite").exists()
