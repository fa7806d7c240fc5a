"""The compiled functions of iterative deepening.

Each puzzle class has its own copy of each template, with the rules injected as its globals.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

from parsolve.compiler.arguments import Kind
from parsolve.compiler.cache import inner
from parsolve.compiler.marks import with_globals
from parsolve.deepening.templates import bounds, expand, roots, search, subtree
from parsolve.errors import BadPuzzle
from parsolve.problem.rules import CompiledRules


class DeepeningKernels:
    """The functions of a puzzle class; see the templates for their arguments.

    Args:
        rules: the rules of the class.

    Attributes:
        seconds: for how long they have searched, less what the brief kernel has taken to compile: the full one takes
            longer, and pays off in a search that takes as long.
        warm: what this process has called, by the kind of the tables: "search", "remember" or "restore".
    """

    def __init__(self, rules: CompiledRules) -> None:
        self._rules, self.seconds = rules, 0.0
        self.warm: set[tuple[Kind | None, str]] = set()
        self._walks: dict[str, Any] = {}

    @classmethod
    def of(cls, rules: CompiledRules) -> Self:
        """Return the kernels of a puzzle class."""
        return cls(rules)

    def walk(self, remembers: bool, is_brief: bool = False) -> Any:
        """Return the depth-first walk.

        Args:
            remembers: whether it uses the transposition table.
            is_brief: whether it is the one for the beginning of a search, which tries no queues, and trusts the costs
                and bounds of parsolve's own puzzles.

        Raises:
            BadPuzzle: the transposition table needs a key.
        """
        rules, variant = self._rules, "-brief" * is_brief + "-remembering" * remembers
        if variant not in self._walks:
            if remembers and rules.key is None:
                raise BadPuzzle(f"{rules.cls.__name__} gives no key, which the transposition table needs")
            names = {**self._walking(), **rules.names, "remember": remembers, "queue": not is_brief}
            names["doubt"] &= not (is_brief and rules.is_own)
            if remembers:
                names["key"] = rules.key
            self._walks[variant] = rules.function(search.search, variant, **names)
        return self._walks[variant]

    @cached_property
    def search_roots(self) -> Callable[..., int]:
        """The depth-first walk of many roots, limit after limit."""
        names = {**self._walking(), **self._rules.names, "remember": False, "queue": True}
        walk = inner(with_globals(search.search, names))
        return self._rules.function(roots.search_roots, search=walk, has_cost=self._rules.names["has_cost"])

    @cached_property
    def expand_rows(self) -> Callable[..., int]:
        """The expansion of many states."""
        return self._rules.function(expand.expand_rows, **self._rules.names)

    def _walking(self) -> dict[str, Any]:
        """Return the templates that walks call."""
        rules = self._rules.names
        looks = {"bound_too_high": inner(with_globals(bounds.bound_too_high, rules)), "bounded": self._rules.has_bound}
        return {
            "count_subtree": inner(with_globals(subtree.count_subtree, rules)),
            "doubtful": inner(with_globals(bounds.doubtful, looks)),
        }
