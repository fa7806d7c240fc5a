"""A puzzle made ready to be searched: validated, resolved and equipped once; everything else uses it.

puzzle ─▶ what is searched (`Puzzle.counting`) ─▶ state type ─▶ distances of its abstractions ─▶ root, tables, kernel
                                                              (from here on when first needed)
"""

import bisect
import contextlib
import itertools
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from parsolve.compiler.identity import CodeIdentity
from parsolve.errors import BadInput, BadPuzzle, ParsolveError
from parsolve.problem.data import Array, PatternDatabase, digest_of
from parsolve.problem.hooks import call, call_method, text_from, whole_number
from parsolve.problem.registry import Spec, construct, spec_of
from parsolve.problem.rules import LET_TABLES, Rules, rules_of
from parsolve.problem.states import States, returned
from parsolve.problem.verify import verified_graph, verified_size, verify_class
from parsolve.puzzle.core import SINGLE, Better, Counting, Puzzle, Want
from parsolve.puzzle.parameters import bounding, values_of
from parsolve.text import place_of, shown

Supplier = Callable[["Problem"], tuple[PatternDatabase, ...]]

TRIED = (0, 1, 2, 3, 1000, 1 << 40)
"""Sums of weights whose totals are in a search's identity: `total` may read values that its code does not show."""


def require_puzzle(puzzle: object) -> None:
    """Raise a BadInput for what is no puzzle."""
    if not isinstance(puzzle, Puzzle):
        raise BadInput(f"a puzzle is wanted, such as parsolve.puzzles.Queens(8), not {shown(puzzle)}")


class Identity(NamedTuple):
    """It distinguishes searches with the same class and parameters.

    Attributes:
        rules: a digest of the rules' meaning.
        data: a digest of the lookups and the root that the puzzle's methods have returned.
    """

    rules: str
    data: str


