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

from parsolve.engine.branch import Branch
from parsolve.engine.slices import Searcher

SAMPLE = 0.3
"""Seconds of real search that tell the node rate."""


@dataclass(frozen=True)
class Estimate:
    """How large the tree within a limit is.

    Attributes:
        limit: the limit.
        nodes: expected; with its standard error.
        error: of the nodes.
        solutions: expected.
        rate: nodes a second of one worker.
        probes: how many walks it is from.
    """

    limit: int
    nodes: float
    error: float
    solutions: float
    rate: float
    probes: int

    @property
    def seconds(self) -> float:
        """How long one worker takes."""
        return self.nodes / self.rate

    @property
    def bounds(self) -> tuple[float, float]:
        """Nodes two standard errors away, at least those of a probe's own path."""
        return max(1.0, self.nodes - 2 * self.error), self.nodes + 2 * self.error


def estimate(
    searcher: Searcher, limit: int, seconds: float, seed: int = 1, check: Callable[[], None] = lambda: None
) -> Estimate:
    """Estimate the tree within a limit.

    Args:
        searcher: of the puzzle.
        limit: the limit.
        seconds: how long to probe; at least three times.
        seed: of the random choices: the same gives the same walks.
        check: called between two probes; raises to stop.
    """
    random_ = random.Random(seed)
    end = time.monotonic() + seconds
    nodes: list[float] = []
    solutions: list[float] = []
    while len(nodes) < 3 or time.monotonic() < end:
        check()
        more, found = _probe(searcher, limit, random_)
        nodes.append(more)
        solutions.append(found)
    return Estimate(
        limit=limit,
        nodes=statistics.fmean(nodes),
        error=statistics.stdev(nodes) / math.sqrt(len(nodes)),
        solutions=searcher.puzzle.total(round(statistics.fmean(solutions))),
        rate=_rate(searcher, limit, random_),
        probes=len(nodes),
    )


def _probe(searcher: Searcher, limit: int, random_: random.Random) -> tuple[float, float]:
    """One walk: the nodes and the worth of solved states that it expects of the whole tree."""
    nodes = found = 0.0
    weight = 1.0
    branch: Branch | None = searcher.whole()
    while branch is not None:
        outcome = searcher.run(branch, limit, 1, False, None)
        nodes += weight * outcome.nodes
        found += weight * outcome.found
        branch = outcome.rest
        if branch is not None:
            weight *= len(branch.pending[-1])
            branch = _one(branch, random_)
    return nodes, found


def _one(branch: Branch, random_: random.Random) -> Branch:
    """One of a branch's deepest rows, without the others."""
    chosen = random_.choice(branch.pending[-1])
    return Branch(branch.path, ((),) * (len(branch.pending) - 1) + ((chosen,),), branch.sizes)


def _rate(searcher: Searcher, limit: int, random_: random.Random) -> float:
    """Nodes a second, by searching a little from random places on."""
    end = time.monotonic() + SAMPLE
    nodes, seconds, budget = 0, 1e-9, 1000
    while time.monotonic() < end:
        branch = searcher.whole()
        for _ in range(random_.randrange(1, 8)):
            rest = searcher.run(branch, limit, 1, False, None).rest
            if rest is None:
                break
            branch = _one(rest, random_)
        outcome = searcher.run(branch, limit, budget, False, None)
        nodes, seconds = nodes + outcome.nodes, seconds + outcome.seconds
        budget = min(2 * budget, 1_000_000)
    return nodes / seconds
