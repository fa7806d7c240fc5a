"""Does a puzzle keep the contract? Runs its rules as plain Python over sampled states.

Compiled code notices no field left unset, no value that does not fit and no index beyond an array. Here the
rules meet stand-ins for states, rows and tables that do, and what they write is compared with what the
compiled rules write. A small breadth-first search then holds the bound against true distances and the key
against the states that it stands for.
"""

import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from parsolve.errors import BadPuzzle, RuleRaised
from parsolve.kernel.search import NO_LIMIT
from parsolve.kernel.specialise import call, compiled
from parsolve.puzzle import KEPT_FIELDS, Puzzle, aligned, ask, limits_of, root_row, steps_within, tables_of, verify

State = dict[str, int]


@dataclass(frozen=True)
class Fault:
    """Something that breaks the contract, and the state that shows it."""

    text: str
    state: State

    def __str__(self) -> str:
        return f"{self.text} at {' '.join(f'{name}={value}' for name, value in self.state.items())}"


@dataclass
class Report:
    """What a check has seen: `faults`, at most one of each kind, and how much was looked at."""

    faults: list[Fault]
    states: int = 0
    on_solved_paths: int = 0
    key_pairs: int = 0


class Misuse(Exception):
    """A rule did to a stand-in what compiled code would not have noticed."""


