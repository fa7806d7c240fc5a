"""The rules of a puzzle class, and copies of the templates into which they are injected."""

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from parsolve.compiler.cache import compiled, inner
from parsolve.compiler.identity import CodeIdentity, Readings
from parsolve.compiler.marks import never_inline, with_globals
from parsolve.compiler.unsupported import returns_nothing
from parsolve.errors import BadPuzzle
from parsolve.problem.templates import restore, single
from parsolve.problem.templates.injected import expand
from parsolve.puzzle.catalogue import is_own
from parsolve.puzzle.core import RULES, Puzzle
from parsolve.text import place_of

LET_TABLES = "let 'tables' return it instead"
"""Advice about values that rules read and that change."""

K = TypeVar("K")


def expand_far(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
    """Call `expand` with the same arguments: for callers that would gain nothing from inlining it."""
    never_inline()
    # int64, so that `expand` is not compiled again for a constant limit.
    return expand(tables, here, np.int64(limit), rows, top)


def of_rules(cls: type[Puzzle]) -> CodeIdentity:
    """Return the identity of a puzzle class's rules."""
    readings = Readings()
    rules = {name: readings.read(getattr, cls, name, None) for name in RULES}
    return CodeIdentity({name: rule for name, rule in rules.items() if rule is not None}, readings)


class WatchedRules:
    """The rules of a puzzle class, whose meaning may change when the values that they read change.

    Args:
        cls: the class.

    Attributes:
        cls: the class.
        identity: identity of its rules.
    """

    def __init__(self, cls: type[Puzzle]) -> None:
        self.cls, self.identity = cls, of_rules(cls)

    def find_change(self) -> str:
        """Return the name of a changed value, if the rules now mean something else; otherwise empty. If they mean the
        same, their new values are those that count."""
        if name := self.identity.readings.change:
            now = of_rules(self.cls)
            if now.digest == self.identity.digest and not now.opaque:
                self.identity = now
                return ""
        return name

    def require_unchanged(self) -> None:
        """Require that the rules have kept their meaning while they are compiled.

        Raises:
            BadPuzzle: they have not.
        """
        if name := self.find_change():
            raise BadPuzzle(f"{self.cls.__name__}: {name}, which the rules read, has changed meanwhile: {LET_TABLES}")


class CompiledRules(WatchedRules):
    """The rules of a puzzle class in the form for templates.

    Args:
        cls: the class.
        has_cost: whether its solutions differ in cost.
        has_bound: whether its states have a lower bound.

    Attributes:
        is_own: whether it is a class of parsolve, whose bounds tests have proved.
        names: the rules, and what follows from them, by the names in templates.

    Raises:
        BadPuzzle: a rule never returns a value.
    """

    def __init__(self, cls: type[Puzzle], has_cost: bool, has_bound: bool = False) -> None:
        for name, rule in RULES.items():
            if rule.returns and returns_nothing(getattr(cls, name, None)):  # compiled code would take it for 0 or False
                raise BadPuzzle(
                    f"{cls.__name__}: the rule {name!r}{place_of(getattr(cls, name))} {rule.returning_nothing}"
                )
        super().__init__(cls)
        self._helpers: dict[Any, Any] = {}
        self._kernels: dict[Any, Any] = {}
        self.has_bound, self.is_own = has_bound, is_own(cls.__module__)
        expand = inner(cls.expand, inline=True)
        self.names: dict[str, Any] = {
            "expand": expand,
            "expand_far": inner(with_globals(expand_far, {"expand": expand})),
            "solved": inner(cls.solved, inline=True),
            "weight": None if cls.weight is None else inner(cls.weight),
            "weigh": cls.weight is not None,
            "has_cost": has_cost,  # without costs the limit cuts nothing
            "jump": has_cost and cls.jumps,
            "doubt": has_cost,  # else nothing can be wrong with it, and there is no bound
        }

    def function(self, template: Callable[..., Any], variant: str = "", **names: Any) -> Callable[..., Any]:
        """Return a template as a compiled function of this puzzle class.

        Args:
            template: a function.
            variant: appended to the template's name, to distinguish its kernels.
            names: values that are injected as its globals.
        """
        name = f"{template.__name__}{variant}"
        return compiled(with_globals(template, names), name, self._helpers, self.require_unchanged)

    def kernels(self, make: "Callable[[CompiledRules], K]") -> K:
        """Return the functions that an engine makes from these rules; they are made once.

        Each is loaded, or compiled, on its first call with arguments of new kinds. They serve all instances of a class,
        because lookups are arguments.
        """
        if make not in self._kernels:
            self._kernels[make] = make(self)
        return self._kernels[make]  # type: ignore[no-any-return]

    @cached_property
    def restore(self) -> Callable[..., int]:
        """The replay of a branch's moves."""
        return self.function(restore.restore, **self.names)

    @cached_property
    def single(self) -> dict[str, Callable[..., Any]]:
        """Each rule alone, by its name; see the module `single` for the arguments."""
        templates = {name: getattr(single, name) for name in ("expand", "solved", "key", "level", "index", "entry")}
        templates |= {"unindex": single.write, "unkey": single.write}
        if self.cls.index is None:  # `entry` takes the number of a state
            del templates["entry"]
        rules = {name: getattr(self.cls, name, None) for name in templates}
        kept_with = self._helpers, self.require_unchanged
        return {
            name: compiled(with_globals(template, {"rule": inner(rules[name])}), f"check-{name}", *kept_with)
            for name, template in templates.items()
            if rules[name] is not None
        }

    @cached_property
    def key(self) -> Any:
        """The compiled rule `key`, or else `index`; None if there is neither."""
        rule = self.cls.key or self.cls.index
        return None if rule is None else inner(rule, inline=True)


_known: dict[tuple[type[Puzzle], bool, bool], dict[str, CompiledRules]] = {}
"""By class, and whether it has costs and bounds: its rules by their digest, the last used at the end."""

_lock = threading.RLock()  # searches on several threads use them


def rules_of(cls: type[Puzzle], has_cost: bool, has_bound: bool = False) -> CompiledRules:
    """Return the rules of a puzzle class: the same object as long as they and the values that they read stay the same.

    Raises:
        BadPuzzle: see `CompiledRules`; or a value that the rules read has changed, and numba would not notice.
    """
    with _lock:
        known = _known.setdefault((cls, has_cost, has_bound), {})
        last = known[next(reversed(known))] if known else None
        name = last.find_change() if last else ""
        if last and not name:
            return last
        if last and last.identity.is_fixed:
            text = "has changed since an earlier search, but numba keeps what it has compiled with it"
            raise BadPuzzle(f"{cls.__name__}: {name} {text}: search in a new process")
        made = CompiledRules(cls, has_cost, has_bound)
        earlier = known.pop(made.identity.digest, None)
        if earlier and not earlier.find_change():
            made = earlier
        known[made.identity.digest] = made
        return made
