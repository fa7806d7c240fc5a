"""What templates tell LLVM."""

from typing import Any

from numba import types

from parsolve.compiler.lowering import lowers
from parsolve.compiler.marks import never_inline


@lowers(never_inline)
def _never_inline(typing: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        attributes = builder.function.attributes
        attributes.discard("alwaysinline")  # numba inlines all that an inlined function calls
        attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), codegen
