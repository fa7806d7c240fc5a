"""The number of states at each distance, and the farthest states."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np

from parsolve.compiler.cache import reporting_to
from parsolve.compiler.identity import CodeIdentity
from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.dense import Dense
from parsolve.levels.keys import Keys
from parsolve.levels.pieces import Resuming, split
from parsolve.levels.proof import solved_beyond
from parsolve.levels.store import (
    Array,
    Place,
    TooLarge,
    Unsuited,
    is_keyed_by_word,
    needs_ids,
    nothing,
    scalars,
)
from parsolve.levels.threads import Threads
from parsolve.levels.whole_states import Records, Settled
from parsolve.problem.hooks import call_method
from parsolve.problem.problem import Problem
from parsolve.puzzle import Exploring, Puzzle
from parsolve.search.checkpoint import CheckpointStore, Entries
from parsolve.search.progress import Progress
from parsolve.search.result import Result
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers

LISTED = 100_000
"""Maximum number of farthest states that are listed."""

PIECE = 1 << 19
"""States of a layer that are handled between two checks of the watch."""

DEPTHS, FARTHEST, IN_ALL = -4, -5, -6
"""The levels of a checkpoint beside the states: (cost, states) of each layer; the farthest so far; and the number of
states before symmetry reduction, by depth."""

Origin = Literal["start", "goals"]
"""The origin of distances: the puzzle's first state, or all solved states."""


