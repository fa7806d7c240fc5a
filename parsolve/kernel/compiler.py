"""Compile functions into object code by numba, which is imported for nothing else.

What is compiled is a C function: `int32 entry(int64 *block)`. It reads its arguments from the block, see `arguments`,
writes what it returns behind them, and returns 0, or 1 if a rule has raised an exception. numba
compiles the function itself; the entry is written here, by what numba gives those who extend it.
"""

import sys
import types as python
from collections.abc import Sequence
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target

from parsolve.errors import BadPuzzle
from parsolve.kernel.arguments import ArrayKind, Kind, NumberKind
from parsolve.kernel.bytecode import global_names
from parsolve.kernel.functions import Inner, with_globals
from parsolve.kernel.lowering import atomics, bits, keys, lanes, subtree
from parsolve.kernel.marks import INLINED, TAUGHT
from parsolve.kernel.objects import target_machine
from parsolve.text import place_of

__all__ = ["atomics", "bits", "keys", "lanes", "subtree"]  # they teach numba when they are imported

INNER = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of `numba.njit`: nobody calls these functions from Python, and their wrappers would take a third of the time
that it takes to compile them."""

LIBRARY = {
    *("malloc", "free", "memset", "memcpy", "memmove", "memcmp"),
    *("sqrt", "cbrt", "hypot", "floor", "ceil", "trunc", "rint", "round", "fmod", "ldexp", "frexp", "fabs"),
    *("pow", "powf", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh"),
    *("__divti3", "__modti3", "__udivti3", "__umodti3"),
}
"""The functions of C's library that an object file may call."""

WORD, POINTER = ir.IntType(64), ir.IntType(8).as_pointer()


class ObjectCode(NamedTuple):
    """A compiled function.

    Attributes:
        code: of an object file for this machine.
        returns: the kind of what it returns, as `result_of` takes it.
    """

    code: bytes
    returns: Any


def compile_object(
    function: python.FunctionType, kinds: Sequence[Kind], symbol: str, helpers: dict[Any, Any]
) -> ObjectCode:
    """Compile a function.

    Args:
        function: a plain function.
        kinds: of its arguments.
        symbol: the name of the entry.
        helpers: the functions compiled so far, so that each is compiled once; extended.

    Raises:
        BadPuzzle: functions call each other in a circle, or need what an object file cannot have.
        Exception: numba cannot compile it.
    """
    kernel = dispatcher_of(Inner(function), helpers)
    arguments = tuple(numba_type(kind) for kind in kinds)
    kernel.compile(arguments)
    description = kernel.overloads[arguments].fndesc
    module = llvm.parse_assembly(kernel.inspect_llvm(arguments))
    module.link_in(llvm.parse_assembly(str(_entry(description, kinds, symbol))))
    module.link_in(llvm.parse_assembly(str(_allocator())))
    foreign = {
        each.name
        for each in (*module.functions, *module.global_variables)
        if each.is_declaration and not each.name.startswith("llvm.") and each.name not in LIBRARY
    }
    if foreign:
        raise BadPuzzle(
            f"{function.__name__!r} needs {', '.join(sorted(foreign))}, which compiled rules cannot have: use numbers"
            " and arrays alone"
        )
    for each in (*module.functions, *module.global_variables):
        if not each.is_declaration:
            each.linkage = "internal"
    module.get_function(symbol).linkage = "external"
    return ObjectCode(target_machine().emit_object(module), _return_kind(description.restype))


def dispatcher_of(called: Inner, helpers: dict[Any, Any]) -> Any:
    """Return a function as numba's dispatcher, with all that it calls by name.

    Args:
        called: the function.
        helpers: the functions compiled so far; extended.

    Raises:
        BadPuzzle: functions call each other in a circle.
    """
    function, inline, inline_helpers = called
    if _is_kept_by_numba(function):  # numba's own cache does not notice an edit of what a function calls
        given = {name: value for name, value in function.targetoptions.items() if name != "nopython"}
        return numba.njit(**given)(linked(function.py_func, helpers, inline_helpers))
    if not isinstance(function, python.FunctionType):
        return function
    if _is_own(function):
        helpers = _OWN
    if called not in helpers:
        helpers[called] = None  # being compiled
        options = {"forceinline": True} if inline else {}
        try:
            helpers[called] = numba.njit(**INNER, **options)(linked(function, helpers, inline_helpers))
        except BadPuzzle:
            del helpers[called]
            raise
    return helpers[called]


_OWN: dict[Any, Any] = {}
"""The functions of this package that no puzzle changes, compiled for all of them."""


def _is_own(function: Any) -> bool:
    """Return whether a function is of this package and refers to nothing of a puzzle's."""
    names = vars(sys.modules.get(function.__module__, python))
    return function.__module__.startswith(f"{__package__}.") and names.get(function.__name__) is function


def linked(function: Any, helpers: dict[Any, Any], inline_helpers: bool = False) -> python.FunctionType:
    """Return a function that calls compiled functions in place of plain ones; see `dispatcher_of`."""
    names = {}
    for name in global_names(function):
        value = function.__globals__.get(name)
        if isinstance(value, python.FunctionType) or _is_kept_by_numba(value):
            if value is function or value in TAUGHT:
                continue
            value = Inner(value, inline_helpers or value in INLINED, inline_helpers)
        if not isinstance(value, Inner):
            continue
        names[name] = dispatcher_of(value, helpers)
        if names[name] is None:
            raise BadPuzzle(
                f"{function.__name__!r} and {name!r} call each other in a circle{place_of(function)}, which compiled"
                " code cannot: use a loop"
            )
    return with_globals(function, names)


