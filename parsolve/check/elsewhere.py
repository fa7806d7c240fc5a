"""Check whether a puzzle has the same lookups and the same root in every process.

A result that depends on the order of a set of texts, on a random number or on the clock differs from process to
process: then workers do not search the same puzzle, and a journal cannot be resumed.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from parsolve.check.endless import METHOD_SECONDS
from parsolve.check.faults import Fault
from parsolve.errors import BadInput
from parsolve.problem.data import digest_of
from parsolve.problem.problem import Problem
from parsolve.problem.registry import Spec
from parsolve.tables.databases import supply

METHODS = ("tables", "root")


class Elsewhere:
    """Fresh interpreters that build the lookups and the root of a problem while this process continues.

    Args:
        problem: the problem.
        seeds: the hash seed of each interpreter. None is started if only this process can load the puzzle.
    """

    def __init__(self, problem: Problem, seeds: Sequence[int]) -> None:
        self._problem = problem
        self._processes = [] if problem.spec is None else [_started(problem.spec, seed) for seed in seeds]

    def faults(self) -> Iterator[Fault]:
        """Yield differences between processes, or between calls. Ends the interpreters."""
        here = digests(self._problem)
        again = Problem(self._problem.puzzle)
        again.databases = self._problem.databases
        others = [("from call to call", digests(again))]
        try:
            others += [("from process to process", _result(each)) for each in self._processes]
        except BadInput as error:
            yield Fault("elsewhere", str(error))
        finally:
            self.close()
        for method in METHODS:
            for when, there in others:
                if there[method] != here[method]:
                    text = f"{method!r} returns something else {when}: the order of a set, a random number, the time?"
                    yield Fault(method, text)

    def close(self) -> None:
        """End the interpreters."""
        for process in self._processes:
            process.kill()
            process.communicate()
        self._processes = []


def digests(problem: Problem) -> dict[str, str]:
    """Return a digest of the value of each of METHODS for a problem."""
    return {name: digest_of(getattr(problem, name), problem.databases) for name in METHODS}


def _started(spec: Spec, seed: int) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-m", __name__],
        env=os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(asdict(spec)))
    process.stdin.close()
    process.stdin = None  # required by `communicate`
    return process


def _result(process: "subprocess.Popen[str]") -> dict[str, str]:
    """Return an interpreter's output.

    Raises:
        BadInput: it does not end, or could not build them.
    """
    try:
        output, errors = process.communicate(timeout=METHOD_SECONDS)
    except subprocess.TimeoutExpired:
        raise BadInput(f"another process did not build 'tables' and 'root' within {METHOD_SECONDS} s") from None
    last = (errors.strip().splitlines() or ["it ended without a message"])[-1]
    found = json.loads(output) if output else {"error": last}
    if "error" in found:
        raise BadInput(f"another process could not build 'tables' and 'root': {found['error']}")
    return dict(found)


def main() -> None:
    """Print the digests of the puzzle named on stdin, as JSON."""
    spec = json.load(sys.stdin)
    try:
        found = digests(supply(Problem(Spec(**spec).make())))
    except BadInput as error:
        found = {"error": str(error)}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
