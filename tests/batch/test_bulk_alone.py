"""Large searches among many: a thread each, handed over at any moment, with the results of each by itself."""

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from test_bulk import MANY, Puzzles, said
from toys import Coins

from parsolve import Tuning, solve
from parsolve.batch.bulk import BulkSearch
from parsolve.batch.parts import CheckpointInMemory
from parsolve.deepening.alone import Handover, deepen_alone
from parsolve.deepening.bulk import UNSEARCHED
from parsolve.engines import run
from parsolve.journal.journal import Journal
from parsolve.journal.records import Wanted
from parsolve.journal.store import JournalStore
from parsolve.problem.problem import Problem
from parsolve.puzzle import Puzzle
from parsolve.search.request import Request
from parsolve.search.watch import Watch
from parsolve.tables.databases import load

pytestmark = pytest.mark.plain


class Threaded(Coins):
    """Coins that note which threads deepen them."""

    threads: ClassVar[set[str]] = set()

    def limits(self) -> Iterator[int]:
        Threaded.threads.add(threading.current_thread().name.partition("_")[0])
        return super().limits()


@pytest.mark.parametrize("want", ["count", "all", "first"])
def test_threads_search_large_ones(want: Any) -> None:
    Threaded.threads = set()
    puzzles = [Threaded(each.amount, "none") for each in MANY]
    items = Puzzles(want=want, engine="deepening", tuning=Tuning(bulk_nodes=4))
    for each in BulkSearch(items, Watch(), 2, len(puzzles)).search(puzzles):
        alone = solve(each.item, want=want, workers=1)
        assert said(each.result) == said(alone)
    assert "bulk" in Threaded.threads
    assert items.alone < len([puzzle for puzzle in puzzles if puzzle.amount > 2])


@pytest.mark.parametrize("want", ["count", "all"])
@pytest.mark.parametrize("checks", range(12))
def test_handed_over(checks: int, want: Any) -> None:
    problem, left = Problem(Coins(9, "none"), want), [None] * checks
    request = Request(want=want, workers=1, budget=3)
    store = CheckpointInMemory(problem, UNSEARCHED, want == "all")

    def check() -> None:
        if not left:
            raise Handover
        left.pop()

    with pytest.raises(Handover):
        deepen_alone(problem, request, store, check, load)
    begun = store.resume()
    if want == "count":
        assert begun is not None
        assert sum(each.nodes for each in begun.iterations) + begun.nodes > checks
    assert said(run(problem, request, store=store)) == said(solve(Coins(9, "none"), want=want, workers=1))


def test_handed_over_to_a_journal(tmp_path: Path) -> None:
    problem, request = Problem(Coins(9, "none"), "count"), Request(want="count", workers=1, budget=3)
    store, checks = CheckpointInMemory(problem, UNSEARCHED, False), iter(range(5))

    def check() -> None:
        if next(checks) == 4:
            raise Handover

    with pytest.raises(Handover):
        deepen_alone(problem, request, store, check, load)
    with Journal(tmp_path / "j.sqlite") as journal:
        (job,) = journal.get_or_create([Wanted("coins", "coins", {}, "count", {})])
        kept = JournalStore(journal, job, begun=store.resume())
        kept.finish(run(problem, request, store=kept))
        stored = journal.iterations(job)
    assert [(each.limit, each.nodes) for each in stored] == [
        (each.limit, each.nodes) for each in solve(Coins(9, "none"), workers=1).iterations
    ]


def test_a_better_bound_is_for_all() -> None:
    problem, request = Problem(Coins(9, "none", after=1), "count"), Request(want="count", workers=1)
    store = CheckpointInMemory(problem, UNSEARCHED, False)
    with pytest.raises(Handover):
        deepen_alone(problem, request, store, lambda: None, load)
    result = run(problem, request, store=store)
    assert (result.cost, result.count) == (6, solve(Coins(9, "none"), workers=1).count)
    assert result.problem.description != problem.description


def test_what_is_wrong_is_told_by_the_item() -> None:
    class Skipping(Coins):
        def limits(self) -> Iterator[int]:
            yield from itertools.islice(super().limits(), 4)
            raise ZeroDivisionError("no more limits")

    puzzles: list[Puzzle] = [Skipping(each.amount, "none") for each in MANY]
    items = Puzzles(want="count", engine="deepening", tuning=Tuning(bulk_nodes=4))
    found = [*BulkSearch(items, Watch(), 2, len(puzzles)).search(puzzles)]
    for each in found:
        dear = (solve(Coins(each.item.amount), workers=1).cost or 0) > 3
        assert ("no more limits" in each.error) == dear, each
    assert {bool(each.error) for each in found} == {True, False}


def test_the_time_of_an_item() -> None:
    class Hurried(Puzzles):
        def seconds(self, item: Any) -> float:
            return 0.0

    Threaded.threads = set()
    puzzles = [Threaded(each.amount, "none") for each in MANY]
    items = Hurried(want="count", engine="deepening", tuning=Tuning(bulk_nodes=4))
    found = [*BulkSearch(items, Watch(), 2, len(puzzles)).search(puzzles)]
    assert [said(each.result) for each in found] == [said(solve(each, workers=1, want="count")) for each in puzzles]
    assert items.alone > 3
