"""A digest of the data that a puzzle's methods return: its lookups, its root and its goals.

The sources of rules do not show the file, environment variable or random number that these methods read. The digest
makes pattern databases, a journal's jobs and workers in other processes follow the data.
"""

import enum
import hashlib
from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple, Protocol

import numpy as np

Array = np.ndarray[Any, Any]


class _Total(Protocol):
    """Takes bytes piece by piece."""

    def update(self, data: Any, /) -> None: ...


class PatternDatabase(NamedTuple):
    """The table of an abstraction: the distances of its states, or its states on paths to a goal.

    Attributes:
        digest: digest of all that it depends on.
        entries: uint8[entries] or uint64[any], read-only.
    """

    digest: str
    entries: Array


def digest_of(values: Any, databases: Sequence[PatternDatabase] = ()) -> str:
    """Return a digest of arrays, numbers and texts in tuples, lists and mappings: 32 hexadecimal digits.

    Args:
        values: the values that a puzzle's methods return.
        databases: of the puzzle's abstractions. For their arrays, and views of them, the digest has the name instead of
            the bytes, which may be gigabytes.
    """
    return SharedDigest(databases).of(values)


class SharedDigest:
    """Digests of values with a common beginning, which is hashed once.

    Args:
        databases: see `digest_of`.
    """

    def __init__(self, databases: Sequence[PatternDatabase] = ()) -> None:
        self._databases, self._shared = databases, hashlib.sha256()
        for database in databases:
            self._shared.update(database.digest.encode())

    def begin(self, length: int, *first: Any) -> "SharedDigest":
        """Make all values tuples of this length that begin with these items; return this object."""
        _add_text(self._shared, f"sequence {length}")
        for value in first:
            _add(self._shared, value, self._databases)
        return self

    def prepared(self, value: Any) -> "Prepared":
        """Return a common part of several values in its hashed form."""
        found = _Bytes()
        _add(found, value, self._databases)
        return Prepared(bytes(found))

    def of(self, *rest: Any) -> str:
        """Return the digest of a whole value, or of its items after the common beginning."""
        total = self._shared.copy()
        for value in rest:
            _add(total, value, self._databases)
        return total.hexdigest()[:32]


class Prepared(NamedTuple):
    """A value as it is hashed; see `SharedDigest.prepared`."""

    data: bytes


class _Bytes(bytearray):
    """The bytes to be hashed."""

    def update(self, data: Any) -> None:
        self.extend(bytes(data))


def _add(total: _Total, value: Any, databases: Sequence[PatternDatabase]) -> None:
    if type(value) is int:  # most values are numbers: limits and steps
        return _add_text(total, f"int {value}")
    match value:
        case Prepared():
            total.update(value.data)
        case np.ndarray():
            _add_array(total, value, databases)
        case np.generic():
            _add_text(total, value.dtype.str)
            total.update(value.tobytes())
        case enum.Enum():
            _add_text(total, f"{type(value).__name__}.{value.name}")
            _add(total, value.value, databases)
        case bool() | int() | float() | complex() | str() | bytes():
            _add_text(total, f"{type(value).__name__} {value!r}")
        case tuple() | list() | Sequence():  # also a typed list of numba; the classes are faster to compare
            # Rules read a NamedTuple by its fields.
            _add_text(total, " ".join(("sequence", str(len(value)), *getattr(value, "_fields", ()))))
            for item in value:
                _add(total, item, databases)
        case Mapping():
            _add_text(total, f"mapping {len(value)}")
            for name in sorted(value, key=str):
                _add(total, str(name), databases)
                _add(total, value[name], databases)
        case Set():
            _add(total, sorted(digest_of(item) for item in value), databases)
        case _:
            _add_text(total, type(value).__qualname__)
    return None


def _add_array(total: _Total, array: Array, databases: Sequence[PatternDatabase]) -> None:
    _add_text(total, f"array {array.dtype.str} {array.shape}")
    for number, database in enumerate(databases if array.size else ()):
        begin, end = np.lib.array_utils.byte_bounds(database.entries)
        first = array.__array_interface__["data"][0]
        if begin <= first < end:
            return _add_text(total, f"in {number} from {first - begin} by {array.strides}")
    if array.dtype.names is None:
        return total.update(np.ascontiguousarray(array).data)
    for name in array.dtype.names:  # without the padding between fields
        _add_text(total, name)
        _add_array(total, array[name], databases)
    return None


def _add_text(total: _Total, text: str) -> None:
    total.update(f"{len(text)} {text}".encode())
