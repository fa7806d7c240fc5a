"""The number of states at each distance, and the farthest states."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from parsolve.compiler.cache import reporting_to
from parsolve.compiler.identity import CodeIdentity
from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.dense import Dense
from parsolve.levels.kernels import way_back
from parsolve.levels.level import Level
from parsolve.levels.resumable import DEPTHS, FARTHEST, IN_ALL, Resumable
from parsolve.levels.search import Search
from parsolve.levels.states import Array
from parsolve.levels.threads import Threads
from parsolve.problem.data import digest_of
from parsolve.problem.hooks import call_method
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Exploring, Puzzle
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.progress import Progress
from parsolve.search.result import Result
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers

LISTED = 100_000
"""Maximum number of farthest states that are listed."""

PIECE = 1 << 19
"""States of a layer that are handled between two checks of the watch."""

MEANING = 6
"""The version of a checkpoint's format: raised when it would mean something else."""

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

    A puzzle that numbers its states is searched with 3 bits a state, one with a way back from its keys with 8 bytes
    for each word of a key, any other with its rows; all on all cores.

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
    is_reversible = problem.taken_back is None  # otherwise moves lead to the goals only
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
            found = self.by_number(threads) if self.problem.size else None
            return found or self.by_levels(threads)

    def by_number(self, threads: Threads) -> Explored | None:
        """Search by the numbers of the states; None if moves cost nothing, so that the farthest are not known."""
        begin = time.perf_counter()
        search = Dense(self.problem, threads, folder=self.spill, from_goals=self.from_goals)
        search.warm_up(self.start)
        so_far = _SoFar(self, search, search.ids_of(self.start))
        so_far.resume()
        setup, begin = time.perf_counter() - begin, time.perf_counter()
        self._collect(search.states_of, [so_far.farthest])  # it yields a layer when it knows the next one
        with so_far.saving():
            for depth, states in search.layers(self.start):
                if search.has_free_moves:
                    return None
                so_far.is_whole = False
                self._collect(search.states_of, search.newest(self.piece))
                if search.waiting:
                    newest = search.newest(self.piece) if search.waiting <= LISTED else ()
                    so_far.farthest = np.concatenate([np.zeros(0, np.uint64), *newest])
                so_far.depths.append((depth, states))
                so_far.is_whole = True
                self.watch.listener.progress_made(Progress(depth, share=search.share, nodes=search.nodes))
                so_far.save_if_due()
        search.proof.end()
        rows = search.states_of(so_far.farthest)[0]
        return self._explored(so_far.depths, rows, time.perf_counter() - begin, setup, [])

    def by_levels(self, threads: Threads) -> Explored:
        """Search by the keys of the states, with their rows if no rule leads back from a key."""
        if self.solved is not None and way_back(type(self.problem.puzzle)) is None:
            # A solved state would have only the moves that its history allows.
            text = "gives neither 'goals' nor a way back from its keys, which --from goals needs"
            raise BadInput(f"{self.problem.name} {text}")
        begin = time.perf_counter()
        how: dict[str, Any] = {"past": True, "start": self.start, "from_goals": self.from_goals}
        search = Search(self.problem, threads, self.spill, counts=False, **how)
        so_far = _SoFar(self, search, np.zeros(0, np.uint64))
        so_far.resume()
        setup, begin = time.perf_counter() - begin, time.perf_counter()
        in_all_of = None if search.keys is None else self.exploring.in_all

        def seen(cost: int, level: Level) -> None:
            so_far.is_whole = False
            in_all, entries, is_short = 0, [np.zeros(0, np.uint64)], level.total <= LISTED
            for piece in self._pieces(search, level) if is_short or in_all_of or self.solved is not None else ():
                self._collect(search.states_of, [piece])
                in_all += int(in_all_of(piece)) if in_all_of else 0
                if is_short:
                    entries.append(piece)
            so_far.add(cost, level.total, in_all, np.concatenate(entries))
            so_far.is_whole = True
            self.watch.listener.progress_made(Progress(cost, nodes=so_far.states))

        search.seen = seen
        with so_far.saving():
            for _ in search.expand():
                so_far.save_if_due()
        farthest = so_far.farthest.reshape(-1, search.form.head)
        order = np.lexsort(farthest[:, : len(search.form.like)].T[::-1])
        rows = search.states_of(farthest[order].reshape(-1))[0]
        in_all = so_far.in_all if in_all_of else []
        return self._explored(so_far.depths, rows, time.perf_counter() - begin, setup, in_all)

    def _pieces(self, search: Search, level: Level) -> Iterator[Array]:
        """Yield the entries of a level in pieces, so that handling them can be stopped."""
        step = self.piece * search.form.head
        for packed in level.read():
            for first in range(0, len(packed.entries), step):
                self.watch.check()
                yield packed.entries[first : first + step]

    def _collect(self, states_of: Callable[[Array], tuple[Array, Array]], pieces: Iterable[Array]) -> None:
        """Keep those of some states that are solved, without histories, if wanted."""
        if self.solved is not None:
            for ids in pieces:
                rows, solved = states_of(ids)
                self.solved.append(rows[solved])

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


class _SoFar(Resumable):
    """The layers so far, as a checkpoint.

    Attributes:
        depths: (cost, states) of each layer.
        farthest: the ids or entries of the farthest layer; none if there are more than LISTED.
        in_all: see `Explored`.
    """

    def __init__(self, explorer: _Explorer, search: Dense | Search, farthest: Array) -> None:
        form = "numbers" if isinstance(search, Dense) else "states"
        super().__init__(explorer.store, explorer.problem, explorer.watch, form, [search])
        self._explorer, self._begin = explorer, time.perf_counter()
        self.depths: list[tuple[int, int]] = []
        self.farthest, self.in_all, self.is_whole = farthest, list[int](), False

    @property
    def states(self) -> int:
        """The number of states reached."""
        return sum(states for _, states in self.depths)

    def add(self, cost: int, states: int, in_all: int, entries: Array) -> None:
        """Add a level, which may have other levels of its cost before it."""
        if not states:
            return
        if self.depths and self.depths[-1][0] == cost:
            states, in_all = states + self.depths.pop()[1], in_all + self.in_all.pop()
            entries = np.concatenate([self.farthest, entries])
        self.depths.append((cost, states))
        self.in_all.append(in_all)
        self.farthest = entries if states <= LISTED else entries[:0]

    @cached_property
    def meaning(self) -> str:
        explorer = self._explorer
        in_all = CodeIdentity({"in_all": explorer.exploring.in_all}).digest
        return digest_of([MEANING, explorer.problem.meaning, explorer.start, in_all])

    @property
    def finished(self) -> int:
        return len(self.depths)

    @property
    def seconds(self) -> float:
        return self.before + time.perf_counter() - self._begin

    def known(self) -> Mapping[int, Array]:
        depths = np.array(self.depths, np.uint64).reshape(-1)
        return {DEPTHS: depths, FARTHEST: self.farthest, IN_ALL: np.array(self.in_all, np.uint64)}

    def take(self, known: Mapping[int, Array]) -> None:
        none = np.zeros(0, np.uint64)
        self.depths = [(depth, states) for depth, states in known[DEPTHS].reshape(-1, 2).tolist()]
        self.farthest, self.in_all = known.get(FARTHEST, none), known.get(IN_ALL, none).tolist()
        self.is_whole = True
