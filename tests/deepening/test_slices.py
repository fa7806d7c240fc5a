"""A search in slices is the search as a whole: with any budgets, buffer and queues, and restored from its moves."""

import itertools
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from cases import some
from toys import TOYS, Coins, Lamps, Ring, Rows

import parsolve
from parsolve.deepening.outcome import Outcome, solutions_of
from parsolve.deepening.searcher import Searcher
from parsolve.deepening.templates.search import FEW
from parsolve.deepening.transposition import TranspositionTable
from parsolve.errors import BadPuzzle, NotReproducible, TooCheap
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Puzzle
from parsolve.search.branch import Branch

pytestmark = pytest.mark.plain


def outcomes(
    searcher: Searcher, limit: int, budgets: list[int], listing: bool, buffer: int | None, restored: bool = False
) -> list[Outcome]:
    """What each slice of a search tells; with `restored` each begins in a searcher that knows nothing of the others."""
    found = []
    branch = searcher.whole()
    for number in range(10**6):
        if restored:
            searcher = Searcher(searcher.problem)
        found.append(searcher.run(branch, limit, budgets[number % len(budgets)], listing, buffer))
        if not found[-1].rest:
            return found
        (branch,) = found[-1].rest
    raise AssertionError("no end")


def told(found: list[Outcome]) -> list[Any]:
    """Slices as values that can be compared."""
    return [(each.nodes, each.found, each.cut, solutions_of(each), each.rest) for each in found]


PUZZLES = [*TOYS.values(), Coins(7, "weak"), Ring(6, 2, "any")]


@pytest.mark.parametrize(("puzzle", "largest"), some(itertools.product(PUZZLES, (1, 2, 3, 10, 64, 1000)), 5), ids=repr)
def test_slices_are_the_same_with_subtrees_of_any_size(puzzle: Puzzle, largest: int) -> None:
    limit = puzzle.answer()[0]  # type: ignore[attr-defined]
    random_ = random.Random(largest)
    without, with_ = Searcher(Problem(puzzle), largest=0), Searcher(Problem(puzzle), largest=largest)
    for listing in (False, True):
        for budgets in ([1 << 40], [random_.randint(1, 80) for _ in range(50)], [40]):
            buffer = random_.choice([1, 3, None])
            # Twice: what was learned in the first makes another search of the second.
            for _ in range(2):
                assert told(outcomes(with_, limit, budgets, listing, buffer)) == told(
                    outcomes(without, limit, budgets, listing, buffer)
                )
    assert not without._runs["shallowest"].any()


@pytest.mark.parametrize(
    ("puzzle", "budget", "buffer"), some(itertools.product(PUZZLES, (1, 2, 7, 50), (1, 3, None)), 5), ids=repr
)
def test_the_slices_add_up(puzzle: Puzzle, budget: int, buffer: int | None) -> None:
    """To the same solutions in their order and as many nodes, whether the stack is kept or played again."""
    limit, paths = puzzle.answer()  # type: ignore[attr-defined]
    (whole,) = outcomes(Searcher(Problem(puzzle)), limit, [1 << 40], True, None)
    assert solutions_of(whole) == paths
    kept = outcomes(Searcher(Problem(puzzle)), limit, [budget], True, buffer)
    assert told(outcomes(Searcher(Problem(puzzle)), limit, [budget], True, buffer, restored=True)) == told(kept)
    assert [path for each in kept for path in solutions_of(each)] == paths
    assert sum(each.nodes for each in kept) == whole.nodes
    assert all(each.found <= (buffer or each.found) for each in kept)


@pytest.mark.parametrize("size", [1, 512, 1 << 20])
def test_a_transposition_table_changes_no_count(size: int) -> None:
    """However small it is, warm or not, in slices or not."""
    puzzle = Coins(13, "none")
    cost, paths = puzzle.answer()
    searcher, table = Searcher(Problem(puzzle)), TranspositionTable(size)
    for budget in (7, 1 << 40, 100):
        for limit in (cost - 1, cost):
            branch, found = searcher.whole(), 0
            while True:
                outcome = searcher.run(branch, limit, budget, False, None, table)
                found += outcome.found
                if not outcome.rest:
                    break
                (branch,) = outcome.rest
            assert found == (len(paths) if limit == cost else 0)


@dataclass(frozen=True)
class Stairs(Puzzle):
    """Go up: at each fiftieth step by the left or by the right. Nothing says how many steps there are."""

    height: int = 150
    state = np.dtype([("at", "u4"), ("move", "u1")])
    children = 3

    def root(self) -> dict[str, Any]:
        return {}

    def tables(self) -> tuple[int]:
        return (self.height,)

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for move in range(2 if here.at % 50 == 49 else 1):
            rows[top].at, rows[top].move = here.at + 1, move
            top += 1
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.at == tables[0]


