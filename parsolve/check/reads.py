"""Check whether the rules of puzzles with other parameters read the same values. Differences should be in `tables`."""

import contextlib
from collections.abc import Iterator
from functools import partial
from typing import Any

from parsolve.check.endless import METHOD_SECONDS, on_time
from parsolve.check.faults import Fault
from parsolve.errors import BadInput
from parsolve.problem.problem import Problem
from parsolve.problem.registry import construct
from parsolve.problem.rules import LET_TABLES
from parsolve.puzzle.parameters import Parameter, parameters_of, values_of


def reads_faults(problem: Problem) -> Iterator[Fault]:
    """Yield what the rules read that `root`, `tables` or the constructor changes for another value of a parameter."""
    what, values = f"the methods of {problem.name}", values_of(problem.puzzle)
    for parameter in parameters_of(type(problem.puzzle)):
        for value in _others(parameter, values[parameter.name]):
            with contextlib.suppress(BadInput):
                on_time(what, partial(_made, problem, values | {parameter.name: value}), METHOD_SECONDS)
                break
        if name := problem.compiled_rules.change:
            text = f"{name}, which the rules read, changes with the parameter {parameter.name!r}: {LET_TABLES}"
            yield Fault("reads", text)
            return


def _made(problem: Problem, values: dict[str, Any]) -> None:
    """Construct a puzzle with other parameters, and call the methods that precede its search."""
    made = Problem(construct(type(problem.puzzle), values))
    if not made.abstractions:  # otherwise tables would have to be built
        _ = made.root, made.tables


def _others(parameter: Parameter, value: Any) -> Iterator[Any]:
    """Yield other values of a parameter that may be valid."""
    if parameter.choices:
        yield from (each for each in parameter.choices if each != value)
    elif parameter.kind is bool:
        yield not value
    elif parameter.kind in (int, float):
        yield from (value + 1, value - 1)
