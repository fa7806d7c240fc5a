"""Subtrees that are counted breadth-first change nothing, whatever their largest size; and rules that write more rows
than their puzzle declares harm nothing."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import KEY, edited, texts

import parsolve
from parsolve.check import check
from parsolve.compiler.cache import cached
from parsolve.compiler.marks import with_globals
from parsolve.compiler.rows import OVERRUN_ROWS, rows_to_overrun
from parsolve.deepening.searcher import Searcher
from parsolve.deepening.templates import subtree
from parsolve.deepening.transposition import TranspositionTable
from parsolve.errors import BadPuzzle
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.problem.templates.restore import Stack
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles import Peg, Sliding

list_subtree = cached(subtree.list_subtree)


def outcomes(searcher: Searcher, limit: int, budgets: list[int], listing: bool, buffer: int | None) -> list[Any]:
    """All that a search in slices returns."""
    found = []
    branch = searcher.whole()
    for number in range(10**6):
        outcome = searcher.run(branch, limit, budgets[number % len(budgets)], listing, buffer)
        found.append((outcome.nodes, outcome.found, outcome.cut, outcome.paths.tolist(), outcome.rest))
        if not outcome.rest:
            return found
        (branch,) = outcome.rest
    raise AssertionError("no end")


SPARSE = edited(
    "here.place * 2 == tables.size",
    "here.place == tables.size and here.mix % 193 == 7",
    edited('("place", "u4"),', '("place", "u4"), ("mix", "u4"),'),
)
SPARSE = edited("(here.place + step) % tables.size", "here.place + step", SPARSE)
SPARSE = edited(
    "row.cost = here.cost + 1", "row.cost = here.cost + step; row.mix = (here.mix * 31 + step) % 65521", SPARSE
)
SPARSE = edited("here.cost + 1 <= limit", "here.cost + step <= limit", SPARSE)
"""Walks of steps 1 and 2 of one length together, by which few end solved: these differ in their number of moves."""


@pytest.mark.nightly
@pytest.mark.parametrize("buffer", [1, 2, 5, None])
def test_sparse_solutions_are_listed_from_subtrees_in_order(puzzle_file: Callable[..., Path], buffer: int) -> None:
    puzzle = load_class(f"{puzzle_file(SPARSE)}:Walk")(size=24)
    without, with_ = Searcher(Problem(puzzle), largest=0), Searcher(Problem(puzzle))
    for budgets in ([1 << 40], [50_000, 20_000]):
        for _ in range(2):
            expected = outcomes(without, 24, budgets, True, buffer)
            assert outcomes(with_, 24, budgets, True, buffer) == expected
    paths = [path for outcome in expected for path in outcome[3]]
    assert len({path[0] for path in paths}) > 5
    assert len(paths) > 100


def test_subtrees_do_overflow_and_do_fit() -> None:
    """The depths from which subtrees are counted are learned from those too large."""
    searcher = Searcher(Problem(Sliding()), largest=200)
    nodes = searcher.run(searcher.whole(), 31, 1 << 40, False, None).nodes
    depths = searcher._runs["shallowest"]
    assert 3 < depths.max() < 31
    assert nodes == parsolve.solve(Sliding(), workers=1, want="count").iterations[-1].nodes


def test_subtrees_with_a_transposition_table() -> None:
    """Of sliding tiles what they begin with is remembered, of pegs all, because states come again everywhere."""

    def found(puzzle: Puzzle, limit: int, largest: int, table: int) -> tuple[int, int]:
        searcher = Searcher(Problem(puzzle), largest=largest)
        searcher._runs["repeats"] = 0  # as after the beginning of a search
        outcome = searcher.run(searcher.whole(), limit, 1 << 40, False, None, TranspositionTable(table))
        return outcome.found, outcome.nodes

    def three(puzzle: Puzzle, limit: int, solutions: int) -> list[int]:
        each = [found(puzzle, limit, *how) for how in ((0, 1 << 22), (4096, 1 << 22), (4096, 0))]
        assert {count for count, _ in each} == {solutions}
        return [nodes for _, nodes in each]

    everything, subtrees, without = three(Sliding("8 6 7 2 5 4 3 0 1", bound="manhattan"), 31, 40)
    assert everything < subtrees < 0.7 * without
    everything, subtrees, without = three(Peg("triangle21_modified", "6", "6", bound="regions"), 12, 192)
    assert everything <= subtrees < 1.2 * everything < 0.1 * without


@pytest.mark.nightly
def test_dead_ends_have_no_children() -> None:
    """The turns that fill up an arrival are never taken, whatever the limit."""
    explored = parsolve.solve(Sliding(start="0 2 3 1", shape="1x4", goal="2 3 1 0"), engine="both", workers=1)
    assert texts(explored) == ["2 3 1"]
    report = check(Sliding(start="1 2 0", goal="0 1 2", shape="1x3"), states=100)
    assert report.faults == []


# More rows than declared.


WIDE = edited("range(1, 3)", "range(1, tables.size)", edited("children = 2", "children = 1")).replace(
    "row.move = step", "row.move = step % 250"
)
"""A walk with as many children as places, whose `move` repeats."""


@pytest.mark.nightly
def test_far_too_few_children_declared(puzzle_file: Callable[..., Path]) -> None:
    cls = load_class(f"{puzzle_file(WIDE + KEY)}:Walk")
    for size in (4, 100, 10_000, 100_000, 1_000_000):
        for options in ({"engine": "deepening"}, {"engine": "breadth"}, {"transposition": 1 << 16}):
            with pytest.raises(BadPuzzle, match=r"more (rows )?than 1 children"):
                parsolve.solve(cls(size=size), workers=1, **options)  # type: ignore[arg-type]


def test_rows_can_be_overrun() -> None:
    state = np.dtype([("cells", "u8"), ("move", "u2")], align=True)
    rows = rows_to_overrun(3, state)
    assert (rows.size, rows.dtype, rows.tobytes()) == (3, state, bytes(3 * state.itemsize))
    behind = np.lib.stride_tricks.as_strided(rows, (3 + OVERRUN_ROWS,), rows.strides)
    behind[-1] = (1, 2)
    with pytest.raises(MemoryError, match="Unable to reserve"):
        rows_to_overrun(1 << 60, np.dtype("u1"))


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 1 << 32))
def test_solutions_of_one_queue_are_listed_in_depth_first_order(seed: int) -> None:
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
