"""The rules of a puzzle class, and copies of the templates into which they are injected."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from parsolve.errors import BadPuzzle
from parsolve.kernel import proposals, subtree
from parsolve.kernel.bytecode import returns_nothing
from parsolve.kernel.functions import inner, kept
from parsolve.kernel.identity import of_rules
from parsolve.kernel.marks import with_globals
from parsolve.puzzle import Puzzle
from parsolve.text import place_of

NO_RETURN = {
    "expand": "returns nothing: end it with 'return top'",
    "propose": "returns nothing: end it with 'return top'",
    "admit": "returns nothing: write 'return' before what says whether a child can meet the limit",
    "solved": "returns nothing: write 'return' before what says whether a state is solved",
    "key": "returns nothing: end it with 'return' and the key",
    "dead_key": "returns nothing: end it with 'return' and the key",
    "level": "returns nothing: end it with 'return' and the level",
    "weight": "returns nothing: end it with 'return' and two numbers",
    "index": "returns nothing: end it with 'return' and the number of the state",
    "entry": "returns nothing: end it with 'return' and the place of the state's distance",
}
"""The complaint about a rule that returns nothing."""


class Rules:
    """The rules of a puzzle class as templates call them.

    Args:
        cls: the class.
        has_cost: whether its solutions differ in cost.

    Attributes:
        cls: the class.
        identity: identity of its rules.
        rules: the rules, by the names that templates use.
        in_two_steps: the rules that `expand` is made of, where the class gives them instead.
        expand: the rule, or what is made of these.

    Raises:
        BadPuzzle: a rule never returns a value.
    """

    def __init__(self, cls: type[Puzzle], has_cost: bool) -> None:
        for name in NO_RETURN:
            if returns_nothing(getattr(cls, name, None)):  # compiled code would take it for 0 or False
                raise BadPuzzle(f"{cls.__name__}: the rule {name!r}{place_of(getattr(cls, name))} {NO_RETURN[name]}")
        self._helpers: dict[Any, Any] = {}
        weight = getattr(cls, "weight", None)
        self.in_two_steps: dict[str, Any] = {}
        if cls.propose is not None:
            self.in_two_steps = {name: inner(getattr(cls, name), inline=True) for name in ("propose", "admit")}
        self.expand = with_globals(proposals.expand, self.in_two_steps) if self.in_two_steps else cls.expand
        expand = inner(self.expand, inline=True)
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
            variant: appended to the template's name, to tell its kernels apart.
            names: what is injected as its globals.
        """
        return kept(with_globals(template, names), f"{template.__name__}{variant}", self._helpers)

    @cached_property
    def key(self) -> Any:
        """The compiled rule `key`, or else `index`; None if there is neither."""
        rule = self.cls.key or self.cls.index
        return None if rule is None else inner(rule, inline=True)
