"""One writer of a journal by whatever name; and nothing that is not parsolve's is ever written or removed."""

import os
import shutil
from pathlib import Path

import pytest
from journals import made, run_through
from shared import Run

from parsolve.batch.run import get_or_create_job
from parsolve.errors import BadInput, JournalGone
from parsolve.journal.journal import Journal
from parsolve.problem.problem import Problem
from parsolve.puzzles import Queens
from parsolve.search.request import Request

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("how", ["deleted", "renamed", "replaced"])
def test_a_journal_that_is_not_in_its_place_any_more(tmp_path: Path, how: str) -> None:
    path = tmp_path / "it.sqlite"
    with Journal(path) as journal:
        job = get_or_create_job(journal, "it", "it", Problem(Queens(6), "all"), {})
        if how == "deleted":
            path.unlink()
        elif how == "renamed":
            path.rename(tmp_path / "other.sqlite")
        else:
            shutil.copy(path, tmp_path / "copy")
            (tmp_path / "copy").rename(path)
        with pytest.raises(JournalGone, match="was deleted, moved or replaced"):
            journal.begin(job, "rules", "data")


# What is not parsolve's.


def test_no_lock_file_is_touched(tmp_path: Path, run: Run) -> None:
    (tmp_path / "poetry.lock").write_text("x\n")
    (tmp_path / "target.txt").write_text("precious\n")
    (tmp_path / "j.lock").symlink_to("target.txt")
    for name in ("poetry", "j"):
        run("count", "queens", "--n", "6", "--journal", name, "--quiet")
    assert (tmp_path / "poetry.lock").read_text() == "x\n"
    assert (tmp_path / "target.txt").read_text() == "precious\n"
    assert {path.name for path in tmp_path.iterdir()} == {"poetry", "poetry.lock", "j", "j.lock", "target.txt"}


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("link", [False, True])
def test_a_file_beside_a_journal_is_not_taken_for_its_own(tmp_path: Path, ending: str, begun: bool, link: bool) -> None:
    """SQLite would remove it."""
    path = made(tmp_path) if begun else tmp_path / "it.sqlite"
    beside = path.with_name(path.name + ending)
    if link:
        (tmp_path / "target.txt").write_text("precious\n")
        beside.symlink_to("target.txt")
    else:
        beside.write_text("precious\n")
    for reading in (False, True):
        with pytest.raises(BadInput, match=f"it.sqlite{ending} does not belong to the journal|no journal"):
            Journal(path, reading=reading)
    assert beside.read_text() == "precious\n"


def test_what_is_left_under_another_name_is_not_passed_over(tmp_path: Path) -> None:
    """It would be rolled back later, into a journal that has changed since."""
    path = made(tmp_path)
    other = tmp_path / "other.sqlite"
    other.hardlink_to(path)
    left = tmp_path / "it.sqlite-journal"
    left.write_bytes(bytes.fromhex("d9d505f920a163d7") + bytes(504))
    for reading in (False, True):
        with pytest.raises(BadInput, match=r"was last written as .*it\.sqlite by a process that was killed"):
            Journal(other, reading=reading)
    left.write_bytes(bytes(512))  # of a transaction that has written nothing yet: SQLite leaves it
    for reading in (False, True):
        Journal(other, reading=reading).close()
    left.unlink()
    Journal(other).close()
    found, _ = run_through(other, Queens(8), Request(workers=1), [])
    assert found.count == 92


@pytest.mark.parametrize("where", ["/dev/null", "/dev/zero", "pipe"])
def test_what_is_no_plain_file_is_no_journal(tmp_path: Path, where: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    for reading in (False, True):
        with pytest.raises(BadInput, match="is not a plain file"):
            Journal(tmp_path / where, reading=reading)
    with pytest.raises(BadInput, match="File name too long"):
        Journal(tmp_path / ("x" * 300))
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]
