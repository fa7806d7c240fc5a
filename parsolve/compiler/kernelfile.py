"""Kernels in the cache folder: a line of JSON, object code, and a checksum.

An object file is code that will run, so it is read only if `cachefolder` trusts it.
"""

import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from parsolve.compiler.arguments import Kind
from parsolve.compiler.identity import CodeIdentity
from parsolve.compiler.objects import load, of_machine
from parsolve.compiler.syntax import digest, of_file
from parsolve.system.cachefolder import delete_old, folder, read_sealed, warn_once, write_sealed

MAX_KERNELS = 2000
"""The most kernels in the folder, of 10 to 100 kB each; the least recently used are deleted first."""


class Kernel(NamedTuple):
    """A kernel in this process: its C function, and the kind of its result."""

    entry: Any
    returns: Any


class KernelFile(NamedTuple):
    """Where a kernel is kept.

    Attributes:
        symbol: the name of its entry: kernels that do different things have different ones.
        path: None without a folder to keep it in, or if nobody can say what it does.
    """

    symbol: str
    path: Path | None

    @classmethod
    def of(cls, name: str, identity: CodeIdentity, kinds: Sequence[Kind]) -> Self:
        """Return the file of a function's kernel for arguments of some kinds; its name begins with `name`."""
        symbol = digest(identity.digest, ", ".join(map(str, kinds)), of_machine(), of_compiler())
        if identity.opaque:
            return cls(f"{symbol}x{os.urandom(16).hex()}", None)
        place = folder()
        return cls(symbol, place / f"{name}-{symbol}.kernel" if place else None)

    def read(self) -> Kernel | None:
        """Return the kernel; None if it is missing or damaged."""
        if self.path is None:
            return None
        try:
            head, _, code = read_sealed(self.path).partition(b"\n")
            return Kernel(load(code, self.symbol), json.loads(head)["returns"])
        except FileNotFoundError:
            pass
        except Exception as error:
            warn_once(f"a kernel in the cache cannot be used and is compiled again: {error}")
        return None

    def keep(self, code: bytes, returns: Any) -> Kernel:
        """Write a kernel, its object file and the kind of its result, if there is a folder for it; return it."""
        if self.path is not None:
            try:
                write_sealed(self.path, json.dumps({"returns": returns}).encode() + b"\n" + code)
                delete_old(self.path.parent, "*.kernel", MAX_KERNELS)
            except OSError as error:
                warn_once(
                    f"kernels are compiled each time, because they cannot be kept ({self.path.parent}:"
                    f" {error.strerror or error}): free space there, or set PARSOLVE_CACHE_DIR to another folder"
                )
        return Kernel(load(code, self.symbol), returns)


@cache
def of_compiler() -> str:
    """Return what compiled code depends on besides its functions: Python, the libraries, numba's settings, and this
    package's compiler."""
    # `sysconfig` has the same, but not for a thread that asks while another one lets it begin.
    python = f"{sys.version_info[:3]} {EXTENSION_SUFFIXES[0]} {'with' if __debug__ else 'without'} asserts"
    spec = importlib.util.find_spec("numba")  # importlib.metadata takes 20 ms
    version = digest(Path(spec.origin).with_name("_version.py").read_text()) if spec and spec.origin else ""
    settings = [os.environ.get(name) for name in ("NUMBA_OPT", "NUMBA_BOUNDSCHECK")]
    return f"{python} numba {version} {settings} numpy {np.__version__} {compiler_sources()}"


def compiler_sources() -> list[str]:
    """Return a digest of each file of this package that changes what is compiled."""
    here = Path(__file__).parent
    names = ("compiler", "codegen", "translation", "wrapper", "arguments", "objects")
    files = [*(here / f"{name}.py" for name in names), *sorted((here / "lowering").glob("*.py"))]
    return [whole for file in files if (whole := of_file(file))]
