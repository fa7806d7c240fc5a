"""The copy of a row in compiled code: a block of memory."""

from typing import Any

from numba import types
from numba.core import cgutils

from parsolve.compiler import rows
from parsolve.compiler.lowering import lowers


@lowers(rows.copy_row)
def _copy_row(typing: Any, array: Any, to: Any, source: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, _, _ = signature.args
        memory = cgutils.create_struct_proxy(kind)(context, builder, arguments[0])
        places = [builder.gep(memory.data, [place]) for place in arguments[1:]]
        cgutils.raw_memcpy(builder, *places, context.get_constant(types.intp, 1), kind.dtype.size)
        return context.get_dummy_value()

    return types.void(array, types.uint64, types.uint64), generate
