"""The journal: a search goes on where it stopped, whatever stopped it; refusals; and nothing counts twice."""

import json
import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from hypothesis import given, settings
from hypothesis import strategies as st

import parsolve
from parsolve.engine import checkpoint as checkpoints
from parsolve.engine.branch import Branch
from parsolve.engine.progress import Progress
from parsolve.engine.report import Report
from parsolve.errors import BadInput
from parsolve.journal import journal as journals
from parsolve.journal import keeper as keepers
from parsolve.journal import schema
from parsolve.journal.jobs import Settings
from parsolve.journal.journal import Journal, on_network
from parsolve.journal.lock import Lock
from parsolve.journal.run import entered, search
from parsolve.puzzle import Puzzle, Want
from parsolve.puzzles import Jugs, Peg, Queens, Sliding

PUZZLES: dict[str, tuple[Puzzle, Want, int]] = {
    "sliding": (Sliding(bound="none", start="4 1 3 7 2 6 5 8 0"), "all", 1),
    "hoppers": (Peg(first="0-6"), "all", 18),
    "hoppers with a table": (Peg(first="0-6"), "count", 18),
    "queens": (Queens(7), "all", 40),
    "first queens": (Queens(8), "first", 1),
    "quadrants": (Queens(11, "quadrants"), "count", 2680),
    "unique quadrants": (Queens(11, "quadrants", True), "count", 341),
    "jugs": (Jugs(), "all", 1),
}


class Pulled(BaseException):
    """The plug."""


class Plug(Report):
    """Pulls the plug after so many outcomes."""

    def __init__(self, after: int) -> None:
        self.left = after

    def progress(self, progress: Progress) -> None:
        self.left -= 1
        if self.left < 0:
            raise Pulled


def run_through(
    path: Path, puzzle: Puzzle, want: Want, settings: Settings, pulls: list[int], hard: bool = True
) -> tuple[Any, list[tuple[int, ...]]]:
    """Search with a journal, pulling the plug after these numbers of outcomes.

    `hard`: after as many checkpoints, and what the last one does not hold is lost, as by SIGKILL."""
    for after in [*pulls, 1 << 60]:
        given: list[tuple[int, ...]] = []
        with Journal(path) as journal:
            job = entered(journal, "it", "it", puzzle, want, {})
            if hard and after < 1 << 60:
                journal.save = _refuse_after(journal, after)  # type: ignore[method-assign]
            try:
                found = search(journal, job, puzzle, settings, given.append, Plug(after))
            except Pulled:
                continue
            return found, given
    raise AssertionError


def _refuse_after(journal: Journal, after: int) -> Any:
    keep, saves = journal.save, iter(range(1 << 60))

    def save(*arguments: Any) -> None:
        if next(saves) >= after:
            raise Pulled
        keep(*arguments)

    return save


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("name", PUZZLES)
def test_a_search_goes_on_where_it_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, hard: bool
) -> None:
    monkeypatch.setattr(keepers, "EVERY", 0.0)
    puzzle, want, count = PUZZLES[name]
    engine = "deepening"
    plain = parsolve.solve(puzzle, want=want, workers=1, engine="deepening")
    settings = Settings(want, workers=1, engine=engine, table=1 << 12 if "table" in name else None)  # type: ignore[arg-type]
    found, given = run_through(tmp_path / "it.sqlite", puzzle, want, settings, [0, 1, 2, 3, 5, 8], hard)
    assert (found.status, found.cost, found.count) == (plain.status, plain.cost, plain.count)
    assert given == plain.paths
    assert found.found_so_far == count
    assert [(each.limit, each.solutions) for each in found.iterations] == [
        (each.limit, each.solutions) for each in plain.iterations
    ]
    with Journal(tmp_path / "it.sqlite", reading=True) as journal:
        (job,) = journal.jobs()
        assert (job.state, job.status, job.count, job.found) == ("done", plain.status, plain.count, count)
        assert list(journal.solutions(job))[: len(given)] == given
        assert journal.checkpoint(job) is None


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 12), max_size=8), st.sampled_from(list(PUZZLES)), st.integers(1, 400), st.booleans())
def test_whenever_it_stops(
    tmp_path_factory: pytest.TempPathFactory, pulls: list[int], name: str, budget: int, hard: bool
) -> None:
    puzzle, want, _ = PUZZLES[name]
    if name == "first queens" or name == "sliding":
        budget = max(budget, 20)
    plain = parsolve.solve(puzzle, want=want, workers=1, engine="deepening", table=0)
    path = tmp_path_factory.mktemp("it") / "it.sqlite"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keepers, "EVERY", 0.0)
        patch.setattr("parsolve.journal.run.solve", _with(budget=budget, buffer=2))
        found, given = run_through(path, puzzle, want, Settings(want, 1, "deepening", 0), pulls, hard)
    assert (found.status, found.cost, found.count, given) == (plain.status, plain.cost, plain.count, plain.paths)
    if want != "first":  # how much is searched before what comes later is dropped depends on the slices
        assert found.nodes == plain.nodes


