"""One answer, whatever is asked for, however it is searched and wherever it is stopped: that of the toy itself."""

import contextlib
import itertools
import math
import random
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from at_once import AT_ONCE
from cases import nightly
from heard import Heard
from journals import run_through
from pairs import pairs
from shared import IN_MEMORY
from toys import PRICES, TOYS, Coins, Lamps, Ring
from worlds.plain import by_cost

import parsolve
from parsolve.batch.journaled import replay_stored
from parsolve.errors import BadInput
from parsolve.journal.reader import JournalReader
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import EngineName, Puzzle, Want
from parsolve.search.request import Request
from parsolve.search.watch import Watch

pytestmark = pytest.mark.plain

PUZZLES: dict[str, Any] = {
    **TOYS,
    "more coins": Coins(10, "none"),
    "coins with a better bound later": Coins(9, "none", 20),
    "larger ring": Ring(20, 8),
}

SLACK = 2

ASKED: dict[str, dict[str, Any]] = {
    **{want: {"want": want} for want in ("all", "count", "first", "any")},
    "all, at most one": {"want": "all", "at_most": 1},
    "count, at most all but one": {"want": "count", "at_most": -1},
    "count, at most all": {"want": "count", "at_most": 0},
    "all, dearer ones too": {"want": "all", "slack": SLACK},
    "count, dearer ones too": {"want": "count", "slack": SLACK},
    "dearer ones too, at most seven": {"want": "all", "slack": SLACK, "at_most": 7},
}
"""What is asked for; `at_most` 0 and below: the number of solutions, or so many fewer."""

SEARCHED: dict[str, dict[str, Any]] = {
    "at once": {"budget": 1 << 40, "transposition": 0},
    "node by node": {"budget": 1, "buffer": 1, "transposition": 0},
    "in slices": {"budget": 7, "buffer": 3, "transposition": 0},
    "with a tiny table": {"budget": 3, "buffer": 2, "transposition": 24},
    "with a table": {"budget": 200, "buffer": 2, "transposition": 1 << 16},
    "on threads": {"budget": 2, "buffer": 1, "transposition": 0, "workers": 3},
    **{engine: {"engine": engine} for engine in ("breadth", "both", "sharing")},
}

STOPPED = ("never", "never, with a journal", "softly", "hard", "hard, often")
"""`hard`: what the last checkpoint does not hold is lost, as by SIGKILL."""


def answer(puzzle: Any) -> dict[int, list[tuple[int, ...]]]:
    """Return the solutions by cost, the dearer ones that slack allows too; at 0 where there are no costs."""
    if isinstance(puzzle, Lamps):
        return {0: puzzle.answer()[1]}

    def moves(at: int) -> Any:
        if isinstance(puzzle, Coins):
            return [(coin, at - coin, price) for coin, price in enumerate(PRICES, 1) if coin <= at]
        return [(move, near, 1) for move, near in enumerate(puzzle.neighbours(at))]

    root = puzzle.amount if isinstance(puzzle, Coins) else puzzle.start
    return by_cost(root, moves, lambda at: at == 0, puzzle.answer()[0] + SLACK)


def check(found: parsolve.Result, paths: list[tuple[int, ...]], puzzle: Any, asked: dict[str, Any]) -> None:
    """Compare a result, and the solutions that it has given out, with the puzzle's own answer."""
    expected, want = answer(puzzle), asked["want"]
    least = min(expected)
    most = asked.get("limit", least) if want == "any" else least + asked.get("slack", 0)
    expected = {cost: each for cost, each in expected.items() if cost <= most}
    every = [path for each in expected.values() for path in each]
    at_most = asked.get("at_most")
    if want in ("first", "any"):
        assert (found.status, found.count, found.found_so_far) == ("solved", None, 1)
        assert len(paths) == 1
        assert paths[0] in (expected.get(found.cost or 0, []) if want == "any" else every[:1])
        return
    if at_most is not None and at_most < len(every):
        assert (found.status, found.count, found.at_least) == ("more", None, at_most + 1)
        assert found.to_dict()["at_least"] == found.found_so_far == at_most + 1
    else:
        assert (found.status, found.count, found.at_least) == ("solved", len(every), len(every))
        assert not asked.get("slack") or found.by_cost == {cost: len(each) for cost, each in expected.items()}
    assert (found.cost or 0) == least
    assert paths == (every[: len(every) if at_most is None else at_most + 1] if want == "all" else [])


def takes(puzzle: Any, asked: dict[str, Any], searched: dict[str, Any]) -> bool:
    """Return whether a request is none that is refused."""
    if asked.get("slack"):
        return not isinstance(puzzle, Lamps) and not searched.get("transposition") and "engine" not in searched
    if searched.get("engine") in ("breadth", "sharing"):
        return "at_most" not in asked and asked["want"] in ("all", "count")
    return asked["want"] != "any" or "engine" not in searched


