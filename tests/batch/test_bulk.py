"""Many small searches in one call, on toys and without a compiler: the same results as each by itself."""

import itertools
import threading
import time
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from cases import some
from heard import Heard
from toys import Coins, Lamps, Ring

from parsolve import Tuning, solve, solve_each
from parsolve.batch.bulk import BulkSearch, Done
from parsolve.batch.group import Group, roots_together
from parsolve.batch.items import Items
from parsolve.check.others import batch_faults
from parsolve.errors import BadInput, BadPuzzle, GuardStop
from parsolve.problem.digests import job_identity
from parsolve.problem.problem import Problem
from parsolve.problem.siblings import require_root
from parsolve.puzzle.core import Better, Counting, Instance, Roots
from parsolve.puzzles import Cover
from parsolve.search.checkpoint import Checkpoint, CheckpointStore
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.run import run
from parsolve.search.watch import Watch

pytestmark = pytest.mark.plain


class Puzzles(Items[Any]):
    """Items that are puzzles, or errors; counts those that are searched by themselves."""

    def __init__(self, **request: Any) -> None:
        self._request = Request(**{"workers": 1, **request})
        self.alone = 0

    def kind(self, item: Any) -> Hashable:
        return ()

    def request(self, item: Any) -> Request:
        return self._request

    def problem(self, item: Any) -> Problem:
        if isinstance(item, Exception):
            raise item
        return Problem(item, self._request.want)

    def search(self, item: Any, problem: Problem, begun: Checkpoint | None) -> Result:
        self.alone += 1
        return run(problem, self._request, store=CheckpointStore(begun))


def searched(items: Puzzles, puzzles: list[Any]) -> list[Done[Any]]:
    return [*BulkSearch(items, puzzles, Watch(), 2, len(puzzles)).search()]


def said(result: Result) -> Any:
    """What a result says, without its times."""
    iterations = [(each.limit, each.nodes, each.solutions) for each in result.iterations]
    return result.status, result.cost, result.count, result.found_so_far, result.nodes, iterations, result.paths


MANY = [Coins(amount) for amount in [*range(9), 7, 7, 3]]

AT_MOST = [{"want": want, "at_most": at_most} for want in ("count", "all") for at_most in (0, 1, 2, 5)]


@pytest.mark.parametrize("options", [{"want": "first"}, {"want": "count"}, {"want": "all"}, *AT_MOST], ids=str)
def test_each_as_by_itself(options: dict[str, Any]) -> None:
    """What a search takes that ends early depends on what shared its call."""
    items = Puzzles(**options)
    found = searched(items, MANY)
    assert [each.item for each in found] == MANY
    for each in found:
        there, alone = each.result, solve(each.item, workers=1, **options)
        assert (there.status, there.cost) == (alone.status, alone.cost)
        assert (there.count, there.paths) == (alone.count, alone.paths)
        if options in AT_MOST:
            assert sum(iteration.solutions for iteration in there.iterations) == there.at_least == alone.at_least
        elif options["want"] != "first":
            assert said(there) == said(alone)
    assert items.alone == 0


@pytest.mark.parametrize(("want", "most"), some(itertools.product(("count", "all"), (1, 5, 20)), 2))
def test_large_ones_continue_by_themselves(want: Any, most: int) -> None:
    items = Puzzles(want=want, tuning=Tuning(bulk_nodes=4 * most))
    for each in searched(items, MANY):
        alone = solve(each.item, want=want, workers=1)
        assert said(each.result) == said(alone)
    assert 0 < items.alone < len(MANY)


def test_solve_each() -> None:
    jumping = Cover(options=[["a", "b"], ["c", "d"], ["a", "c"], ["a"], ["b"], ["c"]], costs=[9, 700, 300, 61, 62, 63])
    many = [*MANY, jumping, jumping]
    listed = [said(each) for each in solve_each(many, want="all", workers=2)]
    assert listed == [said(solve(each, want="all", workers=1)) for each in many]
    counts = [solve(each, workers=1).count or 0 for each in MANY]
    assert [each.count for each in solve_each(iter(MANY), at_most=1)] == [None if n > 1 else n for n in counts]
    with pytest.raises(BadInput, match="a puzzle is wanted"):
        list(solve_each([MANY[1], "no puzzle"]))  # type: ignore[list-item]


