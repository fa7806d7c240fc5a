"""A search in slices is the search as a whole: with any budgets, buffer, queues and tables, restored from its moves,
and begun by the brief walk. Rules that write more rows than their puzzle declares harm nothing."""

import itertools
import math
import random
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import some
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import KEY, edited
from shared import Run
from toys import TOYS, Coins, Lamps, Lopsided, Ring, Rows
from variants import Variant

import parsolve
from parsolve.compiler.cache import cached
from parsolve.compiler.marks import with_globals
from parsolve.compiler.rows import OVERRUN_ROWS, rows_to_overrun
from parsolve.deepening.kernels import DeepeningKernels, WalkKernel
from parsolve.deepening.outcome import Outcome, solutions_of
from parsolve.deepening.searcher import NO_TABLE, Searcher, Sought
from parsolve.deepening.templates import subtree
from parsolve.deepening.templates.search import FEW
from parsolve.deepening.transposition import TableMemory, TranspositionTable
from parsolve.errors import BadPuzzle, NotReproducible, TooCheap
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.problem.templates.restore import Stack
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles import Peg, Sliding
from parsolve.search.branch import Branch

pytest_plugins = ["variants"]

pytestmark = pytest.mark.plain

list_subtree = cached(subtree.list_subtree)


def outcomes(
    searcher: Searcher,
    limit: int,
    budgets: list[int],
    listing: bool,
    buffer: int | None,
    restored: bool = False,
    table: TranspositionTable = NO_TABLE,
) -> list[Outcome]:
    """What each slice of a search tells.

    Args:
        restored: each begins in a searcher that knows nothing of the others.
    """
    found = []
    branch = searcher.whole()
    for number in range(10**6):
        if restored:
            searcher = Searcher(searcher.problem)
        found.append(searcher.run(branch, Sought(limit, listing, buffer), budgets[number % len(budgets)], table))
        if not found[-1].rest:
            return found
        (branch,) = found[-1].rest
    raise AssertionError("no end")


def told(found: list[Outcome]) -> list[Any]:
    """Slices as values that can be compared."""
    return [(each.nodes, each.weight, each.cut, solutions_of(each.paths), each.rest) for each in found]


PUZZLES = [*TOYS.values(), Coins(7, "weak"), Ring(6, 2, "any")]


@pytest.mark.parametrize(("puzzle", "largest"), some(itertools.product(PUZZLES, (1, 2, 3, 10, 64, 1000)), 5), ids=repr)
def test_slices_are_the_same_with_subtrees_of_any_size(puzzle: Puzzle, largest: int) -> None:
    limit = puzzle.answer()[0]  # type: ignore[attr-defined]
    random_ = random.Random(largest)
    without, with_ = Searcher(Problem(puzzle), largest=0), Searcher(Problem(puzzle), largest=largest)
    for listing in (False, True):
        for budgets in ([1 << 40], [random_.randint(1, 80) for _ in range(50)], [40]):
            buffer = random_.choice([1, 3, None])
            expected = told(outcomes(without, limit, budgets, listing, buffer))
            # Twice: what was learned in the first makes another search of the second.
            for _ in range(2):
                assert told(outcomes(with_, limit, budgets, listing, buffer)) == expected
    assert not without._runs["shallowest"].any()


@pytest.mark.parametrize(
    ("puzzle", "budget", "buffer"), some(itertools.product(PUZZLES, (1, 2, 7, 50), (1, 3, None)), 5), ids=repr
)
def test_the_slices_add_up(puzzle: Puzzle, budget: int, buffer: int | None) -> None:
    """To the same solutions in their order and as many nodes, whether the stack is kept or played again."""
    limit, paths = puzzle.answer()  # type: ignore[attr-defined]
    (whole,) = outcomes(Searcher(Problem(puzzle)), limit, [1 << 40], True, None)
    assert solutions_of(whole.paths) == paths
    kept = outcomes(Searcher(Problem(puzzle)), limit, [budget], True, buffer)
    assert told(outcomes(Searcher(Problem(puzzle)), limit, [budget], True, buffer, restored=True)) == told(kept)
    assert [path for each in kept for path in solutions_of(each.paths)] == paths
    assert sum(each.nodes for each in kept) == whole.nodes
    assert all(each.weight <= (buffer or each.weight) for each in kept)


