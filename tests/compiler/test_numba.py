"""The parts of numba that are not its public interface, and that parsolve uses all the same.

They tell what a function does that its author has compiled, and give kernels memory of their own. A newer numba may
change any of them: one that is missing is named here, before anything fails in a stranger way.
"""

import inspect
import tomllib
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from conftest import ROOT
from numba.core import imputils
from numba.core.base import BaseContext
from numba.core.callconv import CPUCallConv
from numba.core.codegen import JITCodeLibrary, JITCPUCodegen
from numba.core.compiler import Compiler
from numba.core.cpu import CPUContext
from numba.core.lowering import Lower
from numba.core.registry import cpu_target
from numba.core.typing import templates
from numba.extending import intrinsic, is_jitted

from parsolve.compiler.cache import cached


@numba.njit
def increment(x: int) -> int:
    return x + 1


def called() -> Any:
    assert increment(1) == 2
    return increment


@intrinsic
def nothing(typing: Any) -> Any:
    return None


PRIVATE: dict[str, tuple[str, Callable[[], bool]]] = {
    "Dispatcher.stats": (
        "compiler/compiler.py compiles again what numba keeps",
        lambda: (
            is_jitted(increment)
            and increment.stats.cache_path is None
            and numba.njit(cache=True)(increment.py_func).stats.cache_path is not None
        ),
    ),
    "Dispatcher.py_func": ("compiler/identity.py", lambda: inspect.isfunction(increment.py_func)),
    "Dispatcher._compiler": ("compiler/identity.py", lambda: hasattr(increment._compiler, "pipeline_class")),
    "intrinsic._defn": ("compiler/identity.py", lambda: inspect.isfunction(nothing._defn)),
    "templates.builtin_registry": ("compiler/identity.py", lambda: bool(templates.builtin_registry.globals)),
    "imputils.builtin_registry": ("compiler/identity.py", lambda: bool(imputils.builtin_registry.functions)),
    "Dispatcher.overloads": (
        "compiler/compiler.py",
        lambda: hasattr(next(iter(called().overloads.values())).fndesc, "mangled_name"),
    ),
    "Compiler.__init__": (
        "compiler/codegen.py",
        lambda: [*inspect.signature(Compiler.__init__).parameters][1:3] == ["typingctx", "targetctx"],
    ),
    "BaseContext._internal_codegen": (
        "compiler/codegen.py",
        lambda: isinstance(cpu_target.target_context._internal_codegen, JITCPUCodegen),
    ),
    **{
        f"{cls.__name__}.{name}": ("compiler/codegen.py", lambda cls=cls, name=name: callable(getattr(cls, name)))
        for cls, names in {
            JITCodeLibrary: (
                "_optimize_final_module",
                "_finalize_specific",
                "get_pointer_to_function",
            ),
            JITCPUCodegen: ("_add_module", "set_env"),
            Lower: ("pre_lower", "storevar", "loadvar", "delvar", "lower_getitem", "lower_setitem"),
            CPUContext: ("mangler", "get_arg_packer", "declare_function"),
        }.items()
        for name in names
    },
    "CPUCallConv.call_function": (
        "compiler/entry.py",
        lambda: (
            [*inspect.signature(CPUCallConv.call_function).parameters][1:6]
            == ["builder", "callee", "resty", "argtys", "args"]
        ),
    ),
    "BaseContext.make_tuple": ("compiler/entry.py", lambda: callable(BaseContext.make_tuple)),
    "BaseContext.get_dummy_value": ("compiler/lowering", lambda: callable(BaseContext.get_dummy_value)),
}


@pytest.mark.parametrize("name", PRIVATE)
def test_a_private_part_is_as_expected(name: str) -> None:
    use, holds = PRIVATE[name]
    try:
        as_expected = holds()
    except AttributeError as error:
        pytest.fail(f"numba {numba.__version__} has no {name} ({use}): {error}")
    assert as_expected, f"numba {numba.__version__} has another {name} ({use})"


def sorted_copy(numbers: Any, times: Any) -> Any:
    for _ in range(times):
        made = np.zeros(numbers.size, numbers.dtype)
        for number in range(numbers.size):
            made[number] = numbers[numbers.size - 1 - number]
        numbers = made
    return numbers, times, numbers[:1], times > 1


def test_memory_of_a_kernel_of_its_own() -> None:
    """Its layout is that of numba's own: `compiler` stands in for numba's runtime."""
    numbers = np.arange(1000)
    again, times, first, several = cached(sorted_copy)(numbers, 1001)
    assert again.tolist() == numbers[::-1].tolist()
    assert (times, first.tolist(), several) == (1001, [999], True)


def test_a_newer_numba_is_not_let_in() -> None:
    """As long as there are private parts, the newest version is one that was tested."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (numba_line,) = (line for line in project["dependencies"] if line.startswith("numba"))
    assert "<" in numba_line, numba_line
