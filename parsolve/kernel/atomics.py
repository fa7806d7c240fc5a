"""Instructions that several threads need to write into one array, and one to fetch memory ahead.

numba has none of them. Places are not checked, as in all compiled code; there is no other order between threads than
that each of these is done at once.
"""

import operator
import threading
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np.arrayobj import make_array

from parsolve.kernel.lowering import lowers

_lock = threading.Lock()
"""Held by what is atomic, in plain Python."""

BYTE, INT = ir.IntType(8).as_pointer(), ir.IntType(32)


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


def _atomic(operation: str, word: Any, change: Callable[[Any, Any], Any]) -> Any:
    """Return the instruction that changes an item of an array and returns what it was.

    Args:
        operation: LLVM's name of it.
        word: a numba type, the array's.
        change: what plain Python does with the item and the operand.
    """

    def plain(array: Any, place: Any, operand: Any) -> Any:
        with _lock:
            before = array[place]
            array[place] = change(before, operand)
        return before

    @lowers(plain)
    def typer(context: Any, array: Any, place: Any, operand: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address = _address(context, builder, signature, arguments)
            return builder.atomic_rmw(operation, address, arguments[2], "monotonic")

        return word(array, types.uint64, word), generate

    return plain


atomic_or = _atomic("or", types.uint64, operator.or_)
"""`atomic_or(words, place, bits) -> uint64`: set bits in words[place], uint64; the word before."""

atomic_swap = _atomic("xchg", types.uint64, lambda before, word: word)
"""`atomic_swap(words, place, word) -> uint64`: set words[place], uint64; the word before."""

atomic_add = _atomic("add", types.int64, operator.add)
"""`atomic_add(numbers, place, more) -> int64`: add to numbers[place], int64; the number before."""


def prefetch(array: Any, place: Any) -> None:
    """Begin to load array[place] into the cache."""


@lowers(prefetch)
def _prefetch(context: Any, array: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [BYTE, INT, INT, INT])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        address = builder.bitcast(_address(context, builder, signature, arguments), BYTE)
        builder.call(function, [address, INT(0), INT(3), INT(1)])  # to read, to keep near, data
        return context.get_dummy_value()

    return types.void(array, types.uint64), generate
