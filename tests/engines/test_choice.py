"""A count that names no engine: deepening, or sharing where that is expected to count sooner."""

import json
import math
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from heard import Heard
from journals import Plug, Pulled, Remembering
from samples import KEY, WALK
from searching import search
from shared import Run
from toys import Coins, Grid, Lamps
from worlds.covers import random_cover

import parsolve
from parsolve import Puzzle, Tuning
from parsolve.compiler.waiting import kernel_time
from parsolve.errors import BadInput, CostFalls, EngineStop, OutOfMemory
from parsolve.levels.engine import Sharing
from parsolve.levels.expected import HEAVIEST, Expected, Sample
from parsolve.levels.threads import Threads
from parsolve.problem.data import PatternDatabase
from parsolve.problem.problem import Problem
from parsolve.problem.registry import make
from parsolve.puzzles import Cover, Langford, Polyominoes
from parsolve.search import engine
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint, CheckpointStore
from parsolve.search.choice import is_sooner
from parsolve.search.progress import Progress
from parsolve.search.request import Request
from parsolve.search.watch import UNWATCHED, Listener
from parsolve.text import short

pytestmark = pytest.mark.plain

EAGER = Tuning(choice_after=0.0, choice_least=0.0, first_budget=50)

SURE = replace(EAGER, choice_clearly=math.inf)
"""Sharing is taken to be sooner if it fits, however busy the machine is."""

PATHS = math.comb(14, 7)
"""Ways of Walk(7): their tree has some 11,000 nodes, and 64 states."""


class Walk(Grid):
    """Walk on a grid, listed too."""

    def steps(self, limit):
        return 2 * self.size


def count(puzzle: Puzzle, heard: Listener | None = None, **asked: Any) -> parsolve.Result:
    given: dict[str, Any] = {"want": "count", "workers": 1, "tuning": EAGER} | asked
    return parsolve.solve(puzzle, listener=heard, **given)


def run_of(puzzle: Puzzle, databases: tuple[PatternDatabase, ...] = ()) -> engine.Run:
    """Return a count, whose pattern databases are these if they are there."""
    problem, request = Problem(puzzle, "count"), Request(want="count")
    given = problem, request, 1, UNWATCHED, parsolve.Result(problem, request), CheckpointStore()

    def load(problem: Problem) -> bool:
        problem.supply(lambda _: databases, lambda _: databases)
        return bool(databases)

    return engine.Run(*given, supply=lambda each: each, load=load)


def forecast(puzzle: Puzzle, databases: tuple[PatternDatabase, ...] = ()) -> engine.Forecast | None:
    return Sharing("sharing").forecast(run_of(puzzle, databases), 0.0, math.inf)


def test_sharing_is_taken_where_many_ways_meet() -> None:
    heard = Heard()
    found = count(Walk(7), heard, tuning=SURE)
    assert (found.status, found.count, found.engine, found.nodes) == ("solved", PATHS, "sharing", 63)
    assert [each.solutions for each in found.iterations] == [PATHS]
    assert [engine for engine, _ in heard.chosen] == ["sharing"]
    assert heard.chosen[0][1].startswith("continuing with the engine sharing: 63 entries are expected, in 0.")


def test_what_is_nearly_done_stays_with_deepening() -> None:
    heard = Heard()
    found = count(Walk(6), heard, tuning=Tuning(choice_after=0.0, choice_least=1e9, first_budget=50))
    assert (found.count, found.engine, heard.chosen) == (924, "deepening", [])


def test_what_does_not_fit_memory_stays_with_deepening() -> None:
    found = count(Walk(6), max_memory=1 << 20)
    assert (found.count, found.engine) == (924, "deepening")


@pytest.mark.parametrize(
    "asked",
    [{"engine": "deepening"}, {"want": "all"}, {"want": "first"}, {"at_most": 10**6}, {"transposition": 1 << 12}],
    ids=str,
)
def test_what_deepening_alone_can_do_is_its_own(asked: dict[str, Any]) -> None:
    heard = Heard()
    assert count(Walk(6), heard, **asked).engine == "deepening"
    assert not heard.chosen


