"""Searches by levels with states in a folder, or in a journal: taken up after a kill, and what is refused."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from cases import nightly
from conftest import ROOT, Run
from journals import Plug, Pulled, Remembering
from worlds.places import Graph, Keyed

from parsolve.cli.commands.explore import JOURNAL
from parsolve.errors import BadInput, BadPuzzle, OutOfMemory
from parsolve.journal.journal import Journal
from parsolve.journal.reader import JournalReader
from parsolve.levels.explore import explore
from parsolve.levels.pieces import PieceKind
from parsolve.puzzles import Sliding
from parsolve.search.checkpoint import Piece
from parsolve.search.watch import Watch


def test_another_start_is_refused() -> None:
    puzzle, store = Sliding(shape="3x3", start="8 6 7 2 5 4 3 0 1"), Remembering()
    with pytest.raises(Pulled):
        explore(puzzle, Watch(check=Plug(20)), threads=1, store=store)
    with pytest.raises(BadInput, match="an earlier run has begun another search for Sliding, from elsewhere or with"):
        explore(puzzle, store=store, origin="start")


def test_a_full_disk_ends_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OutOfMemory, match="has no room for the states: No space left on device"):
        explore(Sliding(shape="2x3"), spill=tmp_path)


@pytest.mark.parametrize("place", ["/proc/nothing", "file"])
def test_a_folder_that_cannot_be_used(run: Run, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be used" in run("explore", "eight", "--spill", place, code=2).stderr


EXPLORING = """
import pathlib, sys, time
from parsolve.cli import entry
from parsolve.journal.jobstore import JobStore
save = JobStore.save
def slowly(store, checkpoint):
    save(store, checkpoint)
    if checkpoint.finished >= 30:
        pathlib.Path("there").touch()
        time.sleep(60)
JobStore.is_due, JobStore.save = lambda *_: True, slowly
sys.argv[0] = "parsolve"
entry()
"""


@pytest.mark.processes
def test_killed_and_taken_up(run: Run, tmp_path: Path) -> None:
    """Levels that were written before a kill are not searched again."""
    words = ("explore", "sliding", "--shape", "2x5", "--spill", "states", "--json")
    (tmp_path / "states").mkdir()
    process = subprocess.Popen([sys.executable, "-c", EXPLORING, *words], cwd=tmp_path, start_new_session=True)
    while not (tmp_path / "there").exists() and process.poll() is None:
        time.sleep(0.01)
    others = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    psutil.wait_procs(others, 10)  # they hold the journal until the system has ended them
    with JournalReader(tmp_path / "states" / JOURNAL) as journal:
        kept = journal.checkpoint(journal.jobs()[0])
    assert kept is not None
    assert kept.finished >= 30
    assert "has shape 2x5, not 2x4" in run("explore", "sliding", "--shape", "2x4", *words[4:], code=2).stderr
    done = run(*words)
    assert f"continuing after {kept.finished} levels" in done.stderr
    found = json.loads(done.stdout)
    known = explore(Sliding(shape="2x5"))
    assert (found["states"], found["greatest_depth"], found["farthest"]) == (1_814_400, 55, known.farthest)
    assert not [*(tmp_path / "states").iterdir()]


@pytest.mark.parametrize(
    "words",
    [("explore", "sliding", "--shape", "2x3"), ("count", "langford", "--n", "8", "--engine", "sharing")],
    ids=" ".join,
)
def test_a_folder_of_the_users_stays(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "mine").mkdir()
    for name in ("mine", "made"):
        run(*words, "--spill", name)
    assert [each.name for each in tmp_path.iterdir() if each.is_dir()] == ["mine"]


@pytest.mark.parametrize(
    "change",
    [
        lambda pieces: pieces.clear(),
        lambda pieces: pieces.pop((PieceKind.DEPTHS, 0, 0)),
        lambda pieces: pieces.pop(min(pieces)),
        lambda pieces: pieces.update({place: data[:-1] for place, data in pieces.items() if place[0] < PieceKind.SUMS}),
    ],
)
@pytest.mark.parametrize("form", [Graph, Keyed])
def test_levels_that_are_missing_are_refused(form: type[Graph], change: Callable[[dict[Any, Any]], Any]) -> None:
    """Once nothing left to search was taken for the end of the search."""
    puzzle, store = form(100, 2, 3, kind="any", back=True), Remembering()
    explore(puzzle, threads=1)  # else the plug may be pulled while its kernels are compiled
    with pytest.raises(Pulled):
        explore(puzzle, Watch(check=Plug(20)), threads=1, store=store)
    assert store.kept is not None
    pieces = {each[:3]: each.data for each in store.kept.pieces()}
    change(pieces)
    store.change(store.kept, [Piece(*place, data) for place, data in pieces.items()])
    with pytest.raises(BadInput, match="what the journal has of the states of"):
        explore(puzzle, store=store)


WRITING_SLOWLY = """
import sys, time
sys.path.insert(0, {root!r})
import parsolve.journal.journal as journal
write = journal.write_checkpoint
def slowly(*arguments):
    time.sleep(2)
    return write(*arguments)
journal.write_checkpoint = slowly
from parsolve.cli.terminal.reporter import SearchReporter
from parsolve.system.activity import current as activity
tell = SearchReporter.progress_made
def progress_made(screen, progress):
    tell(screen, progress)
    if progress.nodes > 20:
        activity.allow(0.0, "the time is up")
SearchReporter.progress_made = progress_made
from parsolve.cli import entry
sys.argv[0] = "parsolve"
entry()
"""


@pytest.mark.processes
@pytest.mark.parametrize("engine", [nightly("sharing"), "breadth"])
def test_a_checkpoint_is_written_to_its_end(tmp_path: Path, engine: str) -> None:
    """Once a command whose time was up was ended half a second later, and what it had found was lost. Here the time is
    up when some levels are known."""
    puzzle = {"sharing": ("langford", "--n", "8"), "breadth": ("eight", "--bound", "none")}[engine]
    words = ("count", *puzzle, "--engine", engine, "--journal", "it.sqlite", "--timeout", "1h", "--workers", "1")
    program = WRITING_SLOWLY.format(root=str(ROOT))
    ended = subprocess.run([sys.executable, "-c", program, *words], cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 3, ended.stderr
    with Journal(tmp_path / "it.sqlite") as journal:
        kept = journal.checkpoint(journal.jobs()[0])
    assert kept is not None


class OneGoal(Keyed):
    """It has two solved states, and names one."""

    def goals(self) -> list[dict[str, int]]:
        return [{"place": 0}]


def test_a_missing_goal_is_noticed_in_each_run() -> None:
    store = Remembering()
    store.due = True
    for _ in range(2):
        with pytest.raises(BadPuzzle, match="'goals' lacks a solved state"):
            explore(OneGoal(50, kind="reversible"), threads=1, store=store)
