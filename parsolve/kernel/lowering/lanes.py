"""Blocks of 512 lanes of bits in compiled code: LLVM chooses the processor's best vectors for them."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import models, register_model

from parsolve.kernel import lanes
from parsolve.kernel.lanes import WORDS
from parsolve.kernel.lowering import lowers


def _vector() -> Any:
    return ir.VectorType(ir.IntType(64), WORDS)


class Block(types.Type):
    """The type of a block of lanes."""

    def __init__(self) -> None:
        super().__init__(name="Block512")


block = Block()


@register_model(Block)
class BlockModel(models.PrimitiveModel):
    """How a block is stored: in one vector register or a few."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _vector())


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
    return builder.bitcast(cgutils.gep_inbounds(builder, data, index), _vector().as_pointer())


@lowers(lanes.load)
def _load(typingctx: Any, array: Any, index: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, signature.args[0], *args), align=8)

    return block(array, types.uint64), codegen


@lowers(lanes.store)
def _store(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _address(context, builder, signature.args[0], *args[:2]), align=8)
        return context.get_dummy_value()

    return types.void(array, types.uint64, block), codegen


def _splat(builder: Any, word: Any) -> Any:
    nothing, index = ir.Constant(_vector(), ir.Undefined), ir.IntType(32)
    single = builder.insert_element(nothing, word, index(0))
    return builder.shuffle_vector(single, nothing, ir.VectorType(index, WORDS)([0] * WORDS))


@lowers(lanes.fill)
def _fill(typingctx: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _splat(builder, args[0])

    return block(types.uint64), codegen


def _lower_pair(function: Any, combine: Callable[[Any, Any, Any], Any]) -> None:
    """Lower a function of two blocks: `combine` makes its value with an IR builder."""

    @lowers(function)
    def lowered(typingctx: Any, one: Any, two: Any) -> Any:
        return block(block, block), lambda context, builder, signature, args: combine(builder, *args)


_lower_pair(lanes.both, lambda builder, one, two: builder.and_(one, two))
_lower_pair(lanes.but_not, lambda builder, one, two: builder.and_(one, builder.not_(two)))
_lower_pair(lanes.differ, lambda builder, one, two: builder.xor(one, two))
_lower_pair(lanes.either, lambda builder, one, two: builder.or_(one, two))
_lower_pair(lanes.smaller, lambda builder, one, two: builder.select(builder.icmp_unsigned("<", one, two), one, two))


@lowers(lanes.least)
def _least(typingctx: Any, words: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [_vector()])
        umin = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.umin.v{WORDS}i64")
        return builder.call(umin, args)

    return types.uint64(block), codegen


@lowers(lanes.up)
def _up(typingctx: Any, one: Any, places: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.shl(args[0], _splat(builder, args[1]))

    return block(block, types.uint64), codegen


@lowers(lanes.down)
def _down(typingctx: Any, one: Any, places: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.lshr(args[0], _splat(builder, args[1]))

    return block(block, types.uint64), codegen


@lowers(lanes.add_counts)
def _add_counts(typingctx: Any, sums: Any, words: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_vector(), [_vector()])
        ctpop = cgutils.get_or_insert_function(builder.module, kind, f"llvm.ctpop.v{WORDS}i64")
        return builder.add(args[0], builder.call(ctpop, [args[1]]))

    return block(block, block), codegen


@lowers(lanes.total)
def _total(typingctx: Any, sums: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [_vector()])
        add = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.add.v{WORDS}i64")
        return builder.call(add, args)

    return types.uint64(block), codegen


@lowers(lanes.any_lane)
def _any_lane(typingctx: Any, words: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole = ir.IntType(64 * WORDS)
        return builder.icmp_unsigned("!=", builder.bitcast(args[0], whole), ir.Constant(whole, 0))

    return types.boolean(block), codegen
