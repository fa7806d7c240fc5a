"""What a journal costs: a 15-puzzle with and without, in turns.

The cheapest solutions of a 15-puzzle are counted on one worker and on two, each by a `parsolve count` in a fresh
process, with `--journal` on the local disk and without. Seconds are those of the search.

    .venv/bin/python scripts/bench_journal.py
"""

import functools
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import benchmark
from benchmark import LONG, said

from parsolve.report.tables import spread, table


def main() -> None:
    """Measure and report."""
    options = benchmark.options(__doc__, rounds=3)
    measures: dict[str, Callable[[], float]] = {
        f"{workers}, {how}": functools.partial(search, workers, how == "with")
        for workers in (1, 2)
        for how in ("without", "with")
    }
    rounds = benchmark.in_turns(options.rounds, measures)
    benchmark.report("journal", __doc__, text(rounds), rounds, options)


def search(workers: int, kept: bool) -> float:
    """The seconds of a search."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-m", "parsolve", "count", "sliding", "--goal", "blank-first", "--start", LONG.tiles]
        words += ["--workers", str(workers), "--json", "--quiet"]
        if kept:
            words += ["--journal", str(Path(folder) / "journal.sqlite")]
        found = json.loads(said(*words))
    if (found["nodes"], found["count"]) != (LONG.nodes, LONG.solutions):
        raise SystemExit(f"wrong: {found}")
    return float(found["seconds"])


def text(rounds: list[dict[str, float]]) -> str:
    """The table."""
    rows = [
        [
            workers,
            *(spread(each[f"{workers}, {how}"] for each in rounds) for how in ("without", "with")),
            spread(each[f"{workers}, with"] / each[f"{workers}, without"] for each in rounds),
        ]
        for workers in (1, 2)
    ]
    head = f"Seconds; medians of {len(rounds)} rounds (least – greatest). Asked for: a ratio of at most 1.01.\n\n"
    return head + table(["workers", "without a journal", "with a journal", "with / without"], rows)


if __name__ == "__main__":
    main()
