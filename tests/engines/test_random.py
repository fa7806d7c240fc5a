"""Random small instances against plain-Python searches, and branches against the tree they are parts of."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parsolve.deepening.prefixes import Prefix
from parsolve.deepening.searcher import Searcher
from parsolve.problem.problem import Problem
from parsolve.puzzles import Peg, Sliding
from parsolve.search.branch import Branch

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.nightly
@settings(quick, max_examples=12)
@given(st.integers(0, 10**6), st.integers(1, 300))
def test_branches_are_a_partition_of_the_tree(seed: int, most: int) -> None:
    """However a tree is searched in pieces, cut and split, every node and solution is met exactly once, and the
    shares of what is open and the order of branches hold."""
    random_ = random.Random(seed)
    searcher = Searcher(Problem(random_.choice([Peg(first="0-6"), Sliding(start="4 5 0 1 2 3")])))
    limit = random_.choice([6, 7]) if isinstance(searcher.problem.puzzle, Peg) else random_.choice([17, 21])
    whole = searcher.run(searcher.whole(), limit, 1 << 40, True, None)
    open_: list[Branch] = [searcher.whole()]
    nodes, pieces = 0, []
    while open_:
        assert 0.99 <= 1 + sum(Prefix().share(branch) for branch in open_) <= 2.01
        branch = open_.pop(random_.randrange(len(open_)))
        if random_.random() < 0.5 and branch.rows > 1:
            parts = branch.split()
            assert [part.order for part in parts] == sorted(part.order for part in parts)
            assert sum(part.rows for part in parts) == branch.rows
            assert parts[0].order == branch.order
            open_ += parts
            continue
        outcome = searcher.run(branch, limit, random_.randint(1, most), True, random_.choice([1, 2, 100]))
        nodes += outcome.nodes
        pieces += [tuple(row[1 : 1 + row[0]]) for row in outcome.paths.tolist()]
        for rest in outcome.rest:
            assert rest.rows > 0
            assert rest.order > branch.order or branch.order == ()
            open_.append(rest)
    assert nodes == whole.nodes
    assert sorted(pieces) == [tuple(row[1 : 1 + row[0]]) for row in whole.paths.tolist()]


def test_shares_add_up_to_the_whole() -> None:
    searcher = Searcher(Problem(Sliding()))
    (rest,) = searcher.run(searcher.whole(), 31, 5000, False, None).rest
    parts = rest.split()
    plain = Prefix()
    assert sum(map(plain.share, parts)) == pytest.approx(plain.share(rest))
    assert 0 < plain.share(rest) < 1
