"""Any solution, in other orders of children: each order by itself, and side by side."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from toys import TOYS, Coins, Lamps, Ring

import parsolve
from parsolve.check import check
from parsolve.deepening.frontier import Frontier, Task
from parsolve.deepening.outcome import Outcome, paths_of, solutions_of
from parsolve.deepening.restarts import Restarts, luby
from parsolve.deepening.searcher import Searcher
from parsolve.deepening.transposition import Memory, TranspositionTable
from parsolve.errors import WorkersLost
from parsolve.problem.problem import Problem
from parsolve.puzzle import Puzzle
from parsolve.search.branch import Branch, Path
from parsolve.search.pace import Pace
from parsolve.search.tuning import Tuning

pytestmark = pytest.mark.plain

PUZZLES = [*TOYS.values(), Coins(7, "weak"), Ring(6, 2, "any")]


def any_solution(
    puzzle: Puzzle,
    limit: int,
    seed: int,
    budgets: list[int] = [1 << 40],  # noqa: B006
    table: TranspositionTable = TranspositionTable(),  # noqa: B008
    restored: bool = False,
) -> tuple[list[Path], bool]:
    """Search in one order until there is a solution; whether the limit has cut anything."""
    searcher = Searcher(Problem(puzzle))
    branch, cut = searcher.whole(), False
    for budget in itertools.cycle(budgets):
        outcome = searcher.run(branch, limit, budget, True, None, table, cheaper=True, enough=1, seed=seed)
        cut = cut or outcome.cut
        if outcome.found or not outcome.rest:
            return solutions_of(outcome), cut
        (branch,) = outcome.rest
        if restored:
            searcher = Searcher(searcher.problem)
    raise AssertionError


def test_lengths() -> None:
    assert [luby(number) for number in range(1, 16)] == [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]


@pytest.mark.parametrize("puzzle", PUZZLES, ids=repr)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_an_order_has_one_first_solution(puzzle: Puzzle, seed: int) -> None:
    """Whatever the slices, the table, and whether each slice begins in a searcher that knows nothing of the others."""
    limit, solutions = puzzle.answer()  # type: ignore[attr-defined]
    found, _ = any_solution(puzzle, limit, seed)
    assert len(found) == 1
    assert found[0] in solutions
    if seed == 0:
        assert found[0] == min(solutions)
    for table, restored in itertools.product((0, 1 << 8), (False, True)):
        if table and not Problem(puzzle).key_rule:
            continue
        with Memory(table, shared=False) as memory:
            for budgets in ([2, 7, 3], [1 << 40]):
                assert any_solution(puzzle, limit, seed, budgets, memory.table, restored)[0] == found


def test_orders_differ() -> None:
    limit, solutions = Coins(8).answer()
    firsts = {any_solution(Coins(8), limit, seed)[0][0] for seed in range(40)}
    assert 5 < len(firsts) <= len(solutions)


@pytest.mark.parametrize("bound", ["none", "tight"])
def test_what_is_dead_in_little_room_is_not_in_more(bound: str) -> None:
    """One table for all limits, from those with no solution on; a solution costs what it may."""
    puzzle = Coins(9, bound)  # type: ignore[arg-type]
    least = puzzle.answer()[0]
    with Memory(1 << 14, shared=False) as memory:
        for limit in (least - 1, least - 2, least, least + 2, least - 1):
            for seed in range(4):
                found, cut = any_solution(puzzle, limit, seed, [5], memory.table)
                assert cut or found
                assert len(found) == (limit >= least)
                assert all(sum((1, 2, 2)[coin - 1] for coin in path) <= limit for path in found)


@dataclass(frozen=True)
class Dead(Puzzle):
    """Steps of 2 and 3, at two prices each, that nothing ends."""

    amount: int = 60
    state = np.dtype([("left", "u1"), ("cost", "u1"), ("move", "u1")])
    children = 4

    def root(self):
        return {"left": self.amount}

    @staticmethod
    def expand(tables, here, limit, rows, top):
        for step in (2, 3):
            for price in (1, 2):
                if step <= here.left:
                    row = rows[top]
                    row.left, row.move = here.left - step, 2 * step + price
                    row.cost = here.cost + price
                    top += row.cost <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.left == 1 << 7  # never

    @staticmethod
    def key(tables, here):
        return np.uint64(here.left) | np.uint64(here.cost) << np.uint64(8)

    @staticmethod
    def dead_key(tables, here):
        return np.uint64(here.left)


def test_what_is_dead_at_any_cost_is_searched_once() -> None:
    """By `dead_key` a state is one however dear the way to it was."""

    @dataclass(frozen=True)
    class Keyed(Dead):
        dead_key = None

    nodes = {}
    for cls in (Keyed, Dead):
        searcher = Searcher(Problem(cls(20)))
        with Memory(1 << 14, shared=False) as memory:
            outcome = searcher.run(searcher.whole(), 200, 1 << 40, True, None, memory.table, cheaper=True, seed=1)
        assert (outcome.found, outcome.cut, outcome.rest) == (0, False, ())
        nodes[cls] = outcome.nodes
    assert nodes[Dead] <= 4 * 21 < nodes[Keyed] / 2


def test_a_dead_key_that_merges_too_much_is_told() -> None:
    @dataclass(frozen=True)
    class Merged(Dead):
        @staticmethod
        def dead_key(tables, here):
            return np.uint64(here.left // 4)

    assert "dead_key" not in {fault.kind for fault in check(Dead(20)).faults}
    assert "dead_key" in {fault.kind for fault in check(Merged(20)).faults}


@pytest.mark.parametrize("puzzle", PUZZLES, ids=repr)
@pytest.mark.parametrize("table", [0, 1 << 12])
def test_side_by_side(puzzle: Puzzle, table: int) -> None:
    problem = Problem(puzzle)
    limit, solutions = puzzle.answer()  # type: ignore[attr-defined]
    result = parsolve.solve(
        puzzle,
        want="any",
        limit=limit if problem.has_cost else None,
        workers=1,
        budget=2,
        transposition=table if problem.key_rule else 0,
        tuning=Tuning(restart_nodes=2),
    )
    assert result.status == "solved"
    assert result.paths[0] in solutions
    assert result.seed is not None
    assert result.to_dict()["seed"] == result.seed
    # The seed that is told finds it again.
    assert any_solution(puzzle, limit, result.seed)[0] == result.paths


def test_no_seed_where_the_order_was_not_free() -> None:
    assert "seed" not in parsolve.solve(Lamps(), workers=1).to_dict()


def frontier_of(restart_nodes: int, budget: int = 10) -> Frontier:
    whole = Branch.whole(0)
    tuning = Tuning(restart_nodes=restart_nodes, losses=3, tasks_per_worker=2)
    return Frontier([whole], pace=Pace(fixed=budget), enough=1, restarts=Restarts(whole, restart_nodes), tuning=tuning)


def left_of(task: Task, nodes: int, found: int = 0) -> Outcome:
    """The outcome of a task that is not at its end."""
    rest = Branch((0,), ((), tuple(range(5))), (1, 5))
    return Outcome(nodes, found, paths_of([(1,)] * found), True, 1e-3, (rest,))


def both(frontier: Frontier) -> tuple[Task, Task]:
    """A restart and a branch that are searched at once."""
    restart, branch = frontier.take_first(1.0), frontier.take_first(1.0)
    assert restart is not None
    assert branch is not None
    return restart, branch


def test_restarts_take_as_many_nodes_as_branches() -> None:
    frontier = frontier_of(20)
    given: list[tuple[int, int]] = []
    for _ in range(400):
        task = frontier.take_first(1.0)
        assert task is not None
        given.append((task.seed, task.budget))
        assert not frontier.finish(task, left_of(task, task.budget))
    nodes = {is_restart: sum(n for seed, n in given if (seed > 0) == is_restart) for is_restart in (False, True)}
    assert abs(nodes[True] - nodes[False]) <= 20
    assert all(seed == 0 for seed, _ in given[:2])
    lengths = [sum(n for other, n in given if other == seed) for seed in range(1, 8)]
    assert lengths == [20 * luby(number) for number in range(1, 8)]


def test_a_restart_that_has_seen_everything_ends_the_search() -> None:
    frontier = frontier_of(10)
    task = frontier.take_first(1.0)
    assert task is not None
    frontier.finish(task, left_of(task, 10))
    restart, branch = both(frontier)
    assert (restart.seed, branch.seed, frontier.running) == (1, 0, 2)
    assert frontier.finish(restart, Outcome(7, 0, paths_of([]), False, 1e-3)) == [branch]
    assert (frontier.done, frontier.share, frontier.weight, frontier.seed) == (True, 1.0, 0, None)


@pytest.mark.parametrize("by_restart", [False, True])
def test_who_found_it(by_restart: bool) -> None:
    frontier = frontier_of(10)
    task = frontier.take_first(1.0)
    assert task is not None
    frontier.finish(task, left_of(task, 10))
    task = both(frontier)[0 if by_restart else 1]
    frontier.finish(task, left_of(task, 3, found=1))
    assert (frontier.done, frontier.seed) == (True, int(by_restart))


def test_a_lost_restart_is_given_up() -> None:
    frontier = frontier_of(10)
    task = frontier.take_first(1.0)
    assert task is not None
    frontier.finish(task, left_of(task, 10))
    for seed in range(1, 4):
        restart, branch = both(frontier)
        assert (restart.seed, branch.seed) == (seed, 0)
        frontier.lose(restart, "it was killed", blame=True)
        frontier.finish(branch, left_of(branch, 10))
    frontier = frontier_of(10)
    task = frontier.take_first(1.0)
    assert task is not None
    frontier.finish(task, left_of(task, 1000))
    with pytest.raises(WorkersLost, match=r"\d+ tasks were lost in a row"):
        lose_all(frontier)


def lose_all(frontier: Frontier) -> None:
    """Lose one restart after the other."""
    while restart := frontier.take_first(1.0):
        frontier.lose(restart, "it was killed", blame=True)
