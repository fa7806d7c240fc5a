"""The journal: a search is resumed where it stopped, whatever stopped it, and nothing counts twice."""

import contextlib
import itertools
import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FrameType
from typing import Any

import psutil
import pytest
from cases import nightly
from conftest import await_workers
from hypothesis import given, settings
from hypothesis import strategies as st
from journals import EVERY_OUTCOME, LONG, Remembering, job_of, run_through, start, until_saved
from searching import search
from shared import IN_MEMORY, Run
from toys import Coins, Lamps, Ring

import parsolve
from parsolve.cli.process.signals import Stopped
from parsolve.errors import BadInput
from parsolve.journal.jobstore import JobStore
from parsolve.journal.journal import Journal
from parsolve.journal.records import Job, branches_of, packed, text_of, unpacked
from parsolve.journal.solutions import Listed
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import EngineName, Puzzle
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.tuning import Tuning

pytestmark = pytest.mark.plain


def test_solutions_are_kept_with_the_next_checkpoint(tmp_path: Path) -> None:
    """Those of a later branch may be in the journal before those of an earlier one."""
    checkpoint = Checkpoint([], 0, [Branch.whole(0)], 1, 1, False, 0.5, 1.0, 1.0)
    with Journal(tmp_path / "it.sqlite") as journal:
        job = job_of(journal, Problem(Lamps(), "all"))
        store = JobStore(journal, job, tuning=Tuning(unsaved=1, commit_seconds=1000))
        store.begin(Problem(Lamps()), Result(Problem(Lamps()), Request(), 2))
        for number, kept in ((5, [(0, (5,))]), (3, [(0, (3,)), (0, (5,))])):
            store.add(0, [(number,)])
            assert store.is_due()
            store.save(checkpoint)
            (begun,) = journal.jobs()
            later = JobStore(journal, begun)
            assert later.resume(Checkpoint) == checkpoint
            assert list(later.earlier()) == kept


@pytest.mark.parametrize(
    ("puzzle", "asked"), [(Coins(), {"slack": 2}), (Coins(0), {"slack": 2}), (Lamps(), {"want": "first"})], ids=str
)
def test_solutions_of_an_earlier_run_leave_again(puzzle: Puzzle, asked: dict[str, Any]) -> None:
    """Those of finished limits, the root itself, and those that wait for an earlier branch."""
    alone = parsolve.solve(puzzle, workers=1, **asked)
    request = Request(workers=1, budget=7, buffer=2, tuning=EVERY_OUTCOME, **asked)
    for pull in range(1, 30, 4):
        with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
            found, given = run_through(Path(folder) / "it.sqlite", puzzle, request, [pull], hard=False)
        assert (given, found.by_cost) == (alone.paths, alone.by_cost)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # where a generator is closed
@pytest.mark.parametrize("step", [13, nightly(1)])
@pytest.mark.parametrize("engine", ["deepening", "breadth"])
def test_an_interrupt_at_any_call(engine: EngineName, step: int) -> None:
    """Python raises one wherever the main thread is, also in the middle of a step that no checkpoint may follow."""
    has_ended, first = False, 0
    while not has_ended:
        calls = itertools.count()

        def interrupt(frame: FrameType, event: str, _: Any) -> None:
            is_inside = event == "call" and f"/{engine}/".replace("breadth", "levels") in frame.f_code.co_filename
            if is_inside and next(calls) == first:  # noqa: B023 (it is called in this round)
                sys.setprofile(None)
                raise KeyboardInterrupt

        with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
            asked: Any = {"engine": engine, "workers": 1, "journal": Path(folder) / "it.sqlite"}
            sys.setprofile(interrupt)
            with contextlib.suppress(KeyboardInterrupt):
                has_ended = bool(parsolve.solve(Coins(2), tuning=EVERY_OUTCOME, **asked))
            sys.setprofile(None)
            assert parsolve.solve(Coins(2), **asked).paths == Coins(2).answer()[1]
        first += step


def test_a_stop_of_the_command_line_keeps_levels() -> None:
    """It is a KeyboardInterrupt that comes between two steps."""
    store, checks = Remembering(), itertools.count()

    def check() -> None:
        if next(checks) == 9:
            raise Stopped

    with pytest.raises(Stopped):
        search(Coins(), engine="breadth", workers=1, check=check, store=store)
    assert store.kept is not None


