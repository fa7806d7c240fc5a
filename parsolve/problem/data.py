"""A digest of the data that a puzzle's methods return: its lookups, its root and its goals.

The sources of rules do not show the file, environment variable or random number that these methods read. The digest
makes pattern databases, a journal's jobs and workers in other processes follow the data.
"""

import enum
import hashlib
from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]


class PatternDatabase(NamedTuple):
    """The table of an abstraction: the distances of its states, or its states on paths to a goal.

    Attributes:
        digest: digest of all that it depends on.
        table: uint8[entries] or uint64[any], read-only.
    """

    digest: str
    table: Array


def digest_of(values: Any, databases: Sequence[PatternDatabase] = ()) -> str:
    """Return a digest of arrays, numbers and texts in tuples, lists and mappings: 32 hexadecimal digits.

    Args:
        values: the values that a puzzle's methods return.
        databases: of the puzzle's abstractions. For their arrays, and views of them, the digest has the name instead of
            the bytes, which may be gigabytes.
    """
    total = hashlib.sha256()
    for database in databases:
        total.update(database.digest.encode())
    _add(total, values, databases)
    return total.hexdigest()[:32]


def _add(total: "hashlib._Hash", value: Any, databases: Sequence[PatternDatabase]) -> None:
    if type(value) is int:  # most values are numbers: limits and steps
        return _add_text(total, f"int {value}")
    match value:
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


def _add_array(total: "hashlib._Hash", array: Array, databases: Sequence[PatternDatabase]) -> None:
    _add_text(total, f"array {array.dtype.str} {array.shape}")
    for number, database in enumerate(databases if array.size else ()):
        begin, end = np.lib.array_utils.byte_bounds(database.table)
        first = array.__array_interface__["data"][0]
        if begin <= first < end:
            return _add_text(total, f"in {number} from {first - begin} by {array.strides}")
    if array.dtype.names is None:
        array = array.view("i8") if array.dtype.kind in "mM" else array  # the bytes of times cannot be read as such
        return total.update(np.ascontiguousarray(array).data)
    for name in array.dtype.names:  # without the padding between fields
        _add_text(total, name)
        _add_array(total, array[name], databases)


def _add_text(total: "hashlib._Hash", text: str) -> None:
    total.update(f"{len(text)} {text}".encode())