@dataclass
class Explored:
    """All states of a puzzle, by distance.

    Attributes:
        start: `goal` or `root`: the origin of distances.
        depths: (cost, states), ascending.
        farthest: the states at the greatest cost, as text; empty if there are more than LISTED.
        problem: the problem.
        rows: the states at the greatest cost, in the order of `farthest`.
        in_all: number of states before symmetry reduction, by depth; empty without symmetries.
        measure: a quantity that changes with the depth, such as pegs; empty if there is none.
        measures: by depth, its values.
        findings: further facts about the farthest states, by name.
        seconds, setup_seconds: time of the search alone, and of the preparation.
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
        """The number of states."""
        return sum(states for _, states in self.depths)


def explore(
    puzzle: Puzzle,
    watch: Watch = UNWATCHED,
    *,
    threads: int | None = None,
    spill: Path | None = None,
    store: CheckpointStore | None = None,
    origin: Origin | None = None,
    piece: int = PIECE,
    supply: Callable[[Problem], Problem] = lambda problem: problem,
) -> Explored:
    """Return the number of states at each distance, and the farthest, which are the hardest positions.

    All reachable states count, also those beyond solved ones.

    A puzzle that numbers its states is searched with 3 bits a state, one with a way back from its keys with 4 or 8
    bytes, both on all cores; any other with whole states on one core.

    Args:
        puzzle: it must number its states or give a key.
        watch: receives the progress.
        threads: number of threads; by default one for each core.
        spill: an existing folder that holds the states instead of memory.
        store: resumes an earlier run, and stores checkpoints, as a journal does.
        origin: the origin of distances; by default the goals if the puzzle gives them, otherwise the start. Goals that
            it does not give are first searched for in the whole space.
        piece: maximum number of states of a layer that are handled between two checks of the watch.
        supply: see `search.engine.Run`.

    Raises:
        BadInput: the puzzle gives no key, `spill` cannot be used, or its moves cannot be taken back from the goals.
        OutOfMemory: the states do not fit.
    """
    exploring = call_method(puzzle, "exploring")
    if not isinstance(exploring, Exploring):
        kind = type(exploring).__name__
        raise BadPuzzle(f"{type(puzzle).__name__}: 'exploring' must return an Exploring, not {kind}")
    problem = supply(Problem(exploring.puzzle))
    problem.require_solvable()
    is_reversible = type(problem.puzzle).reverse is None  # otherwise moves lead to the goals only
    listed = problem.goals() if is_reversible else problem.root[:0]
    from_goals = len(listed) > 0 if origin is None else origin == "goals"

    threads = threads or default_workers()

    def search(start: Array, from_goals: bool, store: CheckpointStore, solved: list[Array] | None = None) -> Explored:
        with Threads(threads, watch) as pool:
            explorer = _Explorer(problem, start, from_goals, watch, exploring, spill, store, solved, piece)
            return explorer.search(pool)

    if from_goals and not len(listed):
        if problem.graph not in ("reversible", "bipartite"):
            text = "distances from solved states need moves that can be taken back"
            raise BadInput(f"{problem.name}: {text}, and its 'graph' is {problem.graph}: take --from start")
        if spill is not None:
            raise BadInput(f"{problem.name} does not give its solved states: without --spill they are looked for")
        found: list[Array] = [problem.root[:0]]
        search(problem.root, False, CheckpointStore(), found)
        listed = np.concatenate(found)
        if not len(listed):
            raise BadInput(f"{problem.name}: no state that can be reached is solved: take --from start")
    store = store or CheckpointStore()
    store.begin(problem, Result(problem, "count", threads))
    return search(listed if from_goals else problem.root, from_goals, store)


@dataclass
class _Explorer:
    problem: Problem
    start: Array
    from_goals: bool
    watch: Watch
    exploring: Exploring
    spill: Path | None = None
    store: CheckpointStore = field(default_factory=CheckpointStore)
    solved: list[Array] | None = None  # filled with all solved states, if wanted
    piece: int = PIECE

    def search(self, threads: Threads) -> Explored:
        """Search in the most compact way that the rules allow."""
        with reporting_to(self.watch.listener, self.watch.check):
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
            if self.solved is not None:
                self.solved.clear()
        return self.compact(Keys, threads)

    def compact(self, search_by: Callable[..., Dense | Keys], threads: Threads) -> Explored | None:
        """Search by the numbers of the states, or by keys alone.

        Returns:
            None if moves cost nothing, so that the farthest are not known by numbers, or if keys do not suit the moves.
        """
        begin = time.perf_counter()
        search = search_by(self.problem, threads, folder=self.spill, from_goals=self.from_goals)
        search.warm_up(self.start)
        so_far = _SoFar(search, search.ids_of(self.start))
        in_all = CodeIdentity({"in_all": self.exploring.in_all}).digest
        resuming = Resuming(self.store, self.problem, self.watch, self.start, in_all)
        resuming.resume(so_far)
        setup, begin = time.perf_counter() - begin, time.perf_counter()
        if isinstance(search, Dense):  # a dense search yields a layer when it knows the next one
            self._collect(search, [so_far.farthest])
        try:
            for depth, states in search.layers(self.start):
                if search.has_free_moves:
                    return None
                self._collect(search, self._pieces(search))
                if isinstance(search, Keys) and self.exploring.in_all:
                    so_far.in_all.append(sum(map(self.exploring.in_all, self._pieces(search))))
                if search.waiting:
                    so_far.farthest = _few(search)
                so_far.depths.append((depth, states))
                resuming.nodes = search.states
                self.watch.listener.progress_made(Progress(depth, share=search.share, nodes=search.states))
                so_far.save()
        except Unsuited as error:
            if isinstance(search, Dense) or isinstance(error, TooLarge):
                raise
            return None
        except BadInput:  # what is refused would not be met again after a checkpoint of now
            raise
        except BaseException:
            if so_far.is_whole:
                resuming.save()
            raise
        search.prove()
        rows = search.states_of(so_far.farthest)[0]
        return self._explored(so_far.depths, rows, time.perf_counter() - begin, setup, so_far.in_all)

    def _pieces(self, search: Dense | Keys) -> Iterator[Array]:
        """Yield the ids of the newest layer in pieces, so that handling them can be stopped."""
        for piece in search.pieces(self.piece):
            self.watch.check()
            yield piece

    def _collect(self, search: Dense | Keys, pieces: Iterable[Array]) -> None:
        """Keep those of some states that are solved, without histories, if wanted."""
        if self.solved is not None:
            for ids in pieces:
                rows, solved = search.states_of(ids)
                self.solved.append(rows[solved])

    def whole(self) -> Explored:
        """Search with each state whole."""
        if self.solved is not None:  # a solved state would have only the moves that its history allows
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
            # A state settled at one cost in several layers counts once.
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
        return self._explored(list(depths.items()), rows, time.perf_counter() - begin, setup, [])

    def _explored(
        self, depths: list[tuple[int, int]], farthest: Array, seconds: float, setup: float, in_all: list[int]
    ) -> Explored:
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
            in_all,
            self.exploring.measure,
            [self.exploring.at(depth) for depth, _ in depths],
            self.exploring.findings([self.problem.state_of(row) for row in shown]),
        )


class _SoFar:
    """The layers so far, and the ids of the farthest, ascending, none if there are more than LISTED; see `Kept`."""

    def __init__(self, search: Dense | Keys, farthest: Array) -> None:
        self._search, self.form = search, search.form
        self.between: Callable[[], None] = nothing
        search.between = self.save
        self.depths: list[tuple[int, int]] = []
        self.farthest, self.in_all = farthest, list[int]()

    @property
    def is_whole(self) -> bool:
        """Whether these are all layers that the search has reached."""
        return len(self.depths) == self._search.reached > 0 and self._search.is_whole

    def save(self) -> None:
        """Keep a checkpoint, if it is time for one."""
        if self.is_whole:
            self.between()

    @property
    def finished(self) -> int:
        """See `Kept`."""
        return len(self.depths)

    @property
    def bytes_kept(self) -> int:
        """See `Kept`."""
        return self._search.bytes_kept

    def kept(self) -> Iterator[Entries]:
        """See `Kept`."""
        yield from split(DEPTHS, np.array(self.depths, np.uint64).reshape(-1))
        yield from split(FARTHEST, self.farthest)
        yield from split(IN_ALL, np.array(self.in_all, np.uint64))
        yield from self._search.kept()

    def restore(self, arrays: Mapping[Place, Array]) -> None:
        """See `Kept`."""
        none = np.zeros(0, np.uint64)
        self._search.restore(arrays)
        self.depths = [(depth, states) for depth, states in arrays[DEPTHS, 0].reshape(-1, 2).tolist()]
        self.farthest, self.in_all = arrays.get((FARTHEST, 0), none), arrays.get((IN_ALL, 0), none).tolist()
        if not self.is_whole or not self._search.agrees([states for _, states in self.depths]):
            raise ValueError("other layers than it says")


def _few(search: Dense | Keys) -> Array:
    """Return the ids of the newest layer, ascending; none if there are more than LISTED."""
    return np.sort(search.newest()) if search.waiting <= LISTED else np.zeros(0, np.uint64)
