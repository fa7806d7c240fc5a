"""Frontier search: the lowest level is expanded, its children are added to later levels, its memory is given back.

If moves may lead back, the level of a state is the least cost at which it is reached, and levels stay until no later
child can lie in them. R. E. Korf, W. Zhang, I. Thayer, H. Hohwald, Frontier search, Journal of the ACM 52 (2005).
"""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from parsolve.errors import BadPuzzle
from parsolve.levels.chains import Chains
from parsolve.levels.expander import Expander
from parsolve.levels.kernels import EntriesKernel
from parsolve.levels.level import Level, MergedLevel
from parsolve.levels.pairs import KEPT, Pairs
from parsolve.levels.pieces import PieceKind, until_sums
from parsolve.levels.pool import Pool
from parsolve.levels.proof import Proof, solved_beyond
from parsolve.levels.settled import Settled
from parsolve.levels.states import Coding, EntryCoding, Misdeclared
from parsolve.levels.store import Store
from parsolve.levels.templates.entries import BATCH, Asked, Found, cost_of, first_of
from parsolve.levels.threads import Threads
from parsolve.problem.costs import NO_LIMIT
from parsolve.problem.data import Array
from parsolve.problem.problem import Problem
from parsolve.search.budget import Budget
from parsolve.search.checkpoint import Piece
from parsolve.search.watch import Watch
from parsolve.system.resources import within_memory

