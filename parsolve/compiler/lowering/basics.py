"""The functions of `bits` and `rows` in compiled code, and the decorator by which all are defined."""

import inspect
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import TypingError, types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable
from numba.np import arrayobj

from parsolve.compiler import bits
from parsolve.compiler.marks import never_inline
from parsolve.compiler.rows import copy_row, empty, zeros


def lowers(plain: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate the function that defines what a plain function is in compiled code.

    It is defined as for numba's `intrinsic`: it takes a context and the types of the arguments, and returns a signature
    and a function that generates the code. But an intrinsic of numba's has no body that plain Python can run.
    """

    def teach(definition: Callable[..., Any]) -> Callable[..., Any]:
        @type_callable(plain)
        def typer(context: Any) -> Any:
            def signature(*kinds: Any) -> Any:
                return definition(context, *kinds)[0]

            signature.pysig = inspect.signature(plain)  # type: ignore[attr-defined]
            return signature

        @lower_builtin(plain, types.VarArg(types.Any))
        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            generate = definition(context.typing_context, *signature.args)[1]
            return generate(context, builder, signature, arguments)

        return definition

    return teach


@lowers(never_inline)
def _never_inline(typing: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        attributes = builder.function.attributes
        attributes.discard("alwaysinline")  # numba inlines all that an inlined function calls
        attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), codegen


def _teach_bits(plain: Callable[..., Any], made: Callable[[Any, Any], Any]) -> None:
    """Teach numba a function of `bits`, by what an IR builder makes of a word."""

    @lowers(plain)
    def typer(context: Any, word: Any) -> Any:
        if not isinstance(word, types.Integer):
            raise TypingError(f"{plain.__name__} of {word}, which is no integer")
        return types.int64(types.uint64), lambda context, builder, signature, arguments: made(builder, *arguments)


_teach_bits(bits.bit_count, lambda builder, word: builder.ctpop(word))
_teach_bits(bits.trailing_zeros, lambda builder, word: builder.cttz(word, ir.IntType(1)(0)))  # 0: 64 for the word 0


@lowers(copy_row)
def _copy_row(typing: Any, array: Any, to: Any, source: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind, _, _ = signature.args
        memory = cgutils.create_struct_proxy(kind)(context, builder, arguments[0])
        places = [builder.gep(memory.data, [place]) for place in arguments[1:]]
        cgutils.raw_memcpy(builder, *places, context.get_constant(types.intp, 1), kind.dtype.size)
        return context.get_dummy_value()

    return types.void(array, types.uint64, types.uint64), generate


def _teach_array(plain: Callable[..., Any], set_to_0: bool) -> None:
    """Teach numba to make an array of one dimension."""

    @lowers(plain)
    def typer(context: Any, size: Any, kind: Any) -> Any:
        array = types.Array(kind.dtype, 1, "C")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            made = arrayobj._empty_nd_impl(context, builder, array, arguments[:1])
            if set_to_0:
                cgutils.memset(builder, made.data, builder.mul(made.itemsize, made.nitems), 0)
            return made._getvalue()

        return array(types.intp, kind), generate


_teach_array(zeros, True)
_teach_array(empty, False)
