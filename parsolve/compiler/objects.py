"""Load object code into this process, by LLVM alone: nothing is unpickled."""

import ctypes
import itertools
import threading
from collections.abc import Iterator
from functools import cache
from typing import Any

import llvmlite
import numpy as np

from parsolve.errors import OutOfMemory

try:
    import llvmlite.binding as llvm
except OSError as error:
    text = f"LLVM cannot be loaded; is there too strict a limit on memory, such as that of `ulimit -v`? ({error})"
    raise OutOfMemory(text) from error

_lock = threading.Lock()

_entries: dict[str, Any] = {}
"""The loaded entries, by symbol."""


def target_machine() -> Any:
    """Return LLVM's description of this machine: code is made for its processor."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="default",
        codemodel="jitdefault",
        jit=True,
    )


@cache
def of_machine() -> str:
    """Return what object code depends on: the system, the processor and LLVM."""
    features = ",".join(sorted(name for name, has in llvm.get_host_cpu_features().items() if has))
    versions = f"llvmlite {llvmlite.__version__} LLVM {llvm.llvm_version_info}"
    return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {features} {versions}"


def load(code: bytes, symbol: str) -> Any:
    """Return the entry of an object file as a C function, which releases the interpreter's lock while it runs.

    Args:
        code: the object file, made for this machine.
        symbol: name of the entry, unique among object files.

    Raises:
        RuntimeError: LLVM cannot read it.
    """
    with _lock:
        if symbol not in _entries:
            engine = _engine()
            engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            engine.finalize_object()
            address = engine.get_function_address(symbol)
            if not address:
                raise RuntimeError(f"an object file has no {symbol}")
            _entries[symbol] = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(address)
        return _entries[symbol]


@cache
def _engine() -> Any:
    machine = target_machine()
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]
_free.restype = None


def result_of(returns: Any, words: Iterator[int]) -> Any:
    """Return the result of a kernel.

    Args:
        returns: its kind, as `compiler.compile_object` gives it.
        words: the words of the block from it on.
    """
    match returns:
        case None:
            return None
        case list():
            return tuple(result_of(item, words) for item in returns)
        case dict():
            address, shape = next(words), tuple(itertools.islice(words, returns["dimensions"]))
            array = np.empty(shape, returns["dtype"])
            ctypes.memmove(array.ctypes.data, address, array.nbytes)
            _free(address)
            return array
    word = next(words)
    if returns in ("float32", "float64"):
        return float(np.uint64(word).view(np.float64))
    is_negative = word >> 63 and not returns.startswith("u")
    return bool(word) if returns == "bool" else word - (1 << 64) if is_negative else word