@pytest.mark.parametrize("case", pairs([*PUZZLES], [*ASKED], [*SEARCHED], STOPPED), ids=", ".join)
def test_each_two_together(case: tuple[str, str, str, str]) -> None:
    """Each two puzzles, questions, ways and stops; a request that is refused is replaced."""
    name, what, how, stopped = case
    puzzle, asked, searched, random_ = PUZZLES[name], dict(ASKED[what]), dict(SEARCHED[how]), random.Random(str(case))
    cost, paths = puzzle.answer()
    if asked.get("at_most", 1) <= 0:
        asked["at_most"] += len(paths)
    if asked["want"] == "any" and not isinstance(puzzle, Lamps):
        asked["limit"] = cost + random_.randrange(SLACK + 1)
    if not takes(puzzle, asked, searched):
        asked = {"want": asked["want"] if asked["want"] == "all" else "count"}
    options = {"engine": "deepening", "workers": 1, "tuning": AT_ONCE, **searched, **asked}
    with ThreadPoolExecutor(3) as pool, tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        executor = pool if options["workers"] > 1 else None
        if stopped == "never":
            found = parsolve.solve(puzzle, executor=executor, **options)
            check(found, found.paths, puzzle, asked)
        else:
            pulls = [random_.randrange(13) for _ in range({"hard, often": 8, "softly": 3, "hard": 2}.get(stopped, 0))]
            pulls = pulls if options["engine"] == "deepening" else []
            request = Request.of(**options)
            path = Path(folder) / "it.sqlite"
            found, given = run_through(path, puzzle, request, pulls, "hard" in stopped, executor)
            check(found, given, puzzle, asked)
            with JournalReader(path) as journal:
                (job,) = journal.jobs()
                journal.verify(job)
                assert (job.state, job.status, job.count, job.cost) == ("done", found.status, found.count, found.cost)
                assert [*journal.solutions(job)] == given
                assert journal.checkpoint(job) is None
                again = replay_stored(journal, job, Problem(puzzle, request.want), request, Watch(heard := Heard()))
                check(again, heard.found, puzzle, asked)
    if options["engine"] == "deepening" and "later" not in name and not asked.keys() & {"at_most", "slack", "limit"}:
        plain = parsolve.solve(puzzle, workers=1, budget=1 << 40, transposition=0)
        if not options["transposition"] and asked["want"] in ("all", "count"):
            assert [each.nodes for each in found.iterations] == [each.nodes for each in plain.iterations]
        assert [each.limit for each in found.iterations] == [each.limit for each in plain.iterations]


@pytest.mark.parametrize("name", PUZZLES)
def test_a_small_space_is_not_tried_once_a_solution_is_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else breadth-first search would give it out again."""
    puzzle, paths = PUZZLES[name], list[tuple[int, ...]]()
    monkeypatch.setattr("parsolve.search.choice.time", SimpleNamespace(monotonic=lambda: 100.0 * bool(paths)))
    parsolve.solve(puzzle, workers=1, budget=1, buffer=1, transposition=0, on_solution=paths.append)
    assert paths == puzzle.answer()[1]


def test_a_small_space_is_not_tried_once_a_journal_has_a_solution(tmp_path: Path) -> None:
    at_once = parsolve.Tuning(space_after=0.0, lasting=0.0)
    found = parsolve.solve(Lamps(), workers=1, budget=50, journal=tmp_path / "it.sqlite", tuning=at_once)
    assert (found.engine, found.paths) == ("deepening", Lamps().answer()[1])


@pytest.mark.parametrize("engine", ["breadth", "both"])
def test_without_costs_all_is_one_limit(engine: EngineName) -> None:
    class Undeclared(Lamps):
        graph = "any"

    found, paths = parsolve.solve(Undeclared(), engine=engine, workers=1), Lamps().answer()[1]
    assert (found.paths, [(each.limit, each.solutions) for each in found.iterations]) == (paths, [(0, len(paths))])


ENGINES: tuple[EngineName, ...] = ("deepening", "breadth", "both", "sharing")


@pytest.mark.parametrize(
    ("puzzle", "want", "slack"),
    [
        (Lamps(3), "all", None),
        (Coins(7, "none"), "all", 2),
        nightly((Lamps(4), "count", None)),
        nightly((Coins(7, "none"), "all", None)),
    ],
    ids=str,
)
def test_any_engine_after_any_engine(tmp_path: Path, puzzle: Puzzle, want: Want, slack: int | None) -> None:
    """A journal's search is stopped under one engine, and under another, and ended by either: the journal has what a
    search without one finds, and once."""

    def answer(engine: EngineName, journal: Path | None = None, checks: float = math.inf) -> Any:
        asked = itertools.count()
        how: Any = {"workers": 1, "budget": 3, "slack": slack, "cancel": lambda: next(asked) >= checks}
        found = parsolve.solve(puzzle, want=want, engine=engine, journal=journal, **how)
        numbers = [(each.limit, each.solutions) for each in found.iterations]
        return found.status, found.cost, found.count, found.found_so_far, found.paths, numbers

    def kept(engine: EngineName, journal: Path, checks: float = math.inf) -> Any:
        with contextlib.suppress(BadInput):  # both are asked for, and one alone has ended it
            return answer(engine, journal, checks)

    engines = ENGINES[: 1 if slack else 4]
    right = {engine: answer(engine) for engine in engines}
    stops = Counter[str]()
    for first, second in itertools.product(engines, repeat=2):
        for last in {first, second}:
            journal = tmp_path / f"{first}-{second}-{last}.sqlite"
            stops[answer(first, journal, 10)[0]] += 1
            for engine in {*ENGINES} - {*engines}:
                with pytest.raises(BadInput, match="slack is not for the engine"):
                    answer(engine, journal)
            kept(second, journal, 3)
            ended = {engine: kept(engine, journal) for engine in (last, first, "deepening")}
            assert ended["deepening"] in right.values()  # the first has perhaps ended
            assert all(
                found == ended["deepening"] or (engine == "both" and not found) for engine, found in ended.items()
            )
    assert stops["stopped"]
