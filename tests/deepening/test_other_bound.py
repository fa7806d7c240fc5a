"""A search that was stopped goes on with another lower bound: nothing is lost and nothing counts twice."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psutil
import pytest
from cases import nightly, some
from heard import Heard
from searching import search as solve
from shared import Run
from toys import Coins

import parsolve
from parsolve.deepening.better import better_bound
from parsolve.deepening.searcher import Searcher, Sought
from parsolve.errors import BadPuzzle, NotReproducible
from parsolve.problem.digests import rules_digest
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Better, Counting, Puzzle
from parsolve.puzzles import Sliding
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint, CheckpointStore
from parsolve.search.progress import Progress
from parsolve.search.watch import Listener

pytestmark = pytest.mark.plain


class Enough(Exception):
    """Raised by a stop condition."""


class Kept(CheckpointStore):
    """Keeps the last checkpoint and every solution, as a journal does."""

    def __init__(self, checkpoint: Checkpoint | None = None) -> None:
        super().__init__(checkpoint)
        self.checkpoint = checkpoint
        self.every: list[tuple[int, ...]] = []

    def save(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint

    def add(self, limit: int, paths: Sequence[tuple[int, ...]]) -> None:
        self.every += paths


class Stop(Listener):
    """Ends a search within a limit after so many nodes of it."""

    def __init__(self, limit: int, nodes: int) -> None:
        self._limit, self._nodes = limit, nodes

    def progress_made(self, progress: Progress) -> None:
        if progress.limit == self._limit and progress.nodes >= self._nodes:
            raise Enough


def stopped(puzzle: Any, limit: int, nodes: int, checkpoint: Checkpoint | None = None, budget: int = 5) -> Kept:
    """Search in slices of `budget` until so many nodes within a limit."""
    store = Kept(checkpoint)
    with pytest.raises(Enough):
        solve(puzzle, workers=1, budget=budget, store=store, listener=Stop(limit, nodes))
    assert store.checkpoint is not None
    assert store.checkpoint.limit == limit
    return store


NONE, WEAK, TIGHT = (Coins(8, bound) for bound in ("none", "weak", "tight"))

COST, PATHS = TIGHT.answer()


@pytest.mark.parametrize(
    "stops",
    [
        *([(NONE, nodes)] for nodes in (1, 40, 80)),
        *(nightly([(NONE, nodes)]) for nodes in (10, 25, 60)),
        [(WEAK, 15), (TIGHT, 20), (NONE, 40)],
    ],
    ids=str,
)
@pytest.mark.parametrize("last", [WEAK, TIGHT], ids=str)
def test_in_the_middle_of_the_last_limit(stops: list[tuple[Coins, int]], last: Coins) -> None:
    """Branches of one bound are searched with a second and left to a third."""
    found, checkpoint = list[tuple[int, ...]](), None
    for puzzle, nodes in stops:
        store = stopped(puzzle, COST, nodes, checkpoint)
        found, checkpoint = found + store.every, store.checkpoint
    after = Kept(checkpoint)
    result = solve(last, workers=1, budget=30, store=after)
    assert (result.cost, result.count) == (COST, len(PATHS))
    assert sorted(found + after.every) == PATHS


@pytest.mark.parametrize("limit", [2, 3, 5])
def test_a_limit_that_the_other_bound_rules_out_is_left(limit: int) -> None:
    """Its branches are none of the next limit."""
    store = stopped(NONE, limit, 1)
    for then in (WEAK, TIGHT):
        found = solve(then, workers=1, store=Kept(store.checkpoint))
        assert (found.cost, found.count) == (COST, len(PATHS))


def test_what_another_bound_cuts_off_needs_a_further_limit() -> None:
    """Also where the walk cuts off nothing: of the open branch, only the row of a solution is left."""
    store = stopped(Coins(3, "none"), 2, 1, budget=1)
    assert solve(Coins(3), workers=1, slack=1, store=Kept(store.checkpoint)).by_cost == {2: 1, 3: 3}


def test_a_bound_that_hides_what_is_known_is_refused() -> None:
    class Late(Coins):
        def limits(self) -> range:
            return range(COST + 1, 20)

    store = stopped(NONE, COST, 70)
    assert store.every
    with pytest.raises(BadPuzzle, match=f"solutions of cost {COST} are known"):
        solve(Late(8), workers=1, store=Kept(store.checkpoint))


def test_what_a_bound_cuts_off_is_not_there_where_no_bound_may_change() -> None:
    @dataclass(frozen=True)
    class Strict(Puzzle):
        state, children = Coins.state, Coins.children
        expand, solved = (staticmethod(rule) for rule in (Coins.expand, Coins.solved))

        def root(self) -> dict[str, Any]:
            return TIGHT.root()

        def tables(self) -> Any:
            return TIGHT.tables()

    cut = Branch((0, 1), ((), (), (1,)), (1, 3, 3))
    assert Searcher(Problem(TIGHT)).run(cut, Sought(COST - 1), 100).rest == ()
    with pytest.raises(NotReproducible):
        Searcher(Problem(Strict())).run(cut, Sought(COST - 1), 100)


def test_a_journal_goes_on_with_another_bound(run: Run) -> None:
    words = ("solve", "toys:Coins", "--workers", "1", "--quiet", "--journal", "j.sqlite", "--bound")
    begun = run(*words, "none", "--timeout", "0.01s", code=3)
    done = run(*words, "tight")
    lines = done.stdout.splitlines()
    assert len(lines) == len({*lines}) == len(Coins().answer()[1])
    assert {*begun.stdout.splitlines()} <= {*lines}
    assert '"bound": "tight"' in run("show", "j.sqlite", "--json").stdout
    assert run(*words, "none").stdout == done.stdout  # it is done
    refused = run(*words, "none", "--amount", "9", code=2).stderr
    assert "amount 8, not 9" in refused
    assert "tight" not in refused


@pytest.mark.parametrize("after", [0, 40, nightly(1), nightly(100), nightly(10**6)])
def test_a_better_bound_is_taken_once_iterations_grow(after: int) -> None:
    plain = parsolve.solve(NONE, workers=1)
    found = parsolve.solve(Coins(8, "none", after), workers=1)
    assert (found.cost, found.count, found.paths) == (COST, len(PATHS), PATHS)
    same = plain.iterations[-len(found.iterations) :]
    nodes = [(now.nodes, then.nodes) for now, then in zip(found.iterations, same, strict=True)]
    grown = next((number for number, (_, then) in enumerate(nodes) if then >= after), len(nodes))
    assert all(now == then for now, then in nodes[: grown + 1])
    assert all(now < then for now, then in nodes[grown + 1 :])


def improved(*better: Any, **more: Any) -> Coins:
    """Coins without a bound, and those with which a search may go on."""

    class Improved(Coins):
        def counting(self, want: Any) -> Counting:
            return Counting(self, better=[*better], **more)

    return Improved(8, "none")


def test_a_search_changes_again_to_a_still_better_bound() -> None:
    searches = [parsolve.solve(coins, workers=1) for coins in (NONE, WEAK, TIGHT)]
    by_bound = [{each.limit: each.nodes for each in found.iterations} for found in searches]
    listener, better = Heard(), (Better(lambda: WEAK, 5, 5), Better(lambda: TIGHT, 16, 16))
    found = parsolve.solve(improved(*better), workers=1, listener=listener)
    assert (found.cost, found.count, found.paths) == (COST, len(PATHS), PATHS)
    bounds = (0, 0, 0, 1, 1, 1, 2)
    assert [each.nodes for each in found.iterations] == [by_bound[which][limit] for limit, which in enumerate(bounds)]
    assert [text.split(" nodes")[0] for text in listener.changes] == [
        "continuing with Coins(bound='weak'): an iteration took 5",
        "continuing with Coins(bound='tight'): an iteration took 16",
    ]
    assert [each.states for each in found.solutions] == [each.states for each in searches[0].solutions]


def test_a_total_stays_with_a_better_bound() -> None:
    listener, twice = Heard(), improved(Better(lambda: TIGHT, 5, 5), total=lambda weights: 2 * weights)
    found = parsolve.solve(twice, want="count", workers=1, listener=listener)
    assert (found.count, len(listener.changes)) == (2 * len(PATHS), 1)


def test_the_best_bound_that_pays() -> None:
    """By the nodes, and by whether its pattern databases are at hand."""
    none = improved(Better(lambda: WEAK, 100, 50), Better(lambda: TIGHT, 1000, 30))

    def better(problem: Problem, nodes: float, *kept: Coins) -> Problem | None:
        return better_bound(problem, nodes, lambda problem: problem.puzzle in kept)

    def best(nodes: float, *kept: Coins) -> Any:
        found = better(Problem(none, "count"), nodes, *kept)
        return None if found is None else found.puzzle

    assert [best(nodes) for nodes in (0, 99, 100, 999, 1000)] == [None, None, WEAK, WEAK, TIGHT]
    assert [best(nodes, WEAK) for nodes in (49, 50, 1000)] == [None, WEAK, TIGHT]
    assert [best(nodes, WEAK, TIGHT) for nodes in (29, 30, 1000)] == [None, TIGHT, TIGHT]
    weak = better(Problem(none, "count"), 100)
    assert weak is not None
    assert better(weak, 999) is None
    tight = better(weak, 1000)
    assert tight is not None
    assert (tight.puzzle, tight.given, better(tight, 1e9)) == (TIGHT, none, None)


@pytest.mark.parametrize(
    ("better", "says"),
    [
        (TIGHT, "'better' of a Counting must be a list of Better, each"),
        (Better(lambda: 1, 0, 0), "a Better must give a puzzle, not 1"),
    ],
)
def test_a_better_bound_must_be_one(better: Any, says: str) -> None:
    with pytest.raises(BadPuzzle, match=says):
        parsolve.solve(improved(better), workers=1)


OTHERS = ("none", "patterns", "auto")


@pytest.mark.parametrize(("first", "then"), some(itertools.product(("manhattan", "patterns"), OTHERS), 14))
def test_the_bounds_of_sliding(first: Any, then: Any, compiled: None) -> None:
    """Each is a class of its own, with the same moves."""
    store = stopped(Sliding(bound=first), 31, 20, budget=50)
    after = Kept(store.checkpoint)
    found = solve(Sliding(bound=then), workers=1, store=after)
    assert (found.cost, found.count) == (31, 40)
    assert sorted(store.every + after.every) == parsolve.solve(Sliding(bound="manhattan"), workers=1).paths


def test_a_journal_takes_all_bounds_of_a_large_board(run: Run) -> None:
    start = "1 2 3 4 5 6 7 8 9 10 11 12 0 13 14 15 16 17"
    words = ("solve", "sliding", "--start", start, "--workers", "1", "--quiet", "--journal", "j.sqlite", "--bound")
    run(*words, "none", "--timeout", "0.01s", code=3)
    assert run(*words, "manhattan").stdout == run(*words, "none").stdout == "13 14 15 16 17\n"
    assert len({rules_digest(Problem(Sliding(start, bound=bound), "count")) for bound in ("none", "patterns")}) == 1


FIFTEEN = "5 7 0 1 6 2 11 3 10 9 12 4 14 13 8 15"


def test_tables_that_do_not_fit_are_done_without(monkeypatch: pytest.MonkeyPatch, compiled: None) -> None:
    listener = Heard()
    monkeypatch.setattr(
        Sliding, "counting", lambda self, want: Counting(self, better=[Better(self.with_patterns, 100, 100)])
    )
    found = solve(
        Sliding(FIFTEEN, patterns="8-7"),
        workers=1,
        listener=listener,
        max_memory=psutil.Process().memory_info().rss + (20 << 20),
    )
    assert (found.cost, found.count) == (34, 5)
    (warning,) = listener.warnings
    assert "continuing without a better bound" in warning
