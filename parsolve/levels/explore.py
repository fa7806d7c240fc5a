"""The number of states at each distance, and the farthest states."""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from parsolve.compiler.identity import CodeIdentity
from parsolve.compiler.waiting import reporting_to
from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.dense import Dense
from parsolve.levels.pieces import PieceKind
from parsolve.levels.resumable import MEANING, Resumable
from parsolve.levels.search import SPACE, Search
from parsolve.levels.threads import Threads
from parsolve.problem.data import Array, digest_of
from parsolve.problem.digests import levels_digest
from parsolve.problem.hooks import call, call_method, text_from, whole_number
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Exploring, Puzzle
from parsolve.search.checkpoint import CheckpointStore
from parsolve.search.progress import Progress
from parsolve.search.request import Request
from parsolve.search.result import Result
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers

LISTED = 100_000
"""Maximum number of farthest states that are listed."""

MeasuredFrom = Literal["start", "goals"]
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
    origin: MeasuredFrom | None = None,
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
        origin: the origin of distances; by default the goals if the puzzle gives them, otherwise the start.
        supply: see `search.engine.Run`.

    Raises:
        BadInput: the puzzle gives no key, or no goals from which its moves can be taken back; `spill` cannot be used.
        OutOfMemory: the states do not fit.
    """
    exploring = call_method(puzzle, "exploring")
    if not isinstance(exploring, Exploring):
        kind = type(exploring).__name__
        raise BadPuzzle(f"{type(puzzle).__name__}: 'exploring' must return an Exploring, not {kind}")
    problem = supply(Problem(exploring.puzzle))
    problem.require_solvable()
    is_reversible = problem.graph in ("reversible", "bipartite") or problem.inverse is None
    listed = problem.goals() if is_reversible else problem.root[:0]
    from_goals = len(listed) > 0 if origin is None else origin == "goals"
    if from_goals and not len(listed):
        raise BadInput(f"{problem.name} gives no 'goals' from which moves can be taken back: take --from start")
    threads, store = threads or default_workers(), store or CheckpointStore()
    store.begin(problem, Result(problem, Request(want="count"), threads))
    start = listed if from_goals else problem.root
    begin = time.perf_counter()
    with Threads(threads, watch) as pool, reporting_to(watch.listener.compilation_started, watch.check):
        if problem.size:
            dense = Dense(problem, pool, folder=spill, start=start, from_goals=from_goals)
            dense.warm_up()
            if (found := _Exploration(dense, store, watch, exploring, begin).explored()) is not None:
                return found
        by_key = Search(problem, pool, spill, SPACE, start, from_goals)
        found = _Exploration(by_key, store, watch, exploring, begin).explored()
    assert found is not None
    return found


class _Exploration(Resumable):
    """A search of a whole space: the states of each cost, and the entries of the farthest, up to LISTED of them."""

    def __init__(
        self, search: Dense | Search, store: CheckpointStore, watch: Watch, exploring: Exploring, begin: float
    ) -> None:
        is_numbered = search.coding.is_numbered
        super().__init__(store, search.problem, watch, "numbers" if is_numbered else "states", [search])
        self._search, self._watch, self._exploring = search, watch, exploring
        self._in_all_of = None if is_numbered or search.proof is None else exploring.in_all
        self._setup_begin = self._begin = begin
        self._depths, self._in_all = list[tuple[int, int]](), list[int]()
        self._farthest, self._states = np.zeros(0, np.uint64), 0

    def explored(self) -> Explored | None:
        """Search; return None if numbered states have moves that cost nothing, so that the farthest are not known."""
        search, problem = self._search, self._search.problem
        self.resume()
        self._begin = time.perf_counter()
        with self.saving():
            for level in search.levels():
                if self._states == search.nodes:  # otherwise an earlier run has met it
                    self._meet(*level)
                for _ in search.expand_level():
                    if not search.is_whole:
                        return None
                    self.save_if_due()
        coding, seconds = search.coding, time.perf_counter() - self._begin
        farthest = self._farthest.reshape(-1, coding.form.head)
        shown = coding.states_in(farthest[np.lexsort(farthest[:, : coding.words].T[::-1])].reshape(-1))[0]
        rows: dict[str, Array] = {}
        for row in shown:
            rows.setdefault(text_from(problem.puzzle, "show_state", problem.state_of(row)), row)
        return Explored(
            start="goal" if search.from_goals else "root",
            depths=self._depths,
            farthest=list(rows),
            problem=problem,
            rows=list(rows.values()),
            seconds=seconds,
            setup_seconds=self._begin - self._setup_begin,
            in_all=self._in_all if self._in_all_of else [],
            measure=self._exploring.measure,
            measures=self._asked(lambda: [self._exploring.at(depth) for depth, _ in self._depths]),
            findings=self._asked(lambda: self._exploring.findings([problem.state_of(row) for row in shown])),
        )

    def _asked(self, by: Callable[[], Any]) -> Any:
        """Return the result of a function of the puzzle's Exploring."""
        return call(self._search.problem.given, "exploring", by)

    def _meet(self, cost: int, states: int, pieces: Iterator[Array]) -> None:
        """Add a level, which may have other levels of its cost before it."""
        in_all, entries, is_short, met = 0, [np.zeros(0, np.uint64)], states <= LISTED, self._states + states
        for piece in pieces if is_short or self._in_all_of else ():
            self._watch.check()
            if self._in_all_of:
                number = self._asked(partial(self._in_all_of, piece))
                in_all += whole_number(self._search.problem.given, "'in_all'", number)
            if is_short:
                entries.append(piece)
        depths, sizes = [*self._depths], [*self._in_all]
        if depths and depths[-1][0] == cost:
            states, in_all = states + depths.pop()[1], in_all + sizes.pop()
            entries.append(self._farthest)
        if states:  # all at once: a checkpoint may follow an exception
            farthest = np.concatenate(entries if states <= LISTED else entries[:1])
            depths, sizes = [*depths, (cost, states)], [*sizes, in_all]
            self._depths, self._in_all, self._farthest, self._states = depths, sizes, farthest, met
        share = self._states / (self._search.problem.size or math.inf)
        self._watch.listener.progress_made(Progress(cost, share=share, nodes=self._states))

    @cached_property
    def meaning(self) -> str:
        in_all = CodeIdentity({"in_all": self._exploring.in_all}).digest
        return digest_of([MEANING, levels_digest(self._search.problem), self._search.start, in_all])

    @property
    def finished(self) -> int:
        return len(self._depths)

    @property
    def seconds(self) -> float:
        return self.before + time.perf_counter() - self._begin

    def known(self) -> Mapping[PieceKind, Array]:
        depths, in_all = (np.array(each, np.uint64).reshape(-1) for each in (self._depths, self._in_all))
        return {PieceKind.DEPTHS: depths, PieceKind.FARTHEST: self._farthest, PieceKind.IN_ALL: in_all}

    def take(self, known: Mapping[int, Array], _: tuple[int, int]) -> None:
        self._depths = [(depth, states) for depth, states in known[PieceKind.DEPTHS].reshape(-1, 2).tolist()]
        self._farthest, self._in_all = known[PieceKind.FARTHEST], known[PieceKind.IN_ALL].tolist()
        self._states = sum(states for _, states in self._depths)
