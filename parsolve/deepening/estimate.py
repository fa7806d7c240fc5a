"""How large a search will be, by random probes.

D. E. Knuth, Estimating the efficiency of backtrack programs, Mathematics of Computation 29 (1975) 121–136: a random
walk down from the root, where each node is weighted by the number of choices at each level above it, estimates
the number of nodes of the whole tree. A probe is a branch of one row that is searched one node at a time.
"""

import math
import random
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from parsolve.compiler.waiting import reporting_to
from parsolve.deepening.better import better_bound
from parsolve.deepening.searcher import Searcher, Sought
from parsolve.errors import BadInput, GuardStop, TooCheap
from parsolve.search.branch import Branch
from parsolve.search.cuts import NOTHING, least_cut, limit_after
from parsolve.search.engine import Forecast, Run
from parsolve.system.resources import within_memory
from parsolve.text import clock, plural

SAMPLE = 0.3
"""Longest real search that measures the node rate, in seconds; it takes at most as long as the probes."""

GRACE = 0.7
"""Seconds that the first probe may take beyond the time for probes."""

FEWEST = 3
"""Minimum number of probes that give a standard error."""

ENOUGH = 40
"""Maximum number of visits per node of the tree: in a small tree, further walks add no information."""


@dataclass(frozen=True)
class Estimate:
    """How large the tree within a limit is.

    Attributes:
        limit: the limit.
        nodes: expected number of nodes.
        error: standard error of the nodes; None with fewer than three probes.
        solutions: expected number of solutions.
        rate: nodes per second of one worker.
        probes: number of walks.
    """

    limit: int
    nodes: float
    error: float | None
    solutions: float
    rate: float
    probes: int

    @property
    def seconds(self) -> float:
        """Seconds for one worker."""
        return self.nodes / self.rate

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The nodes plus and minus two standard errors, at least those of a probe's path; None if the error is
        unknown."""
        if self.error is None:
            return None
        return max(1.0, self.nodes - 2 * self.error), self.nodes + 2 * self.error

    def forecast(self, has_cost: bool, workers: int) -> Forecast:
        """Return it for some workers."""
        rows = [vars(self) | {"seconds": self.seconds, "engine": "deepening", "workers": workers}]
        between = "? – ?, too few probes" if self.bounds is None else "{:.2g} – {:.2g}".format(*self.bounds)
        at = f"limit {self.limit}: " if has_cost else ""
        line = (
            f"{at}some {self.nodes:.3g} nodes ({between}), {self.solutions:.3g} solutions;"
            f" {clock(self.seconds / workers)} on {plural(workers, 'worker')} at {self.rate / 1e6:.3g} M nodes/s each"
            f" ({plural(self.probes, 'probe')})"
        )
        return Forecast(rows, line, self.seconds / workers)


def estimate(
    searcher: Searcher, limit: int, seconds: float, check: Callable[[], None] = lambda: None
) -> tuple[Estimate, int]:
    """Estimate the tree within a limit, in about `seconds` and one more unless a single node takes longer; return also
    the cut of the walks together.

    Args:
        searcher: the puzzle's searcher.
        limit: the limit.
        seconds: how long to probe; at least one probe, and fewer if the tree is small.
        check: called between two nodes; it raises an exception to stop.

    Raises:
        GuardStop: no walk ended in that time.
        TooCheap: there are solutions below the limit.
        BadPuzzle: costs up to the limit do not fit their field.
    """
    searcher.problem.costs.refuse_overflow(limit)
    random_ = random.Random(1)  # each time the same walks
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
    found = Estimate(
        limit=limit,
        nodes=tree,
        error=statistics.stdev(nodes) / math.sqrt(len(nodes)) if len(nodes) >= FEWEST else None,
        solutions=searcher.problem.total(round(statistics.fmean(probe.found for probe in probes))),
        rate=_rate(searcher, limit, random_, min(SAMPLE, seconds), own_rate, ENOUGH * tree),
        probes=len(probes),
    )
    return found, least_cut(*(probe.cut for probe in probes))


def estimates(run: Run, seconds: float, most: int) -> Iterator[Forecast]:
    """Yield the estimate of the limit that a run is asked for, or those of its first limits, `most` of them, up to the
    first with solutions, each by probes for some seconds; and at the end what all take, as far as that is known.

    What the walks have seen cut off leads to the next limit, as in the search: where limits jump, some may be missed. A
    limit at which no walk was cut is the last one, because its tree is then most likely the whole one.
    """
    asked, watch, searcher, workers = run.request.limit, run.watch, None, run.workers
    begun = problem = run.supply(run.problem)
    found, is_productive = list[Estimate](), False
    limit = next(begun.limits(), None) if asked is None else asked
    while limit is not None and len(found) < most:
        if searcher is None:
            with reporting_to(watch.listener.compilation_started, watch.check):
                with within_memory(None):
                    searcher = Searcher(problem)
                searcher.warm_up()
                searcher.warm_up_restoring()
        try:
            each, cut = estimate(searcher, limit, seconds, check=watch.check)
        except TooCheap:
            if asked is not None:
                raise BadInput(f"limit {limit} is not searched: there are cheaper solutions") from None
            is_productive = True
            break
        yield each.forecast(begun.has_cost, workers)
        found.append(each)
        is_productive = each.solutions > 0
        limit = None if is_productive or asked is not None else limit_after(begun, limit, cut)
        if limit is not None and (better := better_bound(problem, each.nodes, run.load)):  # as the search does
            searcher, problem = None, run.supply(better)
    if found and asked is None and begun.has_cost:
        last, total = found[-1].limit, sum(each.seconds for each in found)
        takes = f"{clock(total / workers)} on {plural(workers, 'worker')}"
        if is_productive:
            yield Forecast([], f"in all {takes}, if {last} is the first limit with solutions")
        else:
            yield Forecast([], f"in all more than {takes}: no walk found a solution up to limit {last}")


@dataclass
class Probe:
    """One walk.

    Attributes:
        nodes, found: its estimates for the whole tree: nodes, and weight of solved states.
        visited, seconds: its own nodes, and the time they took.
        cut: see `search.cuts`.
    """

    nodes: float = 0.0
    found: float = 0.0
    visited: int = 0
    seconds: float = 1e-9
    cut: int = NOTHING


def _probe(
    searcher: Searcher, limit: int, random_: random.Random, end: float, check: Callable[[], None]
) -> Probe | None:
    """Walk down from the root; None if the time ends first."""
    probe = Probe()
    weight = 1.0
    branch: Branch | None = searcher.whole()
    while branch is not None:
        check()
        outcome = searcher.run(branch, Sought(limit), 1)
        probe.nodes += weight * outcome.nodes
        probe.found += weight * outcome.weight
        probe.visited += outcome.nodes
        probe.seconds += outcome.seconds
        probe.cut = least_cut(probe.cut, outcome.cut)
        branch = next(iter(outcome.rest), None)
        if branch is not None:
            if time.monotonic() > end:
                return None
            weight *= len(branch.pending[-1])
            branch = _random_row(branch, random_)
    return probe


def _random_row(branch: Branch, random_: random.Random) -> Branch:
    """Return a random one of a branch's deepest rows as a branch."""
    chosen = random_.choice(branch.pending[-1])
    return Branch(branch.path, ((),) * (len(branch.pending) - 1) + ((chosen,),), branch.sizes)


def _rate(
    searcher: Searcher, limit: int, random_: random.Random, seconds: float, own_rate: float, most: float
) -> float:
    """Return nodes per second, from random places on; `own_rate`, that of the probes, if no time is left for it."""
    end = time.monotonic() + seconds
    budget = min(1000, int(seconds / 10 * own_rate))
    if budget < 1:
        return own_rate
    visited, took = 0, 1e-9
    while not visited or (time.monotonic() < end and visited < most):
        branch = searcher.whole()
        for _ in range(random_.randrange(1, 8)):
            rest = searcher.run(branch, Sought(limit), 1).rest
            if not rest:
                break
            branch = _random_row(rest[0], random_)
        outcome = searcher.run(branch, Sought(limit), budget)
        visited, took = visited + outcome.nodes, took + outcome.seconds
        budget = max(1, min(2 * budget, 1_000_000, int(seconds / 3 * visited / took)))
    return visited / took