def test_other_searches_may_run_between_two_slices() -> None:
    class Here(Coins):
        """No name makes it again."""

    here, counts = Here(8, "none"), list[Any]()

    def search(_: object) -> None:
        counts.extend(parsolve.solve(puzzle, workers=1).count for puzzle in (Coins(3), here, Here(5)))

    assert parsolve.solve(here, workers=1, budget=5, on_solution=search).found_so_far == 9
    assert counts == [1, 9, 5] * 9


@dataclass(frozen=True)
class Stairs(Puzzle):
    """Go up: at each fiftieth step by the left or by the right. Nothing says how many steps there are."""

    height: int = 100
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
            assert sum(each.weight for each in found) == count
            paths = [path for each in found for path in solutions_of(each.paths)]
            assert paths == sorted({*paths})
            assert len(paths) == count * listing
    parts = [parsolve.solve(puzzle, want="count", part=f"{number}/2", limit=None, workers=1) for number in (1, 2)]
    assert sum(part.found_so_far for part in parts) == count


@pytest.mark.nightly
def test_a_path_without_end_is_refused(compiled: None) -> None:
    searcher = Searcher(Problem(Stairs(1 << 20)), largest=0)
    with pytest.raises(BadPuzzle, match="a path has more than 65,535 moves: do moves lead in a circle"):
        searcher.run(searcher.whole(), Sought(0), 1 << 40)


def test_a_transposition_table_saves_nodes() -> None:
    """Behind the first ones of a run, whose entries are doubted."""
    puzzle = Coins(18, "none")
    searcher = Searcher(Problem(puzzle))
    found = searcher.run(searcher.whole(), Sought(12), 1 << 40, TranspositionTable(1 << 16))
    assert (found.weight, found.cut) == (1, True)
    assert FEW < found.nodes < 2 * FEW


def test_cut_tells_whether_the_limit_cut_anything() -> None:
    searcher = Searcher(Problem(Lopsided(depth=3)))
    assert [searcher.run(searcher.whole(), Sought(limit), 1 << 40).cut for limit in (0, 2, 3, 4)] == [1, 1, 0, 0]


def test_a_solution_below_the_limit_is_refused() -> None:
    searcher = Searcher(Problem(Coins(5)))
    for _ in range(2):
        with pytest.raises(TooCheap, match="a solution costs less than the limit 9"):
            searcher.run(searcher.whole(), Sought(9), 1 << 40)
    assert searcher.run(searcher.whole(), Sought(9, cheaper=True), 1 << 40).weight == 13


@pytest.mark.parametrize(("puzzle", "limit"), [(Lamps(), 0), (Coins(11), 8)], ids=repr)
def test_a_branch_that_was_never_there(puzzle: Puzzle, limit: int) -> None:
    """Also where another bound may cut off what was there."""
    searcher = Searcher(Problem(puzzle))
    for wrong in (Branch((0, 9), ((), (), (1,)), (1, 2, 2)), Branch((0,), ((), (7,)), (1, 3))):
        with pytest.raises(NotReproducible, match=f"move 1 of a branch is not there at limit {limit}"):
            searcher.run(wrong, Sought(limit), 100)


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
            searcher.run(searcher.whole(), Sought(20), 1 << 40)


# By subtrees that are counted breadth-first.


def test_subtrees_do_overflow_and_do_fit(compiled: None) -> None:
    """The depths from which subtrees are counted are learned from those too large."""
    searcher = Searcher(Problem(Sliding()), largest=200)
    nodes = searcher.run(searcher.whole(), Sought(31), 1 << 40).nodes
    depths = searcher._runs["shallowest"]
    assert 3 < depths.max() < 31
    assert nodes == parsolve.solve(Sliding(), workers=1, want="count").iterations[-1].nodes


