"""The walk for the beginning of a search returns what the full one does, which continues it."""

import math
from typing import Any

import pytest
from samples import edited
from variants import Variant

from parsolve.compiler.cache import CompiledFunction
from parsolve.deepening import searcher as searchers
from parsolve.deepening.searcher import Searcher
from parsolve.deepening.transposition import TranspositionTable
from parsolve.errors import BadPuzzle
from parsolve.problem.problem import Problem
from parsolve.puzzles import Peg, Sliding

pytest_plugins = ["variants"]


@pytest.fixture
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a search believe that no kernel is kept."""
    monkeypatch.setattr(searchers, "_warm", set())
    monkeypatch.setattr(CompiledFunction, "is_kept", lambda self, *arguments: False)


def outcomes(
    searcher: Searcher, limit: int, budget: int, listing: bool, table: TranspositionTable, lasting: float = math.inf
) -> list[Any]:
    """All that a search in slices returns; after the first slice it has lasted if it takes longer than `lasting`."""
    found, branch = [], searcher.whole()
    while True:
        outcome = searcher.run(branch, limit, budget, listing, None, table)
        found.append((outcome.nodes, outcome.found, outcome.cut, outcome.paths.tolist(), outcome.rest))
        if not outcome.rest:
            return found
        (branch,) = outcome.rest
        searcher._lasting = lasting


@pytest.mark.usefixtures("nothing_kept")
@pytest.mark.parametrize("listing", [False, True])
@pytest.mark.parametrize("size", [0, 1 << 20])
def test_a_brief_walk_and_the_switch_change_nothing(listing: bool, size: int) -> None:
    problem = Problem(Peg(first="0-6") if size else Sliding())
    limit, budget = (7, 300) if size else (31, 20_000)
    full = Searcher(problem)
    expected = outcomes(full, limit, budget, listing, TranspositionTable(size))
    brief = Searcher(problem)
    brief.warm_up(TranspositionTable(size), lasting=math.inf)
    assert brief._is_brief
    assert not brief.can_split()
    assert outcomes(brief, limit, budget, listing, TranspositionTable(size)) == expected
    switched = Searcher(problem)
    switched.warm_up(TranspositionTable(size), lasting=math.inf)
    assert outcomes(switched, limit, budget, listing, TranspositionTable(size), lasting=0.0) == expected
    assert not switched._is_brief


@pytest.mark.usefixtures("nothing_kept")
def test_a_brief_walk_looks_closely_near_solutions(variant: Variant) -> None:
    """The bound hides two of three solutions; or the costs on the path to the first one fall."""
    hides = edited("row.bound = 0", "row.bound = 2 * (row.place == 3)")
    falls = edited("row.cost = here.cost + 1", "row.cost = 5 - (row.place == 4)")
    falls = edited("here.cost + 1 <= limit", "row.cost <= limit and row.place <= 5", falls)
    for source, limit, says in ((hides, 3, "exceeds its distance"), (falls, 5, "cost")):
        walk: Any = variant(source)
        brief = Searcher(Problem(walk(size=10)))
        brief.warm_up(lasting=math.inf)
        with pytest.raises(BadPuzzle, match=says):
            brief.run(brief.whole(), limit, 1 << 40, False, None)
        assert brief._is_brief
