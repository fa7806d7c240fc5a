"""What a table of an abstraction is made from, and the name that follows from it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from parsolve.errors import BadInput
from parsolve.hooks import call_method
from parsolve.kernel import fingerprint
from parsolve.parameters import values_of
from parsolve.puzzle import Puzzle
from parsolve.registry import source_of
from parsolve.verify import verified_graph, verified_size, verify_class

MEANING = 2
"""Which version of tables these are: raised when what is in one would mean something else."""


@dataclass(frozen=True)
class Origin:
    """What a table is made from.

    Attributes:
        source: where the abstraction's class is.
        parameters: their values.
        goals: a digest of its goals.
        fingerprint: a digest of all sources that its rules depend on.
        entries: how many distances the table has; 0 of a table of keys, whose number only building it tells.
        opaque: whether the rules use something whose value is unknown: then the table must not be kept.
    """

    source: str
    parameters: dict[str, Any]
    goals: str
    fingerprint: str
    entries: int
    opaque: bool = False

    @property
    def digest(self) -> str:
        """All that the table depends on: 32 hexadecimal digits."""
        depends = [MEANING, self._cls, self.parameters, self.goals, self.fingerprint, self.entries]
        return hashlib.sha256(json.dumps(depends, sort_keys=True).encode()).hexdigest()[:32]

    @property
    def name(self) -> str:
        """The name of the table."""
        return f"{self._cls.rpartition('.')[2][:80]}-{self.digest}"

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The type of an entry: a distance, or a key."""
        return np.dtype("u1" if self.entries else "<u8")

    @property
    def _cls(self) -> str:
        return self.source.rpartition(":")[2]

    def __str__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"{self._cls}({values})"


def origin_of(puzzle: Puzzle) -> Origin:
    """Return what the table of an abstraction is made from.

    Raises:
        BadInput: it neither numbers its states and gives goals, nor has a way back from its keys.
        BadPuzzle: it breaks the contract.
    """
    cls = type(puzzle)
    verify_class(cls)
    keyed = is_keyed(puzzle)
    size = None if keyed else verified_size(puzzle, "size")
    if not keyed and (cls.index is None or cls.unindex is None or size is None):
        raise BadInput(f"{cls.__name__} does not number its states (index, unindex, size)")
    goals = call_method(puzzle, "goals")
    if not goals and not keyed:
        raise BadInput(f"{cls.__name__} gives no 'goals', from which distances are measured")
    sources, opaque = _sources_of(cls)
    return Origin(
        source=source_of(cls),
        parameters=values_of(puzzle),
        goals=hashlib.sha256(json.dumps(_plain(goals), sort_keys=True).encode()).hexdigest(),
        fingerprint=sources,
        entries=0 if size is None else verified_size(puzzle, "entries") or size,
        opaque=opaque,
    )


def is_keyed(puzzle: Puzzle) -> bool:
    """Return whether the table of an abstraction is one of keys and not of distances.

    Raises:
        BadPuzzle: it breaks the contract.
    """
    cls = type(puzzle)
    return cls.index is None and cls.unkey is not None and verified_graph(puzzle) == "graded"


@cache
def _sources_of(cls: type[Puzzle]) -> tuple[str, bool]:
    """Return a digest of all that a class's rules depend on, and whether something in it is unknown."""
    found = fingerprint.of_class(cls)
    return found.digest(), found.opaque


def _plain(value: Any) -> Any:
    """Return a value of a goal as plain data."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if isinstance(value, int | str) else repr(value)