def test_without_a_solution_and_without_costs() -> None:
    puzzles = [Lamps(size) for size in (1, 2, 3, 4, 3)] + [Ring(size) for size in (4, 5, 6)]
    for each in searched(Puzzles(want="count"), puzzles):
        alone = solve(each.item, want="count", workers=1)
        assert (each.result.status, each.result.count, each.result.cost) == (alone.status, alone.count, alone.cost)


def test_a_limit() -> None:
    found = searched(Puzzles(want="count", limit=3), [Coins(amount) for amount in (1, 2, 3, 30)])
    assert [each.result and each.result.cost for each in found] == [1, 2, 2, None]
    assert repr(found[-1].failure) == "GuardStop('no solution costs 3 or less: the limit that was asked for')"


def test_the_last_part_runs_until_it_has_ended() -> None:
    seen = list[bool]()
    puzzles, watch = [Coins(2, "none"), Coins(12, "none")], Watch(check=lambda: seen.append(bulk.is_running))
    bulk = BulkSearch[Any](Puzzles(want="count"), puzzles, watch, 1, 2)
    found = bulk.search()
    next(found)
    seen.clear()
    next(found)
    *before, last = seen
    assert {*before} == {True}
    assert not last


def test_what_fails_does_not_end_the_others() -> None:
    found = searched(Puzzles(want="count"), [Coins(4), BadInput("no coins"), Coins(5), RuntimeError("odd")])
    failed = ("BadInput('no coins')", "ParsolveError('internal failure: RuntimeError: odd')")
    assert [repr(each.failure) for each in found] == ["None", failed[0], "None", failed[1]]


def test_a_fault_in_roots_ends_nothing() -> None:
    class Faulty(Purse):
        def roots(self, texts: Any, state: Any, *distances: Any) -> Roots:
            if "7" in texts["amount"]:
                raise ValueError("at one of them")
            return super().roots(texts, state, *distances)

    listener, amounts = Heard(), [str(amount % 9) for amount in range(40)]
    found = BulkSearch(Texts(Faulty, want="count"), amounts, Watch(listener), 1, 40).search()
    assert [each.result and each.result.count for each in found] == [solve(Coins(int(each))).count for each in amounts]
    assert {text.partition(" (")[0] for text in listener.warnings} == {
        "Faulty: 'roots' raises ValueError: at one of them"
    }


def test_what_ends_all() -> None:
    def check() -> None:
        raise GuardStop("enough")

    with pytest.raises(GuardStop, match="enough"):
        list(BulkSearch(Puzzles(want="count"), [Coins(4), Coins(5)], Watch(check=check), 1, 2).search())


@pytest.mark.parametrize("total", [None, len(MANY) + 1])
def test_results_come_before_the_error_of_a_later_item(total: int | None) -> None:
    def failing() -> Iterator[Coins]:
        yield from MANY
        raise BadInput("no more")

    for given, ends_all in ((failing(), ()), ([*MANY, BadInput("no more"), BadInput("too late")], (Exception,))):
        items = Puzzles(want="count")
        items.ends_all = ends_all
        found = BulkSearch(items, given, Watch(), 2, total).search()
        assert [next(found).item for _ in MANY] == MANY
        with pytest.raises(BadInput, match="no more"):
            next(found)


@dataclass(frozen=True)
class Purse(Coins):
    """Coins whose amounts are read many at once, or wrongly."""

    kind = "right"
    root_parameters = ("amount",)

    @property
    def size(self) -> int:
        return 256

    def batch_key(self) -> Hashable:
        return self.bound

    def roots(self, texts: Any, state: Any, *distances: Any) -> Roots:
        amounts = np.array([int(text) if text.isdecimal() else 0 for text in texts["amount"]])
        states = np.zeros(len(amounts), state)
        states["left"] = amounts + (self.kind == "wrong state")
        states["bound"] = [replace(self, amount=int(amount)).root()["bound"] for amount in amounts]
        limits = range(1, 256) if self.kind == "wrong limits" else range(256)
        return Roots(
            states, np.array([*map(str.isdecimal, texts["amount"])]), [limits], np.zeros(len(amounts), np.int64)
        )


