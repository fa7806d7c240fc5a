"""A task of a whole machine, on a thread in the place of its processes."""

import random
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from cases import nightly
from hypothesis import given, settings
from hypothesis import strategies as st
from simulation import Faults, cluster
from test_frontier import Tree

import parsolve
from parsolve.deepening import machine
from parsolve.deepening.driver import Driver
from parsolve.deepening.frontier import Frontier
from parsolve.deepening.iterations import Waiting
from parsolve.deepening.outcome import Outcome, paths_of, solutions_of
from parsolve.deepening.pace import Pace
from parsolve.deepening.prefixes import Prefix
from parsolve.deepening.searcher import Searcher, Sought
from parsolve.deepening.slices import Assignment, Setup
from parsolve.deepening.workers import GivenWorkers
from parsolve.problem.problem import Problem
from parsolve.problem.registry import spec_of
from parsolve.puzzles import Queens
from parsolve.search.branch import Branch, Path, join
from parsolve.search.progress import Progress
from parsolve.search.tuning import DEFAULT, Tuning

pytestmark = pytest.mark.plain


QUEENS = Queens(n=8)


class Threads(ThreadPoolExecutor):
    """A thread, with what a machine's processes have."""

    def __init__(self, work: machine.Work) -> None:
        super().__init__(1)
        self.setup, self.pace = work.assignment.setup, Pace(work.budget)


def work_of(budget: int, **sought: Any) -> machine.Work:
    spec = spec_of(QUEENS)
    assert spec is not None
    return machine.Work(Assignment(Setup(spec, Problem(QUEENS).identity), Sought(0, True, **sought)), None, 1, budget)


def outcome_of(work: machine.Work, branches: list[Branch], wanted: bool = True) -> Outcome:
    """Return the outcome of a machine's task that runs on a thread here."""
    with Threads(work) as pool:
        return machine.search_on(pool, work, branches, 60.0, lambda: wanted)


def test_a_task_is_all_of_its_branches() -> None:
    outcome = outcome_of(work_of(500), [Branch.whole(0)])
    whole = parsolve.solve(QUEENS, workers=1)
    assert (solutions_of(outcome.paths), outcome.nodes, outcome.rest) == (whole.paths, whole.nodes, ())
    assert outcome.seconds


def test_a_machine_stops_once_it_has_a_first_solution() -> None:
    """What it leaves behind that solution is dropped by the root; what comes before goes to all machines."""
    whole = parsolve.solve(QUEENS, workers=1)
    root = Frontier([Branch.whole(0)], first=True, tuning=DEFAULT.of_machines())
    found: list[tuple[int, ...]] = []
    nodes = 0
    while task := root.take_first(60.0):
        outcome = outcome_of(work_of(100, buffer=1), task.branches)
        assert root.finish(task, outcome) == []
        found += solutions_of(outcome.paths)
        nodes += outcome.nodes
        assert outcome.weight <= 3  # a slice is running when one is found, and another waits
        assert all(branch.order < min(found) for branch in root.branches if found)
    assert min(found) == whole.paths[0]
    assert nodes < whole.nodes / 4


def test_a_machine_stops_once_it_has_any_solution() -> None:
    """Also one behind a branch that takes longer."""
    *_, (*path, last) = parsolve.solve(QUEENS, workers=1).paths
    solved = Branch((0, *path), ((),) * (1 + len(path)) + ((last,),), (8,) * (2 + len(path)))
    outcome = outcome_of(work_of(50, cheaper=True, enough=1), [Branch((0,), ((), (0,)), (1, 8)), solved])
    assert (outcome.weight, outcome.rest) == (1, ())
    assert outcome.nodes <= 100


def test_a_task_that_is_not_wanted_is_left() -> None:
    outcome = outcome_of(work_of(50), [Branch.whole(0)], wanted=False)
    assert 0 < outcome.nodes <= 150
    assert outcome.rest


def test_workers_are_used_however_little_seems_to_be_left() -> None:
    """The rest may be the largest branch, as behind a chain of dead ends."""
    frontier = Frontier([Branch.whole(0)], weigh=lambda _: 1e-9, pace=Pace(fixed=1))
    progress, given, used = Progress(0, since=time.monotonic() - 60), list[Path](), list[Driver]()
    waiting = Waiting(given.append)
    driver = Driver(work_of(1).assignment, frontier, progress, found=waiting.add, send_out=waiting.release)
    searcher = Searcher(Problem(QUEENS))
    remote: Any = SimpleNamespace(run=lambda driver: (used.append(driver), driver.run_here(searcher, 60)))
    GivenWorkers(remote, Tuning(), worthwhile=1e-6).search(driver, searcher)
    assert (used, len(given)) == ([driver], 92)


