"""A simulated search by machines, with the real frontiers and driver: whatever is lost, late, or comes twice, and
however often the root begins again, each node and solution counts once."""

import random
from typing import Any

import pytest
import simulation
from simulation import Faults, cluster
from test_frontier import Tree

from parsolve.search.tuning import Tuning

pytestmark = pytest.mark.plain

PATIENT = Tuning(strikes=1 << 30, losses=1 << 30)

EACH_TIME, BY_NIGHT = 150, 10_000


@pytest.fixture(autouse=True)
def _slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few nodes a second that a tree of some hundred is many tasks."""
    monkeypatch.setattr(simulation, "RATE", 60)


def searched(seed: int) -> None:
    """Search a random tree with random faults."""
    random_ = random.Random(seed)
    tree = made(seed, random_.randint(3, 8))
    nodes = tree.all()
    parts = (random_.choice((0.0, 0.05, 0.3)) for _ in range(4))
    machines, cores = random_.randint(1, 6), random_.randint(1, 4)
    found, _ = cluster(tree, machines, cores, PATIENT, faults=Faults(random_, *parts))
    assert (found["nodes"], found["share"]) == (len(nodes), 1), seed
    assert found["weight"] == sum(map(tree.solved, nodes)), seed


def test_each_node_counts_once() -> None:
    for seed in range(EACH_TIME):
        searched(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(EACH_TIME, BY_NIGHT, 985))
def test_each_node_counts_once_in_ten_thousand_trees(first: int) -> None:
    for seed in range(first, first + 985):
        searched(seed)


def test_faults_happen() -> None:
    """Without faults a tree takes fewer tasks, and less time."""
    plain, _ = cluster(made(7), 3, 2, PATIENT)
    faults, tasks = cluster(made(7), 3, 2, PATIENT, faults=Faults(random.Random(7), 0.3, 0.3, 0.3, 0.1))
    assert plain["nodes"] == faults["nodes"]
    assert faults["seconds"] > 2 * plain["seconds"]
    assert len(tasks) > plain["outcomes"]


def made(seed: int, depth: int = 8) -> Any:
    """Return a tree that knows its number of nodes, as a model does."""
    tree: Any = Tree(seed, depth, 3)
    tree.nodes = len(tree.all())
    return tree
