"""`parsolve estimate`."""

import itertools
import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from parsolve.cli.options import add_workers, named_in, parse, puzzle_parser
from parsolve.cli.process.signals import Stops
from parsolve.errors import BadInput, TooCheap
from parsolve.text import clock, duration, plural

if TYPE_CHECKING:
    from parsolve.cli.terminal.messages import GettingReady
    from parsolve.deepening.estimate import Estimate
    from parsolve.deepening.searcher import Searcher
    from parsolve.levels.expected import Expected
    from parsolve.problem.problem import Problem
    from parsolve.puzzle import Puzzle
    from parsolve.spaces import Tried

ABOUT = """\
Predict how large a search is and how long it takes, by random walks down its tree (Knuth's method): the number of
nodes within two standard errors, which are unknown after fewer than three walks. A tree most of whose nodes are below
few branches is usually underestimated.

Where states can be shared, a sample of their levels tells what a count by the engine sharing takes, and so which engine
`parsolve count` takes. Where that is breadth-first search, or may be, this is begun instead of predicted.
"""

EPILOG = """\
examples:
  parsolve estimate queens --n 20
  parsolve estimate queens --n 16 --method bits
  parsolve estimate polyominoes --board 6x10 --pieces pentominoes
  parsolve estimate sliding --goal blank-first --start "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3" --limit 55
"""

LIMITS = 8
"""How many limits are estimated without --limit."""

LATEST = 4
"""Over how many of them the growth from limit to limit is taken."""


def estimate(arguments: Sequence[str], stops: Stops) -> int:
    """Print the estimated nodes, solutions and time of a search, limit by limit."""
    parser = puzzle_parser("estimate", arguments, ABOUT, EPILOG)
    parser.add_argument(
        "--limit",
        type=int,
        metavar="COST",
        help=f"estimate this limit (default: the first {LIMITS} limits, up to the first with solutions)",
    )
    add_workers(parser)
    parser.add_argument(
        "--time",
        type=duration,
        default=2.0,
        metavar="TIME",
        help="walk so long for each limit, and about a second more (default: 2s), or until a small tree is known well;"
        " exit code 3 if no walk ends in it",
    )
    parser.add_argument("--json", action="store_true", help="a list of objects, one a limit")
    options = parse(parser, arguments)
    if options.limit is not None and options.limit < 0:
        parser.error(f"--limit is at least 0, not {options.limit}")
    puzzle = named_in(options).make()

    from parsolve.cli.terminal.messages import GettingReady
    from parsolve.search.tuning import DEFAULT
    from parsolve.system.resources import default_workers

    ready, workers = GettingReady(options.puzzle), options.workers or default_workers()
    stops.on_stop = ready.stopped
    found = Estimates(puzzle, options.limit, options.time, ready, stops)
    begun = None if options.limit is not None else _by_breadth(found.problem, workers, options.time, ready, stops)
    if begun is not None and begun.result.engine == "breadth":
        print(json.dumps(_begun_data(begun), indent=2) if options.json else _begun(begun))
        return 0
    for each in found.each():
        if not options.json:
            print(_line(each, found.problem.has_cost, workers), flush=True)
    sharing = _by_sharing(found.problem, workers, options.time, stops) if options.limit is None else None
    if options.json:
        print(json.dumps(_data(found.so_far, sharing, workers) + _begun_data(begun), indent=2))
        return 0
    seconds = sum(each.seconds for each in found.so_far) / workers
    if options.limit is None and found.problem.has_cost and found.so_far:
        print(_in_all(found.so_far, found.is_productive, workers))
    if sharing is not None:
        print(_compared(sharing, seconds, workers))
    if begun is not None and (seconds >= DEFAULT.space_after or not found.is_productive):
        print(_begun(begun))
    return 0


