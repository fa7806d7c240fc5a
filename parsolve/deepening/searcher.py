"""Searcher: the compiled kernel of one puzzle with its stack, which searches branches."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from parsolve.compiler.arguments import has_kind, kind_of
from parsolve.compiler.cache import readying
from parsolve.compiler.uncompiled import is_plain
from parsolve.deepening.kernels import DeepeningKernels
from parsolve.deepening.outcome import Outcome
from parsolve.deepening.prefixes import prefix_of
from parsolve.deepening.stack import BranchStack
from parsolve.deepening.templates.memo import Memo
from parsolve.deepening.templates.roots import Roots
from parsolve.deepening.templates.run import DONE, FALLS, MERGED, NEVER, NO_ROOM, RUN, TOO_CHEAP, TOO_HIGH, TOO_MANY
from parsolve.deepening.templates.search import BEGINNING
from parsolve.deepening.templates.subtree import LARGEST
from parsolve.deepening.transposition import TranspositionTable
from parsolve.errors import BadPuzzle, TooCheap
from parsolve.problem.calling import call_kernel
from parsolve.problem.problem import Problem
from parsolve.search.branch import Branch
from parsolve.search.tuning import Pace

Array = np.ndarray[Any, Any]

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

_warm: set[tuple[DeepeningKernels, Any, str]] = set()
"""The kernels that this process has loaded, by the type of the tables and their use."""


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


class Searcher:
    """Searches branches of a problem: its kernel, its tables and a stack. One thread at a time.

    Args:
        problem: the problem.
        largest: maximum number of nodes of a subtree that is counted breadth-first; it changes no outcome.

    Raises:
        BadPuzzle: the puzzle breaks the contract.
    """

    def __init__(self, problem: Problem, largest: int = LARGEST) -> None:
        self.problem = problem
        self.pace = Pace()  # of the searches that it has served
        self._puzzle, self._tables, self._rules = problem.puzzle, problem.tables, problem.compiled_rules
        self._kernels = self._rules.kernels(DeepeningKernels)
        self._kind = self._kernels, kind_of(self._tables) if has_kind(self._tables) else None
        self._stack = BranchStack(problem, largest)
        self._paths = np.zeros((0, 0), np.uint16)
        self._table = NO_TABLE
        self._memo = Memo(NO_TABLE.entries(), np.zeros(0, np.int64), np.zeros(0, np.uint8))
        self._runs = np.zeros(1, RUN)
        self._runs["children"], self._runs["largest"], self._runs["repeats"] = problem.children, largest, BEGINNING
        self._doubts = self._runs["doubts"] = int(problem.has_cost or problem.has_bound)
        self._is_brief = self._are_workers_warm = self._is_asked = False
        self._lasting, self._use = 0.0, ""

    def whole(self) -> Branch:
        """The branch that is the whole tree."""
        return Branch.whole(int(self.problem.root["move"][0]))

    def warm_up(self, table: TranspositionTable = NO_TABLE, lasting: float = 0.0) -> None:
        """Load or compile the kernel and run it once, in an iteration that ends at the root.

        Args:
            table: the transposition table that searches will use: it has a kernel of its own.
            lasting: the seconds for which a kernel that is compiled sooner will do, if the other is not kept.
        """
        use = "remember" if table.size else "search"
        if self._is_brief and (use, lasting) == (self._use, self._lasting):  # as in the search before
            return
        self._use, self._lasting, self._is_brief = use, lasting, False
        kind = (*self._kind, use)
        if kind not in _warm:
            if lasting and self._kind[1] is not None and not is_plain():
                self._make_room(Sought(0), table)
                self._is_brief = not self._kernels.walk(table.size > 0).is_kept(*self._walked(NO_PATHS))
            before = readying.total
            self.run(self.whole(), Sought(0), 1, table)
            if self._is_brief:
                self._kernels.seconds -= readying.total - before
            else:
                _warm.add(kind)

    def warm_up_restoring(self) -> None:
        """Load or compile the kernels of a search that starts from a branch."""
        kind = (*self._kind, "restore")
        if kind not in _warm:
            self._make_room(Sought(0), self._table)
            self._stack.play(self.whole(), 0)
            _warm.add(kind)

    def warm_up_workers(self) -> bool:
        """Return whether workers need not compile; where they must, begin to compile for them once searches have
        lasted."""
        if not self._are_workers_warm:
            kernel: Any = self._rules.restore
            arguments = self._tables, *self._stack.replay(self.whole(), 0)
            if not self._lasting or is_plain():
                self._are_workers_warm = True
            elif self._kernels.seconds > self._lasting:
                self._are_workers_warm = not self._is_brief and kernel.begin(*arguments)
            elif not self._is_brief and not self._is_asked:
                self._is_asked, self._are_workers_warm = True, kernel.is_kept(*arguments)
        return self._are_workers_warm

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
        asked = {"limit": limit, "budget": budget, "room": stack.room}
        asked |= {"cheaper": sought.cheaper, "passed": sought.passed}
        asked["enough"] = NEVER if sought.enough is None else min(sought.enough, NEVER)
        # Without costs nothing is ever cut, and the kernel need not check for it: there is only one limit.
        begun = {"depth": depth, "nodes": 0, "found": 0, "stored": 0, "cut": int(not self.problem.has_cost)}
        run = self._runs[0]
        for name, value in (asked | begun).items():
            run[name] = value
        walked = self._walked(paths)
        kernels, remembers = self._kernels, table.size > 0
        if self._is_brief and kernels.seconds > self._lasting:
            self._is_brief = not kernels.walk(remembers).begin(*walked)
            if not self._is_brief:
                run["doubts"] = self._doubts  # it looks at bounds that a brief walk trusts
        begin, compiled = time.perf_counter(), readying.total
        status = call_kernel(kernels.walk(remembers, self._is_brief), self._puzzle, *walked)
        seconds = time.perf_counter() - begin - (readying.total - compiled)
        kernels.seconds += seconds
        name = self.problem.name
        if status == FALLS or (status == TOO_CHEAP and stack.falls(int(run["depth"]))):
            raise self.problem.cost_falls()
        if status == TOO_CHEAP:
            key = f"its {self.problem.key_rule!r} merges states, " if remembers else ""
            raise TooCheap(
                f"{name}: a solution costs less than the limit {limit}: its limits skip a value, {key}or its bound is"
                " too high somewhere (parsolve check looks for that)"
            )
        if status == NO_ROOM:
            stack.need_more(limit, int(run["depth"]), paths.shape[1])
            return self.run(branch, sought, budget, table)
        if status in FAULTS:
            raise BadPuzzle(f"{name}: {FAULTS[status].format(key=self.problem.key_rule)}")
        rest = None if status == DONE else stack.rest(int(run["depth"]))
        stored = int(run["stored"])
        longest = int(paths[:stored, 0].max()) if stored else 0
        nodes = int(run["nodes"])
        return Outcome(
            nodes=nodes,
            found=int(run["found"]),
            paths=paths[:stored, : 1 + longest].copy(),
            cut=int(run["cut"]),
            seconds=seconds,
            rest=() if rest is None else (rest,),
            counts=((prefix_of(branch, rest), nodes),),
        )

    def _walked(self, paths: Array) -> tuple[Any, ...]:
        """Return the arguments of the walk."""
        stack = self._stack
        return self._tables, stack.rows, stack.levels, self._runs, paths, self._memo

    def run_roots(self, roots: Roots, listing: bool, enough: int | None) -> tuple[int, Array]:
        """Search roots that share the problem's lookups; see `run`, and `templates.roots.search_roots`.

        Returns:
            How many roots were searched, and the paths that they have listed, as in `Outcome.paths`: valid until the
            next call.
        """
        paths = self._make_room(Sought(int(roots.limits.max(initial=0)), listing), NO_TABLE)
        stack = self._stack
        asked = {"room": stack.room, "cheaper": 0, "passed": -1, "enough": NEVER if enough is None else enough}
        for name, value in (asked | {"doubt": 0, "doubts": self._doubts}).items():
            self._runs[name] = value
        arguments = (stack.rows, stack.levels, self._runs, paths, self._memo, roots)
        # Not by `call`: it says what this process does, and several threads may do so.
        return self._kernels.search_roots(self._tables, *arguments), paths

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