CHECKED = np.uint64((1 << 64) // 256)
"""The greatest hash of a key that is compared with its state, where levels rise: one key in 256."""

LOWEST = -(1 << 62)
"""The level of the root if levels rise: no move leads to it."""

TASK = 1 << 13
"""Approximate number of entries that a thread expands at once: about 5 ms."""

TASKS, TASKS_OF_KEYS = 4, 16
"""Such tasks for each thread in a step: with fewer, threads wait longer for each other; with more, counts are merged
too late."""

NOT_BELOW, NOT_CHOSEN = np.zeros(0, np.uint32), np.zeros(1, np.uint64)
"""For searches that do not ask which entries lead to solutions."""


class Aim(NamedTuple):
    """What a search is for."""

    counts: bool  # whether entries have numbers of ways; without them each state is met once, by cost
    keeps: bool = False  # whether all levels stay, without their counts
    past: bool = False  # whether solved states are expanded, too; without counts


COUNT, LIST, SPACE = Aim(counts=True), Aim(counts=True, keeps=True), Aim(counts=False, past=True)
WAYS, WAYS_BACK = Aim(counts=False, keeps=True), Aim(counts=False, keeps=True, past=True)


class Search:
    """A search by levels.

    Args:
        problem: a problem with a key.
        threads: that share the work.
        folder: for files with entries that do not fit in memory; None for no files.
        aim: what it is for.
        start: record[n], the states to start from; by default the root.
        from_goals: whether these are all solved states.
        opposite: the problem with moves taken back, where it is searched as well; see `Proof`.
        stores: those of searches in the same memory, to which its own is added; by default it has its own memory.

    Attributes:
        count: solutions found so far; if they differ in cost, those of cost `cost`.
        cost: the least cost of a solution so far.
        chains, store: the entries in memory, and all of them.
        expander: expands the entries.
        nodes: the number of entries expanded so far.
        lowest: the level of the root.
        begun: number of levels begun so far.
        coding: what an entry is.
        proof: checks its declarations; None if keys have several words, or no way back, or if levels rise.

    Raises:
        BadInput: the puzzle gives no key, or its states are too large.
        BadPuzzle: it breaks the contract; methods, too.
        OutOfMemory: there is hardly any memory; methods, too.
    """

    def __init__(
        self,
        problem: Problem,
        threads: Threads,
        folder: Path | None = None,
        aim: Aim = COUNT,
        start: Array | None = None,
        from_goals: bool = False,
        opposite: Problem | None = None,
        stores: list[Store] | None = None,
    ) -> None:
        with within_memory(threads.watch.max_memory):
            root, _ = problem.root, problem.tables
        coding, start = EntryCoding(problem, threads.watch.check, aim.counts), root if start is None else start
        by_cost, has_rows, form = coding.by_cost, coding.has_rows, coding.form
        is_checked = by_cost and coding.words == 1 and not has_rows  # otherwise `graph` is not used
        back = None if opposite is None else Coding(opposite, threads.watch.check)
        graph = "rising" if not by_cost else problem.graph if is_checked else "any"
        stays = by_cost or aim.keeps
        staying = Settled(graph, not aim.counts, aim.keeps, len(start) > 1) if stays else None
        stores = [] if stores is None else stores
        pool = stores[0].chains.pool if stores else Pool(_budget(problem, aim, threads.watch, folder))
        kernel = problem.compiled_rules.kernels(EntriesKernel.of)
        counting = kernel.expand_shortest if by_cost else kernel.expand_counts
        self.problem, self.threads, self.aim, self.coding = problem, threads, aim, coding
        self.start, self.from_goals = start, from_goals
        self._meets_goals = opposite is not None and not aim.past  # so no solved state is expanded
        self.lowest = first_of(int(start["cost"][:1].sum())) if by_cost else LOWEST
        self.begun = self.nodes = self.count = 0
        self.cost = NO_LIMIT
        self.proof = Proof(coding, threads.number, from_goals, back) if is_checked else None
        self._pairs = Pairs(coding) if has_rows else None
        self.chains = Chains(form, threads, pool, problem.children, aim.keeps)
        self.store = Store(self.chains, folder, staying, stores)
        stores.append(self.store)
        self.expander = Expander(problem, threads.number, counting if aim.counts else kernel.expand_keys)

    # Its progress.

    @property
    def is_whole(self) -> bool:
        """Whether the numbers and `saved` are complete: not after a rule has failed, or a kernel was not waited for."""
        return not (self.expander.has_failed or self.threads.is_broken)

    @property
    def share(self) -> float:
        """The finished share of the last level begun."""
        current = self.store.current
        return 1 - current.left.total / current.total if current.total else 0.0

    @property
    def finished(self) -> int:
        """The number of finished levels."""
        is_begun = self.store.current.left.total > 0 and not self.store.current.is_next
        return max(0, self.begun - is_begun)

    @property
    def level(self) -> int:
        """The number of the level that is expanded next, is being expanded, or was last."""
        return self.store.current.number

    @property
    def ends(self) -> tuple["Search"]:
        """Itself: it searches from one end alone."""
        return (self,)

    def counted(self) -> "Search":
        """Return itself, which has counted solutions as it went."""
        return self

    @property
    def top(self) -> MergedLevel:
        """That level, if it stays."""
        return self.store.settled[self.level]

    @property
    def bytes_saved(self) -> int:
        """Maximum number of bytes that `saved` yields."""
        return self.store.bytes_saved

    def saved(self) -> Iterator[Piece]:
        """Yield all entries in pieces; see `Store.packed`."""
        total = 0
        for kind, level, packed in self.store.packed():
            total += len(packed.entries)
            yield Piece(kind, level, packed.words, packed.entries)
        yield Piece(PieceKind.SUMS, 0, 0, np.array([total, self.finished, self.nodes], np.uint64))

    def restore(self, saved: Iterable[Piece]) -> None:
        """Restore what `saved` of another process yielded, before any is expanded; more pieces may follow. Raise
        ValueError if it is not of this search."""
        total = 0
        for kind, level, words, data in until_sums(saved):
            entries = np.array(data, np.uint64)
            if kind == PieceKind.SUMS:
                said, self.begun, self.nodes = entries.tolist()
            elif (words < 1 if self.aim.counts else words) or len(entries) % (self.coding.form.head + words):
                raise ValueError("entries of another length")
            else:
                self.store.add(level, entries, words, PieceKind(kind))
                total += len(entries)
        if total != said:
            raise ValueError("other entries than it says")

    # Level by level.

    def expand(self) -> Iterator[int]:
        """Expand one level after another, the lowest first, in steps; yield the number of entries of each step."""
        for _ in self.levels():
            yield from self.expand_level()

    def levels(self) -> Iterator[tuple[int, int, Iterator[Array]]]:
        """Yield one level after another, the lowest first, which the caller then expands: if levels are costs, its
        cost; the number of its entries; and these in pieces, packed."""
        self.begin()
        while (level := self.settle()) is not None:
            yield cost_of(self.level), level.total, (packed.entries for packed in level.read())
        self.check_declarations()
        is_alone = self.nodes == 1 and not self.count
        if is_alone and any(len(rows) for rows, _, _ in self.coding.children(self.start, False)):
            text = "is the same for the root and all states that follow it, or no move changes anything"
            raise BadPuzzle(f"{self.problem.name}: {self.problem.key_rule!r} {text}")

    def begin(self) -> None:
        """Check the states from which it starts, and put them into the lowest level, unless it was restored; raise
        BadPuzzle if one is wrong."""
        if self.proof is not None:
            self.proof.start(self.start)
        if self.begun or self.store.settled or self.store.numbers:
            return
        keys, solved = self.coding.look(self.start)
        if self.aim.counts and solved[0]:
            self.count, self.cost = 1, int(self.start["cost"][0])
        else:
            self.store.add(self.lowest, self.coding.entries_of(self.start, keys), int(self.aim.counts))

    def settle(self) -> Level | None:
        """Settle the lowest level, and return it; None if there is none, or none that costs less than a solution."""
        store = self.store
        if store.current.is_next:
            return self.top
        least = min(store.numbers, default=None)
        # A move that costs nothing could be taken back, in other graphs.
        last = 1 if self.problem.graph == "any" else 0
        if least is None or (self.coding.by_cost and cost_of(least) >= self.cost + last):
            return None
        level = store.settle(least)
        has_costs = self.coding.by_cost and (self.aim.counts or self.problem.has_cost)  # else a level is a step
        if level.total and has_costs:  # some of its states are not reached at less cost
            refuse_endless(self, least)
        return level

    def expand_level(self) -> Iterator[int]:
        """Expand the settled level in steps; yield the number of entries of each."""
        for _ in self.pieces():
            yield from self.expand_piece()

    def pieces(self) -> Iterator[None]:
        """Bring the settled level into memory, whole or piece by piece, each of which the caller expands in steps."""
        store = self.store
        self.begun += 1
        for _ in store.load():
            if store.current.left.size and self._pairs is not None:
                packed, head = next(store.current.left.packed()), self.coding.form.head
                first = packed.entries.reshape(-1, head + packed.words)[:KEPT, :head]
                self._pairs.look(self.coding.states_in(first.reshape(-1))[0], first[:, : self.coding.words])
            yield

    def expand_piece(self, is_of_level: bool = True) -> Iterator[int]:
        """Expand a piece in steps, of the settled level or of other entries; yield the number of entries of each."""
        while self.store.current.left.size:
            yield self.expand_step()
        if self.proof is not None:
            self.proof.add(cost_of(self.level) if is_of_level else None)

    def check_declarations(self) -> None:
        """Compare the puzzle's declarations with what the search has met; raise BadPuzzle if one is wrong."""
        store = self.store
        if self.proof is not None:
            self.proof.end()
        if self._pairs is not None:
            least = min(store.numbers, default=None)
            settled = ((cost_of(number), level.read_keys()) for number, level in store.settled.items())
            radius = cost_of(least) - 1 if self.coding.by_cost and least else math.inf
            self._pairs.end(settled if self.coding.by_cost else [], radius)

    def expand_step(self) -> int:
        """Expand some entries of the piece on all threads, count the solutions met, and return how many entries."""
        left, chains, asked = self.store.current.left, self.chains, self.asked(self.level)
        chosen = [NOT_CHOSEN for _ in chains.buffers] if self.proof is None else self.proof.chosen
        found = [Found(np.zeros(1 + chains.counts, np.uint64), NOT_BELOW, each) for each in chosen]
        ends, is_short = left.ends, False
        buckets = np.flatnonzero(ends)
        step = max(1, int(TASK * len(buckets) / left.size))
        buckets = buckets[: (TASKS if self.aim.counts else TASKS_OF_KEYS) * self.threads.number * step]
        self.expander.begin(chains, self.cost)

        def expand(thread: int, task: int) -> None:
            nonlocal is_short
            own = buckets[task * step : (task + 1) * step]
            if not self.expander.expand(thread, chains, ends, found[thread], asked, own[0], own[-1] + 1):
                is_short = True

        try:
            self.threads.each(-(-len(buckets) // step), expand, left.size)
        finally:
            expanded, has_solved, cost, solutions = self.expander.sums(chains, found)
            self.nodes += expanded
            left.size -= expanded
            if has_solved:
                self._refuse_solved()  # at once: no checkpoint follows
            if cost < self.cost:
                self.count, self.cost = 0, cost
            self.count += solutions
        if is_short:
            self.store.make_room(self.threads.number * (self.problem.children + BATCH))
        else:
            self.store.merge_early()
        return expanded

    def _refuse_solved(self) -> None:
        """Raise BadPuzzle if the states that are expanded are solved, and 'goals' should have them."""
        if self.from_goals and self.level > self.lowest:
            raise solved_beyond(self.problem, cost_of(self.level - self.lowest), self.problem.key_rule)
        if self._meets_goals:
            text = "a solved state was met which 'goals' lacks, or to which no move of 'inverse_puzzle' leads"
            raise Misdeclared(self.problem, text)

    def asked(self, level: int) -> Asked:
        """Return how a level is to be expanded; see `Asked`."""
        chains, check_up_to, choose_up_to, limit = self.chains, CHECKED, np.uint64(0), self.cost
        if self.coding.by_cost:  # its states have no bound
            (check_up_to, choose_up_to), limit = Proof.hashes(self.store.current.total), NO_LIMIT
        return Asked(
            form=chains.form,
            bits=chains.bits,
            counts=chains.counts,
            now=level,
            limit=limit,
            most=self.problem.children,
            check_up_to=check_up_to,
            choose_up_to=choose_up_to,
            past=self.aim.past,
            stay=self.store.current.viewed is not None,
        )


def _budget(problem: Problem, aim: Aim, watch: Watch, folder: Path | None) -> Budget:
    """Return the budget of a search, with what to do if it is too small."""
    advice = "" if folder is not None else ", or a folder for files (--spill)"
    if aim.keeps:
        advice = f"{advice}; a list takes all levels at once, a count does not"
    states = "states with their counts" if aim.counts else "states"
    more = f"give them more (--max-memory){advice}"
    text = f"{type(problem.given).__name__}: the next {states} take more than the"
    return Budget(watch, lambda most: f"{text} {most} that are left for them: {more}")


def refuse_endless(search: Search, number: int) -> None:
    """Refuse a level with a cost beyond its field, or that moves without cost in circles have led to."""
    problem, cost = search.problem, cost_of(number)
    problem.costs.refuse_overflow(cost, f", or {problem.key_rule!r} gives one state several keys")
    free = number - first_of(cost)
    if free >= 16 and free & (free - 1) == 0:  # a power of 2: not each time
        levels = (level for number, level in search.store.settled.items() if cost_of(number) == cost)
        keys = {key.tobytes() for level in levels for keys in level.read_keys() for key in keys}
        if len(keys) < free:
            raise BadPuzzle(f"{problem.name}: moves that cost nothing go in circles")