def _with(**more: Any) -> Callable[..., Any]:
    def solve(*arguments: Any, **options: Any) -> Any:
        return parsolve.solve(*arguments, **options | more)

    return solve


def test_more_solutions_than_the_buffer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They go to the disk, and come out in depth-first order."""
    monkeypatch.setattr(keepers, "BUFFER", 10)
    most = []
    add = keepers.JournalKeeper.add

    def watched(self: Any, paths: Any) -> None:
        add(self, paths)
        most.append(len(self._paths))

    monkeypatch.setattr(keepers.JournalKeeper, "add", watched)
    monkeypatch.setattr("parsolve.journal.run.solve", _with(budget=300, buffer=5))
    found, given = run_through(tmp_path / "it.sqlite", Queens(9), "all", Settings(workers=1), [3])
    assert found.count == len(given) == 352
    assert given == parsolve.solve(Queens(9), workers=1).paths
    assert max(most) <= 15


def test_a_done_job_is_told_without_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, given = run_through(tmp_path / "it.sqlite", Peg(first="0-6"), "all", Settings(workers=1), [])
    monkeypatch.setattr("parsolve.journal.run.solve", None)
    again, given_again = run_through(tmp_path / "it.sqlite", Peg(first="0-6"), "all", Settings(workers=1), [])
    assert given_again == given
    assert (again.status, again.cost, again.count, again.nodes) == ("solved", 7, 18, found.nodes)
    assert again.iterations == found.iterations


@pytest.mark.parametrize("engine", ["breadth", "both"])
def test_other_engines_keep_their_results(tmp_path: Path, engine: Any) -> None:
    for _ in range(2):
        found, given = run_through(tmp_path / "it.sqlite", Jugs(), "all", Settings(workers=1, engine=engine), [])
        assert (found.cost, found.count, len(given)) == (10, 1, 1)


def test_a_journal_of_other_workers_and_start_methods(tmp_path: Path, run: Run) -> None:
    """And of another process: stopped by a time limit, twice."""
    words = ("solve", "eight", "--bound", "none", "--journal", "it.sqlite", "--quiet")
    plain = run("solve", "eight", "--bound", "none", "--quiet").stdout
    for workers, method in ((1, "forkserver"), (3, "spawn"), (2, "forkserver")):
        done = run(*words, "--workers", str(workers), "--start-method", method, "--timeout", "0.15s", code=None)
        assert done.returncode in (0, 3)
        if done.returncode == 3:
            assert "the time is up: --timeout 0.15 s" in done.stderr
    assert run(*words, "--workers", "2").stdout == plain
    (row,) = json.loads(run("export", "it.sqlite", "--format", "json").stdout)
    assert (row["state"], row["count"], row["cost"]) == ("done", 40, 31)


def start(folder: Path, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "parsolve", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


LONG = ("count", "queens", "--n", "17", "--method", "bits", "--journal", "it.sqlite")


def until_saved(folder: Path, process: "subprocess.Popen[str]", share: float) -> None:
    """Wait until a checkpoint of some share is in the journal."""
    until = time.monotonic() + 90
    while time.monotonic() < until and process.poll() is None:
        try:
            with Journal(folder / "it.sqlite", reading=True) as journal:
                job = journal.job("queens")
                checkpoint = job and journal.checkpoint(job)
                if checkpoint and checkpoint.share > share:
                    return
        except BadInput:
            pass
        time.sleep(0.1)
    process.kill()
    raise AssertionError(process.communicate())


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_keeps_what_was_done(tmp_path: Path, run: Run, number: int, code: int) -> None:
    process = start(tmp_path, *LONG, "--workers", "2")
    until_saved(tmp_path, process, 0.001)
    begin = time.monotonic()
    process.send_signal(number)
    _, told = process.communicate(timeout=20)
    assert process.returncode == code, told
    assert time.monotonic() - begin < 5
    (row,) = json.loads(run("status", "it.sqlite", "--json").stdout)
    assert (row["state"], row["message"]) == ("stopped", "interrupted")
    assert 0 < row["done"] < 1
    assert row["nodes"] > 1000


def test_two_processes_on_one_journal(tmp_path: Path, run: Run) -> None:
    process = start(tmp_path, *LONG, "--workers", "1")
    until_saved(tmp_path, process, 0.0)
    done = run(*LONG, code=2)
    assert f"it.sqlite is in use by process {process.pid} on " in done.stderr
    assert "running" in run("status", "it.sqlite").stdout
    process.kill()
    process.communicate()
    assert "stopped" in run("status", "it.sqlite").stdout
    # The lock goes with its process.
    assert run(*LONG, "--timeout", "0.1s", code=3).stderr


# Refusals.


def made(folder: Path, puzzle: Puzzle | None = None) -> Path:
    """A journal with a job that is not done."""
    path = folder / "it.sqlite"
    with Journal(path) as journal:
        job = entered(journal, "it", "it", puzzle or Queens(8), "all", {})
        with pytest.raises(Pulled):
            search(journal, job, puzzle or Queens(8), Settings(workers=1), lambda _: None, Plug(0))
    return path


def test_another_puzzle_or_parameter_is_refused(run: Run, tmp_path: Path) -> None:
    words = ("--journal", "it.sqlite", "--workers", "1", "--quiet")
    run("solve", "queens", "--n", "6", *words)
    assert "has n 6, not 7" in run("solve", "queens", "--n", "7", *words, code=2).stderr
    assert "has want all, not count" in run("count", "queens", "--n", "6", *words, code=2).stderr
    assert "it.sqlite is of queens, not of hoppers" in run("solve", "hoppers", *words, code=2).stderr
    assert len(run("solve", "queens", "--n", "6", *words).stdout.splitlines()) == 4


def test_an_edited_puzzle_is_refused(run: Run, puzzle_file: Callable[..., Path]) -> None:
    from samples import WALK

    puzzle_file(WALK)
    words = ("count", "my_puzzle.py:Walk", "--journal", "it.sqlite", "--quiet")
    assert run(*words).stdout == "1\n"
    puzzle_file(WALK + "\n# edited\n")
    assert "my_puzzle.py:Walk have been edited since" in run(*words, code=2).stderr
    puzzle_file(WALK)
    assert run(*words).stdout == "1\n"


def test_branches_that_mean_something_else_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path)
    monkeypatch.setattr(journals, "MEANING", 2)
    with Journal(path) as journal, pytest.raises(BadInput, match="branches mean something else"):
        entered(journal, "it", "it", Queens(8), "all", {})


def test_a_newer_journal_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    with pytest.raises(BadInput, match=f"newer parsolve .journal version {schema.VERSION + 1}"):
        Journal(path)


def test_an_older_journal_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path)
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, "ALTER TABLE job ADD COLUMN colour TEXT;"))
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 1)
    monkeypatch.setattr(journals, "VERSION", schema.VERSION)
    with Journal(path) as journal:
        assert journal.connection.execute("SELECT colour FROM job").fetchall()
        assert journal.connection.execute("PRAGMA user_version").fetchone()[0] == schema.VERSION
    with Journal(path, reading=True):
        pass


def test_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "it.sqlite"
    path.write_text("hello" * 1000)
    with pytest.raises(BadInput, match=r"is damaged .*\.recover"):
        Journal(path)
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    with pytest.raises(BadInput, match="no parsolve journal"):
        Journal(path)
    with pytest.raises(BadInput, match="there is no folder"):
        Journal(tmp_path / "no" / "it.sqlite")
    with pytest.raises(BadInput, match="there is no journal"):
        Journal(tmp_path / "other.sqlite", reading=True)
    assert not (tmp_path / "other.sqlite").exists()


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_truncated_journal_is_refused_or_right(tmp_path: Path, share: float) -> None:
    path = made(tmp_path, Queens(9))
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(BadInput, match="is damaged"):
        Journal(path)
    assert not path.with_name("it.sqlite.lock").exists()


def test_a_solution_cannot_count_twice(tmp_path: Path) -> None:
    path = made(tmp_path)
    with Journal(path) as journal:
        job = journal.job("it")
        checkpoint = job and journal.checkpoint(job)
        assert job
        assert checkpoint
        found = parsolve.solve(Queens(4), workers=1)
        journal.save(job, found, checkpoint, [(1, 2, 3)])
        with pytest.raises(sqlite3.IntegrityError):
            journal.save(job, found, checkpoint, [(7, 7), (1, 2, 3)])
        assert (7, 7) not in list(journal.solutions(job))


# Full disks.


def test_a_full_disk_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keepers, "EVERY", 0.0)
    monkeypatch.setattr(keepers.time, "sleep", lambda _: None)
    told: list[str] = []
    looks: list[int] = []
    full = {"left": 5}
    save = Journal.save

    def failing(self: Journal, *arguments: Any) -> None:
        if len(told) < 1 or full["left"]:
            full["left"] -= full["left"] > 0
            raise sqlite3.OperationalError("database or disk is full")
        save(self, *arguments)

    class Listener(Report):
        def waiting(self, why: str) -> None:
            told.append(why)

        def look(self) -> None:
            looks.append(1)

    monkeypatch.setattr(Journal, "save", failing)
    given: list[Any] = []
    with Journal(tmp_path / "it.sqlite") as journal:
        job = entered(journal, "it", "it", Queens(8), "all", {})
        found = search(journal, job, Queens(8), Settings(workers=1), given.append, Listener())
    assert (found.count, len(given), len(looks), len(told)) == (92, 92, 5, 1)
    assert "cannot be written (database or disk is full): waiting" in told[0]


def test_a_full_disk_for_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's own limit on the pages of the file; stopped while it waits, the journal is as it was last kept."""
    monkeypatch.setattr(keepers, "EVERY", 0.0)
    monkeypatch.setattr(keepers.time, "sleep", lambda _: None)
    monkeypatch.setattr("parsolve.journal.run.solve", _with(budget=500, buffer=20))
    puzzle = Queens(9)
    path = tmp_path / "it.sqlite"

    class Impatient(Report):
        def look(self) -> None:
            raise Pulled

    with Journal(path) as journal:
        job = entered(journal, "it", "it", puzzle, "all", {})
        (pages,) = journal.connection.execute("PRAGMA page_count").fetchone()
        journal.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(Pulled):
            search(journal, job, puzzle, Settings(workers=1), lambda _: None, Impatient())
    with Journal(path, reading=True) as journal:
        job = journal.job("it") or job
        kept = list(journal.solutions(job))
        assert job.state == "stopped"
        assert 0 < len(kept) < 352
    found, given = run_through(path, puzzle, "all", Settings(workers=1), [])
    assert (found.count, given) == (352, parsolve.solve(puzzle, workers=1).paths)


