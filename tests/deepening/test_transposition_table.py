"""The transposition table never changes an answer."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from at_once import solve_at_once, start_workers
from cases import some
from conftest import Run
from hypothesis import given, settings
from hypothesis import strategies as st
from pairs import pairs
from samples import DOUBLING, KEY, edited, random_board

import parsolve
from parsolve.compiler.keys import entry_size
from parsolve.deepening.searcher import Searcher
from parsolve.deepening.transposition import Memory, TranspositionTable
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.puzzle import Puzzle, Want
from parsolve.puzzles import Peg, Sliding

pytestmark = pytest.mark.processes

PUZZLES: list[Puzzle] = [Peg(first="0-6"), Peg(bound="none"), Sliding(), Sliding(start="4 5 0 1 2 3", bound="none")]


@pytest.mark.parametrize(("puzzle", "workers", "want"), some(pairs(PUZZLES, [2, 3], ["all", "count"]), 2), ids=str)
def test_on_workers(puzzle: Puzzle, workers: int, want: Want) -> None:
    """Of puzzles, numbers of workers and what is wanted each two together."""
    without = parsolve.solve(puzzle, workers=1, transposition=0)
    start_workers(workers)
    found = solve_at_once(puzzle, workers=workers, transposition=1 << 16, budget=300, want=want)
    assert (found.cost, found.count) == (without.cost, without.count)
    assert found.paths == (without.paths if want == "all" else [])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(5, 8), st.integers(10, 24))
def test_random_peg_boards(seed: int, holes: int, number: int) -> None:
    random_ = random.Random(seed)
    with random_board(random_, holes, number) as (puzzle, cost, paths):
        options = {
            "workers": 1,
            "budget": random_.choice([2, 50, 5000]),
            "transposition": random_.choice([24, 480, 1 << 14]),
        }
        result = parsolve.solve(puzzle, **options)  # type: ignore[arg-type]
        counted = parsolve.solve(puzzle, want="count", **options)  # type: ignore[arg-type]
    assert (result.cost, result.paths) == (cost, paths)
    assert (counted.cost, counted.count, counted.status) == (cost, len(paths), result.status)


def test_more_than_the_machine_has_is_refused(run: Run) -> None:
    for workers in ("1", "2"):
        done = run("count", "hoppers", "--transposition", "100T", "--workers", workers, code=2)
        assert "is more than this machine has" in done.stderr


def test_it_saves_nodes() -> None:
    def nodes(table: TranspositionTable) -> int:
        # A new searcher: one that has searched before knows which subtrees to count without the table.
        searcher = Searcher(Problem(Peg(bound="none")))
        return sum(searcher.run(searcher.whole(), limit, 1 << 40, False, None, table).nodes for limit in range(8))

    assert nodes(TranspositionTable(1 << 20)) < 0.6 * nodes(TranspositionTable())


def test_torn_entries_are_noticed() -> None:
    """Two processes may write an entry at once: any of its words may be from another entry."""
    searcher = Searcher(Problem(Peg(bound="none")))
    table = TranspositionTable(1 << 16)

    def solutions() -> int:
        return sum(searcher.run(searcher.whole(), limit, 1 << 40, False, None, table).found for limit in range(8))

    assert solutions() == 72
    entries = searcher._memo.entries.reshape(-1, entry_size((0,)))
    random_ = np.random.default_rng(1)
    whole = entries.copy()
    for words in ([0], [1], [2], [3], [0, 1], [0, 2], [0, 3]):
        entries[:] = whole
        used = np.flatnonzero(entries[:, 1])
        assert used.size > 1000
        entries[np.ix_(used, words)] = entries[np.ix_(random_.permutation(used), words)]
        # An entry that has become another whole one, by chance, stands in a place where nobody looks for it.
        assert solutions() == 72, words


def test_shared_memory_is_one_for_all_and_goes_away() -> None:
    with Memory(1 << 16, shared=True) as memory:
        table = memory.table
        table.entries()[5] = 7
        assert table.entries()[5] == (7 if table.file else 0)
    assert not (table.file and Path(table.file).exists())
    assert table.entries()[5] == 0  # where it cannot be opened, one's own
    assert TranspositionTable(200).entries().size == 16
    with Memory(0, shared=True) as memory:
        assert memory.table == TranspositionTable()


@pytest.mark.nightly
def test_sums_of_any_size(puzzle_file: Callable[..., Path]) -> None:
    # With an exact bound there is one iteration only.
    source = edited("row.bound = 0", "row.bound = tables.size - here.place - 1", DOUBLING)
    source = edited('{"place": 0}', '{"place": 0, "bound": self.size}', source)
    cls = load_class(f"{puzzle_file(source + KEY)}:Walk")
    for size in (62, 63, 65):
        assert parsolve.solve(cls(size=size), want="count", workers=1, transposition=1 << 16).count == 2**size
