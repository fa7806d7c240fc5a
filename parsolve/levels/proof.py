"""Check the declarations of a puzzle on a sample of each layer while a search runs.

A compact search relies on its rules: it stores the number or the key of a state and makes the state from it, and it
looks for duplicates only where `graph` allows them. `parsolve check` tests that on the first states; this module tests
it on states that the search meets. The kernels test the way back from an id, for every state of small layers and for
one state in PART of large ones, chosen by hash. A few of these states are checked closely here.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np

from parsolve.compiler.keys import SPREAD
from parsolve.errors import BadPuzzle
from parsolve.levels.kernels import layer_kernel
from parsolve.levels.states import Array, Coding, inspected, misdeclared, scalars
from parsolve.problem.problem import Problem

SMALL = 1 << 14
"""Layers of at most this many states are small: the way back from each id is tested."""

PART = 64
"""In larger layers, one id in this number is tested."""

CLOSE = 32
"""Maximum number of states of a layer that are checked closely."""

WAITING = 1 << 11
"""Maximum number of states that wait for close checks: together these take less time."""

SAMPLED = 1 << 9
"""Approximate number of states of a layer that the kernels list."""

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

    def first(self, number: int, value: Callable[[], Value]) -> Value:
        """Return the value of an id; the given one, if it is the first."""
        if number not in self._values:
            self._values[number] = value()
        return self._values[number]

    def trim(self) -> None:
        """Forget ids for which there is no room."""
        while len(self._values) > self._most:
            self._greatest //= 2
            hashes = ((each * int(SPREAD) & EVERY, each) for each in self._values)
            self._values = {each: self._values[each] for hash_, each in hashes if hash_ <= self._greatest}


class Proof:
    """Observations of a puzzle's declarations during a search. Methods raise BadPuzzle if a declaration is wrong.

    Args:
        coding: the ids of the states that are searched.
        threads: number of threads of the search.
        from_goals: whether it starts from all solved states.
        again: whether a state of an earlier layer may be reached again unnoticed.

    Attributes:
        chosen: by thread, the array into which `compiler.keys.choose` writes.
        opposite: the ids of the same states with moves taken back; see `Puzzle.taken_back`.
    """

    opposite: Coding | None = None

    def __init__(self, coding: Coding, threads: int, from_goals: bool, again: bool) -> None:
        self._problem, self._coding, self._from_goals = coding.problem, coding, from_goals
        self.chosen = [np.zeros(1 + 4 * SAMPLED, np.uint64) for _ in range(threads)]
        self._waiting: list[Array] = []
        self._depths: Remembered[int] | None = Remembered(REMEMBERED) if again else None

    @staticmethod
    def hashes(states: int) -> tuple[int, int]:
        """Return the hashes up to which ids are tested, and up to which they are listed, in a layer of this size."""
        proved = EVERY if states <= SMALL else EVERY // PART
        return proved, min(EVERY, SAMPLED * EVERY // max(1, states))

    def start(self, rows: Array) -> None:
        """Check the states from which the search starts."""
        try:
            ids, solved = self._coding.look(rows)
        except BadPuzzle as error:
            if self._from_goals:
                raise BadPuzzle(f"{error}, of a state that 'goals' gives") from None
            raise
        if self._from_goals and not solved.all():
            raise self._fault(f"'goals' gives {self._text(rows[~solved][0])}, which is not solved")
        self._compare(rows[:CLOSE], ids[:CLOSE], solved[:CLOSE])
        self._look_closely(ids[:CLOSE])

    def add(self, depth: int | None) -> None:
        """Take the ids that the kernels have listed from the layer at a depth, or without one from a part of a
        layer."""
        ids = np.concatenate([array[1 : 1 + int(array[0])] for array in self.chosen])
        for array in self.chosen:
            array[0] = 0
        if self._depths is not None and depth is not None:
            self._remember(self._depths, depth, ids)
        self._waiting.append(ids[:: 1 + len(ids) // CLOSE])
        if sum(map(len, self._waiting)) > WAITING:
            self.end()

    def end(self) -> None:
        """Check the waiting states closely."""
        if self._waiting:
            self._look_closely(np.unique(np.concatenate(self._waiting)))
            self._waiting = []

    def follow(self, start: Array, goals: Array) -> None:
        """Check closely some of the states reached step after step, also beyond where the ends have met; solved ones
        must be among `goals`, given by their ids."""
        ids = known = np.unique(self._coding.ids_of(start))
        for _ in range(STEPS):
            rows, solved = self._states_of(ids)
            lacking = solved & ~np.isin(ids, goals)
            if lacking.any():
                raise self._fault(f"'goals' lacks {self._text(rows[lacking][0])}, which is solved")
            self._look_closely(ids)
            every = [scalars(found).copy() for *_, found in self._coding.expander.children(rows, False)]
            new = np.setdiff1d(np.concatenate([ids[:0], *every]), known)
            with np.errstate(over="ignore"):
                ids = new[np.argsort(new * SPREAD)[:CLOSE]]
            if not len(ids):
                return
            known = np.union1d(known, ids)

    def unlike(self, number: int) -> BadPuzzle:
        """Return the error of an id whose state has another id."""
        rows = self._coding.states_of(np.array([number], np.uint64))[0]
        there, back = self._coding.rules
        other = int(self._coding.look(rows)[0][0])
        return self._fault(f"{back!r} of {number} gives {self._text(rows[0])}, whose {there!r} is {other}")

    def turned(self, ids: Array, images_of: Callable[[Array], Array]) -> None:
        """Check `reverse` on some states: the image of an image is the state itself, and for each move from one state
        to another there is a move from the other's image to the state's image.

        `images_of` returns the ids of the images.
        """
        images = images_of(ids)
        rows = self._coding.states_of(ids)[0]
        others = rows[images_of(images) != ids]
        if len(others):
            raise self._fault(f"'reverse' of {self._text(others[0])} gives a state whose image is another one")
        for _, parents, found in self._coding.expander.children(rows, True):
            owners, ends = parents.copy(), scalars(found).copy()
            back = mixed(np.arange(len(ends)), np.ones(len(ends)), images[owners])
            missing = ~np.isin(back, self._moves(self._coding.states_of(images_of(ends))[0], True)[0])
            if missing.any():
                at = int(owners[missing][0])
                raise self._fault(f"'reverse' does not turn around all moves from {self._text(rows[at])}")

    def solved_met(self, depth: int, flag: Array) -> None:
        """Record whether a layer has solved states, from the flag's first number. It is set to 0 if the search starts
        from all solved states, so that there must be no others."""
        if self._from_goals:
            if flag[0] and depth:
                raise solved_beyond(self._problem, depth, self._coding.rules[0])
            flag[0] = 0

    def _remember(self, depths: Remembered[int], depth: int, ids: Array) -> None:
        for each in ids[depths.chosen(ids)].tolist():
            before = depths.first(each, lambda: depth)
            if before != depth:
                state = self._text(self._coding.states_of(np.array([each], np.uint64))[0][0])
                again = f"{state} of depth {before} was reached again at {depth}"
                raise self._fault(f"'graph' says {self._problem.graph}, but {again}, or {self._merges}")
        depths.trim()

    def _look_closely(self, ids: Array) -> None:
        """Compare the children of some states with those of the states made from their ids, and check the ways back."""
        rows, _ = self._states_of(ids)
        for piece, parents, child_ids in self._coding.expander.children(rows, self._from_goals):
            children, owners, numbers = piece.copy(), parents.copy(), scalars(child_ids).copy()
            free, solved = self._compare(children, numbers, self._coding.look(children)[1])
            self._ways_back(rows[owners], ids[owners], children, free, solved)
            if self.opposite is not None:
                self._taken_back(self.opposite, rows[owners], ids[owners], numbers)

    def _taken_back(self, opposite: Coding, rows: Array, ids: Array, ends: Array) -> None:
        """For a move to each of some states, look for the move taken back from it, by ids."""
        wanted = mixed(np.arange(len(ids)), ids)
        for _, parents, found in opposite.expander.children(opposite.states_of(ends)[0], True):
            wanted = wanted[~np.isin(wanted, mixed(parents, scalars(found)))]
        if len(wanted):
            at = int(np.flatnonzero(mixed(np.arange(len(ids)), ids) == wanted[0])[0])
            back = opposite.problem.name
            raise self._fault(f"'taken_back' gives {back}, without a way back of a move from {self._text(rows[at])}")

    def _compare(self, rows: Array, ids: Array, solved: Array) -> tuple[Array, Array]:
        """Compare some states, with their histories, with the states of their ids; return the latter."""
        there, back = self._coding.rules
        free, free_solved = self._states_of(ids)

        def fault(wrong: Array, why: str) -> BadPuzzle:
            at = int(np.flatnonzero(wrong)[0])
            pair = f"{self._text(rows[at])} and {self._text(free[at])}"
            return self._fault(f"{there!r} is {ids[at]} for {pair}, which {back!r} gives, but {why}")

        if (solved != free_solved).any():
            raise fault(solved != free_solved, "only one of them is solved")
        kernel = layer_kernel(self._problem.compiled_rules)
        if kernel is not None and there != self._problem.key_rule:
            keys, free_keys = (inspected(self._problem, kernel.inspect_rows, states)[0] for states in (rows, free))
            if (keys != free_keys).any():
                raise fault((keys != free_keys).any(axis=1), "their keys differ")
        moves, owners = self._moves(rows)
        alike = free.copy()
        alike["cost"] = rows["cost"]  # so that costs fit their field after the same moves
        missing = ~np.isin(moves, self._moves(alike)[0])
        if missing.any():
            raise fault(np.isin(np.arange(len(rows)), owners[missing]), "a move of the first is none of the second")
        return free, free_solved

    def _states_of(self, ids: Array) -> tuple[Array, Array]:
        """Return the same as `Coding.states_of`, for states that have these ids."""
        rows, solved = self._coding.states_of(ids)
        wrong = ids[self._coding.ids_of(rows) != ids]
        if len(wrong):
            raise self.unlike(int(wrong[0]))
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
            at = int(np.flatnonzero(missing)[0])
            way = f"no move leads from {self._text(children[at])} back to {self._text(rows[at])} at cost {costs[at]}"
            says = "'goals' are for moves that can be taken back"
            if graph in ("reversible", "bipartite"):
                says = f"'graph' says {graph}"
            raise self._fault(f"{says}, but {way}, or {self._merges}")

    def _moves(self, rows: Array, past_solved: bool = False) -> tuple[Array, Array]:
        """Return a hash of state, cost and end for each move from some states, uint64[moves], and their places."""
        moves, owners = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        past_solved |= self._from_goals
        for children, parents, ids in self._coding.expander.children(rows, past_solved):
            costs = children["cost"].astype(np.int64) - rows["cost"][parents]
            moves.append(mixed(parents, costs, scalars(ids)))
            owners.append(parents.copy())
        return np.concatenate(moves), np.concatenate(owners)

    @property
    def _merges(self) -> str:
        return f"{self._coding.rules[0]!r} merges states"

    def _text(self, row: Any) -> str:
        return own_fields(self._problem, row)

    def _fault(self, text: str) -> BadPuzzle:
        return misdeclared(self._problem, text)


def solved_beyond(problem: Problem, depth: int, rule: str) -> BadPuzzle:
    """Return the error of a solved state at some depth that is not among the goals; `rule` gives ids."""
    text = (
        f"'goals' lacks a solved state, {depth} away from those that it gives, or {rule!r} gives one state several ids"
    )
    if problem.graph != "any":  # with wrong layers, duplicates are missed
        text += f", or 'graph' is not {problem.graph}"
    return misdeclared(problem, text)


def own_fields(problem: Problem, row: Any) -> str:
    """Return a state by the puzzle's own fields, for messages."""
    return " ".join(f"{name}={row[name].tolist()}" for name in problem.own_fields)


def mixed(first: Array, *more: Array) -> Array:
    """Return one word for several, uint64[n]: two are equal by accident once in 2^64."""
    with np.errstate(over="ignore"):
        mix = first.astype(np.uint64)
        for words in more:
            mix = mix * SPREAD
            mix = (mix ^ (mix >> np.uint64(29))) + words.astype(np.uint64)
        return mix * SPREAD
