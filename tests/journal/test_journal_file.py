"""One writer of a journal by whatever name; and nothing that is not parsolve's is ever written or removed."""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from journals import LONG, job_of, made, run_through, start, until_saved
from shared import Run

from parsolve.errors import BadInput, JournalGone
from parsolve.journal.database import Database
from parsolve.journal.journal import Journal
from parsolve.journal.journalfile import JournalFile, is_locked, require_own_side_files
from parsolve.journal.reader import JournalReader
from parsolve.problem.problem import Identity, Problem
from parsolve.puzzles import Queens
from parsolve.search.request import Request

pytestmark = pytest.mark.plain


def test_a_journal_that_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "it.sqlite"
    with Journal(path) as journal:
        job = job_of(journal, Problem(Queens(6), "all"))
        shutil.copy(path, tmp_path / "copy")
        (tmp_path / "copy").rename(path)
        with pytest.raises(JournalGone, match="was deleted, moved or replaced"):
            journal.begin(job, Identity("rules", "data"))


@pytest.mark.processes
def test_a_reader_keeps_others_from_writing_as_long_as_it_reads(tmp_path: Path, compiled: None) -> None:
    """Otherwise it finds half of a transaction, and reports a sound journal as damaged; also beside another reader."""
    path = made(tmp_path)
    write = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN EXCLUSIVE')"
    with JournalReader(path) as reader:
        for _ in reader.each_job():
            assert reader.job("it") is not None
            with JournalReader(path) as other:
                assert other.job("it") is not None
            asked = subprocess.run([sys.executable, "-c", write, path], capture_output=True, check=False)
            assert b"database is locked" in asked.stderr


def test_a_reader_is_not_refused_when_a_writer_ends_a_transaction(tmp_path: Path) -> None:
    path, beside = made(tmp_path), tmp_path / "it.sqlite-journal"

    def end_transactions() -> None:
        for _ in range(3000):
            beside.write_bytes(bytes(8))
            beside.unlink()

    with ThreadPoolExecutor(1) as threads:
        writer = threads.submit(end_transactions)
        while not writer.done():
            require_own_side_files(path)


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
    for kind in (Journal, JournalReader):
        with pytest.raises(BadInput, match=f"it.sqlite{ending} does not belong to the journal|no journal"):
            kind(path)
    assert beside.read_text() == "precious\n"


def test_what_is_left_under_another_name_is_not_passed_over(tmp_path: Path) -> None:
    """It would be rolled back later, into a journal that has changed since."""
    path = made(tmp_path)
    other = tmp_path / "other.sqlite"
    other.hardlink_to(path)
    left = tmp_path / "it.sqlite-journal"
    left.write_bytes(bytes.fromhex("d9d505f920a163d7") + bytes(504))
    for kind in (Journal, JournalReader):
        with pytest.raises(BadInput, match=r"was last written as .*it\.sqlite by a process that was killed"):
            kind(other)
    left.write_bytes(bytes(512))  # of a transaction that has written nothing yet: SQLite leaves it
    for kind in (Journal, JournalReader):
        kind(other).close()
    left.unlink()
    Journal(other).close()
    found, _ = run_through(other, Queens(8), Request(workers=1), [])
    assert found.count == 92


@pytest.mark.parametrize(
    ("where", "says"),
    [
        *((where, "is not a plain file") for where in ("/dev/null", "/dev/zero", "pipe")),
        *((where, "the journal is a file, not the folder") for where in (".", "/", "")),
    ],
)
def test_what_is_no_plain_file_is_no_journal(tmp_path: Path, where: str, says: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    for kind in (Journal, JournalReader):
        with pytest.raises(BadInput, match=says):
            kind(tmp_path / where)
    with pytest.raises(BadInput, match="File name too long"):
        Journal(tmp_path / ("x" * 300))
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]


OPEN = """
import sys, time
from pathlib import Path
from parsolve.journal.journalfile import JournalFile
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


@pytest.mark.processes
@pytest.mark.parametrize("how", ["the same", "symlink", "hard link", "bind mount", "renamed"])
def test_one_writer_by_any_name(tmp_path: Path, writer: "subprocess.Popen[str]", how: str, compiled: None) -> None:
    other = another_name(tmp_path, how)
    file = other.open()
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
        file.close()
        if how == "bind mount":
            subprocess.run(["umount", str(other)], check=False)


def test_two_threads_open_one_file(tmp_path: Path) -> None:
    """The one that is refused takes nothing from the other."""
    path = tmp_path / "a"

    def open_at_once(_: int) -> JournalFile | None:
        start.wait()
        with contextlib.suppress(BadInput):
            return JournalFile(path)
        return None

    with ThreadPoolExecutor(2) as threads:
        for _ in range(100):
            start = threading.Barrier(2)
            (opened,) = filter(None, threads.map(open_at_once, range(2)))
            with pytest.raises(BadInput, match="in use by this process"):
                JournalFile(path)
            opened.close()


@pytest.mark.processes
def test_a_writer_in_the_same_process(tmp_path: Path, compiled: None) -> None:
    with Journal(tmp_path / "a") as journal:
        job_of(journal, Problem(Queens(6), "all"))
        (tmp_path / "b").hardlink_to(tmp_path / "a")
        for name in ("a", "b"):
            with pytest.raises(BadInput, match="in use by this process"):
                Journal(tmp_path / name)
            with JournalReader(tmp_path / name) as reader:
                assert [job.name for job in reader.jobs()] == ["it"]
        # And the first is as locked as before.
        asked = subprocess.run([sys.executable, "-c", OPEN, str(tmp_path / "b")], capture_output=True, check=False)
        assert b"is in use by" in asked.stderr


@pytest.mark.processes
def test_a_search_whose_journal_is_deleted_fails(tmp_path: Path, compiled: None) -> None:
    process = start(tmp_path, *LONG, "--workers", "1", "--quiet")
    until_saved(tmp_path, process, 0.0)
    (tmp_path / "it.sqlite").unlink()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 4
    assert out == ""
    assert "it.sqlite was deleted, moved or replaced while it was in use" in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.processes
def test_a_journal_that_is_deleted_in_the_middle_of_a_transaction_is_gone(tmp_path: Path, compiled: None) -> None:
    path = tmp_path / "it.sqlite"
    database = Database(path, reading=False)

    def write_after_deleting() -> None:
        with database.transaction("DEFERRED") as write:
            path.unlink()
            write.execute("UPDATE summary SET path = 'elsewhere'")

    with pytest.raises(JournalGone, match="was deleted, moved or replaced"):
        write_after_deleting()
    database.close()


@pytest.mark.processes
@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="needs another user")
def test_another_user_sees_that_a_journal_is_in_use(
    tmp_path: Path, writer: "subprocess.Popen[str]", compiled: None
) -> None:
    (tmp_path / "a").chmod(0o444)
    tmp_path.chmod(0o755)
    asking = f"""
import os, sys
from pathlib import Path
from parsolve.journal.journalfile import is_locked
os.setgroups([])
path = Path({str(tmp_path / "a")!r})
handle = os.open(path.parent, os.O_RDONLY)
os.fchdir(handle)
os.setuid(65534)
file = open("a")
print(is_locked(Path("a")))
"""
    said = subprocess.run([sys.executable, "-c", asking], capture_output=True, text=True, check=False)
    assert said.stdout == "True\n", said.stderr