def test_machines_whose_branches_come_later_are_not_waited_for() -> None:
    """A machine's task holds several branches: those behind the solution count for nothing, and the others do."""
    branches = [Branch((0,), ((), (move,)), (1, 8)) for move in range(8)]
    root = Frontier(branches, first=True, tuning=Tuning(machine_bundle_share=1.0).of_machines())
    tasks = [root.take(4, 4.0, 4.0) for _ in range(4)]
    assert [[item.order for item in task.items] for task in tasks if task] == [
        [(2 * number,), (2 * number + 1,)] for number in range(4)
    ]
    one, two, three, four = tasks
    outcome = Outcome(9, 1, paths_of([(3, 5)]), True, 0.1, begun=2)
    assert two
    assert root.finish(two, outcome) == [three, four]
    assert [branch.order for branch in root.branches] == [(0,), (1,)]
    assert one
    better = Outcome(9, 1, paths_of([(0, 5)]), True, 0.1, (Branch((0, 0), ((), (), (6,)), (1, 8, 9)),), begun=2)
    assert root.finish(one, better) == []
    assert root.done


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 400), st.one_of(st.none(), st.floats(0, 1e4)))
def test_a_root_can_take_the_outcomes_of_all_tasks(out: int, left: float | None) -> None:
    """However short the queue and near the end, a task is as long as the outcomes of those that are out take at the
    root; and where the queue is short no longer, so that all machines soon have work."""
    tuning = DEFAULT.of_machines()
    progress = Progress(0)
    if left is not None:
        progress.nodes, progress.share = 1000, progress.seconds / (progress.seconds + left + 1e-9) or 1e-9
    frontier = Frontier([Branch((0,), ((), (move,)), (1, 400)) for move in range(400)], tuning=tuning)
    for _ in range(out):
        frontier.take_first(1.0)
    driver = Driver(None, frontier, progress, found=print)  # type: ignore[arg-type]
    long, short = driver.seconds_of_slices
    assert long >= short >= tuning.shortest_slice
    assert tuning.coordination * out <= short <= max(tuning.short_slice, tuning.coordination * out)


def test_a_machine_holds_few_tasks() -> None:
    """Each that waits beside those that run is one more branch in its outcome."""
    tuning = DEFAULT.in_machine()
    assert [tuning.tasks(workers) for workers in (1, 2, 16, 64)] == [2, 3, 20, 80]
    branches = [Branch((0,), ((), (move,)), (1, 400)) for move in range(400)]
    frontier = Frontier(branches, tuning=tuning)
    assert sum(frontier.take(64, 0.25, 0.04) is not None for _ in range(400)) == 80


@pytest.mark.parametrize("seed", range(20))
def test_joined_branches_are_searched_alike(seed: int) -> None:
    """Whatever of a tree has been searched meanwhile: few branches, the same nodes, in the same order."""
    tree, random_, open_ = Tree(seed, 8, 3), random.Random(seed), [Branch.whole(0)]
    for _ in range(random_.randrange(2, 60)):
        if open_:
            branch = open_.pop(random_.randrange(len(open_)))
            splits = branch.rows > 1 and random_.random() < 0.6
            open_ += branch.split() if splits else tree.search(branch, random_.randrange(1, 30)).rest
    joined, share = join(random_.sample(open_, len(open_))), Prefix().share
    assert sum(branch.rows for branch in joined) == sum(branch.rows for branch in open_)
    assert sum(map(share, joined)) == pytest.approx(sum(map(share, open_)))
    assert len({branch.path for branch in joined}) == len(joined) <= len(open_)
    assert joined == sorted(joined, key=lambda branch: branch.order)
    for branch in joined:
        tree.search(branch, 1 << 30)
    assert tree.visits == dict.fromkeys(tree.all(), 1)


# A simulated search by machines, with the real frontiers and driver: whatever is lost, late, or comes twice, and.


PATIENT = Tuning(strikes=1 << 30, losses=1 << 30)

EACH_TIME, BY_NIGHT = 100, 1000


def searched(seed: int) -> None:
    """Search a random tree with random faults."""
    random_ = random.Random(seed)
    tree = made(seed, random_.randint(3, 8))
    nodes = tree.all()
    parts = (random_.choice((0.0, 0.05, 0.3)) for _ in range(4))
    machines, cores = random_.randint(1, 6), random_.randint(1, 4)
    found = cluster(tree, machines, cores, PATIENT, faults=Faults(random_, *parts))
    assert (found["nodes"], found["share"]) == (len(nodes), 1), seed
    assert found["weight"] == sum(map(tree.solved, nodes)), seed


@pytest.mark.parametrize(("first", "end"), [(0, EACH_TIME), nightly((EACH_TIME, BY_NIGHT))])
def test_each_node_counts_once(first: int, end: int) -> None:
    for seed in range(first, end):
        searched(seed)


def test_faults_happen() -> None:
    """Without faults a tree takes fewer tasks, and less time."""
    plain = cluster(made(7), 3, 2, PATIENT)
    faults = cluster(made(7), 3, 2, PATIENT, faults=Faults(random.Random(7), 0.3, 0.3, 0.3, 0.1))
    assert plain["nodes"] == faults["nodes"]
    assert faults["seconds"] > 2 * plain["seconds"]
    assert faults["tasks"] > plain["tasks"]


def made(seed: int, depth: int = 8) -> Any:
    """Return a tree that knows its number of nodes, as a model does."""
    tree: Any = Tree(seed, depth, 3)
    tree.nodes = len(tree.all())
    return tree
