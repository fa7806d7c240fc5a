"""Translate functions into LLVM's language by numba's passes, without the idle ones and with a last one of our own.

numba's text counts users of arrays that nobody frees, copies an array to read an item, and keeps all variables in
memory.
"""

import operator
from collections import Counter
from contextlib import suppress
from typing import Any

from llvmlite import ir as llvm
from numba import NumbaRuntimeError, TypingError, types
from numba.core import ir
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering
from numba.np.arrayobj import fix_integer_index, load_item

from parsolve.compiler.codegen import context_of, typing_of
from parsolve.compiler.rows import ONE_BY_ONE

WORD = llvm.IntType(64)

BORROWED = {"getattr", "static_getitem", "build_tuple", "exhaust_iter", "getiter", "iternext", "pair_first"}
"""The expressions that make no array, even if their values have some."""

INLINING = {"InlineClosureLikes", "MakeFunctionToJitFunction", "InlineInlinables", "InlineOverloads"}
LITERALS = {"FindLiterallyCalls", "LiteralUnroll", "LiteralPropagationSubPipelinePass"}
IDLE = {*INLINING, *LITERALS, "WithLifting", "NopythonRewrites", "AnnotateTypes"}
"""numba's passes that find nothing to do in this package's functions (no closure, no list), in a tenth of the time."""

COMPARED = operator.eq, operator.ne, operator.contains


class Lowering(Lower):  # type: ignore[misc]
    """Translates a function into LLVM's language.

    A cost that does not fit its field becomes the greatest number that does, so that one that overflows never comes out
    as a small one. The greatest number is no cost: a search that reaches it ends, see `Costs.refuse_overflow`. So
    rows are written as records alone: an array of their numbers or bytes is refused.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        made = Counter(each.target.name for block in self.blocks.values() for each in block.find_insts(ir.Assign))
        # The variables with one value; numba forgets each where the users of arrays are counted.
        self._fixed = set() if self.context.enable_nrt else {name for name, times in made.items() if times == 1}
        self._values: dict[str, Any] = {}

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

    def lower_getitem(self, kind: Any, made: Any, array: Any, index: Any, signature: Any) -> Any:
        """Translate the reading of an item."""
        row, by = signature.args
        is_row = isinstance(row, types.Array) and row.ndim == 1 and row.layout == "C"
        if not is_row or not isinstance(by, types.Integer):
            return super().lower_getitem(kind, made, array, index, signature)
        context, builder, field = self.context, self.builder, self.context.data_model_manager[row].get_field_position
        value = self.loadvar(array.name)
        at = context.cast(builder, self.loadvar(index.name), self.typeof(index.name), by)
        at = fix_integer_index(context, builder, by, at, builder.extract_value(value, [field("shape"), 0]))
        item = load_item(context, builder, row, builder.gep(builder.extract_value(value, field("data")), [at]))
        return context.cast(builder, item, signature.return_type, kind)

    def storevar(self, value: Any, name: str, argidx: Any = None) -> None:
        """Give a variable a value."""
        if name in self._fixed and name not in self.varmap:
            self._values[name] = value
        else:
            super().storevar(value, name, argidx)

    def loadvar(self, name: str) -> Any:
        """Return the value of a variable."""
        return self._values[name] if name in self._values else super().loadvar(name)

    def delvar(self, name: str) -> None:
        """Forget a variable."""
        if self.context.enable_nrt:
            super().delvar(name)

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

    def run_pass(self, state: Any) -> bool:
        """Translate a function, without counting the users of arrays unless it makes some."""
        counting = state.targetctx
        if not _makes_arrays(state):
            state.targetctx = counting.subtarget(enable_nrt=False)
            with suppress(NumbaRuntimeError):  # it needs memory for something else
                return bool(super().run_pass(state))
            state.targetctx, state.library = counting, None
        return bool(super().run_pass(state))


def _makes_arrays(state: Any) -> bool:
    """Return whether a function makes arrays, gets them from another one, or returns any."""
    kinds, models = state.typemap, state.targetctx.data_model_manager
    made = [each for block in state.func_ir.blocks.values() for each in block.find_insts(ir.Assign)]
    owned = [each.target.name for each in made if getattr(each.value, "op", "getattr") not in BORROWED]
    return any(models[kind].contains_nrt_meminfo() for kind in (state.return_type, *map(kinds.__getitem__, owned)))


class Translation(Compiler):  # type: ignore[misc]
    """numba's compiler of a function, for the option `pipeline_class`; its library is a `Library`."""

    def __init__(self, typing_context: Any, target_context: Any, *rest: Any) -> None:
        super().__init__(typing_of(typing_context), context_of(target_context), *rest)

    def define_pipelines(self) -> Any:
        """Return numba's passes, the last one replaced."""
        pipelines = super().define_pipelines()
        idle = IDLE if self.state.func_id.func.__module__.startswith("parsolve.") else ()
        for each in pipelines:
            passes = [(made, why) for made, why in each.passes if made.__name__ not in idle]
            each.passes = [(_OwnLowering if made is NativeLowering else made, why) for made, why in passes]
        return pipelines