# Parts.


def test_branches_are_plain_data() -> None:
    branch = Branch((0, 3), ((), (5, 6), (1,)), (1, 4, 2))
    text = journals._text(branch)
    assert text == "[[0,3],[[],[5,6],[1]],[1,4,2]]"
    assert journals._branch(text) == branch


@given(st.lists(st.lists(st.integers(0, 65535), max_size=5).map(tuple), unique=True))
def test_packed_solutions_sort_in_depth_first_order(paths: list[tuple[int, ...]]) -> None:
    assert sorted(paths) == sorted(paths, key=journals._packed)


def test_locks(tmp_path: Path) -> None:
    path = tmp_path / "it.sqlite"
    lock = Lock(path)
    with pytest.raises(BadInput, match=f"in use by process {os.getpid()} on "):
        Lock(path)
    lock.release()
    Lock(path).release()
    assert list(tmp_path.iterdir()) == []


def test_a_lock_goes_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "it.sqlite"
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_hold, args=(path,))
    process.start()
    until = time.monotonic() + 30
    while not path.exists() and time.monotonic() < until:
        time.sleep(0.01)
    with pytest.raises(BadInput, match=f"in use by process {process.pid} "):
        Lock(path)
    process.kill()
    process.join()
    Lock(path).release()


def _hold(path: Path) -> None:
    lock = Lock(path)
    path.touch()
    time.sleep(60)
    lock.release()


