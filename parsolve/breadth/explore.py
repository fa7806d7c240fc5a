"""How many states a puzzle has at each distance, and which are the farthest."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from parsolve.breadth.databases import supply
from parsolve.breadth.dense import Dense
from parsolve.breadth.keys import Keys
from parsolve.breadth.layers import Array, Unsuited, scalars
from parsolve.breadth.proof import solved_beyond
from parsolve.breadth.spill import PAUSE, Spill
from parsolve.breadth.threads import Threads
from parsolve.breadth.whole_states import Records, Settled
from parsolve.errors import BadInput, BadPuzzle
from parsolve.kernel.listening import telling
from parsolve.problem.hooks import call_method
from parsolve.problem.problem import Problem
from parsolve.puzzle import Exploring, Puzzle
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers

PIECE = 1 << 20
"""Keys that are counted in all between two looks at whether to stop."""

LISTED = 100_000
"""Farthest states that are listed at most."""

IN_ALL = "in-all"
"""What the numbers of states are written under that those which are counted once stand for."""


Origin = Literal["start", "goals"]
"""Where distances are measured from: the puzzle's first state, or all solved states."""


@dataclass
class Explored:
    """All states of a puzzle, by distance.

    Attributes:
        start: `goal` or `root`: where distances are measured from.
        depths: (cost, states), rising.
        farthest: the states at the greatest cost, as text; empty where there are more than LISTED.
        problem: whose states they are.
        rows: the states at the greatest cost, in the order of `farthest`.
        in_all: by depth, how many states those that are counted once stand for; empty where each is one.
        measure: what changes with the depth, such as pegs; empty if there is nothing to show beside it.
        measures: by depth, its values.
        findings: what else the farthest states tell, by name.
        seconds, setup_seconds: of the search alone and of getting ready.
    """

    start: str
    depths: list[tuple[int, int]]
    farthest: list[str]
    problem: Problem
    rows: list[Array]
    seconds: float
    setup_seconds: float
    in_all: list[int]
    measure: str
    measures: list[int]
    findings: Mapping[str, Sequence[str]]

    @property
    def states(self) -> int:
        """How many states there are."""
        return sum(states for _, states in self.depths)


def explore(
    puzzle: Puzzle,
    watch: Watch = UNWATCHED,
    *,
    threads: int | None = None,
    spill: Path | None = None,
    pause: float = PAUSE,
    origin: Origin | None = None,
) -> Explored:
    """Return how many states there are at each distance, and the farthest, which are the hardest positions.

    All states that can be reached count, those beyond solved ones too.

    A puzzle that numbers its states is searched with 3 bits a state, one that gives the way back from a key with some 4
    bytes, both on all cores; another with its states whole on one.

    Args:
        puzzle: it must number its states or give a key.
        watch: told how it goes.
        threads: how many share the work; by default one for each core.
        spill: a folder that holds the states instead of the memory. A search that was stopped goes on from the last
            layer that was written there; once it is done, nothing is left of it.
        pause: seconds between two layers that are written, at least.
        origin: where distances are measured from; by default the goals where the puzzle gives them, else the start.
            Goals that it does not give are first looked for in the whole space.

    Raises:
        BadInput: the puzzle gives no key, `spill` cannot be used, or its moves cannot be taken back from the goals.
        OutOfMemory: the states do not fit.
    """
    exploring = call_method(puzzle, "exploring")
    if not isinstance(exploring, Exploring):
        raise BadPuzzle(
            f"{type(puzzle).__name__}: 'exploring' must return an Exploring, not {type(exploring).__name__}"
        )
    problem = Problem(exploring.puzzle)
    supply(problem, watch)
    is_reversible = type(problem.puzzle).reverse is None  # else moves lead to the goals alone
    listed = problem.goals() if is_reversible else problem.root[:0]
    from_goals = len(listed) > 0 if origin is None else origin == "goals"

    def search(start: Array, from_goals: bool, folder: Spill | None, solved: list[Array] | None = None) -> Explored:
        explorer = _Explorer(problem, start, from_goals, watch, folder, exploring, solved)
        with Threads(threads or default_workers(), watch) as pool:
            return explorer.search(pool)

    if from_goals and not len(listed):
        if problem.graph not in ("reversible", "bipartite"):
            text = "distances from solved states need moves that can be taken back"
            raise BadInput(f"{problem.name}: {text}, and its 'graph' is {problem.graph}: take --from start")
        if spill is not None:
            raise BadInput(f"{problem.name} does not give its solved states: without --spill they are looked for")
        found: list[Array] = [problem.root[:0]]
        search(problem.root, False, None, found)
        listed = np.concatenate(found)
        if not len(listed):
            raise BadInput(f"{problem.name}: no state that can be reached is solved: take --from start")
    start = listed if from_goals else problem.root
    folder = None if spill is None else Spill(spill, problem, start, pause)
    done = False
    try:
        explored = search(start, from_goals, folder)
        done = True
        return explored
    finally:
        if folder is not None:
            folder.close(done)


