"""Searches by levels as a machine of states: stopped anywhere, killed, short of memory, in files and resumed on other
threads, they give what brute force gives, for random graphs of every kind."""

import os
import random
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from failing import Countdown, failing_python, require_one_line
from journals import Plug, Pulled, Remembering, job_of, refuse_after
from shared import IN_MEMORY
from worlds.graphs import BothEnds, FreeNumbered, Numbered, OneWord, TwoWords, WayBack, WideWayBack
from worlds.places import Keyed
from worlds.plain import Answer, cheapest
from worlds.walks import Plain

from parsolve.batch.journaled import search
from parsolve.errors import BadInput, OutOfMemory
from parsolve.journal.jobstore import JobStore
from parsolve.journal.journal import Journal
from parsolve.journal.records import Wanted
from parsolve.levels.explore import explore
from parsolve.levels.pieces import PieceKind
from parsolve.problem.problem import Problem
from parsolve.puzzle.parameters import values_of
from parsolve.search.progress import Progress
from parsolve.search.request import Request
from parsolve.search.run import run
from parsolve.search.tuning import Tuning
from parsolve.search.watch import Listener, Watch

pytestmark = pytest.mark.plain

CLASSES: list[type[OneWord]] = [OneWord, TwoWords, WayBack, WideWayBack, BothEnds, Numbered, FreeNumbered]

MB = 1 << 20
"""The least memory that a request may have."""

LARGE = 20_000
"""Places of a graph whose levels do not fit in little memory."""


@pytest.fixture(autouse=True)
def _memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a search may have beyond MB is for its states alone: what this process has taken does not count."""
    for module in ("search.budget", "levels.dense"):
        monkeypatch.setattr(f"parsolve.{module}.memory_left", lambda most: most and most - MB)


@pytest.fixture(autouse=True)
def written(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes of each write to a file of states. Writes and reads are short."""
    write, read, sizes = os.pwrite, os.pread, list[int]()

    def short(file: int, data: Any, at: int) -> int:
        sizes.append(write(file, data[:4000], at))
        return sizes[-1]

    monkeypatch.setattr(os, "pwrite", short)
    monkeypatch.setattr(os, "pread", lambda file, size, at: read(file, min(size, 2400), at))
    return sizes


OFTEN = Tuning(checkpoint_seconds=-1.0)
"""A checkpoint after each step: writing one is expected to take less."""


class How(NamedTuple):
    """How one run goes."""

    workers: int = 1
    memory: int | None = None
    spill: Path | None = None
    checks: int = 1 << 60  # after which it is stopped
    saves: int = 1 << 60  # after which it is killed


def solved(puzzle: OneWord, options: dict[str, Any], path: Path, how: How) -> Any:
    """Search with a journal, where one can keep what is asked for."""
    given: list[tuple[int, ...]] = []
    problem = Problem(puzzle, options["want"])
    request = Request.of(workers=how.workers, max_memory=how.memory, spill=how.spill, tuning=OFTEN, **options)
    watch = Watch(check=Plug(how.checks), max_memory=how.memory, on_solution=given.append)
    if request.chooses:
        found = run(problem, request, watch)
    else:
        with Journal(path) as journal:
            job = job_of(journal, problem, request)
            journal.save = refuse_after(journal.save, how.saves)  # type: ignore[method-assign]
            found = search(JobStore(journal, job, watch, OFTEN), problem, request)
    return (found.status, found.cost, found.count, given), [(each.limit, each.solutions) for each in found.iterations]


def explored(puzzle: OneWord, options: dict[str, Any], path: Path, how: How) -> Any:
    """Explore with a journal."""
    watch = Watch(check=Plug(how.checks), max_memory=how.memory)
    with Journal(path) as journal:
        (job,) = journal.get_or_create([Wanted("it", type(puzzle).__name__, values_of(puzzle), "count", {})])
        journal.save = refuse_after(journal.save, how.saves)  # type: ignore[method-assign]
        store = JobStore(journal, job, watch, OFTEN)
        found = explore(puzzle, watch, threads=how.workers, spill=how.spill, store=store, **options)
    # Of states with one key any may be shown.
    farthest = sorted(int(each.removeprefix("place=")) % puzzle.data.classes for each in found.farthest)
    return (found.depths, len(found.farthest)), farthest


def drawn(random_: random.Random, puzzle: OneWord) -> tuple[Callable[..., Any], dict[str, Any], Any]:
    """Return what is asked for, and the answer of brute force."""
    plain, has_way_back = Plain(puzzle), type(puzzle).unkey is not None
    if random_.random() < 0.3:
        origins = ["start", "goals"] if plain.data.goals_given else ["start"]
        origin = random_.choice(origins)
        far = plain.spaces()["root" if origin == "start" else "goal"]
        return explored, {"origin": origin}, (sorted(far.items()), far[max(far)])
    answer = cheapest(plain.data.root, plain.moves, plain.solved)
    engine = random_.choice(["breadth", "sharing"] if has_way_back else ["breadth"])
    options: dict[str, Any] = {"engine": engine, "want": random_.choice(["all", "count", "first"])}
    if answer.solutions is None:
        options["want"] = "count"
    elif engine == "sharing" and answer.count and random_.random() < 0.5:
        skip, seed = random_.randrange(answer.count), random_.randrange(99)
        more = random_.choice([{"skip": skip}, {"skip": skip, "take": 2}, {"sample": 5, "seed": seed}])
        options = {"engine": engine, "want": "all"} | more
    return solved, options, expected(answer, **options)


