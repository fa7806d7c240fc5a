"""Journals as hostile input: looking at one runs no code of it, and nothing in it leads to a traceback or a hang."""

import itertools
import json
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from forgery import forging
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from journals import EVERY_OUTCOME, job_of, made, pages_of, right_or_refused, run_through
from samples import WALK, edited
from shared import Run
from variants import Variant

from parsolve.batch.journaled import search
from parsolve.cli import main
from parsolve.errors import BadInput, Damaged
from parsolve.journal import schema
from parsolve.journal.jobstore import JobStore
from parsolve.journal.journal import Journal
from parsolve.journal.reader import JournalReader
from parsolve.problem.problem import Problem
from parsolve.puzzles import Queens
from parsolve.search.request import Request

pytest_plugins = ["variants"]

pytestmark = pytest.mark.plain


SPY = WALK.replace("import numpy as np", "import numpy as np\nopen('imported', 'w').close()")
"""A puzzle whose file leaves a trace when it is imported."""


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Run a command that refuses its journal in one line; the line."""
    assert main(words) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1, said
    return said[0]


def forget(path: Path) -> None:
    """Let a puzzle's file be imported once more when it is needed, as another process would."""
    for name in [name for name, module in sys.modules.items() if getattr(module, "__file__", None) == str(path)]:
        del sys.modules[name]


# Code.


def test_looking_imports_nothing(run: Run, tmp_path: Path, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(SPY, own=True)
    run("solve", "my_puzzle.py:Walk", "--journal", "it.sqlite", "--quiet")
    for state in ("done", "stopped"):
        (tmp_path / "imported").unlink()
        forget(tmp_path / "my_puzzle.py")
        with forging(tmp_path / "it.sqlite") as connection:
            connection.execute("UPDATE job SET state = ?", (state,))
        for words in (
            *(("status",), ("status", "--json"), ("show",), ("show", "Walk", "--json")),
            *(("export",), ("export", "--format", "json")),
        ):
            assert "Walk" in run(words[0], "it.sqlite", *words[1:]).stdout
        for more in ((), ("--json",)):
            said = run("show", "it.sqlite", "--solutions", *more, code=2)
            assert f"--puzzle {tmp_path / 'my_puzzle.py'}:Walk" in said.stderr
            assert said.stdout == ""
        assert not (tmp_path / "imported").exists()
        named = run("show", "it.sqlite", "--solutions", "--puzzle", "my_puzzle.py:Walk")
        assert named.stdout == run("solve", "my_puzzle.py:Walk", "--quiet").stdout
    puzzle_file(SPY.replace("+ step)", "+ 1 * step)"), own=True)
    done = run("show", "it.sqlite", "--solutions", "--puzzle", "my_puzzle.py:Walk", code=2)
    assert "is not the puzzle of the job Walk, or has been edited since" in done.stderr


def test_a_page_in_use_among_the_free_ones_is_told_before_anything_is_written(tmp_path: Path) -> None:
    """No seal covers the list of free pages: what is written next would take the place of what is there."""
    path = made(tmp_path)
    whole = path.read_bytes()
    page = int.from_bytes(whole[16:18])
    for number in range(2, len(whole) // page + 1):
        path.write_bytes(whole[:32] + number.to_bytes(4) + (1).to_bytes(4) + whole[40:])
        with pytest.raises(Damaged), Journal(path):
            pass
    path.write_bytes(whole)
    with Journal(path) as journal:
        assert journal.job("it") is not None


@pytest.mark.parametrize("source", ["{folder}/evil.py:Walk", "evil:Walk", "antigravity:X", "queens:Queens"])
def test_a_forged_source_runs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], source: str
) -> None:
    path = made(tmp_path)
    (tmp_path / "evil.py").write_text(SPY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    with forging(path) as connection:
        connection.execute("UPDATE job SET source = ?", (source.format(folder=tmp_path),))
    assert "runs no code that only the journal names" in refused(capsys, "show", str(path), "--solutions")
    assert main(("report", str(path), "-o", "it.html")) == 0
    assert "runs no code that only the journal names" in (tmp_path / "it.html").read_text()
    assert not (tmp_path / "imported").exists()
    assert not {"evil", "antigravity"} & set(sys.modules)


def test_resuming_runs_what_the_command_names(run: Run, tmp_path: Path, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK)
    run("count", "my_puzzle.py:Walk", "--journal", "it.sqlite", "--quiet")
    puzzle_file(SPY, "evil.py", own=True)
    with forging(tmp_path / "it.sqlite") as connection:
        connection.execute("UPDATE job SET source = ?, state = 'stopped'", (f"{tmp_path / 'evil.py'}:Walk",))
    assert run("count", "my_puzzle.py:Walk", "--journal", "it.sqlite", "--quiet").stdout == "1\n"
    assert not (tmp_path / "imported").exists()


# Schemas.


@pytest.mark.parametrize(
    "statements",
    [
        "ALTER TABLE job RENAME TO real; CREATE VIEW job AS"
        " WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT real.* FROM n, real",
        "ALTER TABLE iteration RENAME TO i; CREATE VIEW iteration AS SELECT * FROM i",
        "CREATE TRIGGER bomb AFTER UPDATE ON job BEGIN DELETE FROM solution; END",
        "CREATE INDEX odd ON job (abs(nodes))",
        "DROP INDEX entries_of_job; CREATE INDEX entries_of_job ON entries (job) WHERE job > 5",
        "ALTER TABLE job ADD COLUMN odd AS (abs(nodes))",
        "ALTER TABLE job DROP COLUMN notes",
        "DROP TABLE checkpoint; CREATE VIRTUAL TABLE checkpoint USING fts5(job)",
        "CREATE TABLE more (x)",
        "DROP TABLE summary",
        "DELETE FROM summary",
        "INSERT INTO summary VALUES (0, '')",
        "DELETE FROM job",
    ],
)
def test_a_schema_that_is_not_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str], statements: str) -> None:
    path = made(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        try:
            connection.executescript(statements)
        except sqlite3.OperationalError as error:
            pytest.skip(f"this SQLite cannot make it: {error}")
    for words in (("status",), ("export",), ("show", "--solutions")):
        assert "is damaged" in refused(capsys, words[0], str(path), *words[1:])
    with pytest.raises(Damaged):
        Journal(path)


def test_a_comment_of_the_tables_may_change(tmp_path: Path) -> None:
    """SQLite keeps it with them."""
    path = made(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '-- ', '--')"
        )
    with Journal(path) as journal:
        assert [job.name for job in journal.jobs()] == ["it"]


