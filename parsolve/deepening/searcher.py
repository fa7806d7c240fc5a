"""Searcher: the compiled kernel of one puzzle with its stack, which searches branches."""

import time
from typing import Any

import numpy as np

from parsolve.compiler.arguments import has_kind, kind_of
from parsolve.compiler.cache import readying
from parsolve.compiler.rows import rows_to_overrun
from parsolve.compiler.uncompiled import is_plain
from parsolve.deepening.kernels import DeepeningKernels
from parsolve.deepening.outcome import Outcome
from parsolve.deepening.prefixes import prefix_of
from parsolve.deepening.templates.bounds import MOST
from parsolve.deepening.templates.memo import Memo
from parsolve.deepening.templates.roots import Roots
from parsolve.deepening.templates.run import DONE, FALLS, MERGED, NEVER, NO_ROOM, RUN, TOO_CHEAP, TOO_HIGH, TOO_MANY
from parsolve.deepening.templates.search import BEGINNING
from parsolve.deepening.templates.subtree import LARGEST
from parsolve.deepening.transposition import TranspositionTable
from parsolve.errors import BadPuzzle, NotReproducible, TooCheap
from parsolve.problem.calling import call
from parsolve.problem.problem import Problem
from parsolve.problem.states import MOST_STEPS, NO_LIMIT
from parsolve.problem.templates.restore import Stack
from parsolve.search.branch import Branch
from parsolve.search.tuning import Pace

Array = np.ndarray[Any, Any]

BUFFER_BYTES = 1 << 18
"""The default size of the solution buffer."""

MOST_LEVELS = MOST_STEPS + 1
"""The most levels of a stack: the root's, and one for each move."""

NO_TABLE = TranspositionTable()

NO_PATHS = np.zeros((0, 0), np.uint16)
"""The solution buffer of a search that lists nothing."""

