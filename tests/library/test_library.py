"""The library's doors: `solve` with its stop conditions, and solutions one by one."""

import asyncio
import itertools
import math
import multiprocessing
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import nightly
from heard import Heard
from samples import KEY, WALK, texts
from small_kernel import compiling_until_set
from toys import Grid

import parsolve
from parsolve.library import _Ready
from parsolve.problem.registry import load_class
from parsolve.puzzles import FlipIt, Peg, Queens, Sliding
from parsolve.search.progress import Progress

pytestmark = pytest.mark.processes

HARD = Sliding(start="14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3", goal="blank-first", bound="manhattan")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_timeout_returns_what_is_known(workers: int) -> None:
    result = parsolve.solve(HARD, workers=workers, timeout=0.3)
    assert (result.status, result.count, result.message) == ("stopped", None, "the time is up: timeout 0.3 s")
    assert result.nodes > 0
    assert result.iterations


@pytest.mark.parametrize("workers", [1, 2])
def test_a_search_is_cancelled(workers: int) -> None:
    event = threading.Event()
    seen: list[Progress] = []

    def progress(progress: Progress) -> None:
        seen.append(progress)
        if progress.limit >= 47:
            event.set()

    result = parsolve.solve(HARD, workers=workers, cancel=event, progress=progress)
    assert (result.status, result.message) == ("stopped", "cancelled")
    assert seen
    assert parsolve.solve(HARD, workers=1, cancel=lambda: True).status == "stopped"
    of_processes: Any = multiprocessing.Event()
    of_processes.set()
    assert parsolve.solve(HARD, workers=1, cancel=of_processes).status == "stopped"


def test_a_search_ends_while_a_kernel_is_compiled_and_the_next_finds_it(
    monkeypatch: pytest.MonkeyPatch, puzzle_file: Callable[..., Path]
) -> None:
    walk = load_class(f"{puzzle_file(WALK + KEY)}:Walk")()
    same = "from parsolve.compiler.cache import cached\n\n@cached\ndef same(number):\n    return number\n"
    compiles = puzzle_file(same + WALK.replace("Tables(self.size)", "Tables(same(self.size))"), "compiles.py")
    in_tables = load_class(f"{compiles}:Walk")()  # its method does not fail where nobody waits for the kernel
    for puzzle, engine in ((walk, "deepening"), (walk, "breadth"), (in_tables, "deepening")):
        ended, listener = compiling_until_set(monkeypatch), Heard()
        options: Any = {"engine": engine, "workers": 2, "listener": listener}
        result = parsolve.solve(puzzle, timeout=0.3, **options)
        assert (result.status, result.message) == ("stopped", "the time is up: timeout 0.3 s")
        cancel, answered = threading.Event(), []

        def soon(cancel: threading.Event = cancel, answered: list[float] = answered) -> None:
            answered.append(time.monotonic())
            cancel.set()

        threading.Timer(0.3, soon).start()
        assert parsolve.solve(puzzle, cancel=cancel, **options).message == "cancelled"
        assert time.monotonic() < answered[0] + 1
        assert len(listener.compiled) == 1
        ended.set()
        assert parsolve.solve(puzzle, **options).count == 1
        monkeypatch.undo()


@pytest.mark.nightly
@pytest.mark.parametrize("engine", ["sharing", "breadth", "deepening"])
def test_stops_at_any_moment_while_kernels_are_compiled_lose_and_add_nothing(
    engine: Any, kernel_folder: Path, tmp_path: Path
) -> None:
    """Also in the middle of a level, whose entries are not kept then: an earlier checkpoint is."""
    puzzle = Grid(6)
    tuning, options = parsolve.Tuning(commit_seconds=0.01), {"engine": engine, "want": "count", "workers": 2}
    for number in itertools.count():
        timeout = 0.001 + 0.05 * (number % 7)  # the first one is too short also for kernels of another test
        result = parsolve.solve(puzzle, journal=tmp_path / "it.sqlite", timeout=timeout, tuning=tuning, **options)
        if result.status != "stopped":
            break
    assert (result.count, number > 0) == (924, True)


def test_a_journal_says_what_is_compiled_and_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, puzzle_file: Callable[..., Path]
) -> None:
    path, said = tmp_path / "it.sqlite", set()
    ended = compiling_until_set(monkeypatch)

    def look() -> bool:
        with parsolve.JournalReader(path) as journal:
            said.update((job.state, job.message) for job in journal.jobs())
        if ("running", "compiling") in said:
            ended.set()
        return False

    puzzle = load_class(f"{puzzle_file(WALK.replace('range(1, 3)', 'range(1, 2)'))}:Walk")(size=60)
    result = parsolve.solve(puzzle, want="count", journal=path, workers=1, cancel=look, timeout=20)
    assert (result.status, result.count) == ("solved", 1)
    assert ("running", "compiling") in said
    with parsolve.JournalReader(path) as journal:
        assert [(job.state, job.message) for job in journal.jobs()] == [("done", "")]


def test_what_is_prepared_is_not_compiled_again(puzzle_file: Callable[..., Path]) -> None:
    puzzle, listener = load_class(f"{puzzle_file(WALK + KEY)}:Walk")(), Heard()
    for options in ({"want": "count"}, {"engine": "breadth"}):
        parsolve.prepare(puzzle, workers=1, **options)
        assert parsolve.solve(puzzle, workers=1, listener=listener, **options).count == 1
    assert not listener.compiled
    parsolve.prepare(HARD, workers=1)  # ends long before the search would
    ready = _Ready()
    ready.progress_made(Progress(0))
    ready.table_progress_made("a better bound's", Progress(0))
    assert ready._since == math.inf


def test_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    assert parsolve.solve(HARD, workers=1, progress=True, timeout=0.3).status == "stopped"
    assert "nodes" in capsys.readouterr().err


