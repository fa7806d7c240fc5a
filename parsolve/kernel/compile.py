"""Make kernels of a puzzle's plain rules.

Each puzzle class has its own copy of each template, with the rules injected as its globals. One kernel serves every
instance of a class, because tables are arguments.
"""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsolve.errors import BadPuzzle
from parsolve.kernel import bounds, search, single, subtree
from parsolve.kernel.bytecode import returns_nothing
from parsolve.kernel.functions import inner, kept, with_globals
from parsolve.kernel.identity import of_rules
from parsolve.puzzle import Puzzle
from parsolve.text import place_of

if TYPE_CHECKING:
    from parsolve.kernel.breadth import ChainsKernel, DenseKernel, LayerKernel

NO_RETURN = {
    "expand": "returns nothing: end it with 'return top'",
    "solved": "returns nothing: write 'return' before what says whether a state is solved",
    "key": "returns nothing: end it with 'return' and the key",
    "weight": "returns nothing: end it with 'return' and two numbers",
    "index": "returns nothing: end it with 'return' and the number of the state",
    "entry": "returns nothing: end it with 'return' and the place in the table",
}
"""What to say of a rule that returns nothing."""


class Kernel:
    """The compiled functions of a puzzle class; see the templates for their arguments. Each is loaded, or compiled, on
    its first call with arguments of new kinds.

    Args:
        cls: the class.
        has_cost: whether its solutions differ in cost.

    Attributes:
        cls: the class.
        identity: of its rules.
        rules: the rules by what templates call them.

    Raises:
        BadPuzzle: a rule never returns a value.
    """

    def __init__(self, cls: type[Puzzle], has_cost: bool) -> None:
        for name in NO_RETURN:
            if returns_nothing(getattr(cls, name, None)):  # compiled code would take it for 0 or False
                raise BadPuzzle(f"{cls.__name__}: the rule {name!r}{place_of(getattr(cls, name))} {NO_RETURN[name]}")
        self._helpers: dict[Any, Any] = {}
        weight = getattr(cls, "weight", None)
        expand = inner(cls.expand, inline=True)
        self.cls, self.identity = cls, of_rules(cls)
        self.rules: dict[str, Any] = {
            "expand": expand,
            "expand_far": inner(with_globals(subtree.expand_far, {"expand": expand})),
            "solved": inner(cls.solved, inline=True),
            "weight": None if weight is None else inner(weight),
            "weigh": weight is not None,
            "watch": has_cost,  # without costs the limit cuts nothing
        }

    def function(self, template: Callable[..., Any], variant: str = "", **names: Any) -> Callable[..., Any]:
        """Return a template as a compiled function of this puzzle class.

        Args:
            template: a function.
            variant: tells kernels of one template apart, for people.
            names: what is injected as its globals.
        """
        return kept(with_globals(template, names), f"{template.__name__}{variant}", self._helpers)

    @cached_property
    def search(self) -> Callable[..., int]:
        """The depth-first walk."""
        # The weight of a solved state may take more nodes than the budget has.
        return self._search("", remember=False, queue=not self.rules["weigh"])

    @cached_property
    def search_remembering(self) -> Callable[..., int] | None:
        """The depth-first walk with the transposition table; None where there is no key."""
        if self.key is None:
            return None
        # A queue cannot tell when a subtree for the transposition table ends.
        return self._search("-remembering", remember=True, queue=False, key=self.key)

    @cached_property
    def restore(self) -> Callable[..., int]:
        """What plays the moves of a branch."""
        return self.function(search.restore, **self.rules)

    @cached_property
    def key(self) -> Any:
        """The compiled rule `key`, or else `index`; None if there is neither."""
        rule = self.cls.key or self.cls.index
        return None if rule is None else inner(rule, inline=True)

    @cached_property
    def layer(self) -> "LayerKernel | None":
        """Breadth-first search over whole states; None where there is no key."""
        if self.key is None:
            return None
        from parsolve.kernel.breadth import LayerKernel

        return LayerKernel.of(self)

    @cached_property
    def dense(self) -> "DenseKernel | None":
        """Breadth-first search over numbered states; None where there is no `index`."""
        if self.cls.index is None:
            return None
        from parsolve.kernel.breadth import DenseKernel

        return DenseKernel.of(self)

    @cached_property
    def chains(self) -> "ChainsKernel | None":
        """Breadth-first search over keys; None where there is no `unkey`."""
        if self.cls.unkey is None:
            return None
        from parsolve.kernel.breadth import ChainsKernel

        return ChainsKernel.of(self)

    @cached_property
    def single(self) -> dict[str, Callable[..., Any]]:
        """Each rule by itself, by its name; see `single` for the arguments."""
        templates = {name: getattr(single, name) for name in ("expand", "solved", "key", "index", "entry", "reverse")}
        templates |= {"unindex": single.write, "unkey": single.write}
        if self.cls.index is None:  # an entry is that of a number
            del templates["entry"]
        return {
            name: kept(with_globals(template, {"rule": inner(getattr(self.cls, name))}), f"check-{name}", self._helpers)
            for name, template in templates.items()
            if getattr(self.cls, name) is not None
        }

    @cached_property
    def _walking(self) -> dict[str, Any]:
        """What both walks call."""
        return {
            "count_subtree": inner(with_globals(subtree.count_subtree, self.rules)),
            "bound_too_high": inner(with_globals(bounds.bound_too_high, self.rules)),
        }

    def _search(self, variant: str, **names: Any) -> Callable[..., int]:
        return self.function(search.search, variant, **self._walking, **self.rules, **names)


_kernels: dict[tuple[type[Puzzle], bool], Kernel] = {}


def kernel_of(cls: type[Puzzle], has_cost: bool) -> Kernel:
    """Return the kernel of a puzzle class, one for all that ask; of one of a main module, such as a notebook's, as long
    as its rules mean the same.

    Raises:
        BadPuzzle: see `Kernel`.
    """
    found = _kernels.get((cls, has_cost))
    if found is None or (cls.__module__ == "__main__" and found.identity != of_rules(cls)):
        found = _kernels[cls, has_cost] = Kernel(cls, has_cost)
    return found
