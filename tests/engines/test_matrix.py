"""The same answer, whatever the budget, the buffer, the transposition table and the executor."""

import itertools
import math
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from at_once import solve_at_once
from cases import nightly, some
from toys import TOYS, Coins, Lamps, Ring

import parsolve
from parsolve.errors import BadInput
from parsolve.puzzle import EngineName, Puzzle, Want

pytestmark = pytest.mark.plain

PUZZLES: dict[str, Puzzle] = {**TOYS, "more coins": Coins(12, "none"), "larger ring": Ring(20, 8)}


@pytest.mark.parametrize(("name", "budget", "buffer"), some(itertools.product(PUZZLES, (1, 7, 300), (1, 3, 1000)), 4))
def test_inline(name: str, budget: int, buffer: int) -> None:
    puzzle = PUZZLES[name]
    plain = parsolve.solve(puzzle, workers=1, budget=1 << 40, transposition=0)
    found = parsolve.solve(puzzle, workers=1, budget=budget, buffer=buffer, transposition=0)
    assert found.paths == plain.paths == puzzle.answer()[1]  # type: ignore[attr-defined]
    assert (found.status, found.cost, found.count) == (plain.status, plain.cost, plain.count)
    assert [each.nodes for each in found.iterations] == [each.nodes for each in plain.iterations]


@pytest.mark.parametrize("name", PUZZLES)
def test_a_small_space_is_not_tried_once_a_solution_is_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else breadth-first search would give it out again."""
    puzzle, paths = PUZZLES[name], list[tuple[int, ...]]()
    monkeypatch.setattr("parsolve.search.choice.time", SimpleNamespace(monotonic=lambda: 100.0 * bool(paths)))
    parsolve.solve(puzzle, workers=1, budget=1, buffer=1, transposition=0, on_solution=paths.append)
    assert paths == puzzle.answer()[1]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", PUZZLES)
def test_on_threads(name: str) -> None:
    puzzle = PUZZLES[name]
    plain = parsolve.solve(puzzle, workers=1, transposition=0)
    with ThreadPoolExecutor(3) as executor:
        for budget, buffer in ((2, 1), (11, None), (300, 2)):
            found = solve_at_once(puzzle, workers=3, executor=executor, budget=budget, buffer=buffer, transposition=0)
            assert (found.paths, found.count, found.nodes) == (plain.paths, plain.count, plain.nodes)


@pytest.mark.parametrize(
    ("name", "budget", "table"), some(itertools.product(PUZZLES, (3, 200, 1 << 40), (24, 1000, 1 << 20)), 4)
)
def test_with_a_transposition_table(name: str, budget: int, table: int) -> None:
    puzzle = PUZZLES[name]
    cost, paths = puzzle.answer()  # type: ignore[attr-defined]
    wants: list[tuple[Want, int | None, list[tuple[int, ...]]]] = [
        ("all", len(paths), paths),
        ("count", len(paths), []),
        ("first", None, paths[:1]),
    ]
    for want, count, listed in wants:
        found = parsolve.solve(puzzle, workers=1, transposition=table, budget=budget, buffer=2, want=want)
        assert (found.cost or 0, found.count, found.paths) == (cost, count, listed)


@pytest.mark.parametrize("name", PUZZLES)
def test_any_solution_up_to_a_limit(name: str) -> None:
    """The one that comes first within the limit, whatever the slices; none where the limit is too low."""
    puzzle = PUZZLES[name]
    cost, paths = puzzle.answer()  # type: ignore[attr-defined]
    has_cost = "lamps" not in name
    for limit in (cost, cost + 1, cost + 3) if has_cost else (None,):
        every = [
            parsolve.solve(puzzle, want="any", limit=limit, workers=1, budget=budget, transposition=table)
            for budget in (1, 5, None)
            for table in (0, 1 << 10)
        ]
        for found in every:
            assert (found.status, found.count, found.found_so_far) == ("solved", None, 1)
            assert not has_cost or cost <= (found.cost or 0) <= (limit or 0)
        if limit in (None, cost):
            assert {found.paths[0] for found in every} == {paths[0]}
    if has_cost:
        assert parsolve.solve(puzzle, want="any", limit=cost - 1, workers=1).status == "stopped"


ENGINES: tuple[EngineName, ...] = ("deepening", "breadth", "both", "sharing")


@pytest.mark.parametrize(
    ("puzzle", "want", "slack"),
    [
        (Lamps(4), "all", None),
        (Coins(7, "none"), "all", 2),
        nightly((Lamps(4), "count", None)),
        nightly((Coins(7, "none"), "all", None)),
        nightly((Coins(7, "none"), "count", None)),
        nightly((Coins(7, "none"), "all", 0)),
        nightly((Coins(7, "none"), "count", 2)),
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

    engines = ENGINES[: 1 if slack else 4]
    right = {engine: answer(engine) for engine in engines}
    stops = Counter[str]()
    for first, second in itertools.product(engines, repeat=2):
        for last in {first, second}:
            journal = tmp_path / f"{first}-{second}-{last}.sqlite"
            stops[answer(first, journal, 25)[0]] += 1
            for engine in {*ENGINES} - {*engines}:
                with pytest.raises(BadInput, match="slack is not for the engine"):
                    answer(engine, journal)
            answer(second, journal, 3)
            ended = answer(last, journal)
            assert ended in right.values()  # the first has perhaps ended
            assert answer(first, journal) == ended
    assert stops["stopped"]
