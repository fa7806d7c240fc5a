"""How many states a puzzle has at each distance, and which are the farthest."""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np

from parsolve.breadth.databases import supply
from parsolve.breadth.dense import Dense
from parsolve.breadth.keys import Keys
from parsolve.breadth.layers import Array, TooLarge, Unsuited, is_keyed_by_word, needs_ids, scalars
from parsolve.breadth.proof import solved_beyond
from parsolve.breadth.spill import PAUSE, Spill
from parsolve.breadth.whole_states import Records, Settled
from parsolve.errors import BadInput, BadPuzzle
from parsolve.kernel.listening import telling
from parsolve.levels.threads import Threads
from parsolve.problem.hooks import call_method
from parsolve.problem.problem import Problem
from parsolve.puzzle import Exploring, Puzzle
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers

LISTED = 100_000
"""Farthest states that are listed at most."""

PIECE = 1 << 19
"""States of a layer that are looked at between two checks of what may stop the search."""

IN_ALL = "in-all"
"""Name of the array that holds, by depth, how many states those that are counted once stand for."""

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
    piece: int = PIECE,
) -> Explored:
    """Return how many states there are at each distance, and the farthest, which are the hardest positions.

    All states that can be reached count, those beyond solved ones too.

    A puzzle that numbers its states is searched with 3 bits a state, one that gives the way back from a key with 4 or 8
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
        piece: states of a layer that are looked at between two checks of the watch, at most.

    Raises:
        BadInput: the puzzle gives no key, `spill` cannot be used, or its moves cannot be taken back from the goals.
        OutOfMemory: the states do not fit.
    """
    exploring = call_method(puzzle, "exploring")
    if not isinstance(exploring, Exploring):
        kind = type(exploring).__name__
        raise BadPuzzle(f"{type(puzzle).__name__}: 'exploring' must return an Exploring, not {kind}")
    problem = supply(Problem(exploring.puzzle), watch)
    is_reversible = type(problem.puzzle).reverse is None  # else moves lead to the goals alone
    listed = problem.goals() if is_reversible else problem.root[:0]
    from_goals = len(listed) > 0 if origin is None else origin == "goals"

    def search(start: Array, from_goals: bool, folder: Spill | None, solved: list[Array] | None = None) -> Explored:
        with Threads(threads or default_workers(), watch) as pool:
            return _Explorer(problem, start, from_goals, watch, exploring, folder, solved, piece).search(pool)

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
    with contextlib.nullcontext() if spill is None else Spill(spill, problem, start, pause) as folder:
        return search(start, from_goals, folder)