# Pages.


def test_pages_that_are_swapped(tmp_path: Path) -> None:
    """Once 10 of 78 swaps led to another order, and one to no jobs."""
    path = tmp_path / "it.sqlite"
    run_through(path, Queens(9), Request(workers=1), [])
    pages = pages_of(path)
    assert len(pages) > 8
    for a, b in itertools.combinations(range(1, len(pages)), 2):
        swapped = list(pages)
        swapped[a], swapped[b] = pages[b], pages[a]
        path.write_bytes(b"".join(swapped))
        assert right_or_refused(path), (a, b)
        path.write_bytes(b"".join(swapped))
        try:
            with JournalReader(path) as journal:
                (job,) = journal.jobs()
                journal.verify(job)
                assert len(list(journal.solutions(job))) == 352, (a, b)
        except BadInput:
            pass


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False), st.integers(0, 3))
def test_a_copy_made_while_it_was_written(
    compiled: None, tmp_path: Path, moments: list[list[bytes]], random_: object, first: int
) -> None:
    """Some pages of one moment, some of the next, and nothing of what lies beside: refused, or right all the same."""
    before, after = moments[first], moments[first + 1]
    mixed = [random_.choice((old, new)) for old, new in zip(before, after, strict=False)]  # type: ignore[attr-defined]
    longer = max(before, after, key=len)
    path = tmp_path / "copy.sqlite"
    path.write_bytes(b"".join([*mixed, *longer[len(mixed) : random_.randint(len(mixed), len(longer))]]))  # type: ignore[attr-defined]
    assert right_or_refused(path)