def test_subtrees_with_a_transposition_table(compiled: None) -> None:
    """Of sliding tiles what they begin with is remembered, of pegs all, because states come again everywhere."""

    def found(puzzle: Puzzle, limit: int, largest: int, table: int) -> tuple[int, int]:
        searcher = Searcher(Problem(puzzle), largest=largest)
        searcher._runs["repeats"] = 0  # as after the beginning of a search
        outcome = searcher.run(searcher.whole(), Sought(limit), 1 << 40, TranspositionTable(table))
        return outcome.weight, outcome.nodes

    def three(puzzle: Puzzle, limit: int, solutions: int) -> list[int]:
        each = [found(puzzle, limit, *how) for how in ((0, 1 << 22), (4096, 1 << 22), (4096, 0))]
        assert {count for count, _ in each} == {solutions}
        return [nodes for _, nodes in each]

    everything, subtrees, without = three(Sliding("8 6 7 2 5 4 3 0 1", bound="manhattan"), 31, 40)
    assert everything < subtrees < 0.7 * without
    everything, subtrees, without = three(Peg("triangle21_modified", "6", "6", bound="regions"), 12, 192)
    assert everything <= subtrees < 1.2 * everything < 0.1 * without


# More rows than declared.


WIDE = edited("range(1, 3)", "range(1, tables.size)", edited("children = 2", "children = 1")).replace(
    "row.move = step", "row.move = step % 250"
)
"""A walk with as many children as places, whose `move` repeats."""


@pytest.mark.nightly
def test_far_too_few_children_declared(puzzle_file: Callable[..., Path], compiled: None) -> None:
    cls = load_class(f"{puzzle_file(WIDE + KEY)}:Walk")
    for size in (4, 100, 10_000, 100_000, 1_000_000):
        for options in ({"engine": "deepening"}, {"engine": "breadth"}, {"transposition": 1 << 16}):
            with pytest.raises(BadPuzzle, match=r"more (rows )?than 1 children"):
                parsolve.solve(cls(size=size), workers=1, **options)  # type: ignore[arg-type]


def test_rows_can_be_overrun(compiled: None) -> None:
    state = np.dtype([("cells", "u8"), ("move", "u2")], align=True)
    rows = rows_to_overrun(3, state)
    assert (rows.size, rows.dtype, rows.tobytes()) == (3, state, bytes(3 * state.itemsize))
    behind = np.lib.stride_tricks.as_strided(rows, (3 + OVERRUN_ROWS,), rows.strides)
    behind[-1] = (1, 2)
    with pytest.raises(MemoryError, match="Unable to reserve"):
        rows_to_overrun(1 << 60, np.dtype("u1"))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 1 << 32))
def test_solutions_of_one_queue_are_listed_in_depth_first_order(compiled: None, seed: int) -> None:
    """Over random trees, with solutions at any depth and any number of them: compiled, and of small ones as plain
    Python too, which notices an index beyond an array."""
    random_ = random.Random(seed)
    first, paths, tops = 3, [(move,) for move in range(random_.randint(1, 4))], []
    last, solved = first + len(paths), []
    for path in paths:  # which grows: a queue
        children = random_.choice((0, 0, 1, 2, 3)) if len(paths) < 200 else 0
        if not children and random_.random() < 0.7:
            solved.append(path)
        paths += [(*path, move) for move in sorted(random_.sample(range(100, 110), children))]
        tops.append(first + len(paths))
    rows = np.zeros(first + len(paths), [("move", "u2")]).view(np.recarray)
    rows.move[first:] = [path[-1] for path in paths]
    stack = Stack(*np.zeros((2, 2 + len(paths)), np.uint64))
    stack.nexts[2:] = tops
    numbers = {path: number for number, path in enumerate(paths, first)}
    stack.ends[2 : 2 + len(solved)] = [numbers[path] for path in solved]
    buffer = np.zeros((len(solved) + 1, 1 + max(map(len, paths)) + 1), np.uint16)
    plain = with_globals(subtree.list_subtree, {"never_inline": lambda: None})
    for listed in (list_subtree, plain) if len(paths) < 60 else (list_subtree,):
        buffer[:] = 0
        assert listed(rows, np.uint64(first), np.uint64(last), stack, np.uint64(0), len(solved), buffer, 1)
        assert [tuple(row[1 : 1 + row[0]]) for row in buffer[1:].tolist()] == sorted(solved)


# By the walk for the beginning of a search, which the full one continues.