@dataclass
class _Explorer:
    problem: Problem
    start: Array
    from_goals: bool
    watch: Watch
    exploring: Exploring
    spill: Spill | None = None
    solved: list[Array] | None = None  # filled with all solved states, if they are wanted
    piece: int = PIECE
    in_all: list[int] = field(default_factory=list)

    def search(self, threads: Threads) -> Explored:
        """Search in the most compact way that the rules allow."""
        with telling(self.watch.listener):
            found = self.compact(Dense, threads) if self.problem.size else None
            if found is None and is_keyed_by_word(self.problem):
                found = self.by_keys(threads)
            if found is not None:
                return found
            if self.spill is not None:
                raise needs_ids(self.problem)
            return self.whole()

    def by_keys(self, threads: Threads) -> Explored | None:
        """Search by keys alone, in entries of 4 bytes if they fit; None if they do not suit the moves."""
        try:
            return self.compact(partial(Keys, short=True), threads)
        except TooLarge:
            self.in_all = []
            if self.solved is not None:
                self.solved.clear()
        return self.compact(Keys, threads)

    def compact(self, search_by: Callable[..., Dense | Keys], threads: Threads) -> Explored | None:
        """Search by the numbers of the states, or by keys alone.

        Returns:
            None where moves cost nothing, so that the farthest are not known by numbers; or keys do not suit the moves.
        """
        begin = time.perf_counter()
        folder = self.spill and self.spill.folder
        search = search_by(self.problem, threads, folder=folder, from_goals=self.from_goals)
        search.warm_up(self.start)
        depths = self._restored(search)
        farthest = _few(search) if depths else search.ids_of(self.start)
        setup, begin = time.perf_counter() - begin, time.perf_counter()
        if isinstance(search, Dense):  # it yields a layer when it knows the next one
            self._collect(search, [farthest])
        try:
            for depth, states in search.layers(self.start):
                if search.has_free_moves:
                    return None
                self._collect(search, self._pieces(search))
                depths.append((depth, states))
                self.watch.listener.progress_made(Progress(depth, share=search.share, nodes=search.states))
                if isinstance(search, Keys) and self.exploring.in_all:
                    self.in_all.append(sum(map(self.exploring.in_all, self._pieces(search))))
                if search.waiting:
                    farthest = _few(search)
                    self._save(depths, search)
        except Unsuited as error:
            if isinstance(search, Dense) or isinstance(error, TooLarge):
                raise
            return None
        search.prove()
        return self._explored(depths, search.states_of(farthest)[0], time.perf_counter() - begin, setup)

    def _restored(self, search: Dense | Keys) -> list[tuple[int, int]]:
        """Let a search take up what another process has written in its form; its layers."""
        if self.spill is None or self.spill.form != search.form:
            return []
        arrays = self.spill.load()
        try:
            search.restore_arrays(self.spill.depths, arrays)
        except TooLarge:
            raise
        except (KeyError, ValueError, IndexError) as error:
            raise self.spill.damaged(str(error)) from None
        depths = [*self.spill.depths]
        self.in_all = arrays.get(IN_ALL, np.zeros(0, np.uint64)).tolist()
        self.watch.listener.warning_given(f"going on after depth {depths[-1][0]}, which an earlier run has written")
        return depths

    def _save(self, depths: list[tuple[int, int]], search: Dense | Keys) -> None:
        if self.spill is not None and self.spill.due:
            more = {IN_ALL: np.array(self.in_all, np.uint64)} if self.in_all else {}
            self.spill.save(search.form, depths, search.arrays | more)

    def _pieces(self, search: Dense | Keys) -> Iterator[Array]:
        """Yield the ids of the newest layer in pieces, so that what is done with them can be stopped."""
        for piece in search.pieces(self.piece):
            self.watch.check()
            yield piece

    def _collect(self, search: Dense | Keys, pieces: Iterable[Array]) -> None:
        """Keep the solved ones of some states, without histories, if they are wanted."""
        if self.solved is not None:
            for ids in pieces:
                rows, solved = search.states_of(ids)
                self.solved.append(rows[solved])

    def whole(self) -> Explored:
        """Search with each state whole."""
        if self.solved is not None:  # each would have but the moves that its history leaves open
            text = "gives neither 'goals' nor a way back from its keys, which --from goals needs"
            raise BadInput(f"{self.problem.name} {text}")
        begin = time.perf_counter()
        records = Records(self.problem, self.watch)
        setup, begin = time.perf_counter() - begin, time.perf_counter()
        depths: dict[int, int] = {}
        farthest: list[Settled] = []
        for layer in records.layers(self.start, past_solved=True):
            if layer.cost not in depths:
                farthest = []
            # A state settled at one cost in several layers is one state.
            earlier = sum(count for cost, count in depths.items() if cost != layer.cost)
            depths[layer.cost] = records.states - earlier
            farthest.append(layer)
            self.watch.listener.progress_made(Progress(layer.cost, nodes=records.states))
            is_beyond = layer.cost > 0 if self.problem.has_cost else layer.steps > 0
            if self.from_goals and is_beyond and layer.solved.any():
                raise solved_beyond(self.problem, layer.cost, self.problem.key_rule)
        records.prove()
        keys = scalars(np.concatenate([layer.keys for layer in farthest]))
        first = np.sort(np.unique(keys, return_index=True)[1])
        rows = np.concatenate([layer.rows for layer in farthest])[first]
        return self._explored(list(depths.items()), rows, time.perf_counter() - begin, setup)

    def _explored(self, depths: list[tuple[int, int]], farthest: Array, seconds: float, setup: float) -> Explored:
        shown = farthest if len(farthest) <= LISTED else farthest[:0]
        rows: dict[str, Array] = {}
        for row in shown:
            rows.setdefault(self.problem.show_state(row), row)
        return Explored(
            "goal" if self.from_goals else "root",
            depths,
            list(rows),
            self.problem,
            list(rows.values()),
            seconds,
            setup,
            self.in_all,
            self.exploring.measure,
            [self.exploring.at(depth) for depth, _ in depths],
            self.exploring.findings([self.problem.state_of(row) for row in shown]),
        )


def _few(search: Dense | Keys) -> Array:
    """Return the ids of the newest layer, ascending; none if there are more than LISTED."""
    return np.sort(search.newest()) if search.waiting <= LISTED else np.zeros(0, np.uint64)