_warm: set[tuple[DeepeningKernels, Any, str]] = set()
"""The kernels that this process has loaded, by the type of the tables and their use."""


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
        self._children = problem.children
        self._levels = self._allocated = self._needed = 0
        self._left: Branch | None = None  # the rest of the last run, which the stack still holds
        self._left_limit = 0
        self._paths = np.zeros((0, 0), np.uint16)
        self._table = NO_TABLE
        self._memo = Memo(NO_TABLE.entries(), np.zeros(0, np.int64), np.zeros(0, np.uint8))
        self._largest = largest
        self._runs = np.zeros(1, RUN)
        self._runs["children"], self._runs["largest"], self._runs["repeats"] = problem.children, largest, BEGINNING
        self._doubts = self._runs["doubts"] = int(problem.has_cost or problem.has_bound)
        self._is_brief = self._can_split = self._is_asked = False
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
                self._make_room(0, False, None, table)
                kernel: Any = self._kernels.search_remembering if table.size else self._kernels.search
                self._is_brief = kernel is not None and not kernel.is_kept(*self._walked(NO_PATHS))
            self.run(self.whole(), 0, 1, False, None, table)
            if not self._is_brief:
                _warm.add(kind)

    def warm_up_restoring(self) -> None:
        """Load or compile the kernels of a search that starts from a branch."""
        kind = (*self._kind, "restore")
        if kind not in _warm:
            self._make_room(0, False, None, self._table)
            self._play(self.whole(), 0)
            _warm.add(kind)

    def can_split(self) -> bool:
        """Return whether workers need not compile; where they must, begin to compile for them once searches have
        lasted."""
        if not self._can_split:
            kernel: Any = self._rules.restore
            arguments = self._tables, *self._played(self.whole(), 0)
            if not self._lasting or is_plain():
                self._can_split = True
            elif self._kernels.seconds > self._lasting:
                self._can_split = not self._is_brief and kernel.begin(*arguments)
            elif not self._is_brief and not self._is_asked:
                self._is_asked, self._can_split = True, kernel.is_kept(*arguments)
        return self._can_split

    def run(
        self,
        branch: Branch,
        limit: int,
        budget: int,
        listing: bool,
        buffer: int | None,
        table: TranspositionTable = NO_TABLE,
        *,
        cheaper: bool = False,
        passed: int = -1,
        enough: int | None = None,
    ) -> Outcome:
        """Search a branch until it is done, `budget` nodes are spent, the solution buffer is full or `enough` solutions
        are known. The transposition table is kept from run to run and from limit to limit: its entries depend on the
        room left.

        Raises:
            BadPuzzle: the rules do not compile or break the contract.
            NotReproducible: the branch is not one of this puzzle and limit.
        """
        self._make_room(limit, listing, buffer, table, len(branch.path) + 2)
        resumes = branch is self._left and limit == self._left_limit
        depth = len(branch.path) if resumes else self._restored(branch, limit)
        if depth is None:
            return Outcome(0, 0, self._paths[:0, :1].copy(), 1, 0.0)
        self._left, self._left_limit = None, limit
        asked = {"limit": limit, "budget": budget, "room": self._room, "cheaper": cheaper, "passed": passed}
        asked["enough"] = NEVER if enough is None else min(enough, NEVER)
        # Without costs nothing is ever cut, and the kernel need not check for it: there is only one limit.
        begun = {"depth": depth, "nodes": 0, "found": 0, "stored": 0, "cut": int(not self.problem.has_cost)}
        run = self._runs[0]
        for name, value in (asked | begun).items():
            run[name] = value
        paths = self._paths if listing else NO_PATHS
        walked = self._walked(paths)
        kernels = self._kernels
        kernel: Any = kernels.search_remembering if table.size else kernels.search
        if self._is_brief and kernels.seconds > self._lasting:
            self._is_brief = not kernel.begin(*walked)
            if not self._is_brief:
                run["doubts"] = self._doubts  # it looks at bounds that a brief walk trusts
        if self._is_brief:
            kernel = kernels.search_briefly_remembering if table.size else kernels.search_briefly
        if kernel is None:
            raise BadPuzzle(f"{self.problem.name} gives no key, which the transposition table needs")
        begin, compiled = time.perf_counter(), readying.total
        status = call(kernel, self._puzzle, *walked)
        seconds = time.perf_counter() - begin - (readying.total - compiled)
        kernels.seconds += seconds
        name = self.problem.name
        if status == FALLS or (status == TOO_CHEAP and self._falls(int(run["depth"]))):
            raise self.problem.cost_falls()
        if status == TOO_CHEAP:
            key = f"its {self.problem.key_rule!r} merges states, " if table.size else ""
            raise TooCheap(
                f"{name}: a solution costs less than the limit {limit}: its limits skip a value, {key}or its bound is"
                " too high somewhere (parsolve check looks for that)"
            )
        if status == NO_ROOM:
            self._need_more(limit, int(run["depth"]), paths.shape[1])
            return self.run(
                branch, limit, budget, listing, buffer, table, cheaper=cheaper, passed=passed, enough=enough
            )
        if status == TOO_MANY:
            raise BadPuzzle(
                f"{name}: by its 'weight' a solved state stands for 2^63 solutions or more; 2^63 - 1 is the most, and"
                " neither solutions nor nodes are negative"
            )
        if status == TOO_HIGH:
            raise BadPuzzle(
                f"{name}: the bound of a state exceeds its distance from a solved one (parsolve check finds the state)"
            )
        if status == MERGED:
            raise BadPuzzle(
                f"{name}: {self.problem.key_rule!r} merges states with different numbers of solutions below them, or a"
                " bound is too high, or 'limits' skip a value (parsolve check finds the states)"
            )
        if status != DONE:
            self._left = self._rest(int(run["depth"]))
        stored = int(run["stored"])
        longest = int(paths[:stored, 0].max()) if stored else 0
        nodes = int(run["nodes"])
        return Outcome(
            nodes=nodes,
            found=int(run["found"]),
            paths=paths[:stored, : 1 + longest].copy(),
            cut=int(run["cut"]),
            seconds=seconds,
            rest=() if self._left is None else (self._left,),
            counts=((prefix_of(branch, self._left), nodes),),
        )

    def _walked(self, paths: Array) -> tuple[Any, ...]:
        """Return the arguments of the walk."""
        return self._tables, self._rows, self._stack, self._runs, paths, self._memo

    def run_roots(self, roots: Roots, listing: bool, enough: int | None) -> tuple[int, Array]:
        """Search roots that share the problem's lookups; see `run`, and `templates.roots.search_roots`.

        Returns:
            How many roots were searched, and the paths that they have listed, as in `Outcome.paths`: valid until the
            next call.
        """
        self._make_room(int(roots.limits.max(initial=0)), listing, None, NO_TABLE)
        self._left = None
        asked = {"room": self._room, "cheaper": 0, "passed": -1, "enough": NEVER if enough is None else enough}
        for name, value in (asked | {"doubt": 0, "doubts": self._doubts}).items():
            self._runs[name] = value
        paths = self._paths if listing else NO_PATHS
        arguments = (self._rows, self._stack, self._runs, paths, self._memo, roots)
        # Not by `call`: it says what this process does, and several threads may do so.
        return self._kernels.search_roots(self._tables, *arguments), paths

    def _make_room(
        self, limit: int, listing: bool, buffer: int | None, table: TranspositionTable, least: int = 0
    ) -> None:
        levels = min(self.problem.steps(limit) + 2, MOST_LEVELS)
        if not self.problem.says_steps:
            if least > max(levels, self._needed):
                self._needed = 2 * least
            levels = min(max(levels, self._needed), MOST_LEVELS)
        if levels > self._levels:
            # A block of children for each level, and some more: a puzzle whose `steps` are slightly too few can run on.
            room = levels * self._children + 4 * self._children + 64
            self._room, self._levels = np.uint64(room), levels
            if room > self._allocated:  # for the next limits too: each allocation costs system calls and fresh pages
                self._allocated = 4 * room if self.problem.has_cost else room
                behind = max(self._largest, int(MOST))
                self._rows = rows_to_overrun(self._allocated + behind, self.problem.state)
                # Behind the levels, what a subtree's solutions are listed by, and the parents of states near one.
                places = self._allocated + 2 + behind
                self._stack = Stack(np.zeros(places, np.uint64), np.zeros(places, np.uint64))
                self._left = None
        if listing:
            # By this limit alone, if `steps` says it: a slice must not depend on what was searched here before.
            size = buffer or max(1, BUFFER_BYTES // (2 * levels))
            if self._paths.shape != (size, levels):
                self._paths = np.zeros((size, levels), np.uint16)
        if self._table != table:
            self._memo, self._table = self._memo._replace(entries=table.entries()), table
        if table.size and self._memo.before.size < self._stack.nexts.size:
            places = self._stack.nexts.size
            before, whole = np.zeros(places, np.int64), np.zeros(places, np.uint8)
            self._memo = self._memo._replace(before=before, whole=whole)
        self._rows[:1] = self.problem.root

    def _need_more(self, limit: int, depth: int, width: int) -> None:
        """Let the next run have twice as many levels, if these were too few for the one that the stack holds.

        Raises:
            BadPuzzle: the puzzle says how many there are, has more children than it says, or goes on for ever.
        """
        rows = int(self._stack.ends[depth])
        is_full = rows + self._children > self._room or 0 < width <= depth
        if self.problem.says_steps or not is_full or rows > 1 + depth * self._children:
            raise self._no_room(limit)
        if depth > MOST_STEPS:
            text = f"a path has more than {MOST_STEPS:,} moves: do moves lead in a circle?"
            raise BadPuzzle(f"{self.problem.name}: {text}")
        self._needed = 2 * self._levels

    def _restored(self, branch: Branch, limit: int) -> int | None:
        """Load a branch and return its last level; None if another bound leaves nothing of it."""
        try:
            return self._restore(branch, limit)
        except NotReproducible:
            if not self.problem.bound_may_change:
                raise
        left = self._within_bound(branch, limit)
        return None if left is None else self._restore(left, limit)

    def _within_bound(self, branch: Branch, limit: int) -> Branch | None:
        """Return a branch without the rows that the bound now cuts off; None if none is left."""
        path, pending = branch.path, [*branch.pending]
        for level in range(1, len(pending)):
            needed = {*pending[level], *path[level : level + 1]}
            if not needed <= self._moves_after(path[:level], NO_LIMIT):
                raise self._not_there(level, limit)
            there = self._moves_after(path[:level], limit)
            pending[level] = tuple(move for move in pending[level] if move in there)
            if level < len(path) and path[level] not in there:
                path, pending = path[:level], pending[: level + 1]
                break
        while pending and not pending[-1]:
            pending.pop()
        if not pending:
            return None
        return Branch(path[: len(pending) - 1], tuple(pending), branch.sizes[: len(pending)])

    def _moves_after(self, path: tuple[int, ...], limit: int) -> set[int]:
        """Return the moves of the children of the last state of a path, the root's own move first."""
        levels = len(path) + 1
        self._play(Branch(path, ((),) * levels, (1,) * levels), limit)
        begin, end = self._stack.ends[levels - 2 : levels].tolist()
        return {*self._rows["move"][begin:end].tolist()}

    def _restore(self, branch: Branch, limit: int) -> int:
        if not branch.path:  # the whole tree: spares loading a second kernel
            self._stack.nexts[0], self._stack.ends[0] = 0, 1
            return 0
        return self._play(branch, limit)

    def _play(self, branch: Branch, limit: int) -> int:
        self._left = None
        level: int = call(self._rules.restore, self._puzzle, self._tables, *self._played(branch, limit))
        if level == len(branch.pending) + 1:
            raise self._no_room(limit)
        if level < 0:
            raise self._not_there(-1 - level, limit)
        return level

    def _played(self, branch: Branch, limit: int) -> tuple[Any, ...]:
        """Return the arguments of the replay of a branch, after the lookups."""
        pending = np.array([move for moves in branch.pending for move in moves], np.int64)
        first = np.cumsum([0, *map(len, branch.pending)], dtype=np.int64)
        return self._rows, self._stack, limit, int(self._room), np.array(branch.path, np.int64), first, pending

    def _not_there(self, level: int, limit: int) -> NotReproducible:
        return NotReproducible(f"{self.problem.name}: move {level} of a branch is not there at limit {limit}")

    def _no_room(self, limit: int) -> BadPuzzle:
        steps = f" and {self.problem.steps(limit)} steps" if self.problem.says_steps else ""
        text = f"more rows than {self._children} children{steps} allow (parsolve check finds the state)"
        return BadPuzzle(f"{self.problem.name}: {text}")

    def _falls(self, depth: int) -> bool:
        """Return whether the costs along the path that the stack holds fall."""
        costs = self._rows["cost"][self._stack.nexts[: depth + 1] - 1].astype(np.int64)
        return bool((np.diff(costs) < 0).any())

    def _rest(self, depth: int) -> Branch | None:
        moves = self._rows["move"]
        nexts = self._stack.nexts[: depth + 1].tolist()
        ends = self._stack.ends[: depth + 1].tolist()
        while nexts and nexts[-1] == ends[-1]:
            nexts.pop()
            ends.pop()
        if not nexts:
            return None
        if nexts[-1] > ends[-1]:
            text = "must return top, at least what it was given (parsolve check finds the state)"
            raise BadPuzzle(f"{self.problem.name}: 'expand' {text}")
        starts = [0, *ends[:-1]]
        return Branch(
            path=tuple(int(moves[at - 1]) for at in nexts[:-1]),
            pending=tuple(tuple(moves[at:end].tolist()) for at, end in zip(nexts, ends, strict=True)),
            sizes=tuple(end - start for start, end in zip(starts, ends, strict=True)),
        )