class _Explorer:
    def __init__(
        self,
        problem: Problem,
        start: Array,
        from_goals: bool,
        watch: Watch,
        spill: Spill | None,
        exploring: Exploring,
        solved: list[Array] | None,
    ) -> None:
        self._problem, self._start, self._from_goals = problem, start, from_goals
        self._watch, self._listener, self._check, self._spill = watch, watch.listener, watch.check, spill
        self._exploring = exploring
        self._solved = solved  # filled with all solved states, if they are wanted
        self._in_all: list[int] = []

    def search(self, threads: Threads) -> Explored:
        """Search in the most compact way that the rules allow."""
        with telling(self._listener):
            for search_by in (self.numbers, self.keys):
                found = search_by(threads)
                if found is not None:
                    return found
            if self._spill is not None:
                text = "gives neither numbers nor a way back from its keys, which --spill needs"
                raise BadInput(f"{self._problem.name} {text}")
            return self.states()

    def _collect(self, states: Iterable[tuple[Array, Array]]) -> None:
        """Keep the solved ones of some states without histories, pieces of (record[n], bool[n]), if they are wanted."""
        if self._solved is not None:
            for rows, solved in states:
                self._check()
                self._solved.append(rows[solved])

    def _restored(self, form: str, search: Dense | Keys) -> list[tuple[int, int]]:
        """Let a search take up what another process has written in this form; its layers."""
        if self._spill is None or self._spill.form != form:
            return []
        arrays = self._spill.load()
        try:
            search.restore(self._spill.depths, arrays)
        except (KeyError, ValueError, IndexError) as error:
            raise self._spill.damaged(str(error)) from None
        depths = [*self._spill.depths]
        self._in_all = arrays.get(IN_ALL, np.zeros(0, np.uint64)).tolist()
        self._listener.warning_given(f"going on after depth {depths[-1][0]}, which an earlier run has written")
        return depths

    def _save(self, form: str, depths: list[tuple[int, int]], search: Dense | Keys) -> None:
        if self._spill is not None and self._spill.due:
            more = {IN_ALL: np.array(self._in_all, np.uint64)} if self._in_all else {}
            self._spill.save(form, depths, search.arrays | more)

    def numbers(self, threads: Threads) -> Explored | None:
        """Search by the numbers of the states; None where they have none, or where moves cost nothing: then the
        farthest are not known."""
        if self._problem.size is None:
            return None
        begin = time.perf_counter()
        dense = Dense(self._problem, threads, spill=self._spill, from_goals=self._from_goals)
        dense.warm_up(self._start)
        farthest = dense.numbers_of(self._start)
        depths = self._restored("numbers", dense)
        if depths and dense.waiting:
            farthest = dense.frontier() if dense.waiting <= LISTED else farthest[:0]
        setup, begin = time.perf_counter() - begin, time.perf_counter()
        self._collect([dense.states_of(farthest)])
        for depth, states in dense.layers(self._start):
            if dense.has_free_moves:
                return None
            self._collect(map(dense.states_of, dense.frontier_in_pieces()))
            depths.append((depth, states))
            self._listener.progress_made(Progress(depth, share=dense.states / dense.size, nodes=dense.states))
            if 0 < dense.waiting <= LISTED:
                farthest = dense.frontier()
            elif dense.waiting:
                farthest = np.zeros(0, np.uint64)
            self._save("numbers", depths, dense)
        dense.proof.end()
        return self._explored(depths, dense.states_of(farthest)[0], time.perf_counter() - begin, setup)

    def keys(self, threads: Threads) -> Explored | None:
        """Search by keys alone; None where there is no way back from them, or where moves differ in cost."""
        if self._problem.kernel.chains is None:
            return None
        begin = time.perf_counter()
        keys = Keys(self._problem, threads, spill=self._spill, from_goals=self._from_goals)
        keys.warm_up(self._start)
        depths = self._restored("keys", keys)
        setup, begin = time.perf_counter() - begin, time.perf_counter()
        farthest = self._start[:0]
        if depths and depths[-1][1] <= LISTED:
            farthest = keys.states_of(keys.keys())[0]
        try:
            for depth, states in keys.layers(self._start):
                self._collect(map(keys.states_of, _pieces(keys)))
                depths.append((depth, states))
                self._listener.progress_made(Progress(depth, nodes=keys.states))
                farthest = keys.states_of(keys.keys())[0] if states <= LISTED else self._start[:0]
                if self._exploring.in_all:
                    self._in_all.append(self._counted_in_all(self._exploring.in_all, keys))
                self._save("keys", depths, keys)
        except Unsuited:
            return None
        keys.proof.end()
        return self._explored(depths, farthest, time.perf_counter() - begin, setup)

    def _counted_in_all(self, in_all: Callable[[Array], int], keys: Keys) -> int:
        """Return how many states the last layer stands for, in pieces, so that it can be stopped."""
        total = 0
        for piece in _pieces(keys):
            self._check()
            total += in_all(piece)
        return total

    def states(self) -> Explored:
        """Search with each state whole."""
        if self._solved is not None:  # each would have but the moves that its history leaves open
            text = "gives neither 'goals' nor a way back from its keys, which --from goals needs"
            raise BadInput(f"{self._problem.name} {text}")
        begin = time.perf_counter()
        records = Records(self._problem, self._watch)
        records.warm_up()
        setup, begin = time.perf_counter() - begin, time.perf_counter()
        depths: dict[int, int] = {}
        farthest: list[Settled] = []
        for layer in records.layers(self._start, past_solved=True):
            if layer.cost not in depths:
                farthest = []
            # A state settled at one cost in several layers is one state.
            earlier = sum(count for cost, count in depths.items() if cost != layer.cost)
            depths[layer.cost] = records.states - earlier
            farthest.append(layer)
            self._listener.progress_made(Progress(layer.cost, nodes=records.states))
            is_beyond = layer.cost > 0 if self._problem.has_cost else layer.steps > 0
            if self._from_goals and is_beyond and layer.solved.any():
                raise solved_beyond(self._problem, layer.cost, self._problem.key_rule)
        records.prove()
        keys = scalars(np.concatenate([layer.keys for layer in farthest]))
        first = np.sort(np.unique(keys, return_index=True)[1])
        rows = np.concatenate([layer.rows for layer in farthest])[first]
        return self._explored(list(depths.items()), rows, time.perf_counter() - begin, setup)

    def _explored(self, depths: list[tuple[int, int]], farthest: Array, seconds: float, setup: float) -> Explored:
        shown = farthest if len(farthest) <= LISTED else farthest[:0]
        rows: dict[str, Array] = {}
        for row in shown:
            rows.setdefault(self._problem.show_state(row), row)
        return Explored(
            "goal" if self._from_goals else "root",
            depths,
            list(rows),
            self._problem,
            list(rows.values()),
            seconds,
            setup,
            self._in_all,
            self._exploring.measure,
            [self._exploring.at(depth) for depth, _ in depths],
            self._exploring.findings([self._problem.state_of(row) for row in shown]),
        )


def _pieces(keys: Keys) -> Iterator[Array]:
    """Yield the keys of the last layer in pieces."""
    every = keys.keys()
    for first in range(0, len(every), PIECE):
        yield every[first : first + PIECE]
