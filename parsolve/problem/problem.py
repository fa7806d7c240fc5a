"""A puzzle made ready to be searched: validated, resolved and equipped once; everything else uses it.

puzzle ─▶ what is searched (`Puzzle.counting`) ─▶ state type ─▶ distances of its abstractions ─▶ root, tables, kernel
                                                              (from here on when first needed)
"""

import bisect
import contextlib
import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.errors import BadInput, BadPuzzle, ParsolveError
from parsolve.problem import verify
from parsolve.problem.compiled import LET_TABLES, CompiledRules, rules_of
from parsolve.problem.costs import Costs, first_limit
from parsolve.problem.data import Array, PatternDatabase, digest_of
from parsolve.problem.hooks import call, call_method, returned, rows_from, text_from, whole_number
from parsolve.problem.registry import Spec, construct, spec_of
from parsolve.puzzle.core import Counting, Puzzle, Want
from parsolve.puzzle.parameters import bounding, values_of
from parsolve.text import place_of, shown

Supplier = Callable[["Problem"], tuple[PatternDatabase, ...]]


def require_puzzle(puzzle: object) -> None:
    """Raise a BadInput for what is no puzzle."""
    if not isinstance(puzzle, Puzzle):
        raise BadInput(f"a puzzle is wanted, such as parsolve.puzzles.Queens(8), not {shown(puzzle)}")


class Identity(NamedTuple):
    """It distinguishes searches with the same class and parameters.

    Attributes:
        rules: a digest of the rules' meaning.
        data: a digest of its lookups, root, first limits with their steps, number of children and size.
    """

    rules: str
    data: str


