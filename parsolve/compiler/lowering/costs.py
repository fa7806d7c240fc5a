"""Costs in compiled code: one that does not fit its field becomes the greatest number that does.

So a cost that overflows never comes out as a small one. The greatest number is no cost: a search that reaches
it ends, see `Problem.refuse_overflow`.
"""

from typing import Any

from llvmlite import ir as llvm
from numba import types
from numba.core import ir
from numba.core.lowering import Lower

WORD = llvm.IntType(64)


class Lowering(Lower):
    """Translates a function into LLVM's language."""

    def lower_inst(self, inst: Any) -> Any:
        """Translate a statement."""
        match inst:
            case ir.SetAttr(attr="cost") | ir.StaticSetItem(index="cost"):
                record, kind = self.typeof(inst.target.name), self.typeof(inst.value.name)
                if isinstance(record, types.Record) and isinstance(kind, types.Number | types.Boolean):
                    return self._set_cost(inst, record, kind)
        return super().lower_inst(inst)

    def _set_cost(self, inst: Any, record: Any, kind: Any) -> Any:
        """Translate what gives a row its cost."""
        builder, context = self.builder, self.context
        word = types.uint64 if isinstance(kind, types.Integer) and not kind.signed else types.int64
        value = context.cast(builder, self.loadvar(inst.value.name), kind, word)
        most = llvm.Constant(WORD, (1 << record.typeof("cost").bitwidth) - 1)
        value = builder.select(builder.icmp_unsigned("<", value, most), value, most)
        assign = context.get_setattr("cost", types.void(record, word))
        return assign(builder, (self.loadvar(inst.target.name), value))
