"""Make kernels from a puzzle's plain rules.

Each puzzle class has its own copy of each template, with the rules injected as its globals. One kernel serves all
instances of a class, because lookups are arguments.
"""

import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from parsolve.errors import BadPuzzle
from parsolve.kernel import arrange, bounds, orders, proposals, roots, search, single, subtree
from parsolve.kernel.functions import inner, kept
from parsolve.kernel.marks import with_globals
from parsolve.kernel.rules import Rules
from parsolve.puzzle import Puzzle

if TYPE_CHECKING:
    from parsolve.kernel.breadth import DenseKernel, LayerKernel
    from parsolve.kernel.levels import LevelsKernel


class Kernel(Rules):
    """The compiled functions of a puzzle class; see the templates for their arguments. Each is loaded, or compiled, on
    its first call with arguments of new kinds."""

    @cached_property
    def search(self) -> Callable[..., int]:
        """The depth-first walk."""
        return self._search("", remember=False)

    @cached_property
    def search_remembering(self) -> Callable[..., int] | None:
        """The depth-first walk with the transposition table; None without a key."""
        if self.key is None:
            return None
        return self._search("-remembering", remember=True, key=self.key)

    @cached_property
    def search_in_order(self) -> Callable[..., int]:
        """The depth-first walk for any solution, in an order of children that goes by a seed."""
        return self.function(
            orders.search_in_order, remember=False, two_keys=False, key=None, dead_key=None, **self.rules
        )

    @cached_property
    def search_in_order_remembering(self) -> Callable[..., int] | None:
        """The same with the transposition table; None without a key."""
        if self.key is None:
            return None
        dead_key = self.key if self.cls.dead_key is None else inner(self.cls.dead_key, inline=True)
        names = {"remember": True, "key": self.key, "dead_key": dead_key, "two_keys": dead_key is not self.key}
        return self.function(orders.search_in_order, "-remembering", **names, **self.rules)

    @cached_property
    def search_roots(self) -> Callable[..., int]:
        """The depth-first walk of many roots, limit after limit."""
        names = {**self._walking, **self.rules, "remember": False}
        walk = inner(with_globals(search.search, names))
        return self.function(roots.search_roots, search=walk, has_cost=self.rules["watch"])

    @cached_property
    def restore(self) -> Callable[..., int]:
        """The replay of a branch's moves."""
        return self.function(search.restore, **self.rules)

    @cached_property
    def arrange(self) -> Callable[..., int]:
        """The moves of a solution, put in order."""
        return self.function(arrange.arrange_moves, **self.rules)

    @cached_property
    def layer(self) -> "LayerKernel | None":
        """Breadth-first search over whole states; None without a key."""
        if self.key is None:
            return None
        from parsolve.kernel.breadth import LayerKernel

        return LayerKernel.of(self)

    @cached_property
    def dense(self) -> "DenseKernel | None":
        """Breadth-first search over numbered states; None without the rule `index`."""
        if self.cls.index is None:
            return None
        from parsolve.kernel.breadth import DenseKernel

        return DenseKernel.of(self)

    @cached_property
    def levels(self) -> "LevelsKernel | None":
        """Levels of keys, and counts of what is left to do; None without the rule `unkey`."""
        if self.cls.unkey is None:
            return None
        from parsolve.kernel.levels import LevelsKernel

        return LevelsKernel.of(self)

    @cached_property
    def single(self) -> dict[str, Callable[..., Any]]:
        """Each rule alone, by its name; see the module `single` for the arguments."""
        templates = {name: getattr(single, name) for name in ("expand", "solved", "key", "dead_key", "level", "index")}
        templates |= {name: getattr(single, name) for name in ("entry", "reverse")}
        templates |= {"unindex": single.write, "unkey": single.write}
        if self.cls.index is None:  # `entry` takes the number of a state
            del templates["entry"]
        rules = {name: getattr(self.cls, name, None) for name in templates} | {"expand": self.expand}
        kept_with = self._helpers, self.require_unchanged
        return {
            name: kept(with_globals(template, {"rule": inner(rules[name])}), f"check-{name}", *kept_with)
            for name, template in templates.items()
            if rules[name] is not None
        }

    @cached_property
    def _walking(self) -> dict[str, Any]:
        """The templates that both walks call."""
        bound_too_high = inner(with_globals(bounds.bound_too_high, self.rules))
        count_subtree = proposals.count_subtree if self.in_two_steps else subtree.count_subtree
        return {
            "count_subtree": inner(with_globals(count_subtree, self.rules | self.in_two_steps)),
            "doubtful": inner(with_globals(bounds.doubtful, {"bound_too_high": bound_too_high})),
        }

    def _search(self, variant: str, **names: Any) -> Callable[..., int]:
        return self.function(search.search, variant, **self._walking, **self.rules, **names)


_kernels: dict[tuple[type[Puzzle], bool], dict[str, Kernel]] = {}
"""By class, and whether it has costs: its kernels by the digest of their rules, the one asked for last at the end."""

_lock = threading.RLock()  # searches on several threads ask for kernels


def kernel_of(cls: type[Puzzle], has_cost: bool) -> Kernel:
    """Return the kernel of a puzzle class: the same one as long as its rules, and what they read, are the same.

    Raises:
        BadPuzzle: see `Rules`; or what the rules read has changed, and numba would not notice.
    """
    with _lock:
        known = _kernels.setdefault((cls, has_cost), {})
        last = known[next(reversed(known))] if known else None
        name = last.change if last else ""
        if last and not name:
            return last
        if last and last.are_fixed:
            text = "has changed since an earlier search, but numba keeps what it has compiled with it"
            raise BadPuzzle(f"{cls.__name__}: {name} {text}: search in a new process")
        made = Kernel(cls, has_cost)
        earlier = known.pop(made.identity.digest, None)
        if earlier and not earlier.change:
            made = earlier
        known[made.identity.digest] = made
        return made