def test_another_executor_is_for_deepening() -> None:
    with ThreadPoolExecutor(1) as executor:
        found = count(Walk(6), executor=executor)
    assert (found.count, found.engine) == (924, "deepening")


def test_a_puzzle_without_a_level_stays_with_deepening() -> None:
    heard = Heard()
    assert (count(Coins(5), heard).engine, heard.warnings) == ("deepening", [])


BROKEN = "\n    def {}(self):\n        return 1 // 0\n"
"""A method that fails, to be added at the end of a walk."""

ASTRAY = (
    KEY
    + """
    @staticmethod
    def unkey(tables, key, row):
        row.place = 1
"""
)
"""A key, and a wrong way back from it, likewise."""


def test_what_another_engine_finds_broken_is_said_once(puzzle_file: Callable[..., Path], run_here: Run) -> None:
    source, heard = f"{puzzle_file(WALK + ASTRAY)}:Walk", Heard()
    for command in ("count", "estimate"):
        assert "Walk: 'unkey' of 0 gives place=1" in run_here(command, source, "--engine", "breadth", code=2).stderr
    found = count(make(source, {"size": 24}), heard, tuning=replace(EAGER, space_after=0.0, space_least=9.0))
    assert (found.engine, found.cost, found.count) == ("deepening", 6, 1)
    (warning,) = heard.warnings
    assert warning.startswith("Walk: 'unkey' of 0 gives place=1")
    assert warning.endswith(": continuing without the engine breadth")


@pytest.mark.parametrize("error", [CostFalls, EngineStop])
def test_what_ends_a_search_leaves_a_forecast(error: type[Exception]) -> None:
    class Ending(Walk):
        def sharing(self):
            raise error("now")

    with pytest.raises(error, match="now"):
        count(Ending(6))


def test_a_broken_way_to_share_is_named_where_it_is_needed(puzzle_file: Callable[..., Path], run_here: Run) -> None:
    source = f"{puzzle_file(WALK + BROKEN.format('sharing'))}:Walk"
    assert "'sharing' raises" in run_here("count", source, "--transposition", "1000", code=2).stderr
    done = run_here("describe", source)
    assert "engines that can count it: deepening\n" in done.stdout
    assert [line.partition(" raises")[0] for line in done.stderr.splitlines()] == ["parsolve: Walk: 'sharing'"]


def test_a_broken_name_of_what_is_counted_is_no_page(puzzle_file: Callable[..., Path], run_here: Run) -> None:
    source = f"{puzzle_file(WALK + BROKEN.format('up_to'))}:Walk"
    run_here("count", source, "--journal", "it.sqlite")
    assert "'up_to' raises" in run_here("report", "it.sqlite", "-o", "it.html", "--puzzle", source, code=2).stderr


def test_pattern_databases_are_not_built_for_a_comparison() -> None:
    class Abstracted(Walk):
        def sharing(self):
            return Bounded(self.size)

    class Bounded(Walk):
        def abstractions(self):
            return [Walk(1)]

        def root(self, distances):
            return super().root()

        def tables(self, distances):
            return super().tables()

    there = (PatternDatabase("", np.zeros(1, np.uint8)),)
    assert forecast(Abstracted(3)) is None
    assert forecast(Abstracted(3), there) is not None


def test_too_little_memory_leads_back_to_deepening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OutOfMemory("the next states do not fit")

    monkeypatch.setattr(Sharing, "search", fail)
    heard = Heard()
    found = count(Walk(6), heard, tuning=SURE, journal=tmp_path / "journal")
    assert (found.count, found.engine) == (924, "deepening")
    assert len(heard.resumed) == 1
    assert [engine for engine, _ in heard.chosen] == ["sharing", "deepening"]
    assert heard.chosen[1][1] == "the next states do not fit: continuing by deepening"


def test_the_seconds_of_all_runs_and_engines_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Sharing, run: engine.Run) -> None:
        run.result.seconds += 100
        raise OutOfMemory("the next states do not fit")

    class Store(CheckpointStore):
        def is_due(self, size: int = 0) -> bool:
            return True

        def save(self, checkpoint: Checkpoint) -> None:
            self.last = checkpoint

    monkeypatch.setattr(Sharing, "search", fail)
    store = Store(Checkpoint([], 0, [Branch.whole(0)], seconds=1000.0))
    found = search(Walk(6), want="count", workers=1, tuning=SURE, store=store)
    assert (found.count, found.engine) == (924, "deepening")
    assert 1100 < store.last.seconds < found.seconds < 1200


