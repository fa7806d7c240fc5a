"""`parsolve estimate`."""

import itertools
import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from parsolve.cli.options import add_workers, parse, puzzle_from, puzzle_parser
from parsolve.cli.process.signals import Stops
from parsolve.errors import BadInput, TooCheap
from parsolve.text import clock, duration, plural

if TYPE_CHECKING:
    from parsolve.deepening.estimate import Estimate
    from parsolve.levels.expected import Expected
    from parsolve.problem.problem import Problem

ABOUT = """\
Predict how large a search is and how long it takes, by random walks down its tree (Knuth's method): the number of
nodes within two standard errors, which are unknown after fewer than three walks. A tree most of whose nodes are below
few branches is usually underestimated.

Where states can be shared, a sample of their levels tells what a count by the engine sharing takes, and so which engine
`parsolve count` takes.
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
    if options.limit is not None and not 0 <= options.limit < 1 << 15:
        parser.error(f"--limit is 0 to {(1 << 15) - 1}, not {options.limit}")
    from parsolve.problem.problem import Problem

    problem = Problem(puzzle_from(options), "count")

    from parsolve.cli.terminal.messages import GettingReady
    from parsolve.compiler.listening import telling
    from parsolve.deepening.estimate import estimate as probe
    from parsolve.deepening.searcher import Searcher
    from parsolve.search.watch import Watch
    from parsolve.system.resources import default_workers, within_memory
    from parsolve.tables.databases import load, supply

    ready = GettingReady(options.puzzle)
    stops.on_stop = ready.stopped

    def searcher_of(problem: Problem) -> Searcher:
        supply(problem, Watch(ready, stops.check))
        with telling(ready):
            with within_memory(None):
                searcher = Searcher(problem)
            searcher.warm_up()
            searcher.warm_up_restoring()
        return searcher

    searcher = searcher_of(problem)
    workers = options.workers or default_workers()
    on_workers = f"on {plural(workers, 'worker')}"
    limits = [options.limit] if options.limit is not None else itertools.islice(problem.limits(), LIMITS)
    estimates: list[Estimate] = []
    productive = False
    for limit in limits:
        try:
            each = probe(searcher, limit, options.time, check=stops.check)
        except TooCheap:
            if options.limit is not None:
                raise BadInput(f"limit {limit} is not searched: there are cheaper solutions") from None
            productive = True  # the limit before, though no walk has met a solution there
            break
        estimates.append(each)
        if not options.json:
            between = "? – ?, too few probes" if each.bounds is None else "{:.2g} – {:.2g}".format(*each.bounds)
            at = f"limit {limit}: " if problem.has_cost else ""
            print(
                f"{at}some {each.nodes:.3g} nodes ({between}), {each.solutions:.3g} solutions;"
                f" {clock(each.seconds / workers)} {on_workers} at {each.rate / 1e6:.3g} M nodes/s each"
                f" ({plural(each.probes, 'probe')})",
                flush=True,
            )
        if each.solutions:
            productive = True
            break
        if (better := searcher.problem.better(each.nodes, load)) is not None:  # as the search does
            searcher = searcher_of(better)
    by_sharing = _by_sharing(searcher.problem, workers, options.time, stops) if options.limit is None else None
    if options.json:
        about = {"engine": "deepening", "workers": workers}
        data = [vars(each) | {"seconds": each.seconds} | about for each in estimates]
        data += [] if by_sharing is None else [by_sharing._asdict() | {"engine": "sharing", "workers": workers}]
        print(json.dumps(data, indent=2))
        return 0
    if options.limit is None and problem.has_cost and estimates:
        print(_in_all(estimates, productive, workers))
    if by_sharing is not None:
        seconds = sum(each.seconds for each in estimates) / workers
        print(_compared(by_sharing, seconds, on_workers))
    return 0


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


def _compared(by_sharing: "Expected", other: float, on_workers: str) -> str:
    """Return what a count by sharing takes, and which engine that is for; `other`: seconds by deepening."""
    from parsolve.choice import is_sooner
    from parsolve.search.tuning import DEFAULT

    if math.isinf(by_sharing.entries):
        return "by the engine sharing: more entries than can be told; parsolve count takes deepening"
    least = DEFAULT.choice_after + DEFAULT.choice_least
    takes = "sharing" if other >= least and is_sooner(by_sharing, other) else "deepening"
    return (
        f"by the engine sharing: some {by_sharing.entries:.3g} entries, {by_sharing.memory / 2**20:.3g} MB"
        f"{'' if by_sharing.fits else ', more than there is'}; {clock(by_sharing.seconds)} {on_workers};"
        f" parsolve count takes {takes}"
    )


def _in_all(estimates: "Sequence[Estimate]", productive: bool, workers: int) -> str:
    """Return what the whole search takes, as far as that can be told."""
    seconds = clock(sum(each.seconds for each in estimates) / workers)
    last = estimates[-1].limit
    if productive:
        unsure = " (unsure: it is from few walks)" if estimates[-1].probes < 30 else ""
        return f"in all {seconds} on {plural(workers, 'worker')}, if {last} is the first limit with solutions{unsure}"
    times = ""
    if len(estimates) > LATEST and estimates[-1 - LATEST].nodes:
        # Over several limits: the estimates of two in a row may differ by more than the limits do.
        growth = (estimates[-1].nodes / estimates[-1 - LATEST].nodes) ** (1 / LATEST)
        times = f", each further limit some {growth:.2g} times the one before" if growth > 1 else ""
    return (
        f"in all more than {seconds} on {plural(workers, 'worker')}: no walk found a solution up to limit {last}{times}"
    )
