"""The transposition table never changes an answer."""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run
from samples import DOUBLING, KEY, edited

import parsolve
from parsolve.compiler.keys import entry_size
from parsolve.deepening.searcher import Searcher
from parsolve.deepening.transposition import Memory, TranspositionTable
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles import Peg, Sliding

pytestmark = pytest.mark.processes


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
def test_torn_entries_are_noticed(puzzle: Puzzle, limits: Sequence[int], words: int, number: int) -> None:
    """Two processes may write an entry at once: any of its words may be from another entry."""
    searcher, table = Searcher(Problem(puzzle)), TranspositionTable(1 << 22)

    def solutions() -> int:
        return sum(searcher.run(searcher.whole(), limit, 1 << 40, False, None, table).found for limit in limits)

    assert solutions() == number
    entries = searcher._memo.entries.reshape(-1, entry_size((0,) * words))
    random_, whole = np.random.default_rng(1), entries.copy()
    for torn in (each for size in (1, 2, 3) for each in itertools.combinations(range(words + 3), size)):
        entries[:] = whole
        used = np.flatnonzero(entries[:, words])
        assert used.size > 500
        entries[np.ix_(used, torn)] = entries[np.ix_(random_.permutation(used), torn)]
        # An entry that has become another whole one, by chance, stands in a place where nobody looks for it.
        assert solutions() == number, torn


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
