"""Check the declarations of a puzzle on a sample of each level while a search runs.

A compact search relies on its rules: it stores the number or the key of a state and makes the state from it, and it
looks for duplicates only where `graph` allows them. `parsolve check` tests that on the first states, by single rules; a
search tests it on states that it meets. The kernels test the way back from an id, for every state of small levels and
for one state in PART of large ones, chosen by hash. A few of these states are checked closely here.
"""

from typing import Any, Generic, TypeVar

import numpy as np

from parsolve.compiler.keys import SPREAD
from parsolve.errors import BadPuzzle
from parsolve.levels.states import Coding, Misdeclared, own_fields
from parsolve.problem.data import Array
from parsolve.problem.problem import Problem

SMALL, PART = 1 << 14, 64
"""In levels of at most SMALL states the way back from each id is tested; in larger ones, from one id in PART."""

CLOSE = 32
"""Maximum number of states of a level that are checked closely."""

WAITING = 1 << 11
"""Maximum number of states that wait for close checks: together these take less time."""

CHOSEN = 1 << 9
"""Approximate number of states of a level that the kernels list."""

REMEMBERED = 1 << 15
"""Maximum number of states whose depths are remembered."""

STEPS = 128
"""Maximum number of steps that are followed from the root."""

EVERY = (1 << 64) - 1
"""The greatest hash."""

Value = TypeVar("Value")


class Remembered(Generic[Value]):
    """Values by id; of more than `most` ids, those with the least hashes are kept."""

    def __init__(self, most: int) -> None:
        self._most, self._greatest = most, EVERY
        self._values: dict[int, Value] = {}

    def chosen(self, ids: Array) -> Array:
        """Return for which of some ids, uint64[n], there may be room: bool[n]."""
        with np.errstate(over="ignore"):
            return ids * SPREAD <= np.uint64(self._greatest)

    def first(self, number: int, value: Value) -> Value:
        """Return the value of an id; the given one, if it is the first."""
        return self._values.setdefault(number, value)

    def trim(self) -> None:
        """Forget ids for which there is no room."""
        while len(self._values) > self._most:
            self._greatest //= 2
            hashes = ((each * int(SPREAD) & EVERY, each) for each in self._values)
            self._values = {each: self._values[each] for hash_, each in hashes if hash_ <= self._greatest}


