"""Load object code into this process, by LLVM alone: nothing is unpickled."""

import ctypes
import threading
from functools import cache
from typing import Any

import llvmlite

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
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
