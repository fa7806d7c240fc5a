"""Searches with a journal, stopped and resumed: what the tests of the journal share."""

import functools
import itertools
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parsolve
from parsolve.batch.jobs import FileJob
from parsolve.batch.journaled import get_or_create_jobs, search
from parsolve.errors import BadInput
from parsolve.journal.jobstore import JobStore
from parsolve.journal.journal import Journal
from parsolve.journal.reader import JournalReader
from parsolve.journal.records import Job
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles import Queens
from parsolve.search.checkpoint import CheckpointStore, LevelCheckpoint, Piece
from parsolve.search.request import Request
from parsolve.search.tuning import Tuning
from parsolve.search.watch import Watch

EVERY_OUTCOME = Tuning(checkpoint_seconds=0.0, retry=0.0)
"""A checkpoint after each outcome."""


class Pulled(BaseException):
    """The plug."""


class Plug:
    """Pulls the plug after so many outcomes."""

    def __init__(self, after: int) -> None:
        self.left = after

    def __call__(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Pulled


def job_of(journal: Journal, problem: Problem, request: Request = Request()) -> Job:  # noqa: B008 (it cannot change)
    """The job of a problem, named `it`."""
    listed = [FileJob("it", "it", replace(request, want=problem.want or "all"), {}, problem.given)]
    return get_or_create_jobs(journal, listed, lambda _: Watch())["it"]


def run_through(
    path: Path, puzzle: Puzzle, request: Request, pulls: list[int], hard: bool = True, executor: Any = None
) -> tuple[Any, list[tuple[int, ...]]]:
    """Search with a journal, pulling the plug after these numbers of outcomes.

    `hard`: after as many checkpoints, and what the last one does not hold is lost, as by SIGKILL."""
    for after in [*pulls, 1 << 60]:
        given: list[tuple[int, ...]] = []
        problem, watch = Problem(puzzle, request.want), Watch(check=Plug(after), on_solution=given.append)
        with Journal(path) as journal:
            job = job_of(journal, problem, request)
            if hard and after < 1 << 60:
                journal.save = refuse_after(journal.save, after)  # type: ignore[method-assign]
            try:
                found = search(JobStore(journal, job, watch, request.tuning), problem, request, executor)
            except Pulled:
                continue
            return found, given
    raise AssertionError


def refuse_after(save: Callable[..., Any], after: int) -> Callable[..., Any]:
    """Return a method of a journal that pulls the plug instead of saving after so many times."""
    saves = itertools.count()

    def limited(*arguments: Any) -> Any:
        if next(saves) >= after:
            raise Pulled
        return save(*arguments)

    return limited


SAVING_OFTEN = """
from parsolve.journal.jobstore import JobStore
JobStore.is_due = lambda self, size=0: True
from parsolve.cli import entry
entry()
"""


class Remembering(CheckpointStore):
    """Remembers the last checkpoint of a search level by level; `due`: after each step."""

    due = False
    kept: LevelCheckpoint | None = None

    def is_due(self, size: int = 0) -> bool:
        return self.due

    def resume(self, kind: type[Any]) -> Any:
        return self.kept if isinstance(self.kept, kind) else None

    def save(self, checkpoint: Any) -> None:
        self.change(checkpoint, [each._replace(data=np.array(each.data)) for each in checkpoint.pieces()])

    def change(self, checkpoint: LevelCheckpoint, pieces: list[Piece]) -> None:
        """Remember a checkpoint with these pieces."""
        self.kept = replace(checkpoint, pieces=lambda: iter(pieces))


def start(folder: Path, *words: str) -> "subprocess.Popen[str]":
    """Start the command in a folder, with a checkpoint after each outcome."""
    return subprocess.Popen(
        [sys.executable, "-c", SAVING_OFTEN, *words],
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
            with JournalReader(folder / "it.sqlite") as journal:
                job = journal.job("queens")
                checkpoint = job and journal.checkpoint(job)
                if checkpoint and checkpoint.share > share:
                    return
        except BadInput:
            pass
        time.sleep(0.02)
    process.kill()
    raise AssertionError(process.communicate())


def made(folder: Path, puzzle: Puzzle | None = None) -> Path:
    """A journal with a job that is not done."""
    path = folder / "it.sqlite"
    problem = Problem(puzzle or Queens(8), "all")
    with Journal(path) as journal:
        job = job_of(journal, problem)
        with pytest.raises(Pulled):
            search(JobStore(journal, job, Watch(check=Plug(0))), problem, Request(workers=1))
    return path


def pages_of(path: Path) -> list[bytes]:
    """The pages of a journal's file."""
    data = path.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    return [data[at : at + size] for at in range(0, len(data), size)]


def right_or_refused(path: Path) -> bool:
    """Return whether a search of 9 queens with this journal gives the right list, or is refused in one line."""
    try:
        found, given = run_through(path, Queens(9), Request(workers=1), [])
    except BadInput as error:
        return "\n" not in str(error)
    return (found.status, found.count, given) == ("solved", 352, paths_of_queens())


@functools.cache
def paths_of_queens() -> list[tuple[int, ...]]:
    """All solutions of 9 queens."""
    return parsolve.solve(Queens(9), workers=1).paths
