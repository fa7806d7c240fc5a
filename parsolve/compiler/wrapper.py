"""Write the C function around a compiled kernel, and the allocator that a kernel may call, in LLVM's language.

The C function calls the kernel as numba calls its own functions. numba could compile it too, but that took a third of
the time to compile.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target

from parsolve.compiler.codegen import context_of
from parsolve.errors import BadPuzzle

WORD, POINTER = ir.IntType(64), ir.IntType(8).as_pointer()


def wrapper_of(kernel: Any, symbol: str) -> Any:
    """Return a module with a C function of that name: it reads the arguments, calls the kernel, which numba has
    described, and writes its result."""
    context = context_of(cpu_target.target_context)
    module = ir.Module("entry")
    module.triple = llvm.get_process_triple()
    called = ir.Function(
        module, context.call_conv.get_function_type(kernel.restype, kernel.argtypes), kernel.mangled_name
    )
    entry = ir.Function(module, ir.FunctionType(ir.IntType(32), [WORD.as_pointer()]), symbol)
    builder = ir.IRBuilder(entry.append_basic_block())
    (block,) = entry.args
    places = itertools.count()
    values = [_read(context, builder, block, kind, places) for kind in kernel.argtypes]
    status, returned = context.call_conv.call_function(builder, called, kernel.restype, kernel.argtypes, values)
    with builder.if_then(status.is_error, likely=False):
        builder.ret(ir.IntType(32)(1))
    _write(context, builder, block, kernel.restype, returned, places)
    builder.ret(ir.IntType(32)(0))
    return module


def _read(context: Any, builder: Any, block: Any, kind: Any, places: Iterator[int]) -> Any:
    """Return the value at the next places of a block."""

    def word() -> Any:
        return builder.load(builder.gep(block, [WORD(next(places))]))

    if isinstance(kind, types.BaseTuple):
        items = [_read(context, builder, block, item, places) for item in kind.types]
        return context.make_tuple(builder, kind, items)
    if isinstance(kind, types.Array):
        array = cgutils.create_struct_proxy(kind)(context, builder)
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        address, *shape = [word() for _ in range(1 + kind.ndim)]
        strides: list[Any] = []
        number = WORD(1)
        for length in reversed(shape):
            strides.insert(0, builder.mul(size, number))
            number = builder.mul(number, length)
        array.data = builder.inttoptr(address, array.data.type)
        array.itemsize, array.nitems = size, number
        array.shape, array.strides = (cgutils.pack_array(builder, each, WORD) for each in (shape, strides))
        array.meminfo, array.parent = (cgutils.get_null_value(each.type) for each in (array.meminfo, array.parent))
        return array._getvalue()
    value = word()
    if isinstance(kind, types.Float):
        value = builder.bitcast(value, ir.DoubleType())
        return builder.fptrunc(value, ir.FloatType()) if kind == types.float32 else value
    if kind == types.boolean:
        return builder.icmp_unsigned("!=", value, WORD(0))
    return builder.trunc(value, context.get_value_type(kind)) if kind.bitwidth < 64 else value


def _write(context: Any, builder: Any, block: Any, kind: Any, value: Any, places: Iterator[int]) -> None:
    """Write a value at the next places of a block."""

    def write(word: Any) -> None:
        builder.store(word, builder.gep(block, [WORD(next(places))]))

    if isinstance(kind, types.BaseTuple):
        for number, item in enumerate(kind.types):
            _write(context, builder, block, item, builder.extract_value(value, number), places)
    elif isinstance(kind, types.Array):
        array = cgutils.create_struct_proxy(kind)(context, builder, value)
        size = builder.mul(array.nitems, array.itemsize)
        malloc = cgutils.get_or_insert_function(builder.module, ir.FunctionType(POINTER, [WORD]), "malloc")
        copy = builder.call(malloc, [builder.add(size, WORD(1))])
        cgutils.raw_memcpy(builder, copy, builder.bitcast(array.data, POINTER), size, 1)
        write(builder.ptrtoint(copy, WORD))
        _release(builder, array.meminfo)
        for length in cgutils.unpack_tuple(builder, array.shape, kind.ndim):
            write(length)
    elif isinstance(kind, types.Float):
        double = builder.fpext(value, ir.DoubleType()) if kind == types.float32 else value
        write(builder.bitcast(double, WORD))
    elif isinstance(kind, types.Integer | types.Boolean):
        narrow = value.type.width < 64
        extend = builder.sext if isinstance(kind, types.Integer) and kind.signed else builder.zext
        write(extend(value, WORD) if narrow else value)


def _release(builder: Any, memory: Any) -> None:
    """Free the memory of an array that a kernel has made, unless another array that it returns shares it."""
    with builder.if_then(builder.icmp_unsigned("!=", builder.ptrtoint(memory, WORD), WORD(0))):
        users = builder.bitcast(memory, WORD.as_pointer())
        left = builder.sub(builder.load(users), WORD(1))
        builder.store(left, users)
        with builder.if_then(builder.icmp_unsigned("==", left, WORD(0))):
            free = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.VoidType(), [POINTER]), "free")
            builder.call(free, [builder.bitcast(memory, POINTER)])


def return_kind(kind: Any) -> Any:
    """Return the kind of a result, for JSON: None, the name of a number's type, dtype and dimensions of an array, or a
    list of these for a tuple.

    Raises:
        BadPuzzle: it cannot leave compiled code.
    """
    if isinstance(kind, types.BaseTuple):
        return [return_kind(item) for item in kind.types]
    if isinstance(kind, types.Array) and kind.layout == "C" and not isinstance(kind.dtype, types.Record):
        return {"dtype": str(numba.np.numpy_support.as_dtype(kind.dtype)), "dimensions": kind.ndim}
    if isinstance(kind, types.NoneType):
        return None
    if isinstance(kind, types.Integer | types.Float | types.Boolean):
        return "bool" if kind == types.boolean else str(kind)
    raise BadPuzzle(f"a kernel returns {kind}: real numbers, arrays of numbers and tuples of these alone can leave it")


def allocator() -> Any:
    """Return a module with the functions by which compiled code allocates memory, in place of numba's runtime.

    A block of memory is numba's MemInfo (number of users, destructor and its argument, data, size, allocator), followed
    by the data.
    """
    module = ir.Module("allocator")
    module.triple = llvm.get_process_triple()
    malloc = ir.Function(module, ir.FunctionType(POINTER, [WORD]), "malloc")
    free = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER]), "free")
    info = ir.LiteralStructType([WORD, POINTER, POINTER, POINTER, WORD, POINTER])
    size_of_info, alignment = WORD(48), WORD(64)
    made = ir.Function(module, ir.FunctionType(POINTER, [WORD, ir.IntType(32)]), "NRT_MemInfo_alloc_aligned")
    builder = ir.IRBuilder(made.append_basic_block())
    block = builder.call(malloc, [builder.add(made.args[0], builder.add(size_of_info, alignment))])
    with builder.if_then(builder.icmp_unsigned("==", builder.ptrtoint(block, WORD), WORD(0))):
        builder.ret(block)
    header = builder.bitcast(block, info.as_pointer())
    behind = builder.add(builder.ptrtoint(block, WORD), builder.add(size_of_info, WORD(63)))
    data = builder.inttoptr(builder.and_(behind, WORD(-64)), POINTER)
    nothing = ir.Constant(POINTER, None)
    for number, value in enumerate((WORD(1), nothing, nothing, data, made.args[0], nothing)):
        builder.store(value, builder.gep(header, [ir.IntType(32)(0), ir.IntType(32)(number)]))
    builder.ret(block)
    ended = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER]), "NRT_MemInfo_call_dtor")
    builder = ir.IRBuilder(ended.append_basic_block())
    builder.call(free, [ended.args[0]])
    builder.ret_void()
    return module
