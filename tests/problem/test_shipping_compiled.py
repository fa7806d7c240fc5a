"""Puzzle files that travel as text, and what a machine gives back."""

import random

import pytest

from parsolve.deepening.prefixes import Prefix
from parsolve.deepening.searcher import Searcher
from parsolve.problem.problem import Problem
from parsolve.puzzles import Sliding
from parsolve.search.branch import join


def test_joined_branches_are_searched_alike() -> None:
    """Whatever of a tree has been searched meanwhile: few branches, the same nodes and solutions, in the same order."""
    searcher = Searcher(Problem(Sliding(start="8 6 7 2 5 4 3 0 1")))
    whole = searcher.run(searcher.whole(), 31, 10**9, True, None)
    random_ = random.Random(2)
    for _ in range(20):
        open_, nodes = [searcher.whole()], 0
        for _ in range(random_.randrange(2, 60)):
            branch = open_.pop(random_.randrange(len(open_)))
            if branch.rows > 1 and random_.random() < 0.6:
                open_ += branch.split()
                continue
            outcome = searcher.run(branch, 31, random_.randrange(1, 30), False, None)
            nodes += outcome.nodes
            open_ += outcome.rest
            if not open_:
                break
        joined = join(random_.sample(open_, len(open_)))
        assert sum(branch.rows for branch in joined) == sum(branch.rows for branch in open_)
        share = Prefix().share
        assert sum(map(share, joined)) == pytest.approx(sum(map(share, open_)))
        assert len({branch.path for branch in joined}) == len(joined) <= len(open_)
        orders = [branch.order for branch in joined]
        assert orders == sorted(orders)
        outcomes = [searcher.run(branch, 31, 10**9, True, None) for branch in joined]
        assert nodes + sum(outcome.nodes for outcome in outcomes) == whole.nodes