@pytest.fixture(scope="module")
def moments(tmp_path_factory: pytest.TempPathFactory) -> list[list[bytes]]:
    """The pages of a journal after its first checkpoints."""
    path = tmp_path_factory.mktemp("moments") / "it.sqlite"
    found = []
    with Journal(path) as journal:
        save = journal.save

        def saving(*arguments: object) -> int:
            size = save(*arguments)  # type: ignore[arg-type]
            found.append(pages_of(path))
            return size

        journal.save = saving  # type: ignore[method-assign]
        problem, request = Problem(Queens(9), "all"), Request(workers=1, budget=400, buffer=20, tuning=EVERY_OUTCOME)
        search(JobStore(journal, job_of(journal, problem), tuning=EVERY_OUTCOME), problem, request)
    assert len(found) > 5
    assert len({json.dumps([page.hex() for page in pages]) for pages in found[:5]}) == 5
    return found


# Journals that are refused, in one line each, and those that others are using.


def test_an_edited_puzzle_is_refused(run: Run, tmp_path: Path, variant: Variant, compiled: None) -> None:
    variant(WALK, own_file=True)
    text = (tmp_path / "my_puzzle.py").read_text()
    words = ("count", "my_puzzle.py:Walk", "--journal", "it.sqlite", "--quiet")
    assert run(*words).stdout == "1\n"
    variant(edited("+ step)", "+ 1 * step)"), own_file=True)
    assert "my_puzzle.py:Walk have been edited since" in run(*words, code=2).stderr
    (tmp_path / "my_puzzle.py").write_text(f"{text}\n# edited\n")  # what it does is the same
    assert run(*words).stdout == "1\n"


@pytest.mark.parametrize("version", [5, schema.VERSION + 1])
@pytest.mark.parametrize("kind", [JournalReader, Journal])
def test_a_journal_of_another_version_is_refused(
    tmp_path: Path, version: int, kind: type[JournalReader], compiled: None
) -> None:
    path = made(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    said = f"of another version of parsolve .journal version {version}, here {schema.VERSION}.: use that one, or name"
    with pytest.raises(BadInput, match=said):
        kind(path)
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
def test_a_journal_that_is_not_as_it_was_written_is_refused(tmp_path: Path, statement: str, compiled: None) -> None:
    """As SQLite's recovery may leave it: sound as a database."""
    path = made(tmp_path, Queens(10))
    with sqlite3.connect(path) as connection:
        assert connection.execute(statement).rowcount == 1
    with pytest.raises(Damaged, match="written"), Journal(path) as journal:
        job_of(journal, Problem(Queens(10), "all"))


def test_a_job_that_came_to_nothing_yet_is_as_good_as_new(tmp_path: Path, compiled: None) -> None:
    path = tmp_path / "it.sqlite"
    with Journal(path) as journal:
        job_of(journal, Problem(Queens(6), "count"))
        job = job_of(journal, Problem(Queens(8), "all"))
        journal.stop(job, "failed", "the rule 'expand' does not compile")
    found, _ = run_through(path, Queens(7), Request(workers=1), [])
    assert found.count == 40


def test_a_journal_that_cannot_be_written_is_not_waited_for(tmp_path: Path, compiled: None) -> None:
    path = made(tmp_path, Queens(10))
    with Journal(path) as journal:
        problem = Problem(Queens(10), "all")
        job = job_of(journal, problem)
        journal._database.connection.execute("PRAGMA query_only = ON")
        with pytest.raises(BadInput, match="cannot be used: attempt to write a readonly database"):
            search(JobStore(journal, job), problem, Request(workers=1))
        journal._database.connection.execute("PRAGMA query_only = OFF")  # so that it can be closed


def test_names_of_journals_are_taken_literally(run: Run, tmp_path: Path, compiled: None) -> None:
    for name in (":memory:", "file:it?mode=memory", "a b#%20.sqlite"):
        run("count", "queens", "--n", "6", "--journal", name, "--quiet")
        assert (tmp_path / name).stat().st_size
        assert "queens" in run("status", name).stdout


def test_what_is_no_journal_is_refused(tmp_path: Path, compiled: None) -> None:
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
