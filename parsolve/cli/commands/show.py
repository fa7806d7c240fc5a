"""`parsolve show`: one job of a journal."""

import json

from parsolve.cli.command import command
from parsolve.cli.commands.journals import matching, opened, solutions_of
from parsolve.cli.options import JOURNAL, OWN_PUZZLE, argument, option
from parsolve.cli.process.signals import Stops
from parsolve.errors import BadInput
from parsolve.text import nearest, one_line, plural


@command()
def show(
    stops: Stops,
    journal: str = JOURNAL,
    job: str | None = argument("its name; may be left out where there is only one", "JOB"),
    lists: bool = option("the solutions found so far, one a line", name="--solutions"),
    puzzle: str | None = OWN_PUZZLE,
    boards: bool = option("with --solutions, draw the states along each"),
    as_json: bool = option("one JSON object", name="--json"),
) -> int:
    """Show one job of a journal: its parameters, result, limits and machine, or its solutions.

    examples:
      parsolve show night.sqlite                          the only job
      parsolve show night.sqlite korf-17
      parsolve show night.sqlite korf-17 --solutions
      parsolve show night.sqlite LightsOut --solutions --puzzle my_puzzle.py:LightsOut
    """
    if boards and not lists:
        raise BadInput("--boards is for --solutions, which is missing")

    from parsolve.cli.terminal.printers import JsonPrinter, Printer

    with opened(journal) as reader:
        jobs = matching(reader.path, reader.jobs(), [job] if job else [])
        if len(jobs) != 1:
            raise BadInput(
                f"{reader.path} has {plural(len(jobs), 'job')}: name one{nearest('', [each.name for each in jobs])}"
            )
        (found,) = jobs
        printer = (JsonPrinter if as_json else Printer)(found.to_dict(), lists, boards)
        for solution in solutions_of(reader, found, puzzle, stops) if lists else ():
            printer.print_solution(solution, found.slack)
        if as_json:
            printer.print_rest(None, {"iterations": [each.to_dict() for each in reader.iterations(found)]})
        elif not lists:
            for key, value in found.to_dict().items():
                text = json.dumps(value) if isinstance(value, dict) else "" if value is None else one_line(value)
                print(f"{key:12} {text}")
            for each in reader.iterations(found):
                print(f"limit {each.limit}: {plural(each.solutions, 'solution')}, {plural(each.nodes, 'node')}")
    return 0