def test_a_journal_keeps_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = tmp_path / "journal"

    def stop(*_: object) -> None:
        raise BadInput("stopped here")

    with monkeypatch.context() as patched:
        patched.setattr(Sharing, "search", stop)
        with pytest.raises(BadInput, match="stopped here"):
            count(Walk(7), journal=journal, tuning=SURE)
    for _ in range(2):
        found = count(Walk(7), journal=journal, tuning=SURE)
        assert (found.status, found.count, found.engine, found.nodes) == ("solved", PATHS, "sharing", 63)


def test_what_sharing_has_begun_it_ends(tmp_path: Path) -> None:
    class Begun(Heard):
        """Delays deepening, and notices the second level of sharing."""

        is_begun = False

        def progress_made(self, progress: Progress) -> None:
            time.sleep(0.0 if self.chosen else 0.2)
            self.is_begun |= bool(self.chosen) and progress.nodes > 1

    begun, heard = Begun(), Heard()
    journal = tmp_path / "journal"
    stopped = count(Walk(7), begun, journal=journal, cancel=lambda: begun.is_begun, tuning=SURE)
    found = count(Walk(7), heard, journal=journal, tuning=SURE)
    assert (stopped.status, stopped.engine, found.engine) == ("stopped", "sharing", "sharing")
    assert (found.count, found.nodes, heard.chosen) == (PATHS, 63, [])
    assert min(stopped.seconds, found.seconds) > 0.2  # deepening's too


def test_what_breadth_first_search_has_begun_it_ends() -> None:
    store = Remembering()
    with pytest.raises(Pulled):
        search(Coins(30), want="count", workers=1, engine="breadth", check=Plug(9), store=store)
    found = search(Coins(30), want="count", workers=1, store=store)
    assert (found.status, found.engine) == ("solved", "breadth")


def sample(puzzle: Puzzle, most: int) -> Sample:
    with Threads(1, UNWATCHED) as one:
        found = Sample(Problem(puzzle), one, most)
        assert found.walk()
        return found


def test_a_try_that_compiles_until_its_end_is_early() -> None:
    class Compiling(Sharing):
        def search(self, run: engine.Run) -> None:
            with run.searching(), kernel_time.counted():
                while True:
                    run.watch.check()

    tried = engine.Engine.forecast(Compiling("sharing"), run_of(Walk(3)), 0.01, math.inf)
    assert tried is not None
    assert tried.is_early


@pytest.mark.parametrize(("seconds", "fits", "sooner"), [(6.9, True, True), (7.1, True, False), (1.0, False, False)])
def test_what_is_sooner(seconds: float, fits: bool, sooner: bool) -> None:
    assert is_sooner(Expected(63, 1e4, fits, seconds).forecast(10, 1), 10, EAGER) is sooner
    assert not is_sooner(Expected(math.inf, math.inf, False, math.inf, math.inf).forecast(10, 1), 10, EAGER)


def test_the_range_of_a_sample() -> None:
    whole = Expected(63, 1e4, True, 1.0)
    assert whole.between(63, short) == "63"
    drawn = sample(Lamps(12), 20)
    few = drawn.expected(1)
    assert few.error == math.sqrt(max(drawn.sizes.values()) / 20) > 4
    assert few.between(4000, short) == f"{short(4000 / math.sqrt(few.error))} to {short(4000 * few.error)}"
    assert few.entries / math.sqrt(few.error) < sample(Lamps(12), 1 << 20).entries < few.entries * few.error


def test_a_sample_of_all_is_exact() -> None:
    found = sample(Walk(20), 1000)
    assert found.is_exact
    assert [*found.sizes.values()] == [*range(1, 21), *range(21, 1, -1)]
    assert sample(Walk(0), 8).expected(1).entries == 0  # its root is solved