class Proof:
    """Observations of a puzzle's declarations. Methods raise Misdeclared if a declaration is wrong.

    Args:
        coding: the ids of the states that are searched.
        threads: number of threads of the search.
        from_goals: whether it starts from all solved states.
        opposite: the ids of the same states with moves taken back; see `Puzzle.inverse_puzzle`.

    Attributes:
        chosen: by thread, the array into which `compiler.keys.choose` writes.
    """

    def __init__(self, coding: Coding, threads: int, from_goals: bool, opposite: Coding | None = None) -> None:
        self._problem, self._coding, self._from_goals, self._opposite = coding.problem, coding, from_goals, opposite
        self.chosen = [np.zeros(1 + 4 * CHOSEN, np.uint64) for _ in range(threads)]
        self._waiting: list[Array] = []
        self._depths: Remembered[int] = Remembered(REMEMBERED)

    @staticmethod
    def hashes(states: int) -> tuple[np.uint64, np.uint64]:
        """Return the hashes up to which ids are tested, and up to which they are listed, in a level of this size."""
        check_up_to = EVERY if states <= SMALL else EVERY // PART
        return np.uint64(check_up_to), np.uint64(min(EVERY, CHOSEN * EVERY // max(1, states)))

    def start(self, rows: Array) -> None:
        """Check the states from which the search starts."""
        try:
            looked, solved = self._coding.look(rows)
        except BadPuzzle as error:
            if self._from_goals:
                raise BadPuzzle(f"{error}, of a state that 'goals' gives") from None
            raise
        if self._from_goals and not solved.all():
            text = f"'goals' gives {own_fields(self._problem, rows[~solved][0])}, which is not solved"
            raise Misdeclared(self._problem, text, "goals")
        ids = looked[:CLOSE, 0]
        self.compare(rows[:CLOSE], ids, solved[:CLOSE])
        self._look_closely(ids)

    def add(self, depth: int | None) -> None:
        """Take the ids that the kernels have listed from the level at a depth; without one, from a part of a level."""
        ids = np.concatenate([array[1 : 1 + int(array[0])] for array in self.chosen])
        for array in self.chosen:
            array[0] = 0
        if depth is not None and self._problem.graph != "any":  # otherwise each state is compared with all before
            self._remember(depth, ids)
        self._waiting.append(ids[:: 1 + len(ids) // CLOSE])
        if sum(map(len, self._waiting)) > WAITING:
            self.end()

    def end(self) -> None:
        """Check the waiting states closely."""
        if self._waiting:
            self._look_closely(np.unique(np.concatenate(self._waiting)))
            self._waiting = []

    def follow(self, start: Array, goals: Array | None, close: int = CLOSE) -> None:
        """Check closely some of the states reached step after step, at most `close` at each; solved ones must be among
        `goals`, given by their ids."""
        ids = known = np.unique(self._coding.ids_of(start))
        for _ in range(STEPS):
            rows, solved = self._states_of(ids)
            if goals is not None and (lacking := solved & ~np.isin(ids, goals)).any():
                raise Misdeclared(self._problem, "'goals' lacks this solved state", "goals", rows[lacking][0])
            self._look_closely(ids)
            every = [found[:, 0].copy() for *_, found in self._coding.children(rows, self._from_goals)]
            new = np.setdiff1d(np.concatenate([ids[:0], *every]), known)
            with np.errstate(over="ignore"):
                ids = new[np.argsort(new * SPREAD)[:close]]
            if not len(ids):
                return
            known = np.union1d(known, ids)

    def unlike(self, number: int, row: Any = None) -> BadPuzzle:
        """Return the error of an id whose state has another id; `row`: a state that has that id."""
        rows = self._coding.states_of(np.array([number], np.uint64))[0]
        there, back = self._coding.names
        made, other = own_fields(self._problem, rows[0]), self._coding.shown(int(self._coding.ids_of(rows)[0]))
        text = f"{back!r} of {self._coding.shown(number)} gives {made}, whose {there!r} is {other}"
        return Misdeclared(self._problem, text, back, row)

    def _remember(self, depth: int, ids: Array) -> None:
        for each in ids[self._depths.chosen(ids)].tolist():
            before = self._depths.first(each, depth)
            if before != depth:
                row = self._coding.states_of(np.array([each], np.uint64))[0][0]
                raise self._wrong_graph(f"a state of depth {before} was reached again at {depth}", row)
        self._depths.trim()

    def _look_closely(self, ids: Array) -> None:
        """Compare the children of some states with those of the states made from their ids, and check the ways back."""
        rows, _ = self._states_of(ids)
        for piece, parents, child_ids in self._coding.children(rows, self._from_goals):
            children, owners, numbers = piece.copy(), parents.copy(), child_ids[:, 0].copy()
            free, solved = self.compare(children, numbers, self._coding.look(children)[1])
            self._ways_back(rows[owners], ids[owners], children, free, solved)
            if self._opposite is not None:
                self._look_for_inverses(self._opposite, rows[owners], ids[owners], numbers)

    def _look_for_inverses(self, opposite: Coding, rows: Array, ids: Array, ends: Array) -> None:
        """For a move to each of some states, look for the move taken back from it, by ids."""
        wanted = mixed(np.arange(len(ids)), ids)
        for _, parents, found in opposite.children(opposite.states_of(ends)[0], True):
            wanted = wanted[~np.isin(wanted, mixed(parents, found[:, 0]))]
        if len(wanted):
            at = int(np.flatnonzero(mixed(np.arange(len(ids)), ids) == wanted[0])[0])
            text = f"'inverse_puzzle' gives {opposite.problem.name}, without a way back of a move from this state"
            raise Misdeclared(self._problem, text, "inverse_puzzle", rows[at])

    def compare(self, rows: Array, ids: Array, solved: Array) -> tuple[Array, Array]:
        """Compare some states, with their histories, with the states of their ids; return the latter, record[n], and
        whether these are solved, bool[n]."""
        there, back = self._coding.names
        free, free_solved = self._states_of(ids, rows)

        def refuse(wrong: Array, text: str) -> None:
            if wrong.any():
                at = int(np.argmax(wrong))
                made = f"{own_fields(self._problem, free[at])}, which {back!r} gives for this state"
                raise Misdeclared(self._problem, text.format(made, id=self._coding.shown(int(ids[at]))), back, rows[at])

        if there != self._problem.key_rule:
            different = (self._coding.keys_of(rows) != self._coding.keys_of(free)).any(axis=1)
            refuse(different, f"{there!r} is {{id}} for this state and for {{}}, but their keys differ")
        refuse(solved != free_solved, "only one of two is solved: this state, and {}")
        moves, owners, ends = self._moves(rows)
        alike = free.copy()
        alike["cost"] = rows["cost"]  # so that costs fit their field after the same moves
        missing = ~np.isin(moves, self._moves(alike)[0])
        if missing.any():
            to = own_fields(self._problem, ends[np.argmax(missing)])
            only = np.isin(np.arange(len(rows)), owners[missing][:1])
            refuse(only, f"a move leads to {to}, but not from {{}}, with every move open")
        return free, free_solved

    def _states_of(self, ids: Array, others: Array | None = None) -> tuple[Array, Array]:
        """Return the same as `Coding.states_of`, for states that have these ids; `others`: with their histories."""
        rows, solved = self._coding.states_of(ids)
        wrong = self._coding.ids_of(rows) != ids
        if wrong.any():
            at = int(np.argmax(wrong))
            raise self.unlike(int(ids[at]), None if others is None else others[at])
        return rows, solved

    def _ways_back(self, rows: Array, ids: Array, children: Array, free: Array, solved: Array) -> None:
        """Look for a way back from each child, without its history in `free`, to its parent in `rows` with its id."""
        graph = self._problem.graph
        if not self._from_goals and graph not in ("reversible", "bipartite"):
            return
        costs = children["cost"].astype(np.int64) - rows["cost"]
        back = mixed(np.arange(len(rows)), costs, ids)
        missing = ~np.isin(back, self._moves(free)[0])
        if not self._from_goals:
            missing &= ~solved  # solved children are not expanded
        if missing.any():
            at = int(np.argmax(missing))
            way = f"no move of cost {costs[at]} leads back from {own_fields(self._problem, children[at])}"
            raise self._wrong_graph(way, rows[at])

    def _moves(self, rows: Array) -> tuple[Array, Array, Array]:
        """Return a hash of each move from some states, uint64[moves], the places of these states, and the ends."""
        moves, owners, ends = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)], [rows[:0]]
        for children, parents, ids in self._coding.children(rows, self._from_goals):
            costs = children["cost"].astype(np.int64) - rows["cost"][parents]
            moves.append(mixed(parents, costs, ids[:, 0]))
            owners.append(parents.copy())
            ends.append(children.copy())
        return np.concatenate(moves), np.concatenate(owners), np.concatenate(ends)

    def _wrong_graph(self, why: str, row: Any) -> Misdeclared:
        graph, there = self._problem.graph, self._coding.names[0]
        says = "'goals' are for moves that can be taken back" if graph == "any" else f"'graph' is {graph}"
        return Misdeclared(self._problem, f"{says}, but {why}, or {there!r} merges states", "graph", row)


def solved_beyond(problem: Problem, depth: int, rule: str) -> BadPuzzle:
    """Return the error of a solved state at some depth that is not among the goals; `rule` gives ids."""
    text = f"'goals' lacks a solved state, {depth} away from those that it gives"
    text += f", or {rule!r} gives one state several ids"
    if problem.graph != "any":  # with wrong levels, duplicates are missed
        text += f", or 'graph' is not {problem.graph}"
    return Misdeclared(problem, text, "goals")


def mixed(first: Array, *more: Array) -> Array:
    """Return one word for several, uint64[n]: two are equal by accident once in 2^64."""
    with np.errstate(over="ignore"):
        mix = first.astype(np.uint64)
        for words in more:
            mix = mix * SPREAD
            mix = (mix ^ (mix >> np.uint64(29))) + words.astype(np.uint64)
        return mix * SPREAD
