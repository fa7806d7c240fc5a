"""The compiled functions of iterative deepening.

Each puzzle class has its own copy of each template, with the rules injected as its globals.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

from parsolve.compiler.cache import inner
from parsolve.compiler.marks import with_globals
from parsolve.deepening.templates import bounds, expand, roots, search, subtree
from parsolve.problem.rules import Rules


class DeepeningKernels:
    """The functions of a puzzle class; see the templates for their arguments.

    Args:
        rules: the rules of the class.

    Attributes:
        seconds: for how long they have searched.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules, self.seconds = rules, 0.0

    @classmethod
    def of(cls, rules: Rules) -> Self:
        """Return the kernels of a puzzle class."""
        return cls(rules)

    @cached_property
    def search(self) -> Callable[..., int]:
        """The depth-first walk."""
        return self._search("", remember=False)

    @cached_property
    def search_remembering(self) -> Callable[..., int] | None:
        """The depth-first walk with the transposition table; None without a key."""
        if self._rules.key is None:
            return None
        return self._search("-remembering", remember=True, key=self._rules.key)

    @cached_property
    def search_briefly(self) -> Callable[..., int]:
        """The depth-first walk for the beginning of a search."""
        return self._search("-brief", remember=False, brief=True)

    @cached_property
    def search_briefly_remembering(self) -> Callable[..., int]:
        """The same with the transposition table."""
        return self._search("-brief-remembering", remember=True, brief=True, key=self._rules.key)

    @cached_property
    def search_roots(self) -> Callable[..., int]:
        """The depth-first walk of many roots, limit after limit."""
        names = {**self._walking(), **self._rules.rules, "remember": False, "queue": True}
        walk = inner(with_globals(search.search, names))
        return self._rules.function(roots.search_roots, search=walk, has_cost=self._rules.rules["watch"])

    @cached_property
    def expand_rows(self) -> Callable[..., int]:
        """The expansion of many states."""
        return self._rules.function(expand.expand_rows, **self._rules.rules)

    def _walking(self) -> dict[str, Any]:
        """Return the templates that walks call."""
        rules = self._rules.rules
        looks = {"bound_too_high": inner(with_globals(bounds.bound_too_high, rules)), "bounded": self._rules.has_bound}
        return {
            "count_subtree": inner(with_globals(subtree.count_subtree, rules)),
            "doubtful": inner(with_globals(bounds.doubtful, looks)),
        }

    def _search(self, variant: str, remember: bool, brief: bool = False, **names: Any) -> Callable[..., int]:
        """Return a walk. A brief one trusts the costs and bounds of parsolve's own puzzles."""
        rules = self._rules
        names |= {**self._walking(), **rules.rules, "remember": remember, "queue": not brief}
        names["doubt"] &= not (brief and rules.is_own)
        return rules.function(search.search, variant, **names)
