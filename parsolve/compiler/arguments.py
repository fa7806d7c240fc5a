"""Hand arguments to a kernel, and take its result: it is a C function that takes one block of 64-bit words.

An array is passed as its address and shape, a number as one word, a tuple as its items. A kernel is compiled for the
kinds of its arguments.
"""

import ctypes
import itertools
import struct
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.bits import MASK


def dtype_text(dtype: "np.dtype[Any]") -> str:
    """Return a dtype as text, with the names, offsets and dtypes of its fields."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return f"{shape} of {dtype_text(base)}"
    if dtype.names is None:
        return dtype.str
    fields = ((name, dtype.fields[name][1], dtype_text(dtype[name])) for name in dtype.names)  # type: ignore[index]
    return f"record {dtype.itemsize} {list(fields)}"


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

    def __str__(self) -> str:
        return f"array({dtype_text(self.dtype)}, {self.dimensions}, {self.writable})"


class TupleKind(NamedTuple):
    """The kind of a tuple or NamedTuple."""

    cls: type
    items: tuple[Any, ...]

    def __str__(self) -> str:
        fields = getattr(self.cls, "_fields", ())
        return f"tuple{fields}({', '.join(map(str, self.items))})"


Kind = ArrayKind | TupleKind | str
"""The kind of a number is the name of its numpy type: of a Python int `int64`, or `uint64` from 2^63 on."""


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
            return "bool"
        case int() if -(1 << 63) <= value < 1 << 64:
            return "int64" if value < 1 << 63 else "uint64"
        case np.bool_() | np.integer() | np.floating():
            return _name_of(value.dtype)
        case float():
            return "float64"
        case tuple():
            return TupleKind(type(value), tuple(map(kind_of, value)))
        case _:
            raise TypeError(f"{type(value).__name__}")


@cache
def _name_of(dtype: "np.dtype[Any]") -> str:
    return dtype.name  # numpy makes it each time


def has_kind(value: Any) -> bool:
    """Return whether compiled code can take an argument."""
    try:
        kind_of(value)
    except TypeError:
        return False
    return True


class ArgumentBlock:
    """The memory that passes arguments to a kernel, for calls with arguments of the same kinds.

    Args:
        kinds: kinds of the arguments.
        arguments: those of the first call.
        returns: kind of the result, whose words are those after the arguments; see `wrapper.return_kind`.

    Attributes:
        address: address of the words.
    """

    def __init__(self, kinds: Sequence[Kind], arguments: Sequence[Any], returns: Any) -> None:
        self._kinds, self._returns = kinds, returns
        self._last: list[Callable[[], Any]] = [object] * len(kinds)  # most arguments are the same in the next call
        *self._places, self._end = itertools.accumulate((len(_words_of(each)) for each in arguments), initial=0)
        self._words = (ctypes.c_uint64 * (self._end + _size_of(returns)))()
        self.address = ctypes.addressof(self._words)
        self.take(arguments)

    def take(self, arguments: Sequence[Any]) -> bool:
        """Write the arguments of a call; return False, perhaps with some of them written, if one is of another kind.

        The caller keeps the arguments alive until the call has ended.

        Raises:
            TypeError: compiled code cannot take one.
        """
        if len(arguments) != len(self._kinds):
            return False
        for number, value in enumerate(arguments):
            if self._last[number]() is not value:
                if kind_of(value) != self._kinds[number]:
                    return False
                at, words = self._places[number], _words_of(value)
                self._words[at : at + len(words)] = words  # type: ignore[assignment] # they are cut to 64 bits
                # A tuple is kept alive: another one could have its address, and its arrays are few.
                is_array = isinstance(value, np.ndarray)
                self._last[number] = weakref.ref(value) if is_array else lambda kept=value: kept
        return True

    def result(self) -> Any:
        """Return the result of the last call."""
        if self._returns == "int64":  # as most kernels, without further questions
            word = self._words[self._end]
            return word - (1 << 64) if word >> 63 else word
        return _result_of(self._returns, iter(self._words[self._end :]))


def _words_of(value: Any) -> list[int]:
    """Return an argument as words: the address and shape of an array, the items of a tuple; of a number, the bits of a
    float64 or the two's complement of a whole number."""
    if isinstance(value, np.ndarray):
        return [value.ctypes.data, *value.shape]
    if isinstance(value, tuple):
        return [word for item in value for word in _words_of(item)]
    if isinstance(value, float | np.floating):
        return [int.from_bytes(struct.pack("d", value), "little")]
    return [int(value) & MASK]


_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]
_free.restype = None


def _size_of(returns: Any) -> int:
    """Return how many words the result of a kernel takes in a block."""
    match returns:
        case None:
            return 0
        case list():
            return sum(map(_size_of, returns))
        case dict():
            return 1 + int(returns["dimensions"])
    return 1


def _result_of(returns: Any, words: Iterator[int]) -> Any:
    """Return the result of a kernel from the words of its block."""
    match returns:
        case None:
            return None
        case list():
            return tuple(_result_of(item, words) for item in returns)
        case dict():
            address, shape = next(words), tuple(itertools.islice(words, returns["dimensions"]))
            array = np.empty(shape, returns["dtype"])
            ctypes.memmove(array.ctypes.data, address, array.nbytes)
            _free(address)
            return array
    word = next(words)
    if returns in ("float32", "float64"):
        return float(np.uint64(word).view(np.float64))
    is_negative = word >> 63 and not returns.startswith("u")
    return bool(word) if returns == "bool" else word - (1 << 64) if is_negative else word
