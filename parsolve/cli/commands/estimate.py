"""`parsolve estimate`."""

import json
import math
from typing import Any

from parsolve.cli.command import command
from parsolve.cli.named import Named
from parsolve.cli.options import WORKERS, option
from parsolve.cli.process.signals import Stops
from parsolve.puzzle.core import EngineName

LIMITS = 8
"""How many limits are estimated without --limit."""


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
    from parsolve.problem.problem import Problem
    from parsolve.search.request import Request
    from parsolve.search.run import estimate as parts

    watch = Reporter(named.source).begin(stops)
    request = Request(want="count", limit=limit, engine=engine, workers=workers)
    rows: list[dict[str, Any]] = []
    for part in parts(Problem(puzzle, "count"), request, watch, time, LIMITS):
        rows += ({name: None if value == math.inf else value for name, value in row.items()} for row in part.rows)
        if not as_json:
            print(part.line, flush=True)
    if as_json:
        print(json.dumps(rows, indent=2))
    return 0