@pytest.mark.parametrize("listing", [False, True])
@pytest.mark.parametrize("size", [0, 1 << 20])
def test_a_brief_walk_and_the_switch_change_nothing(listing: bool, size: int, compiled: None) -> None:
    problem, table = Problem(Peg(first="0-6") if size else Sliding()), TranspositionTable(size)
    limit, budget = (7, 300) if size else (31, 20_000)

    def searched(walk: WalkKernel | None = None) -> list[Any]:
        return told(outcomes(Searcher(problem, walk=walk), limit, [budget], listing, None, table=table))

    expected = searched()
    # Kernels that have not searched yet: the first slice is brief, and lasts.
    for lasting, stays in ((math.inf, True), (1e-9, False)):
        walk = WalkKernel(DeepeningKernels(problem.compiled_rules), lasting, is_brief=True)
        assert searched(walk) == expected
        assert walk.is_brief == stays


def test_a_brief_walk_looks_closely_near_solutions(variant: Variant, compiled: None) -> None:
    """The bound hides two of three solutions; or the costs on the path to the first one fall."""
    hides = edited("row.bound = 0", "row.bound = 2 * (row.place == 3)")
    falls = edited("row.cost = here.cost + 1", "row.cost = 5 - (row.place == 4)")
    falls = edited("here.cost + 1 <= limit", "row.cost <= limit and row.place <= 5", falls)
    for source, limit, says in ((hides, 3, "exceeds its distance"), (falls, 5, "cost")):
        walk: Any = variant(source)
        brief = Searcher(Problem(walk(size=10)))
        brief.warm_up(lasting=math.inf)
        assert not brief.warm_up_workers()  # they wait for the full kernel, which nobody has compiled
        with pytest.raises(BadPuzzle, match=says):
            brief.run(brief.whole(), Sought(limit), 1 << 40)


# With a transposition table.


@pytest.mark.processes
def test_more_than_the_machine_has_is_refused(run: Run, compiled: None) -> None:
    for workers in ("1", "2"):
        done = run("count", "hoppers", "--transposition", "100T", "--workers", workers, code=2)
        assert "is more than this machine has" in done.stderr


class Two(Sliding):
    """Tiles with a key of two words."""

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.cells >> np.uint64(32), here.cells & np.uint64((1 << 32) - 1)


@pytest.mark.parametrize(
    ("puzzle", "limits", "words", "number"),
    [(Peg(bound="none"), range(8), 1, 72), (Two("2 4 6 1 0 5 3 8 7", bound="none"), (22, 24), 2, 11)],
    ids=["one word", "two words"],
)
def test_torn_entries_are_noticed(
    puzzle: Puzzle, limits: Sequence[int], words: int, number: int, compiled: None
) -> None:
    """Two processes may write an entry at once: any of its words may be from another entry."""
    searcher, table = Searcher(Problem(puzzle)), TranspositionTable(1 << 22)

    def solutions() -> int:
        return sum(searcher.run(searcher.whole(), Sought(limit), 1 << 40, table).weight for limit in limits)

    assert solutions() == number
    entries = searcher._memo.entries.reshape(-1, 4 if words == 1 else 8)
    random_, whole = np.random.default_rng(1), entries.copy()
    for torn in (each for size in (1, 2, 3) for each in itertools.combinations(range(words + 3), size)):
        entries[:] = whole
        used = np.flatnonzero(entries[:, words])
        assert used.size > 500
        entries[np.ix_(used, torn)] = entries[np.ix_(random_.permutation(used), torn)]
        # An entry that has become another whole one, by chance, stands in a place where nobody looks for it.
        assert solutions() == number, torn


def test_shared_memory_is_one_for_all_and_goes_away(compiled: None) -> None:
    with closing(TableMemory(1 << 16, shared=True)) as memory:
        table = memory.table
        table.entries()[5] = 7
        assert table.entries()[5] == (7 if table.file else 0)
    assert not (table.file and Path(table.file).exists())
    assert table.entries()[5] == 0  # where it cannot be opened, one's own
    assert TranspositionTable(200).entries().size == 16
    with closing(TableMemory(0, shared=True)) as memory:
        assert memory.table == TranspositionTable()