def test_more_solutions_than_the_buffer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They go to the disk, and come out in depth-first order."""
    most = []

    def save(journal: Journal, job: Job, result: Result, checkpoint: Checkpoint, found: list[Listed]) -> int:
        most.append(len(found))
        return saved(journal, job, result, checkpoint, found)

    saved = Journal.save
    monkeypatch.setattr(Journal, "save", save)
    request = Request(workers=1, budget=40, buffer=5, tuning=Tuning(unsaved=10))
    found, given = run_through(tmp_path / "it.sqlite", Lamps(6), request, [3])
    assert found.count == len(given) == 80
    assert given == Lamps(6).answer()[1]
    assert max(most) <= 15


ASKED = ("want count", "want first", "at_most 3", "slack 2", "slack 2 at_most 12", "part 1/3", "")


@pytest.mark.parametrize("engine", ["deepening", "breadth", "both"])
@pytest.mark.parametrize("words", ASKED)
def test_a_done_job_answers_as_a_search_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, engine: EngineName
) -> None:
    """Whatever limit is asked for: without a search."""
    pairs = zip(words.split()[::2], words.split()[1::2], strict=True)
    asked: Any = {"workers": 1} | {name: int(value) if value.isdigit() else value for name, value in pairs}
    kept: Any = asked | {"journal": tmp_path / "it.sqlite"}
    first = parsolve.solve(Coins(), engine="deepening" if asked.keys() & {"slack", "part"} else engine, **kept)
    monkeypatch.setattr("parsolve.batch.journaled.run", None)
    for limit in (None, *range(4, 10)):
        plain, found = (parsolve.solve(Coins(), limit=limit, **each) for each in (asked, kept))
        assert (found.known, found.paths, found.message) == (plain.known, plain.paths, plain.message)
        assert found.iterations == [each for each in first.iterations if each.limit <= (limit or 99)]
    assert (found.nodes, found.engine) == (first.nodes, first.engine)
    with pytest.raises(BadInput, match="a limit is not for the engine breadth"):
        parsolve.solve(Coins(), engine="breadth", limit=9, **kept)


@pytest.mark.parametrize(
    ("begun", "now", "says"),
    [
        ({}, {"puzzle": Coins(9)}, "amount 8, not 9"),
        ({}, {"want": "all"}, "want count, not all"),
        ({"slack": 1}, {"slack": 2}, "slack 1, not 2"),
        ({"at_most": 3}, {"at_most": 4}, "at_most 3, not 4"),
        ({"at_most": 3}, {"at_most": None}, "at_most 3, not none"),
        ({"engine": "deepening"}, {"engine": "both"}, "was searched by deepening alone, not both"),
        ({"engine": "breadth"}, {"engine": "both"}, "was searched by breadth alone, not both"),
        ({"want": "any", "limit": 9}, {"limit": 5}, "a solution of cost ., and one of cost 5 or less is wanted"),
        *(
            ({"part": "1/3"}, {"part": part}, f"part 1/3, not {part or 'none'}")
            for part in ("2/3", "1-2/3", "1/4", None)
        ),
    ],
    ids=str,
)
def test_a_job_is_resumed_as_it_was_begun(
    tmp_path: Path, begun: dict[str, Any], now: dict[str, Any], says: str
) -> None:
    begun = {"puzzle": Coins(), "want": "count", "workers": 1, "journal": tmp_path / "it.sqlite"} | begun
    parsolve.solve(**begun)
    with pytest.raises(BadInput, match=f"the job Coins (has )?{says}: name another"):
        parsolve.solve(**begun | now)
    with pytest.raises(BadInput, match="holds Coins, not Ring: name another"):
        parsolve.solve(**begun | {"puzzle": Ring()})
    assert parsolve.solve(**begun).nodes


def test_a_search_finds_its_job_among_others(tmp_path: Path, run: Run) -> None:
    words = ("count", "toys:Lamps", "--journal", "it.sqlite", "--quiet")
    run(*words)
    (tmp_path / "jobs.toml").write_text('[[job]]\npuzzle = "jugs"\n')
    run("run", "jobs.toml", "--journal", "it.sqlite", "--quiet")
    assert run(*words).stdout == "40\n"


def test_branches_are_plain_data() -> None:
    branches = [Branch((0, 3), ((), (5, 6), (1,)), (1, 4, 2)), Branch.whole(7)]
    text = text_of(branches)
    assert text == "[[[0,3],[[],[5,6],[1]],[1,4,2]],[[],[[7]],[1]]]"
    assert branches_of(text) == branches


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 65535), max_size=5).map(tuple), unique=True))
def test_packed_solutions_sort_in_depth_first_order(paths: list[tuple[int, ...]]) -> None:
    assert sorted(paths) == sorted(paths, key=packed)
    assert [unpacked(packed(path)) for path in paths] == paths


def test_the_exception_of_a_body_says_more_than_that_of_closing(tmp_path: Path) -> None:
    class Full(Journal):
        def close(self) -> None:
            super().close()
            raise BadInput("the disk is full")

    with pytest.raises(ZeroDivisionError), Full(tmp_path / "a.sqlite"):
        raise ZeroDivisionError
    with pytest.raises(BadInput, match="the disk is full"), Full(tmp_path / "b.sqlite"):
        pass


@pytest.mark.mission
@pytest.mark.processes
@pytest.mark.parametrize(("number", "to_all"), [(signal.SIGINT, False), (signal.SIGTERM, True)])
def test_a_signal_keeps_what_was_done(tmp_path: Path, run: Run, number: int, to_all: bool, compiled: None) -> None:
    """Also one to all processes, as a service manager sends it: no worker is taken for lost."""
    process = start(tmp_path, *LONG, "--workers", "2")
    await_workers(process.pid, 3)
    until_saved(tmp_path, process, 0.001)
    assert "it.sqlite is in use by process " in run(*LONG, code=2).stderr
    assert "running" in run("status", "it.sqlite").stdout
    for each in [*(psutil.Process(process.pid).children(recursive=True) if to_all else []), process]:
        each.send_signal(number)
    _, told = process.communicate(timeout=20)
    assert process.returncode == 128 + number, told
    assert "lost" not in told
    (row,) = json.loads(run("status", "it.sqlite", "--json").stdout)
    assert (row["status"], row["message"]) == ("stopped", "interrupted")
    assert 0 < row["done"] < 1
    assert row["nodes"] > 1000


@pytest.mark.mission
@pytest.mark.processes
def test_nobody_reading_is_a_stop_and_no_failure(tmp_path: Path, run: Run, compiled: None) -> None:
    command = f"{sys.executable} -m parsolve solve queens --n 12 --journal it.sqlite --quiet | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""
    (row,) = json.loads(run("export", "it.sqlite", "--format", "json").stdout)
    assert (row["status"], row["message"]) == ("stopped", "interrupted")
    assert len(run("solve", "queens", "--n", "12", "--journal", "it.sqlite", "--quiet").stdout.splitlines()) == 14_200