@dataclass(frozen=True)
class WrongState(Purse):
    kind = "wrong state"


@dataclass(frozen=True)
class WrongLimits(Purse):
    kind = "wrong limits"


@dataclass(frozen=True)
class WrongTables(Purse):
    @classmethod
    def instances(cls) -> dict[str, Instance]:
        return {"seven": Instance({"amount": 7})}

    def tables(self) -> Any:
        tables = super().tables()
        return tables._replace(prices=tables.prices + np.uint8(self.amount))


def test_small_items_keep_their_bound() -> None:
    """To make each of them again with another one takes longer than its search."""
    listener, puzzles = Heard(), [Purse(amount % 8, "none", 0) for amount in range(20)]
    found = BulkSearch(Puzzles(want="count"), puzzles, Watch(listener), 1, len(puzzles)).search()
    assert [each.result.count for each in found] == [solve(Coins(each.amount), want="count").count for each in puzzles]
    assert listener.changes == []


def test_a_better_bound_is_looked_for_again_only_where_far_more_is_expected() -> None:
    asked = 0

    class Bounded(Coins):
        """Its pattern database is not there."""

        def abstractions(self) -> Any:
            return [Ring(254)]

    class Wishing(Coins):
        def counting(self, want: Any) -> Counting:
            def better() -> Bounded:
                nonlocal asked
                asked += 1
                return Bounded(self.amount)

            return Counting(self, better=[Better(better, 1 << 60, 0)])

    group = Group(Problem(Wishing(5, "none"), "count"), Request(want="count"), Watch())
    for left in range(10, 0, -1):
        group.count(1, 200_000)
        group.improve(left)
    assert asked == 1
    group.count(1, 100_000_000)
    group.improve(1)
    assert asked == 2


@pytest.mark.parametrize("after", [-1, 0])
def test_a_journal_knows_a_job_by_the_bound_with_which_it_begins(after: int) -> None:
    group = Group(Problem(Purse(5, "none", after), "count"), Request(want="count"), Watch())
    before, made = group.problem, Problem(Purse(7, "none", after), "count")
    roots = roots_together([made])
    group.count(1, 200_000)
    group.improve(10)
    assert (group.problem is before) == (after < 0)
    now = Problem(Purse(7, "none", after), "count")
    assert group.job_identity(roots, 0, lambda: made) == job_identity(now)
    group.count(0, 200_000)
    group.improve(10)
    member = group.member(made)
    assert (member.identity == now.identity) == (after < 0)
    assert job_identity(member) == job_identity(now)


@dataclass(frozen=True)
class Tabled(Purse):
    """Coins with an abstraction, whose distances are not looked up."""

    def abstractions(self) -> Any:
        return [Ring(6)]

    def root(self, *distances: Any) -> Any:
        return super().root()

    def tables(self, *distances: Any) -> Any:
        return super().tables()


def test_items_with_pattern_databases_are_compared() -> None:
    puzzles = [Tabled(amount % 8) for amount in range(20)]
    assert [each.failure for each in searched(Puzzles(want="count"), puzzles)] == [None] * 20


class Texts(Puzzles):
    """Items that are amounts as text."""

    def __init__(self, cls: Any = Purse, **request: Any) -> None:
        super().__init__(**request)
        self._cls, self.made = cls, 0

    def texts(self, item: str) -> dict[str, str]:
        return {"amount": item}

    def problem(self, item: str) -> Problem:
        self.made += 1
        return super().problem(self._cls(item))


