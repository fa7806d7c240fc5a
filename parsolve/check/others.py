"""Check what a puzzle has in common with others: itself in another process, its named instances, other parameters.

A result that depends on the order of a set of texts, on a random number or on the clock differs from process to
process: then workers do not search the same puzzle, and a journal cannot be resumed.
"""

import contextlib
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from parsolve.check.endless import METHOD_SECONDS, on_time
from parsolve.check.faults import Fault
from parsolve.errors import BadInput, BadPuzzle
from parsolve.problem.compiled import LET_TABLES
from parsolve.problem.data import digest_of
from parsolve.problem.problem import Problem
from parsolve.problem.registry import Spec, construct, instances_of
from parsolve.problem.siblings import require_root, require_shared, roots_of
from parsolve.puzzle.core import Puzzle
from parsolve.puzzle.parameters import Parameter, parameters_of, values_of
from parsolve.tables.databases import supply

METHODS = ("tables", "root")

OTHERS = 10
"""Instances that are compared with a puzzle."""


def elsewhere_faults(problem: Problem, seeds: Sequence[int]) -> Iterator[Fault]:
    """Yield differences of METHODS from call to call, and from process to process.

    Args:
        problem: the problem.
        seeds: the hash seed of each fresh interpreter. None is started if only this process can load the puzzle.
    """
    here = digests(problem)
    again = Problem(problem.puzzle, supplier=lambda _: problem.databases)
    others = [("from call to call", digests(again))]
    try:
        others += [("from process to process", _elsewhere(problem.spec, seed)) for seed in seeds if problem.spec]
    except BadInput as error:
        yield Fault("elsewhere", f"another process could not build 'tables' and 'root': {error}")
    for method in METHODS:
        for when, there in others:
            if there[method] != here[method]:
                text = f"{method!r} returns something else {when}: the order of a set, a random number, the time?"
                yield Fault(method, text)


def digests(problem: Problem) -> dict[str, str]:
    """Return a digest of the value of each of METHODS for a problem."""
    return {name: digest_of(getattr(problem, name), problem.databases) for name in METHODS}


def _elsewhere(spec: Spec, seed: int) -> dict[str, str]:
    """Return the digests of another process.

    Raises:
        BadInput: it does not end, or could not build them.
    """
    paths = {"PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    run = partial(subprocess.run, capture_output=True, text=True, env=os.environ | paths, timeout=METHOD_SECONDS)
    try:
        done = run([sys.executable, "-m", __name__], input=json.dumps(asdict(spec)))
    except subprocess.TimeoutExpired:
        raise BadInput(f"it takes more than {METHOD_SECONDS} s") from None
    last = (done.stderr.strip().splitlines() or ["it ended without a message"])[-1]
    found: dict[str, str] = json.loads(done.stdout) if done.stdout else {"error": last}
    if "error" in found:
        raise BadInput(found["error"])
    return found


def batch_faults(problem: Problem) -> Iterator[Fault]:
    """Yield the faults of `batch_key` and `roots`, found with the puzzle itself and its instances, and of these."""
    cls, values = type(problem.given), values_of(problem.given)
    instances = instances_of(cls) if cls.batch_key is not Puzzle.batch_key else {}
    for name, instance in itertools.islice(instances.items(), OTHERS):
        kind = "instances"
        try:
            other = supply(Problem(construct(cls, values | dict(instance.parameters)), problem.want))
            if other.batch_key == problem.batch_key and other.tables is not None:
                kind = "batch_key"
                require_shared(problem, other)
        except BadPuzzle as error:
            yield Fault(kind, f"{name}: {error}")
        except BadInput:  # these values do not go with the others
            continue
    names, values = type(problem.puzzle).root_parameters, values_of(problem.puzzle)
    try:
        roots = roots_of(problem, {name: [str(values[name])] for name in names}) if names else None
        if roots is not None and roots.read[0]:
            require_root(problem, roots.states[0], roots.limits[roots.which[0]])
    except KeyError as error:
        yield Fault("roots", f"{problem.name}: 'root_parameters' names {error}, which is not a parameter")
    except BadPuzzle as error:
        yield Fault("roots", str(error))


def reads_faults(problem: Problem) -> Iterator[Fault]:
    """Yield what the rules read that `root`, `tables` or the constructor changes for another value of a parameter.
    Differences should be in `tables`."""
    what, values = f"the methods of {problem.name}", values_of(problem.puzzle)
    for parameter in parameters_of(type(problem.puzzle)):
        for value in _other_values(parameter, values[parameter.name]):
            with contextlib.suppress(BadInput):
                on_time(what, partial(_made, problem, values | {parameter.name: value}), METHOD_SECONDS)
                break
        if name := problem.compiled_rules.find_change():
            text = f"{name}, which the rules read, changes with the parameter {parameter.name!r}: {LET_TABLES}"
            yield Fault("reads", text)
            return


def _made(problem: Problem, values: dict[str, Any]) -> None:
    """Construct a puzzle with other parameters, and call the methods that precede its search."""
    made = Problem(construct(type(problem.puzzle), values))
    if not made.abstractions:  # otherwise tables would have to be built
        _ = made.root, made.tables


def _other_values(parameter: Parameter, value: Any) -> Iterator[Any]:
    """Yield other values of a parameter that may be valid."""
    if parameter.choices:
        yield from (each for each in parameter.choices if each != value)
    elif parameter.kind is bool:
        yield not value
    elif parameter.kind in (int, float):
        yield from (value + 1, value - 1)


def main() -> None:
    """Print the digests of the puzzle named on stdin, as JSON; what the puzzle prints goes to stderr."""
    spec, out, sys.stdout = json.load(sys.stdin), sys.stdout, sys.stderr
    try:
        found = digests(supply(Problem(Spec(**spec).make())))
    except BadInput as error:
        found = {"error": str(error)}
    print(json.dumps(found), file=out, flush=True)
    os._exit(0)  # a puzzle may leave threads and exit handlers, which are not waited for


if __name__ == "__main__":
    main()
