"""Teach numba what the functions of `bits` are in compiled code: one instruction of the processor each.

This is a module of its own because a puzzle's file imports `bits`, and must not wait for numba.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, type_callable

from parsolve.kernel import bits

WORD, FLAG = ir.IntType(64), ir.IntType(1)

INSTRUCTIONS = {
    bits.bit_count: ("llvm.ctpop.i64", ()),
    bits.trailing_zeros: ("llvm.cttz.i64", (FLAG(0),)),  # 0: the word 0 has 64 of them
}
"""LLVM's function for each, and its arguments after the word. Their Python bodies must not be compiled."""


def _teach(function: Callable[[Any], int], name: str, others: tuple[Any, ...]) -> None:
    @type_callable(function)
    def typer(context: Any) -> Any:
        return lambda word: types.int64(types.uint64) if isinstance(word, types.Integer) else None

    @lower_builtin(function, types.uint64)
    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(WORD, [WORD, *(other.type for other in others)])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [*arguments, *others])


for _function, (_name, _others) in INSTRUCTIONS.items():
    _teach(_function, _name, _others)
