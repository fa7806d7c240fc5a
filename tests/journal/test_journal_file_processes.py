"""One writer of a journal by whatever name; and nothing that is not parsolve's is ever written or removed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from journals import LONG, made, run_through, start, until_saved

import parsolve
from parsolve.batch.run import get_or_create_job
from parsolve.errors import BadInput, JournalGone
from parsolve.journal.database import Database
from parsolve.journal.file import JournalFile, is_locked
from parsolve.journal.journal import Journal
from parsolve.problem.problem import Problem
from parsolve.puzzles import Queens
from parsolve.search.request import Request

pytestmark = pytest.mark.processes

OPEN = """
import sys, time
from pathlib import Path
from parsolve.journal.file import JournalFile
file = JournalFile(Path(sys.argv[1]))
print("open", flush=True)
time.sleep(60)
"""


@pytest.fixture
def writer(tmp_path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A process that has the journal `a` open for writing."""
    process = subprocess.Popen(
        [sys.executable, "-c", OPEN, str(tmp_path / "a")], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    yield process
    process.kill()
    process.communicate()


def another_name(folder: Path, how: str) -> Path:
    """The file `a` by another name."""
    other = folder / "b"
    if how == "the same":
        return folder / "a"
    if how == "symlink":
        other.symlink_to("a")
    elif how == "hard link":
        other.hardlink_to(folder / "a")
    elif how == "renamed":
        (folder / "a").rename(other)
    else:
        other.touch()
        mounted = subprocess.run(["mount", "--bind", str(folder / "a"), str(other)], capture_output=True, check=False)
        if mounted.returncode:
            pytest.skip("a file cannot be mounted here: that takes root")
    return other


@pytest.mark.parametrize("how", ["the same", "symlink", "hard link", "bind mount", "renamed"])
def test_one_writer_by_any_name(tmp_path: Path, writer: "subprocess.Popen[str]", how: str) -> None:
    other = another_name(tmp_path, how)
    try:
        assert is_locked(other)
        owner = f"process {writer.pid}" if sys.platform == "linux" else "another process"
        with pytest.raises(BadInput, match=f"the journal {other} is in use by {owner}"):
            JournalFile(other)
        writer.kill()
        writer.wait()
        JournalFile(other).close()  # the lock has gone with its process
        assert not is_locked(other)
    finally:
        if how == "bind mount":
            subprocess.run(["umount", str(other)], check=False)


def test_a_writer_in_the_same_process(tmp_path: Path) -> None:
    with Journal(tmp_path / "a") as journal:
        get_or_create_job(journal, "it", "it", Problem(Queens(6), "all"), {})
        (tmp_path / "b").hardlink_to(tmp_path / "a")
        for name in ("a", "b"):
            with pytest.raises(BadInput, match="in use by this process"):
                Journal(tmp_path / name)
            with Journal(tmp_path / name, reading=True) as reader:
                assert [job.name for job in reader.jobs()] == ["it"]
        # And the first is as locked as before.
        asked = subprocess.run([sys.executable, "-c", OPEN, str(tmp_path / "b")], capture_output=True, check=False)
        assert b"is in use by" in asked.stderr


def test_a_search_whose_journal_is_deleted_fails(tmp_path: Path) -> None:
    process = start(tmp_path, *LONG, "--workers", "1", "--quiet")
    until_saved(tmp_path, process, 0.0)
    (tmp_path / "it.sqlite").unlink()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 4
    assert out == ""
    assert "it.sqlite was deleted, moved or replaced while it was in use" in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_journal_that_is_deleted_in_the_middle_of_a_transaction_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "it.sqlite"
    database = Database(path, reading=False)

    def write_after_deleting() -> None:
        with database.transaction("DEFERRED") as write:
            path.unlink()
            write.execute("UPDATE summary SET path = 'elsewhere'")

    with pytest.raises(JournalGone, match="was deleted, moved or replaced"):
        write_after_deleting()
    database.close()


@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="needs another user")
def test_another_user_sees_that_a_journal_is_in_use(tmp_path: Path, writer: "subprocess.Popen[str]") -> None:
    (tmp_path / "a").chmod(0o444)
    tmp_path.chmod(0o755)
    asking = f"""
import os, sys
from pathlib import Path
from parsolve.journal.file import is_locked
os.setgroups([])
path = Path({str(tmp_path / "a")!r})
handle = os.open(path.parent, os.O_RDONLY)
os.fchdir(handle)
os.setuid(65534)
print(is_locked(Path("a")))
"""
    said = subprocess.run([sys.executable, "-c", asking], capture_output=True, text=True, check=False)
    assert said.stdout == "True\n", said.stderr


def test_a_transaction_that_was_killed_is_rolled_back(tmp_path: Path) -> None:
    """What a killed process leaves beside the journal belongs to it."""
    path = made(tmp_path)
    script = f"""
import os, signal
from pathlib import Path
from parsolve.journal.journal import Journal
journal = Journal(Path({str(path)!r}))
journal.connection.execute("PRAGMA cache_size = 1")
journal.connection.execute("PRAGMA cache_spill = 1")
journal.connection.execute("BEGIN IMMEDIATE")
journal.connection.execute("DELETE FROM checkpoint")
journal.connection.execute("UPDATE job SET name = 'other'")
for number in range(20000):
    journal.connection.execute("INSERT INTO solution VALUES (1, 0, ?)", (number.to_bytes(4),))
assert os.path.exists({str(path) + "-journal"!r})
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert path.with_name("it.sqlite-journal").exists()
    found, given = run_through(path, Queens(8), Request(workers=1), [])
    assert (found.count, given) == (92, parsolve.solve(Queens(8), workers=1).paths)
    assert [each.name for each in tmp_path.iterdir()] == ["it.sqlite"]