@dataclass(frozen=True)
class FreeStairs(Stairs):
    """The same with costs: only the last step costs something."""

    state = np.dtype([("at", "u4"), ("cost", "u1"), ("move", "u1")])

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        for move in range(2 if here.at % 50 == 49 else 1):
            rows[top].at, rows[top].cost, rows[top].move = here.at + 1, here.at + 1 == tables[0], move
            top += rows[top].cost <= limit
        return top


@pytest.mark.parametrize("puzzle", [Stairs(), FreeStairs()], ids=repr)
def test_a_stack_grows_where_nothing_says_how_many_moves_there_are(puzzle: Stairs) -> None:
    count = 2 ** (puzzle.height // 50)
    limit = parsolve.solve(puzzle, engine="deepening", workers=1, want="count").cost or 0
    for budgets, restored in itertools.product(([1 << 40], [90, 30]), (False, True)):
        for listing in (False, True):
            found = outcomes(Searcher(Problem(puzzle)), limit, budgets, listing, 3, restored)
            assert sum(each.found for each in found) == count
            paths = [path for each in found for path in solutions_of(each)]
            assert paths == sorted({*paths})
            assert len(paths) == count * listing
    parts = [parsolve.solve(puzzle, want="count", part=f"{number}/2", limit=None, workers=1) for number in (1, 2)]
    assert sum(part.found_so_far for part in parts) == count


@pytest.mark.nightly
def test_a_path_without_end_is_refused() -> None:
    searcher = Searcher(Problem(Stairs(1 << 20)), largest=0)
    with pytest.raises(BadPuzzle, match="a path has more than 65,535 moves: do moves lead in a circle"):
        searcher.run(searcher.whole(), 0, 1 << 40, False, None)


def test_a_transposition_table_saves_nodes() -> None:
    """Behind the first ones of a run, whose entries are doubted."""
    puzzle = Coins(18, "none")
    searcher = Searcher(Problem(puzzle))
    found = searcher.run(searcher.whole(), 12, 1 << 40, False, None, TranspositionTable(1 << 16))
    assert (found.found, found.cut) == (1, True)
    assert FEW < found.nodes < 2 * FEW


def test_cut_tells_whether_the_limit_cut_anything() -> None:
    searcher = Searcher(Problem(Coins(5, "none")))
    every = 1 << 40
    assert [searcher.run(searcher.whole(), limit, every, False, None).cut for limit in (0, 2)] == [True, True]

    @dataclass(frozen=True)
    class Unpayable(Coins):
        @staticmethod
        def solved(tables, here):  # type: ignore[no-untyped-def]
            return False

    searcher = Searcher(Problem(Unpayable(5, "none")))
    assert [searcher.run(searcher.whole(), limit, every, False, None).cut for limit in (4, 5, 6)] == [
        True,
        False,
        False,
    ]
    assert parsolve.solve(Unpayable(5, "none"), workers=1).status == "none"


def test_a_solution_below_the_limit_is_refused() -> None:
    searcher = Searcher(Problem(Coins(5)))
    for _ in range(2):
        with pytest.raises(TooCheap, match="a solution costs less than the limit 9"):
            searcher.run(searcher.whole(), 9, 1 << 40, False, None)
    assert searcher.run(searcher.whole(), 9, 1 << 40, False, None, cheaper=True).found == 13


def test_a_branch_that_was_never_there() -> None:
    searcher = Searcher(Problem(Lamps()))
    for wrong in (Branch((0, 9), ((), (), (1,)), (1, 2, 2)), Branch((0,), ((), (7,)), (1, 3))):
        with pytest.raises(NotReproducible, match="move 1 of a branch is not there at limit 0"):
            searcher.run(wrong, 0, 100, False, None)


@pytest.mark.parametrize("largest", [1, 1000])
def test_too_few_children_are_declared(largest: int) -> None:
    """With a cost the watch for a cut tells; without one only the room for rows does."""

    class Payments(Coins):
        children = 1

    class Orders(Lamps):
        children = 1  # type: ignore[assignment]

        def tables(self):  # type: ignore[no-untyped-def]
            return Rows(self.lamps, 0, np.zeros(1, np.int64))

    for puzzle in (Payments(8), Orders(20)):
        searcher = Searcher(Problem(puzzle), largest=largest)
        with pytest.raises(BadPuzzle, match="more rows than 1 children"):
            searcher.run(searcher.whole(), 20, 1 << 40, False, None)