def expected(
    answer: Answer,
    want: str,
    skip: int = 0,
    take: int | None = None,
    sample: int = 0,
    seed: int = 0,
    **_: Any,
) -> Any:
    """Return status, cost, count and list that a search must give."""
    if not answer.count:
        return "none", None, None if want == "first" else 0, []
    paths = answer.solutions or []
    numbers = random.Random(seed)
    listed = {
        "count": [],
        "first": paths[:1],
        "all": [paths[numbers.randrange(len(paths))] for _ in range(sample)] or paths[skip:][:take],
    }
    return "solved", answer.cost, None if want == "first" else answer.count, listed[want]


def drive(seed: int, most: int = 40) -> None:
    """Search a random graph, once undisturbed, and once in as many runs as it takes."""
    random_ = random.Random(seed)
    puzzle = CLASSES[seed % len(CLASSES)](seed, most)
    search, options, answer = drawn(random_, puzzle)
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as name:
        folder = Path(name)
        (folder / "states").mkdir()  # exploring takes one that is there
        known = search(puzzle, options, folder / "known.sqlite", How())
        assert known[0] == answer, (seed, options)
        patience = 1.0
        while True:
            how = How(
                workers=random_.randint(1, 3),
                memory=random_.choice([None] * (most < LARGE) + [MB + int(patience * 20_000)]),
                spill=folder / "states" if most == LARGE else random_.choice([None, folder / "states"]),
                checks=random_.choice([1 << 60, int(patience)]),
                saves=random_.choice([1 << 60, int(patience)]),
            )
            disk = Countdown(random_.choice([1 << 60, int(patience)]), 1 << 60)
            try:
                with failing_python(disk, pytest.MonkeyPatch):
                    found = search(puzzle, options, folder / "it.sqlite", how)
            except (Pulled, OutOfMemory):
                patience = 1 + 1.3 * patience
            except BadInput as error:
                assert disk.has_failed, (seed, options, how)
                require_one_line(error)
                patience = 1 + 1.3 * patience
            else:
                assert found == known, (seed, options, how)
                return


def test_keys_of_forgotten_levels_are_resumed() -> None:
    """In a graph of which nothing is declared, small levels are forgotten, and their keys are in a checkpoint."""
    puzzle, store = Keyed(100, 2, kind="any", back=True), Remembering()
    with pytest.raises(Pulled):
        explore(puzzle, Watch(check=Plug(20)), threads=1, store=store)
    assert store.kept is not None
    assert PieceKind.FORGOTTEN in {each.kind for each in store.kept.pieces()}
    assert explore(puzzle, store=store).depths == explore(puzzle).depths


class Late(Remembering):
    """Has time for a checkpoint, but not for one that is large."""

    def is_due(self, size: int = 0) -> bool:
        return not size


class Told(Listener):
    """Remembers how many nodes were told, and pulls the plug after so many."""

    def __init__(self, most: int) -> None:
        self.most, self.told = most, list[int]()

    def progress_made(self, progress: Progress) -> None:
        self.told.append(progress.nodes)
        if progress.nodes > self.most:
            raise Pulled


@pytest.mark.parametrize(("form", "seed", "there"), [(WayBack, 0, 138), (BothEnds, 4, 16)])
def test_a_stop_on_the_way_back_keeps_the_way_there(form: type[OneWord], seed: int, there: int) -> None:
    problem, request, store, again = Problem(form(seed, 200), "all"), Request(engine="breadth"), Late(), Told(999)
    with pytest.raises(Pulled):
        run(problem, request, Watch(Told(there)), store=store)
    assert run(problem, request, Watch(again), store=store).paths == run(problem, request, Watch()).paths
    assert min(again.told) >= there


@pytest.mark.parametrize("seed", [*range(7), 464, 483])
def test_some_graphs(seed: int) -> None:
    drive(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(3 * len(CLASSES)))
def test_a_thousand_graphs(compiled: None, first: int) -> None:
    for seed in range(first, 1000, 3 * len(CLASSES)):
        drive(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(len(CLASSES)))
def test_large_graphs(compiled: None, written: list[int], first: int) -> None:
    for seed in range(first, 8 * len(CLASSES), len(CLASSES)):
        drive(seed, LARGE)
    assert written or CLASSES[first] in (Numbered, FreeNumbered)


def forked() -> int:
    """Fork this process, once the system has room for one more."""
    until = time.monotonic() + 60
    while True:
        try:
            return os.fork()
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


@pytest.mark.nightly
def test_a_hundred_kills(compiled: None, tmp_path: Path) -> None:
    """Wherever a process is killed, the next one goes on from its journal."""
    random_, kills, seed = random.Random(7), 0, 0
    while kills < 100:
        seed += 1
        puzzle = CLASSES[seed % len(CLASSES)](seed, LARGE)
        search, options, _ = drawn(random_, puzzle)
        begin = time.monotonic()
        known = search(puzzle, options, tmp_path / f"known {seed}.sqlite", How())
        seconds, tries = time.monotonic() - begin, 0
        while True:
            tries += 1
            how = How(random_.randint(1, 3), spill=random_.choice([None, tmp_path / "states"]))
            process = forked()
            if not process:
                signal.setitimer(signal.ITIMER_REAL, random_.random() * seconds * tries / 10)
                os._exit(search(puzzle, options, tmp_path / f"{seed}.sqlite", how) != known)
            _, status = os.waitpid(process, 0)
            if not os.WIFSIGNALED(status):
                assert status == 0, (seed, options)
                break
            assert os.WTERMSIG(status) == signal.SIGALRM
            kills += 1
