"""`parsolve estimate`."""

import itertools
import json
import math
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from parsolve.cli.command import command
from parsolve.cli.named import Named
from parsolve.cli.options import WORKERS, option
from parsolve.cli.process.signals import Stops
from parsolve.errors import GuardStop, OutOfMemory
from parsolve.puzzle.core import EngineName
from parsolve.text import clock, plural

if TYPE_CHECKING:
    from parsolve.deepening.estimate import Estimate
    from parsolve.levels.expected import Expected
    from parsolve.search.engine import Engine, Forecast, Run

LIMITS = 8
"""How many limits are estimated without --limit."""

Printed = tuple[list[dict[str, Any]], str]
"""A part of what is printed: with --json these objects, otherwise this line."""


@command()
def estimate(
    named: Named,
    stops: Stops,
    limit: int | None = option(
        f"estimate this limit (default: the first {LIMITS} limits, up to the first with solutions)", "COST"
    ),
    engine: EngineName | None = option(
        "deepening, breadth or sharing (default: the one that a count takes)",
        "ENGINE",
        ("deepening", "breadth", "sharing"),
    ),
    workers: int | None = WORKERS,
    time: float = option(
        "walk so long for each limit, and about a second more (default: 2s), or until a small tree is known well; exit"
        " code 3 if no walk ends in it",
        "TIME",
        default=2.0,
    ),
    as_json: bool = option("a list of objects, one a limit", name="--json"),
) -> int:
    """Predict how large a count is and how long it takes, by the engine that `parsolve count` takes: deepening by
    random walks down its tree (Knuth's method), the number of nodes within two standard errors, which are unknown after
    fewer than three walks; sharing by a sample of its levels. A tree most of whose nodes are below few branches is
    usually underestimated. Breadth-first search is begun instead of predicted.

    examples:
      parsolve estimate queens --n 20
      parsolve estimate queens --n 16 --method bits
      parsolve estimate polyominoes --board 6x10 --pieces pentominoes
      parsolve estimate sliding --goal blank-first --start "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3" --limit 55
    """
    puzzle = named.make()

    from parsolve.cli.terminal.reporter import Reporter
    from parsolve.deepening.estimate import estimates
    from parsolve.problem.problem import Problem
    from parsolve.search.checkpoint import CheckpointStore
    from parsolve.search.choice import engine_for, expected_engine
    from parsolve.search.engine import Run, new_engine
    from parsolve.search.request import Request
    from parsolve.search.result import Result
    from parsolve.system.resources import default_workers
    from parsolve.tables.databases import load, supply

    watch = Reporter(named.source).watching(stops)
    request, problem = Request(want="count", limit=limit, engine=engine, workers=workers), Problem(puzzle, "count")
    workers = workers or default_workers()
    engine_for(problem, request)
    problem.require_solvable()
    result, supplied = Result(problem, "count", workers), partial(supply, watch=watch)
    run = Run(request, watch, result, CheckpointStore(), emit=print, supply=supplied, load=load)
    walks, again = itertools.tee(estimates(run, time, LIMITS))
    name, sharing = expected_engine(run, time, (each.seconds for each in again if each is not None))
    if name == "deepening":
        parts = _by_deepening(walks, run)
    else:
        parts = _by_sharing(sharing, workers) if name == "sharing" else _by_breadth(new_engine("breadth"), run, time)
    found: list[dict[str, Any]] = []
    for objects, line in parts:
        found += ({name: None if value == math.inf else value for name, value in each.items()} for each in objects)
        if not as_json:
            print(line, flush=True)
    if as_json:
        print(json.dumps(found, indent=2))
    return 0


def _by_deepening(walks: "Iterable[Estimate | None]", run: "Run") -> Iterator[Printed]:
    """Yield each limit when its estimate is known, and what all take, as far as that is known; see `estimates`."""
    has_cost, workers, found = run.result.problem.has_cost, run.result.workers, list["Estimate"]()
    is_productive = False
    for each in walks:
        is_productive = each is None or each.solutions > 0
        if each is not None:
            found.append(each)
            about = {"seconds": each.seconds, "engine": "deepening", "workers": workers}
            yield [vars(each) | about], _line(each, has_cost, workers)
    if run.request.limit is None and has_cost and found:
        seconds = f"{clock(sum(each.seconds for each in found) / workers)} on {plural(workers, 'worker')}"
        if is_productive:
            yield [], f"in all {seconds}, if {found[-1].limit} is the first limit with solutions"
        else:
            yield [], f"in all more than {seconds}: no walk found a solution up to limit {found[-1].limit}"


def _line(found: "Estimate", has_cost: bool, workers: int) -> str:
    """Return the estimate of a limit as a line."""
    between = "? – ?, too few probes" if found.bounds is None else "{:.2g} – {:.2g}".format(*found.bounds)
    at = f"limit {found.limit}: " if has_cost else ""
    return (
        f"{at}some {found.nodes:.3g} nodes ({between}), {found.solutions:.3g} solutions;"
        f" {clock(found.seconds / workers)} on {plural(workers, 'worker')} at {found.rate / 1e6:.3g} M nodes/s each"
        f" ({plural(found.probes, 'probe')})"
    )


def _by_sharing(forecast: "Forecast | None", workers: int) -> Iterator[Printed]:
    """Yield what a count by sharing takes."""
    if forecast is None:
        raise GuardStop("what the engine sharing takes is not known: moves may lead back, or it needs more --time")
    found: Expected = forecast.found
    text = "more entries than can be predicted"
    if not math.isinf(found.entries):
        more = "" if found.fits else ", more than there is"
        entries = found.between(found.entries, "{:.3g}".format)
        megabytes = found.between(found.memory / 2**20, "{:.3g}".format)
        seconds = f"{found.between(found.seconds, clock)} on {plural(workers, 'worker')}"
        text = f"{entries} entries, {megabytes} MB{more}; {seconds}"
    yield [found._asdict() | {"engine": "sharing", "workers": workers}], f"by the engine sharing: {text}"


def _by_breadth(breadth: "Engine", run: "Run", time: float) -> Iterator[Printed]:
    """Yield what breadth-first search finds in some seconds."""
    run.supply(run.result.problem)
    while (begun := breadth.forecast(run, time)) is not None and begun.is_early:
        pass  # most of the time went into compiling
    if begun is None:
        raise OutOfMemory("there is too little memory for breadth-first search")
    result, limits, has_ended = begun.found, begun.found.iterations, not math.isinf(begun.seconds)
    about = {"engine": "breadth", "workers": result.workers, "has_ended": has_ended}
    seconds = clock(sum(each.seconds for each in limits))
    text = f"by breadth-first search: {plural(result.nodes, 'state')} in {seconds}"
    if has_ended:
        text += f": {plural(result.found_so_far, 'solution')}{'' if result.cost is None else f' of cost {result.cost}'}"
    else:
        text += f"{f' up to limit {limits[-1].limit}' if limits else ''}, and no solution yet"
    yield [each.to_dict() | about for each in limits], text
