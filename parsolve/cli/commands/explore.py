"""`parsolve explore`."""

import contextlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from parsolve.cli.command import command
from parsolve.cli.named import Named
from parsolve.cli.options import JSON, MAX_MEMORY, QUIET, option
from parsolve.cli.process.signals import Stops
from parsolve.puzzle.parameters import values_of
from parsolve.text import plural

SHOWN = 20
"""Farthest states that are shown at most; with --json all of them."""

JOURNAL = "explore.sqlite"
"""The journal in a folder of --spill."""

if TYPE_CHECKING:
    from parsolve.levels.explore import Explored
    from parsolve.puzzle.core import Puzzle
    from parsolve.search.checkpoint import CheckpointStore
    from parsolve.search.watch import Watch


@command()
def explore(
    named: Named,
    stops: Stops,
    max_memory: str | None = MAX_MEMORY,
    workers: int | None = option(
        "how many cores are used, if states are numbered or have a way back from their keys (default: the cores it"
        " may use, or $PARSOLVE_WORKERS)",
        "N",
    ),
    spill: str | None = option(
        "hold the states in files there if they do not fit in memory; continues a stopped run", "FOLDER"
    ),
    boards: bool = option("draw the farthest states, as is done if 'render' alone shows them"),
    as_json: bool = JSON,
    origin: Literal["start", "goals"] | None = option(
        "where distances are measured from: by default the goals where the puzzle gives them, else its start",
        kind=("start", "goals"),
        name="--from",
    ),
    quiet: bool = QUIET,
) -> int:
    """Count a puzzle's states at each distance from its goal states, or from its start where the puzzle gives no goals
    (`--from`), and show the farthest: the hardest positions. Needs a puzzle with a key.

    examples:
      parsolve explore eight
      parsolve explore sliding --shape 2x4 --json
      parsolve explore peg --board triangle15 --vacancy 0 positions by pegs, and where the last peg can be left
      parsolve explore sliding --shape 3x4                239,500,800 positions, the 18 hardest 11-puzzles
      parsolve explore sliding --shape 3x4 --spill states the same, in files; after Ctrl-C the same again goes on
    """
    puzzle = named.make()

    from parsolve.cli.terminal.reporter import Reporter
    from parsolve.levels.explore import explore as run
    from parsolve.search.request import Request
    from parsolve.tables.databases import supply

    how = Request.of(workers=workers, spill=spill, max_memory=max_memory)
    resume = "with --spill FOLDER it could be resumed" if spill is None else "the same command resumes it"
    watch = Reporter(named.source, quiet, resume).begin(stops, how.max_memory)
    with kept_in(how.spill, puzzle, watch) as store:
        supplied = partial(supply, watch=watch)
        result = run(puzzle, watch, threads=how.workers, spill=how.spill, store=store, origin=origin, supply=supplied)
    depths = _depths(result)
    data = {
        "puzzle": named.source,
        "parameters": values_of(puzzle),
        "start": result.start,
        "depths": depths,
        "states": result.states,
        "greatest_depth": result.depths[-1][0],
        **({"states_in_all": sum(result.in_all)} if result.in_all else {}),
        "farthest": result.farthest,
        **result.findings,
        "seconds": round(result.seconds, 6),
        "setup_seconds": round(result.setup_seconds, 6),
    }
    print(json.dumps(data, indent=2) if as_json else _as_text(result, depths, boards))
    return 0


@contextlib.contextmanager
def kept_in(folder: Path | None, puzzle: "Puzzle", watch: "Watch") -> "Iterator[CheckpointStore]":
    """Run the body with checkpoints in a journal in a folder, if any, which is deleted if the body ends well."""
    from parsolve.search.checkpoint import CheckpointStore

    if folder is None:
        yield CheckpointStore()
        return
    from parsolve.journal.jobstore import JobStore
    from parsolve.journal.journal import Journal
    from parsolve.journal.records import Wanted
    from parsolve.system.userfiles import spill_folder

    with spill_folder(folder):
        with Journal(folder / JOURNAL) as journal:
            (job,) = journal.get_or_create([Wanted("explore", type(puzzle).__name__, values_of(puzzle), "count", {})])
            yield JobStore(journal, job, watch)
        (folder / JOURNAL).unlink()


def _depths(result: "Explored") -> list[dict[str, int]]:
    """Return a row for each depth, by column."""
    rows = []
    for number, (depth, states) in enumerate(result.depths):
        measured = {result.measure: result.measures[number]} if result.measure else {}
        in_all = {"states_in_all": result.in_all[number]} if result.in_all else {}
        rows.append({"depth": depth, **measured, "states": states, **in_all})
    return rows


def _as_text(result: "Explored", depths: list[dict[str, int]], boards: bool) -> str:
    """Return the states by depth, and the farthest ones, drawn if `boards` or if nothing else shows them."""
    from parsolve.cli.terminal.printers import stacked
    from parsolve.problem.hooks import text_from
    from parsolve.puzzle.core import Puzzle

    heads = [f"depth from the {result.start}", *list(depths[0])[1:]]
    lines = [", ".join(head.replace("_", " ") for head in heads)]
    for row in depths:
        numbers = (f"{value:,}" for name, value in row.items() if name != "depth")
        lines.append(" ".join([f"{row['depth']:5}", *numbers]))
    total = plural(result.states, "state")
    if result.in_all:
        total += f" up to symmetry, {sum(result.in_all):,} in all"
    depth, states = result.depths[-1]
    number = len(result.farthest) or states  # they are not listed where they are too many
    lines.append(f"{total}; {plural(number, 'farthest state')} at depth {depth}{':' if result.farthest else ''}")
    problem, cls, drawn = result.problem, type(result.problem.puzzle), ""
    if boards or (cls.show_state is Puzzle.show_state and cls.render is not Puzzle.render):
        drawn = stacked([text_from(problem.puzzle, "render", problem.state_of(row), ()) for row in result.rows[:SHOWN]])
    lines += [drawn] if drawn.strip() else [f"  {text}" for text in result.farthest[:SHOWN]]
    if len(result.farthest) > SHOWN:
        lines.append(f"  … {len(result.farthest) - SHOWN:,} more: --json")
    lines += (f"{name}: {' '.join(found) or 'none'}" for name, found in result.findings.items())
    return "\n".join(lines)