@pytest.mark.parametrize("want", ["count", "all"])
def test_roots_read_at_once(want: Any) -> None:
    items = Texts(want=want)
    amounts = [str(amount % 9) for amount in range(60)]
    alone = [said(solve(Coins(amount), want=want, workers=1)) for amount in range(9)]
    for each in searched(items, [*amounts, "x", " 5"]):
        if each.item == "x":
            assert "amount is a whole number" in str(each.failure)
            continue
        assert said(each.result) == alone[int(each.item)]
    assert items.made < 12 or want == "all"  # where solutions are listed each has its puzzle


@pytest.mark.parametrize(("bulk_seconds", "least", "most"), [(1e-9, 12, 20), (1e9, 1, 8)])
def test_parts_fit_the_time_of_a_call(bulk_seconds: float, least: int, most: int) -> None:
    amounts = [str(amount % 9) for amount in range(20)]
    bulk = BulkSearch(Texts(want="count", tuning=Tuning(bulk_seconds=bulk_seconds)), amounts, Watch(), 2, 20)
    assert [each.item for each in bulk.search()] == amounts
    assert least <= bulk.ended <= most


@pytest.mark.parametrize("at_most", [None, 1, 3])
def test_answers_alone_are_those_of_the_results(at_most: int | None) -> None:
    class Answers(Texts):
        needs_results = False

    amounts = [str(amount % 9) for amount in range(60)]
    full, brief = (searched(cls(want="count", limit=4, at_most=at_most), amounts) for cls in (Texts, Answers))

    def known(each: Done[Any]) -> Any:
        """Return its answer without times, and without nodes if it ended early: they depend on what shared its call."""
        answer = each.answer
        return (
            replace(answer, seconds=0, nodes=answer.nodes * (answer.status != "more")) if answer else str(each.failure)
        )

    assert [known(each) for each in brief] == [known(each) for each in full]
    assert [each.status for each in brief] == [each.status for each in full]
    assert all(each.result is None for each in brief)
    assert {each.answer and each.answer.status for each in brief} >= {"solved", "more"} if at_most else {"solved"}


@pytest.mark.parametrize(
    ("cls", "text", "kind"),
    [
        (WrongState, "'roots' gives another state", "roots"),
        (WrongLimits, "'roots' gives other limits", "roots"),
        (WrongTables, "puzzles with one 'batch_key' differ in more than their roots", "batch_key"),
    ],
)
def test_declarations_that_lie(cls: Any, text: str, kind: str) -> None:
    amounts = [amount % 9 for amount in range(40)]
    with pytest.raises(BadInput, match=text):
        searched(Texts(cls, want="count"), [*map(str, amounts)])
    if kind == "batch_key":
        with pytest.raises(BadInput, match=text):
            searched(Puzzles(want="count"), [*map(cls, amounts)])
    assert [fault.kind for fault in batch_faults(Problem(cls(5), "count"))] == [kind]
    assert [*batch_faults(Problem(Purse(5), "count"))] == []


def test_an_instance_that_fails_is_named() -> None:
    class Failing(WrongTables):
        def tables(self) -> Any:
            return [1 // (7 - self.amount)]

    (fault,) = batch_faults(Problem(Failing(5), "count"))
    assert (fault.kind, "ZeroDivisionError" in fault.text) == ("instances", True)


def test_limits_that_fail_are_named() -> None:
    class Failing(Purse):
        def limits(self) -> Any:
            return [1 // (5 - self.amount)]

    problem = Problem(Failing(5), "count")
    with pytest.raises(BadPuzzle, match="'limits' raises ZeroDivisionError"):
        require_root(problem, problem.root[0], ())


def test_a_slow_source_is_answered_at_once_and_closed() -> None:
    answered, closed = threading.Event(), threading.Event()

    def slowly() -> Iterator[Coins]:
        try:
            yield Coins(4)
            assert answered.wait(10)
            yield from itertools.repeat(Coins(5))
        finally:
            closed.set()

    begun = time.monotonic()
    answers = BulkSearch(Puzzles(want="count"), slowly(), Watch(), 1, None).search()
    assert next(answers).result is not None
    answered.set()
    assert next(answers).result is not None
    answers.close()
    assert closed.wait(10)
    assert time.monotonic() - begun < 10