class Estimates:
    """The estimates of one limit after another, up to the first with solutions.

    Args:
        puzzle: what would be searched.
        limit: this one alone; None for the first ones.
        seconds: how long to walk for each.
        ready: told of kernels and tables.
        stops: whether a signal has come.

    Attributes:
        problem: with the bound of the last one.
        so_far: the estimates.
        is_productive: whether there are solutions within the last limit.
    """

    def __init__(
        self, puzzle: "Puzzle", limit: int | None, seconds: float, ready: "GettingReady", stops: Stops
    ) -> None:
        from parsolve.problem.problem import Problem

        self.problem, self._limit, self._seconds = Problem(puzzle, "count"), limit, seconds
        self.problem.require_solvable()
        self._ready, self._stops = ready, stops
        self.so_far: list[Estimate] = []
        self.is_productive = False

    def each(self) -> "Iterator[Estimate]":
        """Yield them.

        Raises:
            BadInput: there are solutions below the one limit.
            GuardStop: no walk ends in time.
        """
        from parsolve.deepening.estimate import estimate as walk
        from parsolve.tables.databases import load

        searcher = self._searcher()
        limits = itertools.islice(self.problem.limits(), LIMITS) if self._limit is None else [self._limit]
        for limit in limits:
            try:
                found = walk(searcher, limit, self._seconds, check=self._stops.check)
            except TooCheap:
                if self._limit is not None:
                    raise BadInput(f"limit {limit} is not searched: there are cheaper solutions") from None
                self.is_productive = True  # the limit before, though no walk has met a solution there
                return
            self.so_far.append(found)
            yield found
            if found.solutions:
                self.is_productive = True
                return
            if (better := self.problem.better(found.nodes, load)) is not None:  # as the search does
                self.problem = better
                searcher = self._searcher()

    def _searcher(self) -> "Searcher":
        from parsolve.compiler.listening import reporting_to
        from parsolve.deepening.searcher import Searcher
        from parsolve.search.watch import Watch
        from parsolve.system.resources import within_memory
        from parsolve.tables.databases import supply

        supply(self.problem, Watch(self._ready, self._stops.check))
        with reporting_to(self._ready):
            with within_memory(None):
                searcher = Searcher(self.problem)
            searcher.warm_up()
            searcher.warm_up_restoring()
        return searcher


def _data(estimates: "Sequence[Estimate]", sharing: "Expected | None", workers: int) -> list[dict[str, Any]]:
    """Return what is estimated as plain data."""
    about = {"engine": "deepening", "workers": workers}
    data: list[dict[str, Any]] = [vars(each) | {"seconds": each.seconds} | about for each in estimates]
    if sharing is None:
        return data
    values = {name: value for name, value in sharing._asdict().items() if name != "levels"}
    return [*data, values | {"engine": "sharing", "workers": workers}]


def _line(found: "Estimate", has_cost: bool, workers: int) -> str:
    """Return the estimate of a limit as a line."""
    between = "? – ?, too few probes" if found.bounds is None else "{:.2g} – {:.2g}".format(*found.bounds)
    at = f"limit {found.limit}: " if has_cost else ""
    return (
        f"{at}some {found.nodes:.3g} nodes ({between}), {found.solutions:.3g} solutions;"
        f" {clock(found.seconds / workers)} on {plural(workers, 'worker')} at {found.rate / 1e6:.3g} M nodes/s each"
        f" ({plural(found.probes, 'probe')})"
    )


def _by_sharing(problem: "Problem", workers: int, seconds: float, stops: Stops) -> "Expected | None":
    """Return what a count by sharing takes; None if it cannot count this, or if that is not known soon."""
    from parsolve.choice import shared
    from parsolve.engines import may_choose
    from parsolve.levels.expected import expected
    from parsolve.search.request import Request
    from parsolve.search.watch import Watch
    from parsolve.tables.databases import load

    request = Request(want="count")
    counted = shared(problem, request, load) if may_choose(problem, request) else None
    return None if counted is None else expected(counted, workers, seconds, Watch(check=stops.check))


