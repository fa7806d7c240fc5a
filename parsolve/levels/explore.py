"""The number of states at each distance, and the farthest states."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Literal

import numpy as np

from parsolve.compiler.cache import reporting_to
from parsolve.compiler.identity import CodeIdentity
from parsolve.errors import BadInput, BadPuzzle, Damaged, ParsolveError
from parsolve.levels.counted import CountedLevels
from parsolve.levels.dense import Dense
from parsolve.levels.files import Packed
from parsolve.levels.keys import Keys
from parsolve.levels.pieces import joined, split
from parsolve.levels.proof import solved_beyond
from parsolve.levels.store import (
    Array,
    TooLarge,
    Unsuited,
    is_keyed_by_word,
    looked_at,
    needs_ids,
    scalars,
)
from parsolve.levels.threads import Threads
from parsolve.problem.data import digest_of
from parsolve.problem.hooks import call_method
from parsolve.problem.problem import Problem
from parsolve.puzzle import Exploring, Puzzle
from parsolve.search.checkpoint import COUNTS, CheckpointStore, Entries, LevelCheckpoint
from parsolve.search.progress import Progress
from parsolve.search.result import Result
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers
from parsolve.text import plural

LISTED = 100_000
"""Maximum number of farthest states that are listed."""

PIECE = 1 << 19
"""States of a layer that are handled between two checks of the watch."""

MEANING = 4
"""The version of a checkpoint's format: raised when it would mean something else."""

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
    bytes, any other with its rows; all on all cores.

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
            return self.whole(threads)

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
        so_far = _SoFar(self, search)
        so_far.resume()
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
                self.watch.listener.progress_made(Progress(depth, share=search.share, nodes=search.states))
                so_far.save_if_due()
        except Unsuited as error:
            if isinstance(search, Dense) or isinstance(error, TooLarge):
                raise
            return None
        except BadInput:  # what is refused would not be met again after a checkpoint of now
            raise
        except BaseException:
            so_far.save()
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

    def whole(self, threads: Threads) -> Explored:
        """Search with each state whole."""
        if self.solved is not None:  # a solved state would have only the moves that its history allows
            text = "gives neither 'goals' nor a way back from its keys, which --from goals needs"
            raise BadInput(f"{self.problem.name} {text}")
        begin = time.perf_counter()
        counted = CountedLevels(self.problem, threads, past=True, start=self.start)
        setup, begin = time.perf_counter() - begin, time.perf_counter()
        depths: dict[int, int] = {}
        known, farthest = np.zeros(0, np.uint64), list[Packed]()

        def seen(cost: int, pieces: Iterator[Packed]) -> None:
            nonlocal known
            if cost not in depths:
                known = known[:0]
                farthest.clear()
            for packed in pieces:
                rows, _ = counted.rows_of(packed, None if self.from_goals and counted.begun > 1 else 0)
                if looked_at(self.problem, rows)[1].any():
                    raise solved_beyond(self.problem, cost, self.problem.key_rule)
                ids = scalars(counted.keys_of(packed))
                known = ids if not len(known) else np.union1d(known, ids)  # in several levels of one cost
                if len(known) <= LISTED:
                    farthest.append(packed)
            depths[cost] = len(known)
            self.watch.listener.progress_made(Progress(cost, nodes=sum(depths.values())))

        counted.seen = seen
        for _ in counted.expand():
            pass
        rows = self.start[:0]
        if len(known) <= LISTED:
            rows, keys = (np.concatenate(each) for each in zip(*map(counted.rows_of, farthest), strict=True))
            rows = rows[np.unique(scalars(keys), return_index=True)[1]]
        return self._explored([*depths.items()], rows, time.perf_counter() - begin, setup, [])

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
    """The layers so far, as a checkpoint.

    Attributes:
        depths: (cost, states) of each layer.
        farthest: the ids of the farthest layer, ascending; none if there are more than LISTED.
        in_all: see `Explored`.
    """

    def __init__(self, explorer: _Explorer, search: Dense | Keys) -> None:
        self._explorer, self._search, self._store = explorer, search, explorer.store
        self._begin, self._before = time.perf_counter(), 0.0
        search.between = self.save_if_due
        self.depths: list[tuple[int, int]] = []
        self.farthest, self.in_all = search.ids_of(explorer.start), list[int]()

    @cached_property
    def _meaning(self) -> str:
        """A digest of what the layers mean. Not taken before it is needed: it makes the lookups."""
        explorer = self._explorer
        in_all = CodeIdentity({"in_all": explorer.exploring.in_all}).digest
        return digest_of([MEANING, explorer.problem.meaning, explorer.start, in_all])

    def resume(self) -> None:
        """Continue an earlier run, if there is one of this search."""
        kept, problem = self._store.resume_levels(), self._explorer.problem
        if kept is None or kept.form == COUNTS:
            return
        kept.require(self._meaning, problem)
        if kept.form.split("-")[0] != self._search.form.split("-")[0]:
            return
        try:
            self._restore(joined(kept.entries()))
        except (KeyError, ValueError, IndexError) as error:
            if isinstance(error, ParsolveError):
                raise
            raise Damaged(f"what the journal has of the states of {problem.name} ({error})") from None
        self._before, layers = kept.seconds, plural(kept.finished, "layer")
        self._explorer.watch.listener.warning_given(f"continuing after {layers} of an earlier run")

    def save_if_due(self) -> None:
        """Keep a checkpoint, if it is time for one."""
        if self._store.due and self._store.is_due(self._search.bytes_kept):
            self.save()

    def save(self) -> None:
        """Keep a checkpoint, if these are all layers that the search has reached."""
        search, seconds = self._search, self._before + time.perf_counter() - self._begin
        if len(self.depths) == search.reached > 0 and search.is_whole:
            identity, sums = f"{search.form} {self._meaning}", (len(self.depths), search.states, 0, 0)
            self._store.save_levels(LevelCheckpoint(identity, *sums, seconds, self._kept))

    def _kept(self) -> Iterator[Entries]:
        yield from split(DEPTHS, np.array(self.depths, np.uint64).reshape(-1))
        yield from split(FARTHEST, self.farthest)
        yield from split(IN_ALL, np.array(self.in_all, np.uint64))
        yield from self._search.kept()

    def _restore(self, arrays: Mapping[tuple[int, int], Array]) -> None:
        none, search = np.zeros(0, np.uint64), self._search
        search.restore(arrays)
        self.depths = [(depth, states) for depth, states in arrays[DEPTHS, 0].reshape(-1, 2).tolist()]
        self.farthest, self.in_all = arrays.get((FARTHEST, 0), none), arrays.get((IN_ALL, 0), none).tolist()
        if not len(self.depths) == search.reached > 0 or not search.agrees([states for _, states in self.depths]):
            raise ValueError("other layers than it says")


def _few(search: Dense | Keys) -> Array:
    """Return the ids of the newest layer, ascending; none if there are more than LISTED."""
    return np.sort(search.newest()) if search.waiting <= LISTED else np.zeros(0, np.uint64)
