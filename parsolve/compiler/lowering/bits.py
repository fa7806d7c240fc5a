"""The functions of `bits` in compiled code: one instruction of the processor each, or vectors."""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, models, overload, register_model, type_callable

from parsolve.compiler import bits

WORD, FLAG = ir.IntType(64), ir.IntType(1)

VECTOR = ir.VectorType(WORD, 8)
"""A block of words, for which LLVM chooses the processor's best vectors."""

INSTRUCTIONS = {
    bits.bit_count: ("llvm.ctpop.i64", ()),
    bits.trailing_zeros: ("llvm.cttz.i64", (FLAG(0),)),  # 0: defined for the word 0, which has 64 of them
}
"""LLVM's function for each, and its arguments after the word."""

ZERO, WORDS, BYTE, EIGHT = np.uint64(0), np.uint64(VECTOR.count), np.uint64(255), np.uint64(8)


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


class Block(types.Type):
    """The type of a block of words."""

    def __init__(self) -> None:
        super().__init__(name="Block512")


block = Block()


@register_model(Block)
class BlockModel(models.PrimitiveModel):
    """How a block is stored: in one vector register or a few."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, VECTOR)


def address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Return the address of the block that starts at a place of an array."""
    data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
    return builder.bitcast(cgutils.gep_inbounds(builder, data, index), VECTOR.as_pointer())


def called(builder: Any, name: str, returns: Any, words: Any) -> Any:
    """Return the value of one of LLVM's functions of a block."""
    function = ir.FunctionType(returns, [VECTOR])
    return builder.call(cgutils.get_or_insert_function(builder.module, function, f"llvm.{name}.v8i64"), [words])


def load(typingctx: Any, array: Any, index: Any) -> Any:
    """Define how a block is read."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(address(context, builder, signature.args[0], *args), align=8)

    return block(array, types.uint64), codegen


def either(typingctx: Any, one: Any, two: Any) -> Any:
    """Define the bits that are in one block or in both."""
    return block(block, block), lambda context, builder, signature, args: builder.or_(*args)


def smaller(typingctx: Any, one: Any, two: Any) -> Any:
    """Define the smaller of each two words."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.icmp_unsigned("<", *args), *args)

    return block(block, block), codegen


def least(typingctx: Any, words: Any) -> Any:
    """Define the least word of a block."""
    reduced = "vector.reduce.umin"
    return types.uint64(block), lambda context, builder, signature, args: called(builder, reduced, WORD, *args)


_load, _either, _smaller, _least = map(intrinsic, (load, either, smaller, least))


@overload(bits.least_image, jit_options={"forceinline": True})
def _least_image(images: Any, word: Any, row: Any) -> Any:
    def by_blocks(images: Any, word: Any, row: Any) -> Any:
        width, bytes_ = np.uint64(images.shape[1]), images.shape[0] >> 8
        left, at = word, ZERO
        least_so_far = _load(images, np.uint64(row) * width)
        for _ in range(bytes_):
            least_so_far = _either(least_so_far, _load(images, at + (left & BYTE) * width))
            left >>= EIGHT
            at += width << EIGHT
        for number in range(1, images.shape[1] // 8):
            left, at = word, np.uint64(number) * WORDS
            image = _load(images, at + np.uint64(row) * width)
            for _ in range(bytes_):
                image = _either(image, _load(images, at + (left & BYTE) * width))
                left >>= EIGHT
                at += width << EIGHT
            least_so_far = _smaller(least_so_far, image)
        return _least(least_so_far)

    return by_blocks
