"""Blocks of 512 lanes of bits in compiled code: LLVM chooses the processor's best vectors for them."""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import lower_builtin, models, register_model, type_callable

from parsolve.compiler.lowering import lowers
from parsolve.puzzles.queens.quadrants import lanes
from parsolve.puzzles.queens.quadrants.lanes import WORDS

WORD, INDEX = ir.IntType(64), ir.IntType(32)

VECTOR = ir.VectorType(WORD, WORDS)


class Block(types.Type):  # type: ignore[misc]
    """The type of a block of words."""

    def __init__(self) -> None:
        super().__init__(name="Block512")


block = Block()


@register_model(Block)
class BlockModel(models.PrimitiveModel):  # type: ignore[misc]
    """How a block is stored: in one vector register or a few."""

    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, VECTOR)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Return the address of the block that starts at a place of an array."""
    data = cgutils.create_struct_proxy(array_type)(context, builder, array).data
    return builder.bitcast(cgutils.gep_inbounds(builder, data, index), VECTOR.as_pointer())


def _called(builder: Any, name: str, returns: Any, words: Any) -> Any:
    """Return the value of one of LLVM's functions of a block."""
    function = ir.FunctionType(returns, [VECTOR])
    return builder.call(cgutils.get_or_insert_function(builder.module, function, f"llvm.{name}.v8i64"), [words])


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


def _packs() -> bool:
    """Return whether code is made for a processor with an instruction for `lanes.pack`."""
    for_another = config.CPU_NAME or config.CPU_FEATURES or not config.ENABLE_AVX
    return not for_another and llvm.get_host_cpu_features().get("avx512f", False)


@lowers(lanes.pack)
def _pack(typingctx: Any, array: Any, index: Any, words: Any, unwanted: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _, _, values, others = args
        place = _address(context, builder, signature.args[0], *args[:2])
        wanted = builder.icmp_unsigned("==", others, ir.Constant(VECTOR, [0] * WORDS))
        if _packs():
            kind = ir.FunctionType(VECTOR, [VECTOR, VECTOR, wanted.type])
            compress = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.avx512.mask.compress.v8i64")
            builder.store(builder.call(compress, [values, values, wanted]), place, align=8)
            flags = builder.zext(builder.bitcast(wanted, ir.IntType(WORDS)), WORD)
            return builder.ctpop(flags)
        first = builder.bitcast(place, WORD.as_pointer())
        count: Any = WORD(0)
        for lane in range(WORDS):
            builder.store(builder.extract_element(values, INDEX(lane)), builder.gep(first, [count]))
            count = builder.add(count, builder.zext(builder.extract_element(wanted, INDEX(lane)), WORD))
        return count

    return types.uint64(array, types.uint64, block, block), codegen


def _teach(function: Any, returns: Any, kinds: Sequence[Any], value: Callable[..., Any]) -> None:
    """Teach numba a function, by the types of its result and arguments, and what an IR builder makes of the values."""

    @lowers(function)
    def lowered(typingctx: Any, *given: Any) -> Any:
        return returns(*kinds), lambda context, builder, signature, args: value(builder, *args)


def _teach_operator(symbol: Callable[..., Any], kinds: tuple[Any, ...], value: Callable[..., Any]) -> None:
    """Teach numba an operator of blocks in the same way."""

    @type_callable(symbol)  # type: ignore[untyped-decorator]
    def typer(context: Any) -> Any:
        return lambda *given: block if given == kinds else None

    @lower_builtin(symbol, *kinds)  # type: ignore[untyped-decorator]
    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return value(builder, *args)


def _repeated(builder: Any, word: Any) -> Any:
    nothing = ir.Constant(VECTOR, ir.Undefined)
    single = builder.insert_element(nothing, word, INDEX(0))
    return builder.shuffle_vector(single, nothing, ir.VectorType(INDEX, WORDS)([0] * WORDS))


def _any(builder: Any, words: Any) -> Any:
    whole = ir.IntType(64 * WORDS)
    return builder.icmp_unsigned("!=", builder.bitcast(words, whole), ir.Constant(whole, 0))


def _add_counts(builder: Any, sums: Any, words: Any) -> Any:
    return builder.add(sums, _called(builder, "ctpop", VECTOR, words))


PAIR, SHIFT = (block, block), (block, types.uint64)
_teach(lanes.fill, block, [types.uint64], _repeated)
_teach_operator(operator.or_, PAIR, lambda builder, one, two: builder.or_(one, two))
_teach_operator(operator.and_, PAIR, lambda builder, one, two: builder.and_(one, two))
_teach_operator(operator.xor, PAIR, lambda builder, one, two: builder.xor(one, two))
_teach_operator(operator.invert, (block,), lambda builder, one: builder.not_(one))
_teach_operator(operator.lshift, SHIFT, lambda builder, one, places: builder.shl(one, _repeated(builder, places)))
_teach_operator(operator.rshift, SHIFT, lambda builder, one, places: builder.lshr(one, _repeated(builder, places)))
_teach(lanes.add_counts, block, PAIR, _add_counts)
_teach(lanes.total, types.uint64, [block], lambda builder, words: _called(builder, "vector.reduce.add", WORD, words))
_teach(lanes.any_lane, types.boolean, [block], _any)