class Problem(States):
    """A puzzle that can be searched.

    Args:
        puzzle: the given puzzle.
        want: the requested answer; by default the puzzle itself is searched, without asking `counting`.
        counting: what is searched instead; by default what the puzzle's `counting` names.
        begun: the problem with which the search began, before a better bound.
        supplier: makes its pattern databases when they are first needed, also in another process.

    Attributes besides those of `States`:
        puzzle: the searched puzzle: the given one, or the one named by its `counting`.
        given: the given puzzle.
        want: the requested answer; None if the puzzle itself is searched.
        graph: the declared graph.
        rises: whether every move leads to a higher level.
        size: number of states that its index numbers; None without one.
        entries: number of entries of its table of distances; 0 without an index.
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
        self._counting = counting or _counting(puzzle, want)
        searched: Puzzle = self._counting.puzzle
        verify_class(type(searched))
        super().__init__(searched)
        self.bound_may_change = type(searched).bounds_only or len(bounding(type(searched))) > 0
        self.graph = verified_graph(self.puzzle)
        self.rises = type(self.puzzle).level is not None or self.graph == "graded"
        # Without an index a parameter may be called `size` or `entries`.
        self.size = verified_size(self.puzzle, "size") if type(self.puzzle).index is not None else None
        self.entries = (verified_size(self.puzzle, "entries") or self.size or 0) if self.size is not None else 0
        self.abstractions = self._verified_abstractions()
        if not self.abstractions:
            _ = self.root  # raises an error in it at once

    @cached_property
    def for_breadth(self) -> "Problem":
        """The problem for breadth-first search: the given puzzle, unless its `counting` names another one for that."""
        return self._searching(self._counting.breadth or self.given)

    @cached_property
    def for_sharing(self) -> "Problem":
        """The problem for the engine `sharing`: the puzzle named by `sharing`."""
        puzzle = call_method(self.given, "sharing")
        if not isinstance(puzzle, Puzzle):
            raise BadPuzzle(f"{type(self.given).__name__}: 'sharing' must return a puzzle, not {shown(puzzle)}")
        return self._searching(puzzle)

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

    def __reduce__(self) -> Any:
        """Return it as plain data: the sources of its puzzles' classes, and their parameters."""
        given, searched = (spec_of(each) or each for each in (self.given, self.puzzle))
        return _remade, (given, searched, self.want, self.supplier)

    def _searching(self, puzzle: Puzzle) -> "Problem":
        """Return the problem in which the given puzzle is answered by another one itself."""
        if puzzle is self.puzzle and self._counting.total is int:
            return self
        return Problem(self.given, counting=Counting(puzzle, breadth=puzzle), supplier=self.supplier)

    @property
    def description(self) -> str:
        """The searched class, with the parameters that differ from those given."""
        values, given = values_of(self.puzzle), values_of(self.given)
        changed = ", ".join(f"{name}={shown(values[name])}" for name in values if values[name] != given.get(name))
        return f"{self.name}({changed})" if changed else self.name

    @cached_property
    def spec(self) -> Spec | None:
        """The searched puzzle, as plain data; None if no other process can load it."""
        return spec_of(self.puzzle)

    @cached_property
    def databases(self) -> tuple[PatternDatabase, ...]:
        """The pattern database of each abstraction.

        Raises:
            ParsolveError: nothing supplies them; or see `tables.databases.supply`.
        """
        if not self.abstractions:
            return ()
        if self.supplier is None:
            raise ParsolveError(f"{self.name} was not supplied with its pattern databases: a fault of parsolve's own")
        return self.supplier(self)

    @property
    def is_supplied(self) -> bool:
        """Whether it has its pattern databases."""
        return "databases" in vars(self)

    @property
    def distances(self) -> tuple[Array, ...]:
        """The table of each abstraction, uint8[entries] or uint64[any], read-only; see `databases`."""
        return tuple(each.entries for each in self.databases)

    @cached_property
    def root(self) -> Array:
        """The first state: record[1]."""
        return self.rows("root", [call_method(self.puzzle, "root", *self.distances)])

    @cached_property
    def tables(self) -> tuple[Any, ...]:
        """The lookups of the rules."""
        tables = call_method(self.puzzle, "tables", *self.distances)
        if not isinstance(tables, tuple):
            place = place_of(type(self.puzzle).tables)
            raise BadPuzzle(f"{self.name}: 'tables'{place} must return a NamedTuple, not {returned(tables)}")
        return _contiguous(tables)  # type: ignore[no-any-return]

    @cached_property
    def compiled_rules(self) -> Rules:
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
        """All that the answer depends on, besides class and parameters."""
        data = self.data_digest_of(self.root, self.limits())
        return Identity(self.compiled_rules.identity.digest, data)

    def data_digest_of(self, root: Array, limits: Iterable[int]) -> str:
        """Return the digest of the data of this problem, or of one with the same batch key.

        Args:
            root: record[1]: its root.
            limits: its limits, ascending; those below the root's cost and bound do not matter.
        """
        first = int(root["cost"][0]) + int(root["bound"][0])
        tried = self.digest_of_limits(itertools.dropwhile(lambda limit: limit < first, limits))
        return digest_of((self.lookups_digest, root, self.children, self.size, tried))

    @cached_property
    def lookups_digest(self) -> str:
        """A digest of the lookups."""
        return digest_of(self.tables, self.databases)

    @cached_property
    def rules_digest(self) -> str:
        """A digest by which a journal's job is resumed: of the rules of the given puzzle, if the searched one differs
        only in its bound, and of the meaning of `total`."""
        searched_for = Problem(self.given, supplier=self.supplier) if type(self.puzzle).bounds_only else self
        rules = searched_for.compiled_rules.identity.digest
        if self._counting.total is int:
            return rules
        totals = [self.total(weights) for weights in TRIED]
        return digest_of([rules, CodeIdentity({"total": self._counting.total}).digest, totals])

    @cached_property
    def meaning(self) -> str:
        """A digest of all that levels of its states mean: its identity, and each declaration that they depend on."""
        back, unshared = self.inverse, CodeIdentity({"unshared": type(self.given).unshared})
        declared = self.graph, self.goals(), back and back.identity, self.puzzle.multiplicity, unshared.digest
        return digest_of([*self.identity, *declared])

    @property
    def begun(self) -> "Problem":
        """The problem as its search begins, before a better bound."""
        return self._begun or self

    @property
    def data_digest(self) -> str:
        """A digest by which a journal's job is resumed: of the data with which its search begins, if any does."""
        data = self.begun.identity.data
        return digest_of([data, self.unsolvable]) if self.unsolvable else data

    def searched_by(self, engine: str) -> "Problem":
        """Return the problem that an engine searches."""
        if engine == "sharing":
            return self.for_sharing
        return self.for_breadth if engine == "breadth" else self

    def data_digest_by(self, engine: str) -> str:
        """Return a digest of all data that the answer of an engine depends on."""
        is_by_levels = engine in ("breadth", "sharing")
        return digest_of([self.data_digest, self.searched_by(engine).meaning]) if is_by_levels else self.data_digest

    def better(self, nodes: float, load: "Callable[[Problem], bool]" = lambda problem: False) -> "Problem | None":
        """Return the same problem with the best bound that pays; None if none does.

        Args:
            nodes: nodes of the last iteration with this bound.
            load: loads the pattern databases of a problem if they are available, and returns whether they are.
        """
        for number, each in reversed([*enumerate(self._counting.better)]):
            if nodes >= min(each.after, each.kept):
                problem = self._bounded(number)
                if load(problem) or nodes >= each.after:
                    return problem
        return None

    def _bounded(self, number: int) -> "Problem":
        """Return the same problem with one of the better bounds."""
        better = self._counting.better
        puzzle = call(self.puzzle, "better", better[number].puzzle)
        require_puzzle(puzzle)
        if not type(puzzle).bounds_only:
            raise BadPuzzle(f"{type(puzzle).__name__}: a Better must give a puzzle that says 'bounds_only'")
        counting = replace(self._counting, puzzle=puzzle, better=better[number + 1 :])
        return Problem(self.given, self.want, counting, self.begun, self.supplier)

    @property
    def batch_key(self) -> Hashable:
        """A value shared by problems of a batch that differ only in roots and limits."""
        puzzles = (self.puzzle,) if self.puzzle is self.given else (self.given, self.puzzle)
        return tuple((type(puzzle), call_method(puzzle, "batch_key")) for puzzle in puzzles)

    def sibling(self, problem: "Problem") -> "Problem":
        """Return a problem with the same batch key, given this one's bound, lookups, pattern databases and rules."""
        if problem.batch_key != self.batch_key:
            every = map(problem._bounded, range(len(problem._counting.better)))
            problem = next(each for each in every if each.batch_key == self.batch_key)
        problem.databases, problem.tables, problem.compiled_rules = self.databases, self.tables, self.compiled_rules
        return problem

    @property
    def key_rule(self) -> str:
        """The rule that identifies states: `key`, or else `index`; empty without either."""
        return next((rule for rule in ("key", "index") if getattr(type(self.puzzle), rule) is not None), "")

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

    @property
    def is_weighted(self) -> bool:
        """Whether a solved state stands for several solutions."""
        return type(self.puzzle).weight is not None

    @property
    def is_plain(self) -> bool:
        """Whether each solved state is one solution."""
        return not self.is_weighted and self._counting.total is int

    def total(self, weights: int) -> int:
        """Return the number of solutions from the sum of the weights of solved states."""
        return whole_number(self.puzzle, "'total'", call(self.puzzle, "total", lambda: self._counting.total(weights)))

    def weight_of(self, solutions: int) -> int | None:
        """Return the least weight of solved states that stands for a number of solutions, at least 1; None if a run
        cannot count that far."""
        most = 1
        while self.total(most) < solutions:
            if most >> 63:
                return None
            most *= 2
        return 1 + bisect.bisect_left(range(1, most), solutions, key=self.total)

    def warning(self, workers: int) -> str:
        """Return a warning for the user before the search; empty for none."""
        text = call(self.puzzle, "warning", lambda: self._counting.warning(workers))
        if not isinstance(text, str):
            raise BadPuzzle(f"{self.name}: 'warning' must return a text, not {shown(text)}")
        return text

    def _verified_abstractions(self) -> tuple[Puzzle, ...]:
        given = call_method(self.puzzle, "abstractions")
        if not isinstance(given, Sequence) or not all(isinstance(each, Puzzle) for each in given):
            raise BadPuzzle(f"{self.name}: 'abstractions' must return a list of puzzles, not {shown(given)}")
        return tuple(given)