def check(puzzle: Puzzle, states: int = 20_000, samples: int = 300) -> Report:
    """Run a puzzle's rules over its first states.

    Args:
        puzzle: the puzzle; an instance with solved states near its root checks the bound best.
        states: how many states the breadth-first search reaches at most.
        samples: how many of them meet the uncompiled rules.

    Raises:
        BadPuzzle: a rule is missing or does not compile.
    """
    puzzle = ask(puzzle, "for_want", "count")
    verify(puzzle)
    for name in puzzle.state.names or ():
        if puzzle.state[name].subdtype is not None:
            raise BadPuzzle(f"{type(puzzle).__name__}: check cannot look into the array field {name!r} of 'state'")
    rules = Rules(puzzle)
    graph = Graph(rules, states)
    report = Report([], len(graph.rows))
    # The first states, and evenly spread ones down to the deepest.
    chosen = sorted({*range(min(samples // 3, report.states)), *range(0, report.states, -(-report.states // samples))})
    # What only a search would ask for.
    first = next(limits_of(puzzle), 0)
    steps_within(puzzle, first)
    ask(puzzle, "show", [])
    faults = itertools.chain(
        graph.faults,
        *(rules.faults_at(graph.rows[number]) for number in chosen),
        graph.bound_faults(report),
        graph.key_faults(report),
    )
    kinds = set()
    for kind, fault in faults:
        if kind not in kinds:
            kinds.add(kind)
            report.faults.append(fault)
    return report


class Rules:
    """A puzzle's rules, compiled and plain.

    Raises:
        BadPuzzle: a rule does not compile.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        cls = type(puzzle)
        self.puzzle = puzzle
        self.dtype = aligned(puzzle.state)
        self.names: tuple[str, ...] = self.dtype.names or ()
        self.tables = tables_of(puzzle)
        self.plain_tables = _plain_tables(self.tables)
        self.room = np.zeros(8 * puzzle.children + 64, self.dtype)
        helpers: dict[Any, Any] = {}
        expand, solved = compiled(cls.expand, helpers), compiled(cls.solved, helpers)

        def children(tables: Any, rows: Any, limit: Any) -> Any:
            return expand(tables, rows[0], limit, rows, 1)

        def is_solved(tables: Any, rows: Any) -> Any:
            return solved(tables, rows[0])

        self._children: Callable[..., int] = numba.njit(nogil=True)(children)
        self._solved: Callable[..., bool] = numba.njit(nogil=True)(is_solved)
        self._key: Callable[..., Any] | None = None
        if cls.key is not None:
            key = compiled(cls.key, helpers)

            def key_of(tables: Any, rows: Any) -> Any:
                return key(tables, rows[0])

            self._key = numba.njit(nogil=True)(key_of)

    def children(self, row: Any, limit: int = NO_LIMIT) -> np.ndarray[Any, Any]:
        """The children of a row, by the compiled rule."""
        self.room[:1] = row
        end = call(self._children, self.puzzle, self.tables, self.room, limit)
        return self.room[1:end].copy()

    def solved(self, row: Any) -> bool:
        """Whether a row is solved, by the compiled rule."""
        self.room[:1] = row
        return bool(call(self._solved, self.puzzle, self.tables, self.room))

    def key(self, row: Any) -> int | None:
        """The key of a row, by the compiled rule; None where the puzzle gives none."""
        if self._key is None:
            return None
        self.room[:1] = row
        return int(call(self._key, self.puzzle, self.tables, self.room))

    def state(self, row: Any) -> State:
        """A row as a dictionary."""
        return {name: int(row[name]) for name in self.names}

    def faults_at(self, row: Any) -> Iterator[tuple[str, Fault]]:
        """What the plain rules do wrong at one state, each with its kind."""
        state = self.state(row)
        try:
            with np.errstate(over="ignore"):
                every = self._plain_children(row, NO_LIMIT)
                solved = self.puzzle.solved(self.plain_tables, Here(self.dtype, state))
                if bool(solved) != self.solved(row):
                    yield "solved", Fault(f"'solved' is {solved} as Python, but not compiled", state)
                if self.puzzle.key is not None:
                    key = self.puzzle.key(self.plain_tables, Here(self.dtype, state))
                    if int(key) != self.key(row):
                        yield "key", Fault(f"'key' is {int(key)} as Python, {self.key(row)} compiled", state)
                yield from self._faults_among(every, state, row)
                for limit in range(state["cost"] + state["bound"], state["cost"] + state["bound"] + 3):
                    yield from self._faults_of_limit(every, limit, state, row)
        except Misuse as misuse:
            yield str(misuse)[:30], Fault(str(misuse), state)
        except Exception as error:
            yield "raises", Fault(f"a rule raises {type(error).__name__} as Python: {error}", state)

    def _plain_children(self, row: Any, limit: int) -> list[State]:
        rows = Rows(self.dtype)
        top = self.puzzle.expand(self.plain_tables, Here(self.dtype, self.state(row)), limit, rows, 1)
        return [rows.written(number) for number in range(1, int(top))]

    def _faults_among(self, every: Sequence[State], state: State, row: Any) -> Iterator[tuple[str, Fault]]:
        if len(every) > self.puzzle.children:
            text = f"'expand' gives {len(every)} children, 'children' says at most {self.puzzle.children}"
            yield "children", Fault(text, state)
        moves = [child["move"] for child in every]
        if any(a >= b for a, b in itertools.pairwise(moves)):
            yield "moves", Fault(f"the moves of the children are not distinct and rising: {moves}", state)
        for child in every:
            if child["cost"] < state["cost"]:
                yield "cost", Fault(f"the cost falls to {child['cost']} by move {child['move']}", state)
        made = [self.state(child) for child in self.children(row)]
        if made != list(every):
            which = next(
                (pair for pair in zip(every, made, strict=False) if pair[0] != pair[1]),
                (len(every), len(made)),
            )
            text = f"'expand' gives {which[0]} as Python, {which[1]} compiled (int64 mixed with uint64?)"
            yield "compiled", Fault(text, state)

    def _faults_of_limit(
        self, every: Sequence[State], limit: int, state: State, row: Any
    ) -> Iterator[tuple[str, Fault]]:
        fits = [child["move"] for child in every if child["cost"] + child["bound"] <= limit]
        for how, given in (
            ("as Python", [child["move"] for child in self._plain_children(row, limit)]),
            ("compiled", self.children(row, limit)["move"].tolist()),
        ):
            if given != fits:
                text = f"at limit {limit} 'expand' gives the moves {given} {how}; those that can meet it are {fits}"
                yield "limit", Fault(text, state)


class Here:
    """Stands in for a state: its fields as compiled code widens them."""

    def __init__(self, dtype: np.dtype[Any], state: State) -> None:
        self.__dict__.update({name: _widened(dtype[name], value) for name, value in state.items()})

    def __setattr__(self, name: str, value: Any) -> None:
        raise Misuse(f"'expand' writes into the state that it expands (field {name!r})")


class Row:
    """Stands in for a row to be written: knows what was set, and whether it fits."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.__dict__.update(_dtype=dtype, _set={}, _wrong="")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in (self._dtype.names or ()):
            raise Misuse(f"'expand' writes a field {name!r} that the state does not have")
        if isinstance(value, float | np.floating):
            self.__dict__["_wrong"] = f"the field {name!r} is given the float {value} (int64 mixed with uint64?)"
            value = 0
        value = int(value)
        if not 0 <= value <= np.iinfo(self._dtype[name]).max:
            self.__dict__["_wrong"] = f"the field {name!r} ({self._dtype[name]}) overflows: {value}"
        self._set[name] = value

    def __getattr__(self, name: str) -> Any:
        if name not in self._set:
            raise Misuse(f"'expand' reads the field {name!r} of a row before it is set")
        return _widened(self._dtype[name], self._set[name])


class Rows:
    """Stands in for the stack: rows appear as they are written."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype
        self._rows: dict[int, Row] = {}

    def __getitem__(self, number: Any) -> Row:
        return self._rows.setdefault(int(number), Row(self._dtype))

    def __setitem__(self, number: Any, value: Any) -> None:
        row = self._rows[int(number)] = Row(self._dtype)
        for name in self._dtype.names or ():
            setattr(row, name, getattr(value, name))

    def written(self, number: int) -> State:
        """The row as it stands."""
        row = self[number]
        if row._wrong:
            raise Misuse(row._wrong)
        for name in self._dtype.names or ():
            if name not in row._set:
                raise Misuse(f"'expand' leaves the field {name!r} of a child unset")
        return {name: row._set[name] for name in self._dtype.names or ()}


class Table:
    """Stands in for an array of the tables: no index beyond its ends."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array
        self.size, self.shape, self.ndim = array.size, array.shape, array.ndim

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, index: Any) -> Any:
        try:
            value = self._array[index]
        except IndexError:
            raise Misuse(f"a rule reads a table of shape {self.shape} at {index}") from None
        return Table(value) if isinstance(value, np.ndarray) else _widened(self._array.dtype, value)


def _plain_tables(tables: Any) -> Any:
    def plain(value: Any) -> Any:
        return Table(value) if isinstance(value, np.ndarray) else value

    return type(tables)(*map(plain, tables)) if hasattr(tables, "_fields") else tuple(map(plain, tables))


def _widened(dtype: np.dtype[Any], value: Any) -> Any:
    # Compiled code widens small integers to 64 bits; uint64 stays what it is.
    return np.uint64(value) if dtype == np.uint64 else value.item() if isinstance(value, np.generic) else value


class Graph:
    """A breadth-first search by the compiled rules, cheapest states first, from the root."""

    def __init__(self, rules: Rules, most: int) -> None:
        self.rules = rules
        self.rows: list[Any] = []
        self.faults: list[tuple[str, Fault]] = []
        self._costs: list[int] = []
        self._parents: list[int] = []
        self._edges: dict[int, list[tuple[int, int]]] = defaultdict(list)  # by state: (child, cost of the move)
        numbers: dict[tuple[int, ...], int] = {}
        own = [name for name in rules.names if name not in ("cost", "bound")]
        heap: list[tuple[int, int]] = []

        def number_of(row: Any, parent: int) -> int:
            identity = tuple(int(row[name]) for name in own)
            if identity not in numbers:
                numbers[identity] = len(self.rows)
                self.rows.append(row)
                self._costs.append(int(row["cost"]))
                self._parents.append(parent)
                heapq.heappush(heap, (int(row["cost"]), numbers[identity]))
            return numbers[identity]

        number_of(root_row(rules.puzzle, rules.dtype)[0], 0)
        self._expanded: set[int] = set()
        while heap and len(self.rows) < most:
            _, number = heapq.heappop(heap)
            row = self.rows[number]
            self._expanded.add(number)
            if self._solved(number):
                continue
            try:
                children = rules.children(row)
            except RuleRaised as error:
                self._raised(number, error)
                continue
            if len(children) > rules.puzzle.children:
                text = f"'expand' gives {len(children)} children, 'children' says at most {rules.puzzle.children}"
                self.faults.append(("children", Fault(text, rules.state(row))))
                break
            for child in children:
                cost = int(child["cost"]) - int(row["cost"])
                if cost < 0:
                    text = f"the cost falls to {child['cost']} by move {child['move']}"
                    self.faults.append(("cost", Fault(text, rules.state(row))))
                    return
                self._edges[number].append((number_of(child, number), cost))

    def _solved(self, number: int) -> bool:
        try:
            return self.rules.solved(self.rows[number])
        except RuleRaised as error:
            self._raised(number, error)
            return False

    def _raised(self, number: int, error: RuleRaised) -> None:
        self.faults.append(("raises", Fault(f"a rule raises {error.__cause__!r}", self.rules.state(self.rows[number]))))
        self._expanded.discard(number)

    def bound_faults(self, report: Report) -> Iterator[tuple[str, Fault]]:
        """States whose bound exceeds the cost of a path to a solved state."""
        back: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for start, edges in self._edges.items():
            for end, cost in edges:
                back[end].append((start, cost))
        heap = [(0, number) for number in range(len(self.rows)) if self._solved(number)]
        seen: set[int] = set()
        while heap:
            far, number = heapq.heappop(heap)
            if number in seen:
                continue
            seen.add(number)
            row = self.rows[number]
            if row["bound"] > far:
                text = f"the bound {row['bound']} exceeds the distance {far} to a solved state"
                yield "bound", Fault(text, self.rules.state(row))
            for start, cost in back[number]:
                heapq.heappush(heap, (far + cost, start))
        report.on_solved_paths = len(seen)

    def key_faults(self, report: Report) -> Iterator[tuple[str, Fault]]:
        """States with one key and different ways on. Ways to what can be reached at less cost do not count, nor
        do ways back: a rule may leave out what no cheapest solution takes."""
        if self.rules.puzzle.key is None:
            return
        keys = [self.rules.key(row) for row in self.rows]
        nearest: dict[int | None, int] = {}
        for key, cost in zip(keys, self._costs, strict=True):
            nearest[key] = min(cost, nearest.get(key, cost))

        def ways(number: int, back: set[int | None]) -> Counter[tuple[int, int | None]]:
            near = nearest[keys[number]]
            on = ((step, keys[end]) for end, step in self._edges[number])
            return Counter((step, key) for step, key in on if nearest[key] >= near + step and key not in back)

        first: dict[int | None, int] = {}
        for number in sorted(self._expanded):
            other = first.setdefault(keys[number], number)
            if other == number:
                continue
            report.key_pairs += 1
            if self._solved(number) != self._solved(other):
                yield "merge", self._merge(number, other, "only one of them is solved")
            back = {keys[self._parents[each]] for each in (number, other) if each}
            if ways(number, back) != ways(other, back):
                yield "merge", self._merge(number, other, "other states follow them")

    def _merge(self, number: int, other: int, why: str) -> Fault:
        states = [self.rules.state(self.rows[each]) for each in (number, other)]
        differing = {name: value for name, value in states[1].items() if name not in KEPT_FIELDS}
        return Fault(f"'key' merges this state with {differing}, but {why}:", states[0])
