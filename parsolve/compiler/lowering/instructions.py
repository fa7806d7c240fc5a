"""The functions of `atomics` in compiled code: one instruction each, which numba does not have."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from parsolve.compiler import atomics
from parsolve.compiler.lowering.basics import lowers

BYTE, INT = ir.IntType(8).as_pointer(), ir.IntType(32)


def address_of(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the address of an item of an array, the first argument, at the place that is the second."""
    array = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [arguments[1]])


def _teach(plain: Any, operation: str, word: Any) -> None:
    """Teach numba an atomic function, by LLVM's name of what it does and the numba type of the array's items."""

    @lowers(plain)
    def typer(context: Any, array: Any, place: Any, operand: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address = address_of(context, builder, signature, arguments)
            return builder.atomic_rmw(operation, address, arguments[2], "monotonic")

        return word(array, types.uint64, word), generate


_teach(atomics.atomic_or, "or", types.uint64)
_teach(atomics.atomic_swap, "xchg", types.uint64)
_teach(atomics.atomic_add, "add", types.int64)


@lowers(atomics.prefetch)
def _prefetch(context: Any, array: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [BYTE, INT, INT, INT])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        address = builder.bitcast(address_of(context, builder, signature, arguments), BYTE)
        builder.call(function, [address, INT(0), INT(3), INT(1)])  # to read, to keep near, data
        return context.get_dummy_value()

    return types.void(array, types.uint64), generate


def _chosen_address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the address of an item of one of several arrays, chosen by conditional moves."""
    kinds = signature.args[0].types
    arrays = zip(kinds, cgutils.unpack_tuple(builder, arguments[0]), strict=True)
    chosen, *others = (cgutils.create_struct_proxy(kind)(context, builder, value).data for kind, value in arrays)
    for number, data in enumerate(others, 1):
        is_it = builder.icmp_unsigned("==", arguments[1], ir.Constant(arguments[1].type, number))
        chosen = builder.select(is_it, data, chosen)
    return builder.gep(chosen, [arguments[2]])


@lowers(atomics.item_in)
def _item_in(context: Any, arrays: Any, number: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_chosen_address(context, builder, signature, arguments))

    return arrays.types[0].dtype(arrays, types.uint64, types.uint64), generate
