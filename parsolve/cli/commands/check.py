"""`parsolve check`."""

import json

from parsolve.cli.command import command
from parsolve.cli.named import Named
from parsolve.cli.options import JSON, option
from parsolve.errors import BadInput
from parsolve.text import plural

NUMBERS = ("states", "all_states", "on_solved_paths", "key_pairs", "numbered")
"""What JSON has of a report."""


@command()
def check(
    named: Named,
    states: int = option("states to reach (default: 20000)", "N", int, default=20_000),
    as_json: bool = JSON,
) -> int:
    """Run a puzzle's rules uncompiled over sampled states and report what compiled code cannot notice: fields left
    unset or overflowing, rules that never return or return nothing, moves that are not distinct and rising, costs that
    fall, limits that do not rise, more children than declared, a root without children, a bound that exceeds the true
    distance, a key that merges different states, an index that is not exact or not undone by its inverse, a graph that
    is not as declared; each with the state that shows it; and lookups that differ from process to process.

    examples:
      parsolve check my_puzzle.py:LightsOut
      parsolve check sliding --start "1 2 3 4 5 6 0 7 8"    an easy instance checks the bound best

    exit codes: 0 nothing wrong, 2 the puzzle breaks the contract, or bad input, 3 a rule did not return in time
    """
    if states < 1:
        raise BadInput(f"--states must be at least 1, not {states}")
    puzzle = named.make()

    from parsolve.check import check as run

    report = run(puzzle, states, seeds=(1, 2))
    if as_json:
        faults = [{"text": fault.text, "state": fault.state} for fault in report.faults]
        numbers = {name: getattr(report, name) for name in NUMBERS}
        print(json.dumps({"puzzle": named.source, "faults": faults, **numbers}, indent=2))
        return 2 if report.faults else 0
    for fault in report.faults:
        print(fault)
    # A root without children is something else than a puzzle of one state.
    has_all = (report.all_states or 0) > 1
    found = f"{report.all_states:,} states, all that there are" if has_all else plural(report.states, "state")
    parts = [f"{plural(len(report.faults), 'fault')} in {found}"]
    if report.stopped:
        parts.append("the rest can be checked when that is right")
    elif report.on_solved_paths and report.has_bound:
        parts.append(f"the bound was compared with the distance of {report.on_solved_paths:,} of them")
    elif report.on_solved_paths:
        parts.append("bound: none")
    else:
        parts += ["the root has no children"] if report.states == 1 else []
        advice = "it has no solution" if has_all else "try an easier instance"
        unchecked = ", so that the bound was not checked" if report.has_bound else ""
        parts.append(f"no solved state among them{unchecked}: {advice}")
    if puzzle.key is not None and not report.stopped:
        parts.append(f"the key of {report.key_pairs:,} pairs")
    if puzzle.index is not None and not report.stopped:
        parts.append(f"the numbers of {report.numbered:,}")
    print("; ".join(parts))
    return 2 if report.faults else 0
