"""Searcher: the compiled kernel of one puzzle with its stack, which searches branches."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from parsolve.compiler.arguments import has_kind, kind_of
from parsolve.compiler.uncompiled import is_plain
from parsolve.deepening.kernels import DeepeningKernels, WalkKernel
from parsolve.deepening.outcome import Outcome
from parsolve.deepening.pace import Pace
from parsolve.deepening.prefixes import prefix_of
from parsolve.deepening.stack import BranchStack
from parsolve.deepening.templates.memo import Memo
from parsolve.deepening.templates.roots import RootSearches
from parsolve.deepening.templates.run import DONE, FALLS, MERGED, NEVER, NO_ROOM, RUN, TOO_CHEAP, TOO_HIGH, TOO_MANY
from parsolve.deepening.templates.search import BEGINNING
from parsolve.deepening.templates.subtree import LARGEST
from parsolve.deepening.transposition import TranspositionTable
from parsolve.errors import BadPuzzle, TooCheap
from parsolve.problem.data import Array
from parsolve.problem.problem import Problem
from parsolve.search.branch import Branch
from parsolve.search.cuts import NEXT, NOTHING

BUFFER_BYTES = 1 << 18
"""The default size of the solution buffer."""

FAULTS = {
    TOO_MANY: "by its 'weight' a solved state stands for 2^63 solutions or more; 2^63 - 1 is the most, and neither"
    " solutions nor nodes are negative",
    TOO_HIGH: "the bound of a state exceeds its distance from a solved one (parsolve check finds the state)",
    MERGED: "{key!r} merges states with different numbers of solutions below them, or a bound is too high, or 'limits'"
    " skip a value (parsolve check finds the states)",
}
"""What is wrong with the rules if a walk ends so."""

NO_TABLE = TranspositionTable()

NO_PATHS = np.zeros((0, 0), np.uint16)
"""The solution buffer of a search that lists nothing."""


@dataclass(frozen=True)
class Sought:
    """What the walks of an iteration look for.

    Attributes:
        limit: limit of the iteration.
        listing: whether solutions are listed or only counted.
        buffer: how many solutions a run may list; None for as many as fit in `BUFFER_BYTES`.
        cheaper: whether solutions that cost less than the limit count too.
        passed: solutions of this cost or less end a path without being counted: earlier limits have counted them.
        enough: the weight of solutions at which a run ends; None for no such end.
    """

    limit: int
    listing: bool = False
    buffer: int | None = None
    cheaper: bool = False
    passed: int = -1
    enough: int | None = None

    @property
    def first(self) -> int:
        """How many of the first solutions in depth-first order are wanted; 0 if any will do, or for all."""
        return self.enough or 0 if self.listing and not self.cheaper else 0


class Searcher:
    """Searches branches of a problem: its kernel, its tables and a stack. One thread at a time.

    Args:
        problem: the problem.
        largest: maximum number of nodes of a subtree that is counted breadth-first; it changes no outcome.
        walk: its kernel until it is warmed up; by default the full one.

    Raises:
        BadPuzzle: the puzzle breaks the contract.
    """

    def __init__(self, problem: Problem, largest: int = LARGEST, walk: WalkKernel | None = None) -> None:
        self.problem = problem
        self.pace = Pace()  # of the searches that it has served
        self._puzzle, self._tables, self._rules = problem.puzzle, problem.tables, problem.compiled_rules
        self._kernels = self._rules.kernels(DeepeningKernels)
        self._kind = kind_of(self._tables) if has_kind(self._tables) else None
        self._stack = BranchStack(problem, largest)
        self._paths = np.zeros((0, 0), np.uint16)
        self._table = NO_TABLE
        self._memo = Memo(NO_TABLE.entries(), np.zeros(0, np.int64), np.zeros(0, np.uint8))
        self._runs = np.zeros(1, RUN)
        self._runs["children"], self._runs["largest"], self._runs["repeats"] = problem.children, largest, BEGINNING
        self._runs["doubts"], self._walk = self._kernels.doubts, walk or WalkKernel(self._kernels)

    def whole(self) -> Branch:
        """The branch that is the whole tree."""
        return Branch.whole(int(self.problem.root["move"][0]))

    def warm_up(self, table: TranspositionTable = NO_TABLE, lasting: float = 0.0) -> None:
        """Load or compile the kernel and run it once, in an iteration that ends at the root.

        Args:
            table: the transposition table that searches will use: it has a kernel of its own.
            lasting: the seconds for which a kernel that is compiled sooner will do, if the other is not kept.
        """
        self._walk = WalkKernel(self._kernels, lasting)
        walked = self._arguments(self._make_room(Sought(0), table))
        self._walk.warm_up(self._kind, table.size > 0, lambda: self.run(self.whole(), Sought(0), 1, table), *walked)

    def warm_up_restoring(self) -> None:
        """Load or compile the kernels of a search that starts from a branch."""
        self._make_room(Sought(0), self._table)
        self._stack.play(self.whole(), 0)

    def warm_up_workers(self) -> bool:
        """Return whether workers need not compile; where they must, begin to compile for them once searches have
        lasted."""
        walk = self._walk
        if walk.is_brief or is_plain():
            return not walk.is_brief
        kernel: Any = self._rules.restore
        arguments = self._tables, *self._stack.replay_arguments(self.whole(), 0)
        return kernel.is_kept(*arguments) or walk.begin(kernel, *arguments)

    def run(self, branch: Branch, sought: Sought, budget: int, table: TranspositionTable = NO_TABLE) -> Outcome:
        """Search a branch until it is done, `budget` nodes are spent, the solution buffer is full or enough solutions
        are known. The transposition table is kept from run to run and from limit to limit: its entries depend on the
        room left.

        Raises:
            BadPuzzle: the rules do not compile or break the contract.
            NotReproducible: the branch is not one of this puzzle and limit.
        """
        limit, stack = sought.limit, self._stack
        paths = self._make_room(sought, table, branch)
        depth = stack.load(branch, limit)
        if depth is None:
            return Outcome(0, 0, self._paths[:0, :1].copy(), 1, 0.0)
        self._ask(limit=limit, budget=budget, cheaper=sought.cheaper, passed=sought.passed, enough=sought.enough)
        # Without costs nothing is ever cut, and the kernel need not check for it: there is only one limit.
        run, cut = self._runs[0], NEXT if stack.has_cut or not self.problem.has_cost else NOTHING
        run["depth"], run["nodes"], run["found"], run["stored"], run["cut"] = depth, 0, 0, 0, cut
        status, seconds = self._walk.run(self._puzzle, table.size > 0, self._runs, *self._arguments(paths))
        if status == NO_ROOM:
            stack.need_more(limit, int(run["depth"]), paths.shape[1])
            return self.run(branch, sought, budget, table)
        self._refuse_faults(status, limit, table.size > 0)
        rest = None if status == DONE else stack.rest(int(run["depth"]))
        stored = int(run["stored"])
        longest = int(paths[:stored, 0].max()) if stored else 0
        nodes = int(run["nodes"])
        return Outcome(
            nodes=nodes,
            weight=int(run["found"]),
            paths=paths[:stored, : 1 + longest].copy(),
            cut=int(run["cut"]),
            seconds=seconds,
            rest=() if rest is None else (rest,),
            counts=((prefix_of(branch, rest), nodes),),
        )

    def _refuse_faults(self, status: int, limit: int, remembers: bool) -> None:
        """Raise what is wrong with the rules, if a walk that has ended so shows it."""
        name, key = self.problem.name, self.problem.key_rule
        if status == FALLS or (status == TOO_CHEAP and self._stack.falls(int(self._runs[0]["depth"]))):
            raise self.problem.costs.falling()
        if status == TOO_CHEAP:
            merges = f"its {key!r} merges states, " if remembers else ""
            raise TooCheap(
                f"{name}: a solution costs less than the limit {limit}: its limits skip a value, {merges}or its bound"
                " is too high somewhere (parsolve check looks for that)"
            )
        if status in FAULTS:
            raise BadPuzzle(f"{name}: {FAULTS[status].format(key=key)}")

    def _arguments(self, paths: Array) -> tuple[Any, ...]:
        """Return the arguments of the walk."""
        stack = self._stack
        return self._tables, stack.rows, stack.levels, self._runs, paths, self._memo

    def run_roots(self, roots: RootSearches, listing: bool, enough: int | None) -> tuple[int, Array]:
        """Search roots that share the problem's lookups; see `run`, and `templates.roots.search_roots`.

        Returns:
            How many roots were searched, and the paths that they have listed, as in `Outcome.paths`: valid until the
            next call.
        """
        paths = self._make_room(Sought(int(roots.limits.max(initial=0)), listing), NO_TABLE)
        self._ask(cheaper=0, passed=-1, enough=enough, doubt=0, doubts=self._kernels.doubts)
        # Not by `call`: it says what this process does, and several threads may do so.
        return self._kernels.search_roots(*self._arguments(paths), roots), paths

    def _ask(self, *, enough: int | None, **values: int) -> None:
        """Set what is asked of a run."""
        values["enough"] = NEVER if enough is None else min(enough, NEVER)
        for name, value in (values | {"room": self._stack.room}).items():
            self._runs[name] = value

    def _make_room(self, sought: Sought, table: TranspositionTable, branch: Branch | None = None) -> Array:
        """Have room for a walk; return its solution buffer."""
        stack = self._stack
        levels = stack.make_room(sought.limit, branch)
        if self._table != table:
            self._memo, self._table = self._memo._replace(entries=table.entries()), table
        if table.size and self._memo.before.size < stack.levels.nexts.size:
            places = stack.levels.nexts.size
            before, whole = np.zeros(places, np.int64), np.zeros(places, np.uint8)
            self._memo = self._memo._replace(before=before, whole=whole)
        if not sought.listing:
            return NO_PATHS
        # By this limit alone, if `steps` says it: a slice must not depend on what was searched here before.
        size = sought.buffer or max(1, BUFFER_BYTES // (2 * levels))
        if self._paths.shape != (size, levels):
            self._paths = np.zeros((size, levels), np.uint16)
        return self._paths
