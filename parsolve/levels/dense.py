"""Breadth-first search over numbered states: 3 bits each, on all cores.

For puzzles that number their states (`index`, `unindex`, `size`) and whose moves cost 1, or 1 and 0.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from parsolve.compiler.cache import cached
from parsolve.compiler.rows import rows_to_overrun
from parsolve.errors import BadPuzzle, OutOfMemory
from parsolve.levels.files import zeros_in
from parsolve.levels.kernels import brief, expanding_words
from parsolve.levels.pieces import PieceKind, joined, split, until_sums
from parsolve.levels.proof import Proof, solved_beyond
from parsolve.levels.states import Misdeclared, NumberCoding, crowded
from parsolve.levels.templates import numbered
from parsolve.levels.threads import Threads
from parsolve.problem.calling import call_kernel
from parsolve.problem.data import Array
from parsolve.problem.problem import Problem
from parsolve.search.checkpoint import Piece
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Watch
from parsolve.system.resources import default_workers, free_memory, memory_left

WORDS = 1 << 15
"""Words of a task of a thread that expands them: two million states, about 80 ms."""

LONGER = 4
"""Factor for the tasks in which a level is closed or listed, which takes less than 1 ns a state."""

PREFETCHED = 512
"""Children whose words are prefetched at once."""

STACK = 1 << 14
"""Maximum number of states reached without cost that a thread has not expanded yet; others wait for the next pass."""

NO_DISTANCES = np.zeros(0, np.uint8)

close_words, list_words = cached(numbered.close_words), cached(numbered.list_words)


class Dense:
    """A breadth-first search over numbered states.

    Args:
        problem: the problem, whose states are numbered.
        threads: the threads that share it.
        more: further bytes that the caller will need.
        folder: for files that hold the states instead of memory; None for memory.
        start: record[n], the states at depth 0; by default the root.
        from_goals: whether these are all solved states.

    Attributes:
        coding: the numbers.
        size, sizes: number of state numbers; number of states in each expanded level.
        waiting: number of states in the frontier, the level after these.
        expanded: number of states expanded before the search was restored.

    Raises:
        OutOfMemory: they do not fit.
    """

    def __init__(
        self,
        problem: Problem,
        threads: Threads,
        more: int = 0,
        folder: Path | None = None,
        start: Array | None = None,
        from_goals: bool = False,
    ) -> None:
        size = problem.size
        assert size is not None
        left = memory_left(threads.watch.max_memory)  # by default all: its size is known in advance
        left = free_memory() if left is None else left
        needed = 3 * 8 * -(-size // 64) + more
        if folder is None and needed > left:
            states = f"{problem.name}: {size:,} states take {needed / 2**20:,.0f} MB"
            raise OutOfMemory(f"{states}, and there are {max(0, left) / 2**20:,.0f} MB left for them (--max-memory)")
        self.problem, self.coding = problem, NumberCoding(problem, threads.watch.check)
        self._threads, self.size = threads, size
        self._expand_words = problem.compiled_rules.kernels(expanding_words)
        self.waiting = self.expanded = 0
        self.start = problem.root if start is None else start
        self.sizes: list[int] = []
        all_words = int(numbered.SETS) * -(-size // 64)
        self._bits = np.zeros(all_words, np.uint64) if folder is None else zeros_in(folder, all_words, np.uint64)
        # Each thread's own.
        room = 1 + PREFETCHED + problem.children
        self.from_goals, self.proof = from_goals, Proof(self.coding, threads.number, from_goals)
        self._rows = [rows_to_overrun(room, problem.state) for _ in self.proof.chosen]
        own = ((np.zeros(room, np.uint64), np.zeros(STACK, np.uint64), each) for each in self.proof.chosen)
        self._memory = [numbered.Memory(*each) for each in own]
        self._flags = np.zeros(numbered.FLAGS, np.int64)

    @property
    def nodes(self) -> int:
        """The number of expanded states."""
        return sum(self.sizes)

    @property
    def is_whole(self) -> bool:
        """Whether levels and `saved` are complete: not once a level has grown by moves without cost."""
        return not self._flags[numbered.FREE]

    def warm_up(self) -> None:
        """Load or compile the kernels, and check the states from which the search starts."""
        self._expand(NO_DISTANCES)
        self._close()
        next(self.newest())
        self.proof.start(self.start)

    def levels(self) -> Iterator[tuple[int, int, Iterator[Array]]]:
        """Yield one level after another, which the caller then expands: its depth, the number of its states, and these
        as `newest` yields them."""
        if not (self.sizes or self.waiting):
            sets = self._bits.reshape(-1, int(numbered.SETS))
            numbers = {*self.coding.ids_of(self.start).tolist()}
            for number in numbers:
                sets[number >> 6, [0, int(self._frontier)]] |= np.uint64(1 << (number & 63))
            self.waiting = len(numbers)
        while self.waiting:
            yield len(self.sizes), self.waiting, self.newest()
        self.proof.end()

    def expand_level(self, distances: Array = NO_DISTANCES) -> Iterator[int]:
        """Expand a level, and yield the number of its states; its depth is written into distances, uint8[entries]."""
        depth = len(self.sizes)
        if distances.size and depth == numbered.UNREACHED:
            raise BadPuzzle(f"{self.problem.name}: a state is {depth} moves away, and a table holds 254 at most")
        states = self._expand(distances)
        self.proof.add(depth)
        self.waiting = self._close()
        self.sizes.append(states)
        yield states

    @property
    def _frontier(self) -> np.uint64:
        """The set of the frontier; the next one is in the other of the two."""
        return np.uint64(1 + len(self.sizes) % 2)

    @property
    def bytes_saved(self) -> int:
        """Maximum number of bytes that `saved` yields."""
        return self._bits.nbytes

    def saved(self) -> Iterator[Piece]:
        """Yield the checkpoint of a search; between two steps, or after it was stopped."""
        has_solved = self._flags[numbered.SOLVED]
        yield from split(PieceKind.NUMBERS, self._bits)
        yield Piece(PieceKind.SUMS, 0, 0, np.array([self.waiting, has_solved, *self.sizes], np.uint64))

    def restore(self, saved: Iterable[Piece]) -> None:
        """Restore what `saved` has yielded, before the search; raise KeyError, ValueError or IndexError if it is not of
        this one."""
        arrays = joined(until_sums(saved))
        self.waiting, has_solved, *self.sizes = arrays[PieceKind.SUMS].tolist()
        if len(arrays[PieceKind.NUMBERS]) != len(self._bits):
            raise ValueError("another number of states")
        self._bits[:] = arrays[PieceKind.NUMBERS]
        self._flags[numbered.SOLVED] = has_solved
        visited, frontier = (self._bits[each :: int(numbered.SETS)] for each in (0, int(self._frontier)))
        counted, left = (int(np.bitwise_count(words).sum()) for words in (visited, frontier))
        self.expanded = self.waiting - left
        if counted != self.nodes + self.waiting or self.expanded < 0:
            raise ValueError("other numbers of states than it says")

    def newest(self) -> Iterator[Array]:
        """Yield the numbers of the states in the frontier, ascending, in pieces."""
        sets, frontier = int(numbered.SETS), self._frontier
        step = sets * LONGER * WORDS
        for first in range(0, len(self._bits), step):
            words = self._bits[first : first + step]
            numbers = np.zeros(np.bitwise_count(words[int(frontier) :: sets]).sum(), np.uint64)
            brief(list_words, len(words))(words, frontier, numbers)
            yield numbers + np.uint64(64 * first // sets)

    def _expand(self, distances: Array) -> int:
        done = [0] * self._threads.number
        words, depth = len(self._bits) // int(numbered.SETS), len(self.sizes)
        flags, now = self._flags, self._frontier
        sets = numbered.Sets(self._bits, now, np.uint64(3) - now, distances)
        asked = numbered.How(depth, self.problem.children, np.uint64(self.size), *self.proof.hashes(self.waiting))

        def expand(thread: int, task: int) -> None:
            rows, first, end = self._rows[thread], task * WORDS, min(words, (task + 1) * WORDS)
            arguments = rows, sets, first, end, self._memory[thread], asked, flags
            done[thread] += call_kernel(self._expand_words, self.problem.puzzle, self.problem.tables, *arguments)

        flags[numbered.AGAIN] = 1
        while flags[numbered.AGAIN]:
            flags[numbered.AGAIN] = 0
            self._threads.each(-(-words // WORDS), expand)
            self._raise_faults()
        if self.from_goals and flags[numbered.SOLVED] and depth:
            raise solved_beyond(self.problem, depth, self.coding.names[0])
        flags[numbered.SOLVED] = 0
        before, self.expanded = self.expanded, 0
        return before + sum(done)

    def _raise_faults(self) -> None:
        flags, culprits = self._flags, self._flags.view(np.uint64)[numbered.CULPRIT :].tolist()
        if flags[numbered.BEYOND]:
            raise self.coding.beyond(culprits[numbered.BEYOND])
        if flags[numbered.UNLIKE]:
            raise self.proof.unlike(culprits[numbered.UNLIKE])
        if flags[numbered.OUTSIDE]:
            number, entries = culprits[numbered.OUTSIDE], self.problem.entries
            raise Misdeclared(self.problem, f"'entry' of {number} is beyond the table, 'entries' says below {entries}")
        if flags[numbered.CROWDED]:
            raise crowded(self.problem)
        if flags[numbered.COSTLY]:
            raise BadPuzzle(f"{self.problem.name}: numbered states are searched by moves that cost 0 or 1 only")

    def _close(self) -> int:
        left, following = [0] * self._threads.number, np.uint64(3) - self._frontier
        words, size = len(self._bits) // int(numbered.SETS), LONGER * WORDS

        def close(thread: int, task: int) -> None:
            first, end = task * size, min(words, (task + 1) * size)
            left[thread] += brief(close_words, end - first)(self._bits, following, first, end)

        brief(close_words, words)(self._bits, following, 0, 0)  # compiled here, while the watch is checked
        self._threads.each(-(-words // size), close, stoppable=False)  # it cannot be done in part
        return sum(left)


def distances(problem: Problem, watch: Watch = UNWATCHED) -> Array:
    """Return the distance of every state of an abstraction from the nearest goal.

    Args:
        problem: numbers its states and gives its goals; its moves also lead backwards from them.
        watch: receives each level.

    Returns:
        uint8[entries], UNREACHED (255) for states without a way to a goal.

    Raises:
        BadPuzzle: it breaks the contract, or has a distance above 254.
        OutOfMemory: the states do not fit.
    """
    goals = problem.goals()
    with Threads(default_workers(), watch) as pool:
        search = Dense(problem, pool, more=problem.entries, start=goals, from_goals=True)
        search.warm_up()
        table = np.full(problem.entries, numbered.UNREACHED, np.uint8)
        for depth, _, _ in search.levels():
            for _ in search.expand_level(table):
                watch.listener.progress_made(Progress(depth, share=search.nodes / search.size, nodes=search.nodes))
    return table
