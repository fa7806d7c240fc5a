"""Compare what puzzles of a batch claim to share with what they do share."""

import itertools
from collections.abc import Iterator

from parsolve.check.faults import Fault
from parsolve.errors import BadInput, BadPuzzle
from parsolve.problem.problem import Problem
from parsolve.problem.registry import construct, instances_of
from parsolve.problem.siblings import require_root, require_shared, roots_of
from parsolve.puzzle.core import Puzzle
from parsolve.puzzle.parameters import values_of
from parsolve.tables.databases import supply

OTHERS = 10
"""Instances that are compared with a puzzle."""


def batch_faults(problem: Problem) -> Iterator[Fault]:
    """Yield the faults of `batch_key` and `roots`, found with the puzzle itself and its instances."""
    cls = type(problem.given)
    for puzzle in itertools.islice(_others(problem.given), OTHERS) if cls.batch_key is not Puzzle.batch_key else ():
        other = supply(Problem(puzzle, problem.want))
        if other.batch_key == problem.batch_key:
            try:
                require_shared(problem, other)
            except BadPuzzle as error:
                yield Fault("batch_key", str(error))
    names = type(problem.puzzle).root_parameters
    try:
        values = values_of(problem.puzzle)
        roots = roots_of(problem, {name: [str(values[name])] for name in names}) if names else None
        if roots is not None and roots.read[0]:
            require_root(problem, roots.states[0], roots.limits[roots.which[0]])
    except KeyError as error:
        yield Fault("roots", f"{problem.name}: 'root_parameters' names {error}, which is not a parameter")
    except BadPuzzle as error:
        yield Fault("roots", str(error))


def _others(puzzle: Puzzle) -> Iterator[Puzzle]:
    """Yield the named instances of a class."""
    for instance in instances_of(type(puzzle)).values():
        try:
            yield construct(type(puzzle), values_of(puzzle) | dict(instance.parameters))
        except BadInput:
            continue
