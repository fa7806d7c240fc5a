"""The functions of `bits` in compiled code: one instruction of the processor each, or vectors."""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import lower_builtin, overload, type_callable

from parsolve.compiler import bits, lanes
from parsolve.compiler.lanes import either, least, load, smaller

WORD, FLAG = ir.IntType(64), ir.IntType(1)

INSTRUCTIONS = {
    bits.bit_count: ("llvm.ctpop.i64", ()),
    bits.trailing_zeros: ("llvm.cttz.i64", (FLAG(0),)),  # 0: defined for the word 0, which has 64 of them
}
"""LLVM's function for each, and its arguments after the word."""

ZERO, WORDS, BYTE, EIGHT = np.uint64(0), np.uint64(lanes.WORDS), np.uint64(255), np.uint64(8)


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


@overload(bits.least_image, jit_options={"forceinline": True})
def _least_image(images: Any, word: Any, row: Any) -> Any:
    def by_blocks(images: Any, word: Any, row: Any) -> Any:
        width, bytes_ = np.uint64(images.shape[1]), images.shape[0] >> 8
        left, at = word, ZERO
        least_so_far = load(images, np.uint64(row) * width)
        for _ in range(bytes_):
            least_so_far = either(least_so_far, load(images, at + (left & BYTE) * width))
            left >>= EIGHT
            at += width << EIGHT
        for block in range(1, images.shape[1] // lanes.WORDS):
            left, at = word, np.uint64(block) * WORDS
            image = load(images, at + np.uint64(row) * width)
            for _ in range(bytes_):
                image = either(image, load(images, at + (left & BYTE) * width))
                left >>= EIGHT
                at += width << EIGHT
            least_so_far = smaller(least_so_far, image)
        return least(least_so_far)

    return by_blocks
