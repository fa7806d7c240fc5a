"""The parts of numba that are not its public interface, and that parsolve uses all the same.

A newer numba may change any of them: one that is missing is named here, before anything fails in a stranger way.
"""

import inspect
import tomllib
from collections.abc import Callable
from typing import Any

import numba
import pytest
from conftest import ROOT
from numba.core import caching, cgutils, codegen, compiler, errors, serialize
from numba.core.base import BaseContext
from numba.core.cpu import CPUContext
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic

from parsolve.kernel.cache import KernelCache


@numba.njit
def increment(x: int) -> int:
    return x + 1


@intrinsic
def nothing(typing: Any) -> Any:
    return None


def parameters(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


PRIVATE: dict[str, tuple[str, Callable[[], bool]]] = {
    "Dispatcher._cache": (
        "kernel/functions.py sets it to a KernelCache",
        lambda: isinstance(increment._cache, caching._Cache),
    ),
    "Dispatcher.py_func": ("kernel/identity.py reads it", lambda: inspect.isfunction(increment.py_func)),
    "Dispatcher uses _cache": (
        "it must ask the cache for each overload, and hand it what it has compiled",
        lambda: all(
            f"self._cache.{method}(" in inspect.getsource(Dispatcher.compile)
            for method in ("load_overload", "save_overload")
        ),
    ),
    "intrinsic._defn": ("kernel/identity.py reads it", lambda: inspect.isfunction(nothing._defn)),
    "caching._Cache": (
        "KernelCache derives from it, and must have all of its methods and no others",
        lambda: (
            caching._Cache.__abstractmethods__
            == {"cache_path", "load_overload", "save_overload", "enable", "disable", "flush"}
            and not KernelCache.__abstractmethods__
        ),
    ),
    "_Cache.load_overload": (
        "its arguments",
        lambda: parameters(caching._Cache.load_overload) == parameters(KernelCache.load_overload),
    ),
    "_Cache.save_overload": (
        "its arguments",
        lambda: parameters(caching._Cache.save_overload) == parameters(KernelCache.save_overload),
    ),
    "CompileResultCacheImpl.reduce": (
        "its arguments: it is called without an object",
        lambda: parameters(caching.CompileResultCacheImpl.reduce) == ["self", "cres"],
    ),
    "CompileResultCacheImpl.rebuild": (
        "its arguments: it is called without an object",
        lambda: parameters(caching.CompileResultCacheImpl.rebuild) == ["self", "target_context", "payload"],
    ),
    "CompileResult._reduce": ("a kernel as plain data", lambda: callable(compiler.CompileResult._reduce)),
    "CompileResult._rebuild": ("plain data as a kernel", lambda: callable(compiler.CompileResult._rebuild)),
    "CompileResult.library": ("kernel/cache.py reads it", lambda: "library" in compiler.CR_FIELDS),
    "CompileResult.codegen": ("kernel/cache.py reads it", lambda: hasattr(compiler.CompileResult, "codegen")),
    "serialize.dumps": ("pickles a kernel", lambda: isinstance(serialize.dumps(1), bytes)),
    "CodeLibrary.has_dynamic_globals": (
        "such a kernel must not be kept",
        lambda: hasattr(codegen.CodeLibrary, "has_dynamic_globals") or hasattr(library(), "has_dynamic_globals"),
    ),
    "Codegen.magic_tuple": ("the processor that a kernel is for", lambda: callable(codegen.JITCPUCodegen.magic_tuple)),
    "BaseContext.refresh": ("done before a kernel is loaded", lambda: callable(BaseContext.refresh)),
    "CPUContext.codegen": ("it has the magic tuple", lambda: callable(CPUContext.codegen)),
    "BaseContext.make_array": ("kernel/lanes.py", lambda: callable(BaseContext.make_array)),
    "BaseContext.get_dummy_value": ("kernel/lanes.py, subtree.py", lambda: callable(BaseContext.get_dummy_value)),
    "cgutils.get_or_insert_function": (
        "kernel/lanes.py, intrinsics.py",
        lambda: parameters(cgutils.get_or_insert_function)[:3] == ["module", "fnty", "name"],
    ),
    "cgutils.gep_inbounds": ("kernel/lanes.py", lambda: parameters(cgutils.gep_inbounds)[:2] == ["builder", "ptr"]),
    "errors.NumbaError": ("kernel/explain.py", lambda: issubclass(errors.NumbaError, Exception)),
}


def library() -> Any:
    increment(1)
    return next(iter(increment.overloads.values())).library


@pytest.mark.parametrize("name", PRIVATE)
def test_a_private_part_is_as_expected(name: str) -> None:
    use, holds = PRIVATE[name]
    try:
        as_expected = holds()
    except AttributeError as error:
        pytest.fail(f"numba {numba.__version__} has no {name} ({use}): {error}")
    assert as_expected, f"numba {numba.__version__} has another {name} ({use})"


def test_a_newer_numba_is_not_let_in() -> None:
    """As long as there are private parts, the newest version is one that was tested."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (numba_line,) = (line for line in project["dependencies"] if line.startswith("numba"))
    assert "<" in numba_line, numba_line