def _by_breadth(
    problem: "Problem", workers: int, seconds: float, ready: "GettingReady", stops: Stops
) -> "Tried | None":
    """Begin breadth-first search, if a count may take it; its result names the engine that the count takes first."""
    from parsolve.engines import engine_name, may_be_small
    from parsolve.search.checkpoint import CheckpointStore
    from parsolve.search.engine import Run
    from parsolve.search.request import Request
    from parsolve.search.result import Result
    from parsolve.search.watch import Watch
    from parsolve.spaces import tried
    from parsolve.tables.databases import load, supply

    request = Request(want="count")
    engine = engine_name(problem, request)
    if engine == "deepening" and not may_be_small(problem, request):
        return None
    watch = Watch(ready, stops.check)
    supply(problem, watch)
    result, store = Result(problem, "count", workers), CheckpointStore()
    run = Run(request, watch, result, store, print, supply=lambda each: supply(each, watch), load=load)
    found = tried(run, seconds)
    if found is not None:
        found.result.engine = engine
    return found


def _begun_data(begun: "Tried | None") -> list[dict[str, Any]]:
    """Return the limits of breadth-first search as plain data."""
    if begun is None:
        return []
    about = {"engine": "breadth", "workers": begun.result.workers, "has_ended": begun.has_ended}
    return [each._asdict() | about for each in begun.result.iterations]


def _begun(begun: "Tried") -> str:
    """Return what breadth-first search has found, and how it grows if it has not ended."""
    result, limits = begun.result, begun.result.iterations
    seconds = clock(sum(each.seconds for each in limits))
    states = f"by breadth-first search: {plural(result.nodes, 'state')} in {seconds}"
    if begun.has_ended:
        some = result.found_so_far
        found = f"{plural(some, 'solution')} of cost {result.cost}" if some and result.cost is not None else ""
        which = "" if result.engine == "breadth" else ", which parsolve count tries"
        return f"{states}{which}: {found or (plural(some, 'solution') if some else 'no solution')}"
    up_to = f" up to limit {limits[-1].limit}" if limits else ""
    return f"{states}{up_to}, and no solution yet{_growth([each.nodes for each in limits])}"


def _growth(nodes: Sequence[float]) -> str:
    """Return how the nodes grow from limit to limit: over several, for two in a row may differ by more."""
    if len(nodes) <= LATEST or not nodes[-1 - LATEST]:
        return ""
    growth = (nodes[-1] / nodes[-1 - LATEST]) ** (1 / LATEST)
    return f", each further limit some {growth:.2g} times the one before" if growth > 1 else ""


def _compared(by_sharing: "Expected", other: float, workers: int) -> str:
    """Return what a count by sharing takes, and which engine that is for; `other`: seconds by deepening."""
    from parsolve.choice import is_sooner
    from parsolve.search.tuning import DEFAULT

    if math.isinf(by_sharing.entries):
        return "by the engine sharing: more entries than can be told; parsolve count takes deepening"
    least = DEFAULT.choice_after + DEFAULT.choice_least
    takes = "sharing" if other >= least and is_sooner(by_sharing, other) else "deepening"
    more = "" if by_sharing.fits else ", more than there is"
    entries = by_sharing.between(by_sharing.entries, "{:.3g}".format)
    megabytes = by_sharing.between(by_sharing.memory / 2**20, "{:.3g}".format)
    seconds = by_sharing.between(by_sharing.seconds, clock)
    return (
        f"by the engine sharing: {entries} entries, {megabytes} MB{more}; {seconds} on {plural(workers, 'worker')};"
        f" parsolve count takes {takes}"
    )


def _in_all(estimates: "Sequence[Estimate]", productive: bool, workers: int) -> str:
    """Return what the whole search takes, as far as that can be told."""
    seconds = clock(sum(each.seconds for each in estimates) / workers)
    last = estimates[-1].limit
    if productive:
        unsure = " (unsure: it is from few walks)" if estimates[-1].probes < 30 else ""
        return f"in all {seconds} on {plural(workers, 'worker')}, if {last} is the first limit with solutions{unsure}"
    times = _growth([each.nodes for each in estimates])
    return (
        f"in all more than {seconds} on {plural(workers, 'worker')}: no walk found a solution up to limit {last}{times}"
    )