def test_network_file_systems(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Part:
        def __init__(self, mountpoint: str, fstype: str) -> None:
            self.mountpoint, self.fstype = mountpoint, fstype

    parts = [Part("/", "ext4"), Part(str(tmp_path), "nfs4"), Part(str(tmp_path / "local"), "xfs")]
    monkeypatch.setattr(journals.psutil, "disk_partitions", lambda all: parts)
    assert on_network(tmp_path / "it.sqlite")
    assert not on_network(tmp_path / "local" / "it.sqlite")
    assert not on_network(Path("/it.sqlite"))
    with Journal(tmp_path / "it.sqlite") as journal:
        assert journal.connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
    monkeypatch.setattr(journals.psutil, "disk_partitions", lambda all: parts[:1])
    with Journal(tmp_path / "other.sqlite") as journal:
        assert journal.connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert journal.connection.execute("PRAGMA synchronous").fetchone()[0] == 2


def test_checkpoints_hold_what_is_with_workers() -> None:
    """The branches of a checkpoint are all that is left, also what is being searched."""
    kept: list[checkpoints.Checkpoint] = []

    class Keeping(checkpoints.Keeper):
        due = True  # type: ignore[assignment]

        def save(self, checkpoint: checkpoints.Checkpoint) -> None:
            kept.append(checkpoint)

    puzzle = Sliding(bound="none", start="4 1 3 7 2 6 5 8 0")
    found = parsolve.solve(puzzle, want="count", workers=1, budget=5, keeper=Keeping())
    assert len(kept) > 3

    class Resuming(checkpoints.Keeper):
        def __init__(self, checkpoint: checkpoints.Checkpoint) -> None:
            super().__init__()
            self.checkpoint = checkpoint

        def resume(self) -> checkpoints.Checkpoint:
            return self.checkpoint

    for checkpoint in kept[:: max(1, len(kept) // 10)]:
        again = parsolve.solve(puzzle, want="count", workers=1, keeper=Resuming(checkpoint))
        assert (again.cost, again.count, again.nodes) == (found.cost, found.count, found.nodes)
