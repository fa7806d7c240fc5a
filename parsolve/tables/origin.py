"""The origin of an abstraction's table, and the name that follows from it."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from parsolve.errors import BadInput
from parsolve.problem import verify
from parsolve.problem.compiled import of_rules
from parsolve.problem.data import digest_of
from parsolve.problem.hooks import call, call_method
from parsolve.problem.problem import Problem
from parsolve.problem.registry import source_of
from parsolve.puzzle.core import Puzzle
from parsolve.puzzle.parameters import values_of

MEANING = 3
"""The version of the tables' format: raised when a file would mean something else."""


@dataclass(frozen=True)
class Origin:
    """All that a table depends on."""

    source: str  # source of the abstraction's class
    parameters: dict[str, Any]
    data: str  # a digest of its lookups, its root and its goals
    rules: str  # a digest of the meaning of its rules
    entries: int  # number of distances; 0 for a table of keys, whose number is unknown before it is built
    opaque: bool = False  # whether the rules use a value that is unknown: then the table must not be kept

    @property
    def digest(self) -> str:
        """Its digest: 32 hexadecimal digits."""
        depends = [MEANING, self.cls, self.parameters, self.data, self.rules, self.entries]
        return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:32]

    @property
    def name(self) -> str:
        """The name of the table."""
        return f"{beginning(self.cls)}{self.digest}"

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The type of an entry: a distance, or a key."""
        return np.dtype("u1" if self.entries else "<u8")

    @property
    def cls(self) -> str:
        """The name of the abstraction's class."""
        return self.source.rpartition(":")[2]

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{self.cls}({values})"


def beginning(cls: str) -> str:
    """Return how the names of a class's tables begin."""
    return f"{cls.rpartition('.')[2][:80]}-"


def origin_of(problem: Problem) -> Origin:
    """Return the origin of an abstraction's table.

    Raises:
        BadInput: its states are numbered, but it gives no goals.
        BadPuzzle: it breaks the contract.
    """
    puzzle, distances, goals = problem.puzzle, problem.distances, call_method(problem.puzzle, "goals")
    if not goals and problem.entries:
        raise BadInput(f"{problem.name} gives no 'goals', from which distances are measured")
    data = [problem.tables, call_method(puzzle, "root", *distances), goals, str(problem.declared), problem.children]
    back = None if problem.entries else problem.inverse
    if back is not None:  # the distance of the goals, and the moves from them
        data.append(call(puzzle, "limits", lambda: next(iter(puzzle.limits()), None)))
        data += [call_method(back.puzzle, name, *distances) for name in ("tables", "root")]
        data.append(of_rules(type(back.puzzle)).digest)
    rules, source = of_rules(type(puzzle)), source_of(type(puzzle))  # after the methods, which may write what they read
    digest = digest_of(data, problem.databases)
    return Origin(source, values_of(puzzle), digest, rules.digest, problem.entries, rules.opaque)


def require_table(puzzle: Puzzle) -> None:
    """Refuse a puzzle that can have no table.

    Raises:
        BadInput: it neither numbers its states nor has a way back from its keys.
        BadPuzzle: it breaks the contract.
    """
    cls = type(puzzle)
    verify.contract(cls)
    if not is_keyed(puzzle) and verify.size(puzzle) is None:
        unlike = f", nor is its 'graph', {verify.graph(puzzle)}, graded" if cls.unkey is not None else ""
        raise BadInput(f"{cls.__name__} does not number its states (index, unindex, size){unlike}")


def is_keyed(puzzle: Puzzle) -> bool:
    """Return whether the table of an abstraction has keys, not distances."""
    cls = type(puzzle)
    return cls.index is None and cls.unkey is not None and verify.graph(puzzle) == "graded"
