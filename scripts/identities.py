#!/usr/bin/env python3
"""Compute the identities of all built-in puzzles, and compare them with those that are accepted.

A job of a journal resumes, a pattern database is read and a kernel is loaded as long as its identity is the same. So
each change costs users something, and is made on purpose:

    scripts/identities.py            # what has changed, and what that costs
    scripts/identities.py --accept   # it is meant
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from parsolve.compiler.identity import CodeIdentity
from parsolve.compiler.kernelfile import compiler_sources
from parsolve.deepening.kernels import DeepeningKernels
from parsolve.levels.kernels import EntriesKernel, RowsKernel, expanding_words
from parsolve.problem import registry
from parsolve.problem.digests import rules_digest
from parsolve.problem.problem import Problem
from parsolve.puzzle.catalogue import names
from parsolve.tables.origin import origin_of

ACCEPTED = Path(__file__).parents[1] / "tests" / "identities.json"

COSTS = {
    "rules": "jobs that were begun cannot be resumed",
    "data": "jobs that were begun cannot be resumed",
    "tables": "the tables of distances are built again",
    "kernels": "the kernels are compiled again",
}

Identities = dict[str, dict[str, Any]]


def identities(source: str) -> dict[str, Any]:
    """Return the identities of a puzzle and of what is searched to count its solutions."""
    problem = Problem(registry.make(source, {}), "count")
    rules = problem.compiled_rules
    deepening = rules.kernels(DeepeningKernels)
    functions: dict[str, Any] = {"search": deepening.walk(remembers=False), "restore": rules.restore}
    functions["search_remembering"] = rules.key and deepening.walk(remembers=True)
    functions["expand_words"] = rules.cls.index and rules.kernels(expanding_words)
    kinds: Any = {"rows": rules.key and RowsKernel.of, "entries": rules.key and EntriesKernel.of}
    for name, make in (kinds | {"numbers": rules.cls.index and RowsKernel.of_numbers}).items():
        functions |= {f"{name}.{key}": value for key, value in (rules.kernels(make)._asdict() if make else {}).items()}
    if rules.identity.opaque:
        raise ValueError(f"the rules of {source} reach something whose meaning is not known")
    found: dict[str, Any] = {"rules": rules_digest(problem)}
    if problem.abstractions:
        found["tables"] = {type(each).__name__: origin_of(Problem(each)).digest for each in problem.abstractions}
    else:  # else tables would have to be built
        found["data"] = problem.identity.data
    found["kernels"] = {name: kernel_identity(function) for name, function in functions.items() if function}
    return found


def kernel_identity(kernel: Any) -> str:
    """Return the identity of a kernel, with that of what compiles it.

    Raises:
        ValueError: it is opaque: it would be compiled in each process.
    """
    found = kernel.identity
    if found.opaque:
        raise ValueError(f"{kernel.function} reaches something whose meaning is not known")
    return CodeIdentity({"kernel": found.digest, "compiler": compiler_sources()}).digest


def changes(before: Identities, now: Identities) -> list[str]:
    """Return a line for each identity that has changed, with what it costs."""
    lines = []
    for name in sorted(before.keys() | now.keys()):
        then, here = before.get(name, {}), now.get(name, {})
        for kind, cost in COSTS.items():
            if then.get(kind) != here.get(kind):
                old, new = then.get(kind), here.get(kind)
                if isinstance(old, dict) and isinstance(new, dict):
                    kind += f" ({', '.join(sorted(each for each in old | new if old.get(each) != new.get(each)))})"
                lines.append(f"{name}: {kind}: {cost}")
    return lines


def main() -> int:
    """Compare or accept; see above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accept", action="store_true", help="write them down as they are now")
    options = parser.parse_args()
    now: Identities = {name: identities(name) for name in names()}
    before = json.loads(ACCEPTED.read_text()) if ACCEPTED.exists() else {}
    lines = changes(before, now)
    print("\n".join(lines) or "all identities are those that were accepted")
    if options.accept:
        ACCEPTED.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n")
    return 1 if lines and not options.accept else 0


if __name__ == "__main__":
    sys.exit(main())