def _is_kept_by_numba(value: Any) -> bool:
    """Return whether the author of a function has told numba to keep it (`cache=True`)."""
    return isinstance(value, numba.core.dispatcher.Dispatcher) and type(value._cache).__name__ == "FunctionCache"


def numba_type(kind: Kind) -> Any:
    """Return numba's type of an argument."""
    match kind:
        case ArrayKind(dtype, dimensions, writable):
            return types.Array(numba.from_dtype(dtype), dimensions, "C", readonly=not writable)
        case NumberKind("bool"):
            return types.boolean
        case NumberKind(name):
            return getattr(types, name)
        case _:
            return types.BaseTuple.from_types([numba_type(item) for item in kind.items], kind.cls)


def _entry(kernel: Any, kinds: Sequence[Kind], symbol: str) -> Any:
    """Return a module with the C function: it reads the arguments, calls the kernel and writes what that returns.

    Args:
        kernel: numba's description of the compiled function.
        kinds: of its arguments.
        symbol: the name of the C function.
    """
    context = cpu_target.target_context
    module = ir.Module("entry")
    module.triple = llvm.get_process_triple()
    called = ir.Function(
        module, context.call_conv.get_function_type(kernel.restype, kernel.argtypes), kernel.mangled_name
    )
    entry = ir.Function(module, ir.FunctionType(ir.IntType(32), [WORD.as_pointer()]), symbol)
    builder = ir.IRBuilder(entry.append_basic_block())
    (block,) = entry.args
    values, at = [], 0
    for kind, declared in zip(kinds, kernel.argtypes, strict=True):
        values.append(_read(context, builder, block, declared, at)[0])
        at += kind.words
    status, returned = context.call_conv.call_function(builder, called, kernel.restype, kernel.argtypes, values)
    with builder.if_then(status.is_error, likely=False):
        builder.ret(ir.IntType(32)(1))
    _write(context, builder, block, WORD(at), kernel.restype, returned)
    builder.ret(ir.IntType(32)(0))
    return module


def _read(context: Any, builder: Any, block: Any, kind: Any, at: int) -> tuple[Any, int]:
    """Return the value at a place of a block, and the place behind it."""

    def word(place: int) -> Any:
        return builder.load(builder.gep(block, [WORD(place)]))

    if isinstance(kind, types.BaseTuple):
        items = []
        for item in kind.types:
            value, at = _read(context, builder, block, item, at)
            items.append(value)
        return context.make_tuple(builder, kind, items), at
    if isinstance(kind, types.Array):
        array = cgutils.create_struct_proxy(kind)(context, builder)
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        shape = [word(at + 1 + number) for number in range(kind.ndim)]
        strides: list[Any] = []
        number = WORD(1)
        for length in reversed(shape):
            strides.insert(0, builder.mul(size, number))
            number = builder.mul(number, length)
        array.data = builder.inttoptr(word(at), array.data.type)
        array.itemsize, array.nitems = size, number
        array.shape, array.strides = (cgutils.pack_array(builder, each, WORD) for each in (shape, strides))
        array.meminfo, array.parent = (cgutils.get_null_value(each.type) for each in (array.meminfo, array.parent))
        return array._getvalue(), at + 1 + kind.ndim
    value = word(at)
    if isinstance(kind, types.Float):
        value = builder.bitcast(value, ir.DoubleType())
        return (builder.fptrunc(value, ir.FloatType()) if kind == types.float32 else value), at + 1
    if kind == types.boolean:
        return builder.icmp_unsigned("!=", value, WORD(0)), at + 1
    return (builder.trunc(value, context.get_value_type(kind)) if kind.bitwidth < 64 else value), at + 1


def _write(context: Any, builder: Any, block: Any, at: Any, kind: Any, value: Any) -> Any:
    """Write a value at a place of a block, and return the place behind it."""

    def write(word: Any) -> None:
        nonlocal at
        builder.store(word, builder.gep(block, [at]))
        at = builder.add(at, WORD(1))

    if isinstance(kind, types.BaseTuple):
        for number, item in enumerate(kind.types):
            at = _write(context, builder, block, at, item, builder.extract_value(value, number))
    elif isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
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
    return at


def _release(builder: Any, memory: Any) -> None:
    """Free the memory of an array that a kernel has made, unless another array that it returns is in it too."""
    with builder.if_then(builder.icmp_unsigned("!=", builder.ptrtoint(memory, WORD), WORD(0))):
        users = builder.bitcast(memory, WORD.as_pointer())
        left = builder.sub(builder.load(users), WORD(1))
        builder.store(left, users)
        with builder.if_then(builder.icmp_unsigned("==", left, WORD(0))):
            free = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.VoidType(), [POINTER]), "free")
            builder.call(free, [builder.bitcast(memory, POINTER)])


def _return_kind(kind: Any) -> Any:
    """Return the kind of what a function returns, for JSON: None, the name of a number's type, the dtype and dimensions
    of an array, or a list of them for a tuple."""
    if isinstance(kind, types.BaseTuple):
        return [_return_kind(item) for item in kind.types]
    if isinstance(kind, types.Array):
        return {"dtype": str(numba.np.numpy_support.as_dtype(kind.dtype)), "dimensions": kind.ndim}
    if isinstance(kind, types.NoneType):
        return None
    if isinstance(kind, types.Number | types.Boolean):
        return "bool" if kind == types.boolean else str(kind)
    raise BadPuzzle(f"a kernel returns {kind}: numbers, arrays and tuples of them alone can leave it")


def _allocator() -> Any:
    """Return what numba's code calls for memory of its own, in place of numba's runtime: it is not there later.

    A block is numba's MemInfo (how often it is used, two words for its end, its data, its size, an allocator), and
    the data behind it.
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
