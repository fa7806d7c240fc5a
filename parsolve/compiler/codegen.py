"""Have numba translate functions into LLVM's language only; optimise them once all that a kernel calls is together.

numba by itself optimises each function with all that it calls, and makes machine code of both. The functions in a
kernel are never called alone, and doing so took a third to a half of the time to compile.
"""

import operator
from functools import cache
from typing import Any

from llvmlite import ir as llvm
from numba import types
from numba.core import ir
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.errors import TypingError
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

from parsolve.compiler.rows import ONE_BY_ONE

WORD = llvm.IntType(64)

COMPARED = operator.eq, operator.ne, operator.contains


class Library(CPUCodeLibrary):  # type: ignore[misc]
    """A compiled function with what it calls, without machine code."""

    def optimised(self) -> Any:
        """Return LLVM's module of the function, optimised as numba does; the functions that it calls are in it."""
        super()._optimize_final_module()
        return self._final_module.clone()

    def _optimize_functions(self, module: Any) -> None:
        """Optimise each function of a module by itself, as numba does, but none that is only declared there."""
        # LLVM does nothing with these, which was a twentieth of the time to compile.
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

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


class Lowering(Lower):  # type: ignore[misc]
    """Translates a function into LLVM's language.

    A cost that does not fit its field becomes the greatest number that does, so that one that overflows never comes out
    as a small one. The greatest number is no cost: a search that reaches it ends, see `Problem.refuse_overflow`. So
    rows are written as records alone: an array of their numbers or bytes is refused.
    """

    def lower_inst(self, inst: Any) -> Any:
        """Translate a statement."""
        match inst:
            case ir.Assign(value=ir.Expr() as made) if self._takes_apart(made, self.typeof(inst.target.name)):
                raise TypingError(ONE_BY_ONE, loc=inst.loc)
            case ir.Assign(value=ir.Expr(op="binop") as made) if made.fn in COMPARED and self._texts(made) == 1:
                raise TypingError("a text is compared with what is none: they always differ", loc=inst.loc)
            case ir.StaticSetItem(index=int()) if isinstance(self.typeof(inst.target.name), types.Record):
                raise TypingError(ONE_BY_ONE, loc=inst.loc)
            case ir.SetAttr(attr="cost") | ir.StaticSetItem(index="cost"):
                record, kind = self.typeof(inst.target.name), self.typeof(inst.value.name)
                if isinstance(record, types.Record) and isinstance(kind, types.Number | types.Boolean):
                    return self._set_cost(inst, record, kind)
        return super().lower_inst(inst)

    def _texts(self, made: Any) -> int:
        """Return how many operands of an expression are texts, or tuples of texts."""
        kinds = (self.typeof(each.name) for each in (made.lhs, made.rhs))
        items = (map(types.unliteral, getattr(kind, "types", (kind,))) for kind in kinds)
        return sum(any(isinstance(each, types.UnicodeType) for each in some) for some in items)

    def _takes_apart(self, made: Any, kind: Any) -> bool:
        """Return whether an expression makes an array of something else from writable rows."""
        if not isinstance(kind, types.Array) or isinstance(kind.dtype, types.Record) or not kind.mutable:
            return False
        used = [self.typeof(each.name) for each in made.list_vars()]
        used = [each.this if isinstance(each, types.BoundFunction) else each for each in used]
        return not any(isinstance(each, types.Dispatcher) for each in used) and any(
            isinstance(each, types.Array) and isinstance(each.dtype, types.Record) and each.mutable for each in used
        )

    def _set_cost(self, inst: Any, record: Any, kind: Any) -> Any:
        """Translate what gives a row its cost."""
        builder, context = self.builder, self.context
        word = types.uint64 if isinstance(kind, types.Integer) and not kind.signed else types.int64
        value = context.cast(builder, self.loadvar(inst.value.name), kind, word)
        most = llvm.Constant(WORD, (1 << record.typeof("cost").bitwidth) - 1)
        value = builder.select(builder.icmp_unsigned("<", value, most), value, most)
        assign = context.get_setattr("cost", types.void(record, word))
        return assign(builder, (self.loadvar(inst.target.name), value))


@register_pass(mutates_CFG=True, analysis_only=False)
class _OwnLowering(NativeLowering):  # type: ignore[misc]
    """numba's last pass, which translates a function into LLVM's language."""

    _name = NativeLowering._name  # what numba's complaints call it
    lowering_class = Lowering


class Translation(Compiler):  # type: ignore[misc]
    """numba's compiler of a function, for the option `pipeline_class`; its library is a `Library`."""

    def __init__(self, typing_context: Any, target_context: Any, *rest: Any) -> None:
        super().__init__(typing_context, _context(target_context), *rest)

    def define_pipelines(self) -> Any:
        """Return numba's passes, the last one replaced."""
        pipelines = super().define_pipelines()
        for each in pipelines:
            each.passes = [(_OwnLowering if made is NativeLowering else made, why) for made, why in each.passes]
        return pipelines


@cache
def _context(target_context: Any) -> Any:
    """Return numba's target of the same machine with our libraries."""
    return target_context.subtarget(_internal_codegen=_Codegen("parsolve"))
