"""`parsolve merge`: the answer of a search from the journals of its parts, or what is missing."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parsolve.cli.command import command
from parsolve.cli.commands.journals import problem_of
from parsolve.cli.options import JSON, OWN_PUZZLE, argument, option
from parsolve.cli.process.signals import Stops
from parsolve.cli.terminal.streams import write_line
from parsolve.errors import BadInput
from parsolve.text import plural

if TYPE_CHECKING:
    from parsolve.batch.merge import Merged, Merging, Missing


@command()
def merge(
    stops: Stops,
    journals: Sequence[Path] = argument(
        "the journals of the parts", "JOURNAL", Path, is_required=True, is_repeated=True
    ),
    job: str | None = option("the job in each journal (default: all that are of parts)", "NAME"),
    as_json: bool = JSON,
    puzzle: str | None = OWN_PUZZLE,
) -> int:
    """Add what the journals of a search's parts hold: the count, or the list of all solutions. If parts are missing,
    print the commands that search them, and return the exit code 3. The journals are only read, also while searches
    write them.

    examples:
      parsolve merge part-*.sqlite
      parsolve merge part-*.sqlite --json
      parsolve merge part-*.sqlite | sh               search what is missing, one part after another
    """
    from parsolve.batch.merge import Merging
    from parsolve.cli.terminal.printers import JsonPrinter, Printer, table_of
    from parsolve.problem.replay import Solution

    merging = Merging()
    for path in journals:
        stops.check()
        merging.add(path, job)
    problem = problem_of(merging.job, puzzle, stops)
    if not merging.job.has_rules_of(problem):
        raise BadInput(f"{merging.jobs[0].path}: the rules of {merging.job.source} have been edited since")
    merged = merging.merged(problem)
    missing = [(each, _command(merging, merged, each, puzzle or merging.job.source)) for each in merged.missing]
    known = {"status": merged.status, "cost": merged.cost, "count": merged.count}
    by_cost = {"by_cost": merged.by_cost} if merging.job.slack else {}
    lists = merging.job.want == "all" and merged.count is not None
    printer = (JsonPrinter if as_json else Printer)(known | by_cost, lists)
    for moves in merging.solutions(merged.limit) if lists else ():
        printer.print_solution(Solution(moves, problem), merging.job.slack)
    number = table_of(merged.by_cost) if by_cost and merged.count else merged.count
    iterations = [each.to_dict() for each in merged.iterations]
    effort = {"iterations": iterations, "nodes": merged.nodes, "seconds": merging.seconds}
    parts = {"parts": merging.of, "journals": merging.journals, "missing": [_missing(*each) for each in missing]}
    printer.print_rest(number, effort | parts)
    for each in () if as_json else missing:
        print(_line(*each))
    write_line(_summary(merging, merged))
    return {"solved": 0, "none": 1}.get(merged.status, 3)


def _missing(each: "Missing", command: str) -> dict[str, Any]:
    """Return parts that are missing as plain data."""
    job = each.job
    return {
        "part": str(each.part),
        "status": job.standing if job else "missing",
        "share": job.share if job else 0.0,
        "journal": str(job.path) if job else None,
        "command": command,
    }


def _line(each: "Missing", command: str) -> str:
    """Return the command that searches missing parts, with their state as a comment."""
    job = each.job
    if job is None:
        return f"{command}  # missing"
    done = f", {job.share:.0%} of its limit is done" if job.share else ""
    if job.state == "running":
        return f"# part {each.part} is running: {job.path}{done}"
    state = "ended at another limit" if job.state == "done" else job.state
    return f"{command}  # {state}{done}"


def _command(merging: "Merging", merged: "Merged", each: "Missing", source: str) -> str:
    """Return the command that searches missing parts."""
    from parsolve.cli.named import as_option, as_options
    from parsolve.journal.records import own_name
    from parsolve.problem.registry import load_class, presets_of
    from parsolve.puzzle.parameters import parameters_of

    job = merging.job
    presets = presets_of(source)
    defaults = {row.name: presets.get(row.name, row.default) for row in parameters_of(load_class(source))}
    given = {name: value for name, value in job.parameters.items() if defaults.get(name) != value}
    journal = each.job.path if each.job else Path(f"part-{each.part.numbers}.sqlite")
    words = (
        f"parsolve {'count' if job.want == 'count' else 'solve'} {shlex.quote(source)}",
        as_options(given),
        f"--slack {job.slack}" if job.slack else "",
        f"--limit {merged.limit}" if any(limit > 0 for limit in merging.limits) else "",
        f"--part {each.part}",
        as_option("journal", journal),
        as_option("name", each.job.name) if each.job and each.job.name != own_name(source) else "",
    )
    return " ".join(filter(None, words))


def _summary(merging: "Merging", merged: "Merged") -> str:
    """Return the last line."""
    journals = f"{plural(merging.of, 'part')} in {plural(merging.journals, 'journal')}"
    effort = f"{merged.nodes:,} nodes, {merging.seconds:.3f} s"
    if merged.missing:
        number = sum(each.part.last - each.part.first + 1 for each in merged.missing)
        return f"{number:,} of {merging.of:,} parts are missing: the commands on stdout search them"
    if merged.status == "solved":
        return f"{plural(merged.count or 0, 'solution')}: {journals}, {effort}"
    if merged.status == "none":
        return f"no solution: {journals}, {effort}"
    return f"no solution costs {merged.limit} or less: {journals}, {effort}; search them with a greater --limit"
