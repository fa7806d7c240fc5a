"""numba's target for this machine, as this package needs it: short names, and LLVM's language without machine code.

numba by itself optimises each function with all that it calls, and makes machine code of both. The functions in a
kernel are never called alone, and doing so took a third to a half of the time to compile. Here a function is optimised
once all that a kernel calls is together.
"""

import operator
from functools import cache, partial
from typing import Any

from numba.core import typing
from numba.core.callconv import CPUCallConv
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen
from numba.core.cpu import CPUContext

OWN = "_ZNparsolve."
"""The names of our compiled functions begin with it, those of numba's own do not."""

OPERATORS = {each for each in vars(operator).values() if callable(each)}


class Library(CPUCodeLibrary):  # type: ignore[misc]
    """A compiled function with what it calls, without machine code."""

    def optimised(self) -> Any:
        """Return LLVM's module of the function, optimised as numba does; the functions that it calls are in it."""
        super()._optimize_final_module()
        return self._final_module.clone()

    def _optimize_final_module(self) -> None:
        """Leave it to `optimised`."""

    def _finalize_specific(self) -> None:
        """Make no machine code."""

    def get_pointer_to_function(self, name: str) -> int:
        """Return numba's address of a function that Python cannot call."""
        self._ensure_finalized()
        return 0


class _Codegen(JITCPUCodegen):  # type: ignore[misc]
    """Makes libraries for this machine."""

    _library_class = Library

    def _add_module(self, module: Any) -> None:
        """Make no machine code."""

    def set_env(self, env_name: str, env: Any) -> None:
        """Do nothing: only functions that Python calls have an environment."""


class Context(CPUContext):  # type: ignore[misc]
    """numba's target of this machine with our libraries and short names."""

    def __init__(self, target: Any) -> None:
        self.__dict__.update(target.__dict__)
        self.numbas, self._internal_codegen, self.cached_internal_func = target, _Codegen("parsolve"), dict[Any, Any]()

    @property
    def call_conv(self) -> Any:
        """How functions are called."""
        return _CallConvention(self)

    def mangler(self, name: str, kinds: Any, *, abi_tags: Any = (), uid: int | None = None) -> str:
        """Return the name of a compiled function: `uid` is another one for arguments of other types."""
        return f"{OWN}{name}.{uid}"

    def declare_function(self, module: Any, function: Any) -> Any:
        """Declare a function in a module."""
        context = self if function.mangled_name.startswith(OWN) else self.numbas
        return CPUContext.declare_function(context, module, function)


class _Typing(typing.Context):  # type: ignore[misc]
    """numba's types of what functions return; operators, for which it tries dozens of rules, are typed once."""

    def __init__(self, context: Any) -> None:
        self.__dict__.update(context.__dict__)
        self._of_operator = cache(partial(super().resolve_function_type, kws={}))

    def resolve_function_type(self, function: Any, kinds: Any, named: Any) -> Any:
        """Return the signature of a function for arguments."""
        known = getattr(function, "typing_key", None) in OPERATORS and not named and self._of_operator(function, kinds)
        return known or super().resolve_function_type(function, kinds, named)


class _CallConvention(CPUCallConv):  # type: ignore[misc]
    """Calls our functions as declared by `Context`, and those of numba as it does."""

    def call_function(self, builder: Any, callee: Any, *rest: Any, **options: Any) -> Any:
        """Call a function."""
        calls = self if callee.name.startswith(OWN) else self.context.numbas.call_conv
        return CPUCallConv.call_function(calls, builder, callee, *rest, **options)


context_of, typing_of = cache(Context), cache(_Typing)
