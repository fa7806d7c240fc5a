"""How large a search will be, by random probes.

D. E. Knuth, Estimating the efficiency of backtrack programs, Mathematics of Computation 29 (1975) 121–136: a random
walk down from the root, where each node counts as often as there were ways to choose at each level above it, expects
the number of nodes of the whole tree. A probe is a branch of one row that is searched one node at a time.
"""

import math
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from parsolve.deepening.searcher import Searcher
from parsolve.errors import GuardStop
from parsolve.search.branch import Branch

SAMPLE = 0.3
"""Seconds of real search that tell the node rate; at most as many as are walked."""

GRACE = 0.7
"""Seconds beyond the time for probes that the first one may take."""

FEWEST = 3
"""Probes that an error can be told from."""

ENOUGH = 40
"""How many times the nodes of a tree are visited at most: that often in a small one, further walks tell nothing new."""


@dataclass(frozen=True)
class Estimate:
    """How large the tree within a limit is.

    Attributes:
        limit: the limit.
        nodes: expected.
        error: standard error of the nodes; None from fewer than three probes.
        solutions: expected.
        rate: nodes a second of one worker.
        probes: how many walks it is from.
    """

    limit: int
    nodes: float
    error: float | None
    solutions: float
    rate: float
    probes: int

    @property
    def seconds(self) -> float:
        """How long one worker takes."""
        return self.nodes / self.rate

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Nodes two standard errors away, at least those of a probe's own path; None where the error is unknown."""
        if self.error is None:
            return None
        return max(1.0, self.nodes - 2 * self.error), self.nodes + 2 * self.error


def estimate(
    searcher: Searcher, limit: int, seconds: float, seed: int = 1, check: Callable[[], None] = lambda: None
) -> Estimate:
    """Estimate the tree within a limit, in about `seconds` and one more unless a single node takes longer.

    Args:
        searcher: of the puzzle.
        limit: the limit.
        seconds: how long to probe; at least once, and less if the tree is small.
        seed: of the random choices: the same gives the same walks.
        check: called between two nodes; raises to stop.

    Raises:
        GuardStop: no walk has ended in that time.
        TooCheap: there are solutions below the limit.
        BadPuzzle: costs up to the limit do not fit their field.
    """
    searcher.problem.refuse_overflow(limit)
    random_ = random.Random(seed)
    end = time.monotonic() + seconds
    probes: list[Probe] = []
    expected = visited = 0.0
    while not probes or (time.monotonic() < end and visited < ENOUGH * expected / len(probes)):
        probe = _probe(searcher, limit, random_, end if probes else end + GRACE, check)
        if probe is None:
            break
        probes.append(probe)
        expected, visited = expected + probe.nodes, visited + probe.visited
    if not probes:
        raise GuardStop(
            f"not one walk down the tree within limit {limit} ended in {seconds:g} s: its nodes take long;"
            " give it more time (--time)"
        )
    nodes = [probe.nodes for probe in probes]
    tree = expected / len(probes)
    own_rate = visited / sum(probe.seconds for probe in probes)
    return Estimate(
        limit=limit,
        nodes=tree,
        error=statistics.stdev(nodes) / math.sqrt(len(nodes)) if len(nodes) >= FEWEST else None,
        solutions=searcher.problem.total(round(statistics.fmean(probe.found for probe in probes))),
        rate=_rate(searcher, limit, random_, min(SAMPLE, seconds), own_rate, ENOUGH * tree),
        probes=len(probes),
    )


@dataclass
class Probe:
    """One walk.

    Attributes:
        nodes, found: the nodes, and the weight of solved states, that it expects of the whole tree.
        visited, seconds: its own nodes, and how long they took.
    """

    nodes: float = 0.0
    found: float = 0.0
    visited: int = 0
    seconds: float = 1e-9


def _probe(
    searcher: Searcher, limit: int, random_: random.Random, end: float, check: Callable[[], None]
) -> Probe | None:
    """Walk down from the root; None where that does not end in time."""
    probe = Probe()
    weight = 1.0
    branch: Branch | None = searcher.whole()
    while branch is not None:
        check()
        outcome = searcher.run(branch, limit, 1, False, None)
        probe.nodes += weight * outcome.nodes
        probe.found += weight * outcome.found
        probe.visited += outcome.nodes
        probe.seconds += outcome.seconds
        branch = next(iter(outcome.rest), None)
        if branch is not None:
            if time.monotonic() > end:
                return None
            weight *= len(branch.pending[-1])
            branch = _one(branch, random_)
    return probe


def _one(branch: Branch, random_: random.Random) -> Branch:
    """One of a branch's deepest rows, without the others."""
    chosen = random_.choice(branch.pending[-1])
    return Branch(branch.path, ((),) * (len(branch.pending) - 1) + ((chosen,),), branch.sizes)


def _rate(
    searcher: Searcher, limit: int, random_: random.Random, seconds: float, own_rate: float, most: float
) -> float:
    """Nodes a second, by searching from random places on for `seconds`, and at most `most` nodes; that of the
    probes, `own_rate`, where a node takes so long that there is no time for more."""
    end = time.monotonic() + seconds
    budget = min(1000, int(seconds / 10 * own_rate))
    if budget < 1:
        return own_rate
    visited, took = 0, 1e-9
    while not visited or (time.monotonic() < end and visited < most):
        branch = searcher.whole()
        for _ in range(random_.randrange(1, 8)):
            rest = searcher.run(branch, limit, 1, False, None).rest
            if not rest:
                break
            branch = _one(rest[0], random_)
        outcome = searcher.run(branch, limit, budget, False, None)
        visited, took = visited + outcome.nodes, took + outcome.seconds
        budget = max(1, min(2 * budget, 1_000_000, int(seconds / 3 * visited / took)))
    return visited / took
