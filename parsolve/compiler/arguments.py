"""Hand arguments to a kernel: a C function that takes one block of 64-bit words.

An array is passed as its address and shape, a number as one word, a tuple as its items. A kernel is compiled for the
kinds of its arguments.
"""

import ctypes
import struct
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.identity import dtype_text

WORD = (1 << 64) - 1


class ArrayKind(NamedTuple):
    """The kind of an array that is contiguous in C's order.

    Attributes:
        dtype: dtype of the items.
        dimensions: number of dimensions.
        writable: whether compiled code may write into it.
    """

    dtype: "np.dtype[Any]"
    dimensions: int
    writable: bool

    @property
    def words(self) -> int:
        return 1 + self.dimensions

    def __str__(self) -> str:
        return f"array({dtype_text(self.dtype)}, {self.dimensions}, {self.writable})"


class NumberKind(NamedTuple):
    """The kind of a number: the name of its numpy type.

    A Python int is `int64`, or `uint64` from 2^63 on; a Python bool is `bool`.
    """

    name: str

    @property
    def words(self) -> int:
        return 1

    def __str__(self) -> str:
        return self.name


class TupleKind(NamedTuple):
    """The kind of a tuple or NamedTuple."""

    cls: type
    items: tuple[Any, ...]

    @property
    def words(self) -> int:
        return sum(item.words for item in self.items)

    def __str__(self) -> str:
        fields = getattr(self.cls, "_fields", ())
        return f"tuple{fields}({', '.join(map(str, self.items))})"


Kind = ArrayKind | NumberKind | TupleKind


def kind_of(value: Any) -> Kind:
    """Return the kind of an argument.

    Raises:
        TypeError: compiled code cannot take it.
    """
    match value:
        case np.ndarray() if not value.flags.c_contiguous:
            raise TypeError("an array that is not contiguous in C's order")
        case np.ndarray() | np.generic() if value.dtype.hasobject or value.dtype.char in "gG":  # long double
            raise TypeError(f"an array of {value.dtype}")
        case np.ndarray():
            return ArrayKind(value.dtype, value.ndim, value.flags.writeable)
        case bool():
            return NumberKind("bool")
        case int() if -(1 << 63) <= value < 1 << 64:
            return NumberKind("int64" if value < 1 << 63 else "uint64")
        case np.bool_() | np.integer() | np.floating():
            return NumberKind(value.dtype.name)
        case float():
            return NumberKind("float64")
        case tuple():
            return TupleKind(type(value), tuple(map(kind_of, value)))
        case _:
            raise TypeError(f"{type(value).__name__}")


def has_kind(value: Any) -> bool:
    """Return whether compiled code can take an argument."""
    try:
        kind_of(value)
    except TypeError:
        return False
    return True


class Block:
    """The memory that passes arguments to a kernel, for calls with arguments of the same kinds.

    Args:
        kinds: kinds of the arguments.
        more: number of words for the result, after the arguments.

    Attributes:
        words: uint64[...] in C.
        address: address of the words.
        end: index of the first word after the arguments.
    """

    def __init__(self, kinds: Sequence[Kind], more: int) -> None:
        self.end = sum(kind.words for kind in kinds)
        self.words = (ctypes.c_uint64 * (self.end + more))()
        self.address = ctypes.addressof(self.words)
        self._slots: list[Any] = []
        at = 0
        for kind in kinds:
            self._slots.append(_slot(kind, self.words, at))
            at += kind.words

    def take(self, arguments: Sequence[Any]) -> bool:
        """Write the arguments of a call; return False, perhaps with some of them written, if one is of another kind.

        The caller keeps the arguments alive until the call has ended.
        """
        if len(arguments) != len(self._slots):
            return False
        for slot, value in zip(self._slots, arguments, strict=True):  # noqa: SIM110 # this is twice as fast
            if not slot(value):
                return False
        return True


def _slot(kind: Kind, words: Any, at: int) -> Any:
    """Return a function that writes an argument into a block; it returns False if the argument is of another kind."""
    match kind:
        case ArrayKind():
            return _array_slot(kind, words, at)
        case NumberKind("int64"):
            return _int_slot(words, at)
        case NumberKind():
            return _number_slot(kind, words, at)
        case TupleKind():
            return _tuple_slot(kind, words, at)


def _array_slot(kind: ArrayKind, words: Any, at: int) -> Any:
    dtype, dimensions, writable = kind
    seen: Any = lambda: None  # noqa: E731 # the array in the block: most are the same in the next call

    def take(value: Any) -> bool:
        nonlocal seen
        if seen() is value is not None:
            return True
        if not isinstance(value, np.ndarray) or value.ndim != dimensions:
            return False
        flags = value.flags
        if flags.writeable != writable or not flags.c_contiguous:
            return False
        if value.dtype is not dtype and value.dtype != dtype:
            return False
        words[at] = value.ctypes.data
        for place, size in enumerate(value.shape, at + 1):
            words[place] = size
        seen = weakref.ref(value)
        return True

    return take


def _int_slot(words: Any, at: int) -> Any:
    def take(value: Any) -> bool:
        kind = type(value)
        if kind is int and -(1 << 63) <= value < 1 << 63:
            words[at] = value & WORD
            return True
        if kind is np.int64:
            words[at] = int(value) & WORD
            return True
        return False

    return take


def _number_slot(kind: NumberKind, words: Any, at: int) -> Any:
    scalar = np.dtype(kind.name).type
    is_word = kind.name == "uint64"

    def take(value: Any) -> bool:
        if type(value) is scalar:
            words[at] = int(value) if is_word else word_of(value)
        elif type(value) is not np.int64 and isinstance(value, bool | int | float) and kind_of(value) == kind:
            words[at] = word_of(value)
        else:
            return False
        return True

    return take


def _tuple_slot(kind: TupleKind, words: Any, at: int) -> Any:
    slots: list[Any] = []
    for item in kind.items:
        slots.append(_slot(item, words, at))
        at += item.words
    cls, length = kind.cls, len(slots)
    last: Any = None  # kept alive: another tuple could have its address, and its arrays are few

    def take(value: Any) -> bool:
        nonlocal last
        if value is last:
            return True
        if type(value) is not cls or not isinstance(value, tuple) or len(value) != length:
            return False
        last = None
        if not all(slot(item) for slot, item in zip(slots, value, strict=True)):
            return False
        last = value
        return True

    return take


def word_of(value: Any) -> int:
    """Return a number as a word: the bits of a float64, or the two's complement of a whole number."""
    if isinstance(value, float | np.floating):
        return int.from_bytes(struct.pack("d", value), "little")
    return int(value) & WORD