class Problem:
    """A puzzle that can be searched. Other problems follow from it:

        for_breadth   the given puzzle, or `counting`'s for breadth   the engine breadth searches it
        for_sharing   the puzzle that `sharing` names                 the engine sharing searches it
        bounded(n)    the searched puzzle with a better bound         deepening continues with it
        begun         without the better bounds                       a result has it, and a journal compares it
        inverse       the searched puzzle with moves taken back       levels from both ends, and tables, search it
        unbounded     `counting`'s unbounded puzzle                   a journal compares its rules

    The first two, `begun` and `unbounded` may be the problem itself; `inverse` may be None.

    Args:
        puzzle: the given puzzle.
        want: the requested answer; by default the puzzle itself is searched, without asking `counting`.
        counting: what is searched instead; by default what the puzzle's `counting` names.
        begun: the problem with which the search began, before a better bound.
        supplier: makes its pattern databases when they are first needed, also in another process.

    Attributes:
        puzzle: the searched puzzle: the given one, or the one named by its `counting`.
        given: the given puzzle.
        want: the requested answer; None if the puzzle itself is searched.
        counting: what is searched.
        name: the name of the searched class, for messages.
        key_rule: the rule that identifies states: `key`, or else `index`; empty without either.
        is_weighted: whether a solved state stands for several solutions.
        state: dtype of a row: the puzzle's fields in their order, aligned, and `cost` and `bound` if it lacks them.
        declared: dtype from the puzzle.
        children: the greatest number of children.
        default_transposition: bytes of the transposition table by default.
        own_fields: the fields besides cost, bound and move.
        has_cost: whether solutions differ in cost; otherwise the only limit is 0, and costs are not shown.
        has_bound: whether states have a lower bound; otherwise it is always 0.
        costs: its limits, its steps, and costs that do not fit.
        graph: the declared graph.
        rises: whether every move leads to a higher level.
        size: number of states that its index numbers; None without one.
        entries: number of entries of its table of distances; 0 without an index.
        multiplicity: how many of its solutions represent one of the puzzle that it is searched for.
        abstractions: puzzles whose distances are lower bounds, or whose states show which states can reach a goal.
        bound_may_change: whether branches may come from a search with another lower bound.

    Raises:
        BadPuzzle: the puzzle breaks the contract: at once, or when a method or property first calls it.
        BadInput: it cannot be searched for the requested answer.
    """

    def __init__(
        self,
        puzzle: Puzzle,
        want: Want | None = None,
        counting: Counting | None = None,
        begun: "Problem | None" = None,
        supplier: "Supplier | None" = None,
    ) -> None:
        require_puzzle(puzzle)
        self.given, self.want, self.supplier, self._begun = puzzle, want, supplier, begun
        self.counting = counting or verify.counting(puzzle, want)
        self.puzzle: Puzzle = self.counting.puzzle
        cls: type[Puzzle] = type(self.puzzle)
        verify.contract(cls)
        self.name = cls.__name__
        self.key_rule = "key" if cls.key is not None else "index" if cls.index is not None else ""
        self.is_weighted = cls.weight is not None
        self.declared: Any = verify.state(self.puzzle)
        self.children = verify.number(self.puzzle, "children", 16)
        self.default_transposition = verify.number(self.puzzle, "default_transposition", least=0)
        names: tuple[str, ...] = self.declared.names or ()
        fields = [(name, self.declared[name]) for name in names]
        fields += [(name, np.dtype("u1")) for name in ("cost", "bound") if name not in names]
        self.state: np.dtype[Any] = np.dtype(fields, align=True)
        self.own_fields = tuple(name for name in names if name not in ("cost", "bound", "move"))
        self.has_cost, self.has_bound = "cost" in names, "bound" in names
        self.costs = Costs(self.puzzle, self.state["cost"], self.has_cost)
        self.bound_may_change = self.counting.unbounded is not None or len(bounding(cls)) > 0
        self.graph = verify.graph(self.puzzle)
        self.rises = cls.level is not None or self.graph == "graded"
        self.size = verify.size(self.puzzle)
        self.entries = verify.number(self.puzzle, "entries") if self.size else 0
        self.multiplicity = verify.number(self.puzzle, "multiplicity")
        self.abstractions = verify.abstractions(self.puzzle)
        self._databases: tuple[PatternDatabase, ...] | None = None if self.abstractions else ()
        if not self.abstractions:
            _ = self.root  # raises an error in it at once

    @cached_property
    def for_breadth(self) -> "Problem":
        """The problem for breadth-first search: the given puzzle, unless its `counting` names another one for that."""
        return self._answered_by(self.counting.breadth or self.given)

    @cached_property
    def for_sharing(self) -> "Problem":
        """The problem for the engine `sharing`: the puzzle named by `sharing`."""
        puzzle = call_method(self.given, "sharing")
        if not isinstance(puzzle, Puzzle):
            raise BadPuzzle(f"{type(self.given).__name__}: 'sharing' must return a puzzle, not {shown(puzzle)}")
        return self._answered_by(puzzle)

    @cached_property
    def inverse(self) -> "Problem | None":
        """The problem with moves taken back; None if there is none."""
        puzzle = call_method(self.puzzle, "inverse_puzzle")
        if puzzle is None:
            return None
        if not isinstance(puzzle, Puzzle):
            raise BadPuzzle(f"{self.name}: 'inverse_puzzle' must return a puzzle or None, not {shown(puzzle)}")
        problem = Problem(puzzle, supplier=self.supplier)
        if problem.state != self.state:
            raise BadPuzzle(f"{self.name}: 'inverse_puzzle' returns a puzzle whose 'state' has other fields")
        return problem

    @cached_property
    def unbounded(self) -> "Problem":
        """The problem with the rules for all its bounds: that of the puzzle that its `counting` names for that."""
        puzzle = self.counting.unbounded
        return self if puzzle in (None, self.puzzle) else Problem(puzzle, supplier=self.supplier)

    def __reduce__(self) -> Any:
        """Return it as plain data: the sources of its puzzles' classes, and their parameters."""
        given, searched = (spec_of(each) or each for each in (self.given, self.puzzle))
        return _remade, (given, searched, self.want, self.supplier)

    def _answered_by(self, puzzle: Puzzle) -> "Problem":
        """Return the problem of the given puzzle whose answer is that of another puzzle itself."""
        if puzzle == self.puzzle and self.counting.total is int:
            return self
        return Problem(self.given, counting=Counting(puzzle, breadth=puzzle), supplier=self.supplier)

    @cached_property
    def spec(self) -> Spec | None:
        """The searched puzzle, as plain data; None if no other process can load it."""
        return spec_of(self.puzzle)

    @property
    def databases(self) -> tuple[PatternDatabase, ...]:
        """The pattern database of each abstraction.

        Raises:
            ParsolveError: nothing supplies them; or see `tables.databases.supply`.
        """
        if self._databases is None:
            if self.supplier is None:
                raise ParsolveError(f"{self.name} was not supplied with its pattern databases: parsolve's own fault")
            self._databases = self.supplier(self)
        return self._databases

    def supply(self, supplier: Supplier, later: Supplier) -> None:
        """Take its pattern databases from a supplier, unless it has them; `later` makes those of problems that follow
        from it, as with a better bound."""
        if self._databases is None:
            self._databases = supplier(self)
        self.supplier = later

    def take_shared(self, of: "Problem") -> None:
        """Take the lookups, databases and rules of a problem with its batch key."""
        self._databases, self.tables, self.compiled_rules = of.databases, of.tables, of.compiled_rules

    @property
    def is_supplied(self) -> bool:
        """Whether it has its pattern databases."""
        return self._databases is not None

    @property
    def distances(self) -> tuple[Array, ...]:
        """The table of each abstraction, uint8[entries] or uint64[any], read-only; see `databases`."""
        return tuple(each.table for each in self.databases)

    @cached_property
    def root(self) -> Array:
        """The first state: record[1]."""
        root = call_method(self.puzzle, "root", *self.distances)
        return rows_from(self.puzzle, "root", [root], self.state)

    def goals(self) -> Array:
        """Return the solved states from the puzzle: record[n]."""
        goals = call_method(self.puzzle, "goals")
        if not isinstance(goals, list | tuple) or not all(isinstance(goal, Mapping) for goal in goals):
            raise BadPuzzle(f"{self.name}: 'goals' must return a list of dicts of fields, not {shown(goals)}")
        return rows_from(self.puzzle, "goals", goals, self.state)

    def limits(self, least: int = 0) -> Iterator[int]:
        """Yield the limits to try: the puzzle's, from the root's cost + bound on, and from a least one on."""
        return self.costs.limits(max(least, first_limit(self.root)))

    def state_of(self, row: Any) -> dict[str, Any]:
        """Return a row by its fields; an array field is a list."""
        return {name: row[name].tolist() for name in self.state.names or ()}

    @cached_property
    def tables(self) -> tuple[Any, ...]:
        """The lookups of the rules."""
        tables = call_method(self.puzzle, "tables", *self.distances)
        if not isinstance(tables, tuple):
            place = place_of(type(self.puzzle).tables)
            raise BadPuzzle(f"{self.name}: 'tables'{place} must return a NamedTuple, not {returned(tables)}")
        return _contiguous(tables)  # type: ignore[no-any-return]

    @cached_property
    def compiled_rules(self) -> CompiledRules:
        """The rules for templates. They read the present values, after `root` and `tables` have run.

        Raises:
            BadPuzzle: they read values that the constructor writes, and that another puzzle's has written since.
        """
        _ = self.root, self.tables
        rules, cls = rules_of(type(self.puzzle), self.has_cost, self.has_bound), type(self.puzzle)
        with contextlib.suppress(BadInput):
            construct(cls, values_of(self.puzzle))  # writes them again
        if name := rules.find_change():
            raise BadPuzzle(f"{self.name}: the constructor changes {name}, which the rules read: {LET_TABLES}")
        return rules

    @cached_property
    def identity(self) -> Identity:
        """All that the answer depends on, besides class and parameters; a journal compares its `job_identity`."""
        return Identity(self.compiled_rules.identity.digest, self.data_digest(self.root, self.limits()))

    def data_digest(self, root: Array, limits: Iterable[int]) -> str:
        """Return a digest of the data of this problem, or of one with the same batch key.

        Args:
            root: record[1]: its root.
            limits: its limits, ascending; those below the root's cost and bound do not matter.
        """
        first = first_limit(root)
        tried = self.costs.digest(itertools.dropwhile(lambda limit: limit < first, limits))
        return digest_of((self.lookups_digest, root, self.children, self.size, tried))

    @cached_property
    def lookups_digest(self) -> str:
        """A digest of the lookups."""
        return digest_of(self.tables, self.databases)

    @property
    def begun(self) -> "Problem":
        """The problem as its search begins, before a better bound."""
        return self._begun or self

    def bounded(self, number: int) -> "Problem":
        """Return the same problem with one of the better bounds."""
        better = self.counting.better
        puzzle = call(self.puzzle, "better", better[number].puzzle)
        if not isinstance(puzzle, Puzzle):
            raise BadPuzzle(f"{self.name}: a Better must give a puzzle, not {shown(puzzle)}")
        counting = replace(self.counting, puzzle=puzzle, better=better[number + 1 :])
        return Problem(self.given, self.want, counting, self.begun, self.supplier)

    @property
    def batch_key(self) -> Hashable:
        """A value shared by problems of a batch that differ only in roots and limits."""
        puzzles = (self.puzzle,) if self.puzzle is self.given else (self.given, self.puzzle)
        keys = tuple((type(puzzle), call_method(puzzle, "batch_key")) for puzzle in puzzles)
        try:
            hash(keys)
        except TypeError:
            text = f"'batch_key' must return what has a hash, such as a tuple, not {shown(keys[-1][1])}"
            raise BadPuzzle(f"{self.name}: {text}") from None
        return keys

    @cached_property
    def unsolvable(self) -> str:
        """Why there is no solution, if that is known without a search; otherwise empty."""
        return text_from(self.given, "unsolvable")

    def require_solvable(self) -> None:
        """Refuse a problem that is known to have no solution, where its states are wanted.

        Raises:
            BadInput: says why there is none.
        """
        if self.unsolvable:
            raise BadInput(f"{self.name} has no solution: {self.unsolvable}")

    def total(self, weights: int) -> int:
        """Return the number of solutions from the sum of the weights of solved states."""
        total = whole_number(self.puzzle, "'total'", call(self.puzzle, "total", lambda: self.counting.total(weights)))
        if total < 0:
            raise BadPuzzle(f"{self.name}: 'total' must return a number of solutions, not {total}")
        return total

    def weight_of(self, solutions: int) -> int | None:
        """Return the least weight of solved states that stands for a number of solutions, at least 1; None if a run
        cannot count that far."""
        most = next((1 << bits for bits in range(64) if self.total(1 << bits) >= solutions), None)
        return most and 1 + bisect.bisect_left(range(1, most), solutions, key=self.total)

    def warning(self, workers: int) -> str:
        """Return a warning for the user before the search; empty for none."""
        text = call(self.puzzle, "warning", lambda: self.counting.warning(workers))
        if not isinstance(text, str):
            raise BadPuzzle(f"{self.name}: 'warning' must return a text, not {shown(text)}")
        return text


def _remade(given: Spec | Puzzle, searched: Spec | Puzzle, want: Want | None, supplier: Any) -> Problem:
    """Return the problem of two puzzles that were sent as plain data, see `Problem.given`."""
    given, puzzle = (each.make() if isinstance(each, Spec) else each for each in (given, searched))
    counting = verify.counting(given, want)
    if counting.puzzle != puzzle:
        counting = replace(counting, puzzle=puzzle, breadth=counting.breadth if want else puzzle, better=())
    return Problem(given, want, counting, supplier=supplier)


def _contiguous(value: Any) -> Any:
    """Return lookups with each array in C order and native byte order, as compiled code reads them."""
    if isinstance(value, tuple):
        items = [_contiguous(item) for item in value]
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    if not isinstance(value, np.ndarray) or (value.flags.c_contiguous and value.dtype.isnative):
        return value
    return np.ascontiguousarray(value, value.dtype.newbyteorder("="))