@pytest.mark.parametrize(("puzzle", "most", "times"), [(Walk(30), 8, 2.0), (Lamps(11), 70, 1.3), (Lamps(11), 20, 2.0)])
def test_a_sample_expects_what_there_is(puzzle: Puzzle, most: int, times: float) -> None:
    found = sample(puzzle, most)
    whole = sample(puzzle, 1 << 20).entries
    assert found.visited < whole / 2
    assert whole / times < found.entries < whole * times


def test_the_memory_that_is_expected() -> None:
    # Two levels of 21 entries at most, of three words each, and tables that grow.
    assert 41 * 24 < sample(Walk(20), 1000).expected(1).memory < 41 * 24 * 10


def test_levels_that_are_too_large_to_be_told() -> None:
    class Endless(Lamps):
        """Each state has as many children as there are lamps, and no two states a common one."""

        state = np.dtype([("on", "u8"), ("move", "u1")])

        @staticmethod
        def expand(tables, here, limit, rows, top):
            for move in range(tables.lamps):
                row = rows[top]
                row.on, row.move = here.on * np.uint64(tables.lamps) + np.uint64(move), move
                top += 1
            return top

        @staticmethod
        def solved(tables, here):
            return here.on >= 16**14

    found = sample(Endless(4), 4)
    assert math.isinf(found.entries)
    assert max(size for size in found.sizes.values() if not math.isinf(size)) <= 4 * HEAVIEST


DOMINOES = ("polyominoes", "--board", "12x12", "--pieces", "72*I2")

TILINGS = 53_060_477_521_960_000
"""Of 12x12 cells with dominoes, A004003."""


@pytest.mark.nightly
def test_large_counts_are_shared(run: Run, compiled: None) -> None:
    done = run("count", *DOMINOES, "--json", "--workers", "1")
    found = json.loads(done.stdout)
    assert (found["status"], found["count"], found["engine"]) == ("solved", TILINGS, "sharing")
    (told,) = [line for line in done.stderr.splitlines() if "engine" in line]
    assert told.startswith("continuing with the engine sharing: ")
    assert "and by deepening more than 100 days are left" in told


@pytest.mark.nightly
def test_an_estimate_is_of_the_engine_that_a_count_takes(run: Run, compiled: None) -> None:
    (line,) = run("estimate", *DOMINOES, "--time", "0.1s", "--workers", "1").stdout.splitlines()
    assert line.startswith("by the engine sharing: ")
    (found,) = json.loads(run("estimate", *DOMINOES, "--time", "0.1s", "--json").stdout)
    assert (found["engine"], found["fits"]) == ("sharing", True)
    vast = ("estimate", "polyominoes", "--board", "30x30", "--pieces", "450*I2", "--engine", "sharing", "--json")
    assert json.loads(run(*vast, "--time", "0.1s").stdout, parse_constant=pytest.fail)[0]["entries"] is None
    small = ("estimate", "langford", "--n", "8", "--time", "0.1s")
    assert " nodes " in run(*small).stdout
    assert run(*small, "--engine", "sharing").stdout.startswith("by the engine sharing: ")
    assert " nodes " in run("estimate", *DOMINOES, "--time", "0.1s", "--engine", "deepening").stdout
    assert "is not known" in run("estimate", "eight", "--engine", "sharing", code=3).stderr


@pytest.mark.nightly
def test_a_table_shares_the_states_of_covers(compiled: None) -> None:
    puzzle = Polyominoes(board="8x8", pieces="32*I2")
    found = parsolve.solve(puzzle, want="count", transposition=1 << 20, workers=1)
    assert (found.count, found.engine) == (12_988_816, "deepening")
    assert found.nodes < 5000


@pytest.mark.nightly
@pytest.mark.parametrize("size", [1, 1 << 10, 1 << 20])
def test_a_table_changes_no_count(size: int, compiled: None) -> None:
    for seed in range(100):
        problem = random_cover(random.Random(seed))
        found = parsolve.solve(Cover(problem.text), want="count", transposition=size, workers=1)
        assert found.count == len(problem.solutions), seed


def test_a_table_does_not_list_covers(compiled: None) -> None:
    with pytest.raises(BadInput, match="Langford gives no key, which the transposition table needs"):
        parsolve.solve(Langford(7), transposition=1 << 20)