def _remade(given: Spec | Puzzle, searched: Spec | Puzzle, want: Want | None, supplier: Any) -> Problem:
    """Return the problem of two puzzles that were sent as plain data, see `Problem.given`."""
    given, puzzle = (each.make() if isinstance(each, Spec) else each for each in (given, searched))
    counting = _counting(given, want)
    if counting.puzzle != puzzle:
        counting = replace(counting, puzzle=puzzle, breadth=counting.breadth if want else puzzle, better=())
    return Problem(given, want, counting, supplier=supplier)


def _counting(puzzle: Puzzle, want: Want | None) -> Counting:
    """Return what is searched for an answer: by default the puzzle itself."""
    verify_class(type(puzzle))
    counting = want and call_method(puzzle, "counting", "first" if want in SINGLE else want)
    if counting is None:
        return Counting(puzzle)
    if not isinstance(counting, Counting) or not all(
        isinstance(each, Puzzle) for each in (counting.puzzle, counting.breadth or counting.puzzle)
    ):
        raise BadPuzzle(f"{type(puzzle).__name__}: 'counting' must return a Counting or None, not {shown(counting)}")
    if not isinstance(counting.better, Sequence) or not all(isinstance(each, Better) for each in counting.better):
        name = type(puzzle).__name__
        raise BadPuzzle(f"{name}: 'better' of a Counting must be a list of Better, not {shown(counting.better)}")
    return counting


def _contiguous(value: Any) -> Any:
    """Return lookups with each array in C order and native byte order, as compiled code reads them."""
    if isinstance(value, tuple):
        items = [_contiguous(item) for item in value]
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    if not isinstance(value, np.ndarray) or (value.flags.c_contiguous and value.dtype.isnative):
        return value
    return np.ascontiguousarray(value, value.dtype.newbyteorder("="))