@pytest.mark.parametrize("puzzle", [Queens(7), Sliding(), Peg(first="0-6"), FlipIt("B_WBBBB")], ids=repr)
def test_solutions_one_by_one(puzzle: parsolve.Puzzle) -> None:
    result = parsolve.solve(puzzle, workers=1)
    assert [solution.text for solution in parsolve.iter_solutions(puzzle, workers=1)] == texts(result)
    assert list(parsolve.iter_solutions(puzzle, workers=2)) == result.solutions


def test_solutions_for_an_event_loop() -> None:
    """The loop goes on meanwhile; leaving it ends the search."""

    async def first(number: int) -> tuple[list[str], int]:
        ticks, found = 0, list[str]()

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        solutions = parsolve.aiter_solutions(Queens(8), workers=1)
        async for solution in solutions:
            found.append(solution.text)
            if len(found) == number:
                break
        await solutions.aclose()
        ticking.cancel()
        return found, ticks

    expected = [solution.text for solution in parsolve.solve(Queens(8), workers=1).solutions]
    for number in (3, 1000):
        found, ticks = asyncio.run(first(number))
        assert found == expected[:number]
        assert ticks > 1
    assert not [thread for thread in threading.enumerate() if thread.name == "iter_solutions"]


def test_cancelling_the_task_that_waits_for_a_solution_ends_the_search() -> None:
    async def waits() -> None:
        async for _ in parsolve.aiter_solutions(HARD, workers=1):
            raise AssertionError

    async def cancelled() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(waits(), 0.5)
        assert [each for each in threading.enumerate() if each.name.startswith(("iter_", "aiter_"))] == []
        asked = parsolve.aiter_solutions(HARD, workers=1, cancel=lambda: True)
        assert [solution async for solution in asked] == []

    asyncio.run(cancelled())


@pytest.mark.parametrize("workers", [1, 2])
def test_closing_the_iterator_ends_the_search(workers: int) -> None:
    """Also where it waits for its caller: 14 million solutions are never in memory."""
    solutions = parsolve.iter_solutions(Queens(16), workers=workers)
    first = [next(solutions).moves for _ in range(3000)]
    assert first == sorted(first)
    solutions.close()  # type: ignore[attr-defined]
    assert not [thread for thread in threading.enumerate() if thread.name == "iter_solutions"]


def test_an_iterator_says_that_the_search_was_stopped() -> None:
    """What it has yielded must not be taken for all."""
    with pytest.raises(parsolve.GuardStop, match="no solution costs 5 or less"):
        list(parsolve.iter_solutions(Sliding(start="8 6 7 2 5 4 3 0 1"), workers=1, limit=5))
    with pytest.raises(parsolve.GuardStop, match="the time is up: timeout"):
        list(parsolve.iter_solutions(HARD, workers=1, timeout=0.3))

    async def timed() -> None:
        with pytest.raises(parsolve.GuardStop, match="the time is up: timeout"):
            [solution async for solution in parsolve.aiter_solutions(HARD, workers=1, timeout=0.3)]

    asyncio.run(timed())


def test_options_may_be_numbers_of_numpy() -> None:
    number: Any = np.int64(1)
    assert parsolve.solve(Queens(6), workers=number, at_most=number, timeout=np.float64(60)).at_least == 2


def test_solutions_give_moves_states_and_boards() -> None:
    result = parsolve.solve(Sliding(start="1 2 3 4 0 5 7 8 6"), workers=1)
    (solution,) = result.solutions
    assert str(solution) == solution.text == "5 6"
    assert [state["cost"] for state in solution.states] == [0, 1, 2]
    assert solution.boards[-1] == "1 2 3\n4 5 6\n7 8 ·"
    texts_along = ["1 2 3 4 0 5 7 8 6", "1 2 3 4 5 0 7 8 6", "1 2 3 4 5 6 7 8 0"]
    along = [{"text": text, "fields": state} for text, state in zip(texts_along, solution.states, strict=True)]
    assert result.to_dict()["solutions"] == [{"text": "5 6", "moves": list(solution.moves), "states": along}]
    assert "solved" in repr(result)


# Searches that begin on several threads of a fresh process, while what they need is imported for the first time.

SCRIPT = """
import sys, threading
import parsolve
first = parsolve.puzzles.Sliding(shape="2x3", start="1 2 0 3 4 5")
puzzle = parsolve.puzzles.Sliding(shape="2x3", start="4 5 0 1 2 3")
if "a search before" in sys.argv:
    parsolve.solve(first, workers=1)
ended, found = threading.Event(), []

def search(engine):
    has_ended = False
    while not has_ended:
        has_ended = ended.is_set()
        try:
            found.extend(parsolve.solve(puzzle, engine=engine, want=want, workers=1).count for want in ("count", "all"))
        except Exception as error:
            found.append(f"{engine}: {type(error).__name__}: {error}")

threads = [threading.Thread(target=search, args=(each,)) for each in ["deepening", "breadth", "sharing", "both"] * 2]
for thread in threads:
    thread.start()
import numba
ended.set()
for thread in threads:
    thread.join()
print(*dict.fromkeys(found))
"""


@pytest.mark.parametrize("before", ["a search before", "none before"])
@pytest.mark.parametrize("times", [2, nightly(10)])
def test_engines_on_threads_of_a_fresh_process(before: str, times: int) -> None:
    for _ in range(times):
        words = [sys.executable, "-c", SCRIPT, before]
        done = subprocess.run(words, capture_output=True, text=True, timeout=200, check=False)
        assert (done.stdout, done.stderr) == ("4\n", "")


@pytest.mark.nightly
def test_without_kept_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", str(tmp_path))
    test_engines_on_threads_of_a_fresh_process("none before", 1)
