"""The compiled functions of iterative deepening.

Each puzzle class has its own copy of each template, with the rules injected as its globals.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from parsolve.compiler.arguments import Kind
from parsolve.compiler.cache import inner
from parsolve.compiler.marks import with_globals
from parsolve.compiler.uncompiled import is_plain
from parsolve.compiler.waiting import kernel_time
from parsolve.deepening.templates import bounds, expand, roots, search, subtree
from parsolve.errors import BadPuzzle
from parsolve.problem.calling import call_kernel
from parsolve.problem.compiled import CompiledRules
from parsolve.puzzle.core import Puzzle


class DeepeningKernels:
    """The functions of a puzzle class; see the templates for their arguments.

    Args:
        rules: the rules of the class.

    Attributes:
        seconds: for how long they have searched, less what the brief kernel has taken to compile: the full one takes
            longer, and pays off in a search that takes as long.
        warm: the full kernels that this process has called: the kind of the tables, and whether it remembers.
        doubts: with what `RUN.doubts` begins.
    """

    def __init__(self, rules: CompiledRules) -> None:
        self._rules, self.seconds, self.doubts = rules, 0.0, int(rules.names["doubt"])
        self.warm: set[tuple[Kind | None, bool]] = set()
        self._walks: dict[str, Any] = {}

    def walk(self, remembers: bool, is_brief: bool = False) -> Any:
        """Return the depth-first walk.

        Args:
            remembers: whether it uses the transposition table.
            is_brief: whether it tries no queues, and trusts the costs and bounds of parsolve's own puzzles.

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


class WalkKernel:
    """The kernel of a searcher's walk: the brief one, if the full one is not kept, until searches of the class have
    lasted; then the full one, which continues the same stack.

    Args:
        kernels: the functions of the class.
        lasting: the seconds for which the brief kernel will do; 0 for the full one alone.
        is_brief: whether it is the brief one, an attribute too.
    """

    def __init__(self, kernels: DeepeningKernels, lasting: float = 0.0, is_brief: bool = False) -> None:
        self._kernels, self._lasting = kernels, lasting
        self.is_brief = is_brief

    def begin(self, kernel: Any, *arguments: Any) -> bool:
        """Begin to compile a kernel once searches have lasted; return whether a call need not wait for that."""
        return bool(self._kernels.seconds > self._lasting and kernel.begin(*arguments))

    def warm_up(self, kind: Kind | None, remembers: bool, run: Callable[[], object], *arguments: Any) -> None:
        """Choose the kernel, and load or compile it by a run, unless this process has called the full one."""
        kernels, use, before = self._kernels, (kind, remembers), kernel_time.total
        if use not in kernels.warm:
            if self._lasting and kind is not None and not is_plain():
                self.is_brief = not kernels.walk(remembers).is_kept(*arguments)
            run()
            if self.is_brief:
                kernels.seconds -= kernel_time.total - before
            else:
                kernels.warm.add(use)

    def run(self, puzzle: Puzzle, remembers: bool, runs: Any, *arguments: Any) -> tuple[int, float]:
        """Continue the search of the arguments, `runs` one of them; return the status of the run, and its seconds."""
        kernels = self._kernels
        if self.is_brief and self.begin(kernels.walk(remembers), *arguments):
            self.is_brief = False
            runs["doubts"] = kernels.doubts  # it looks at bounds that a brief walk trusts
        begin = kernel_time.clock
        status = call_kernel(kernels.walk(remembers, self.is_brief), puzzle, *arguments)
        seconds = kernel_time.clock - begin
        kernels.seconds += seconds
        return status, seconds
