"""The paths of all costs up to a limit, cheapest or not: every state after every number of steps, with its ways on.

A state that was reached at less cost is not a duplicate here. Rows are merged only if all their fields are equal, so
the result relies on no declaration, neither on the key nor on `move` having no effect.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from parsolve.errors import BadInput, OutOfMemory
from parsolve.levels.kernels import layer_kernel
from parsolve.levels.store import Array, Expander, inspected, misdeclared
from parsolve.problem.problem import Problem
from parsolve.search.budget import ceiling
from parsolve.search.watch import Watch
from parsolve.system.resources import memory_in_use

LARGEST = 1 << 62
"""Greater sums are Python integers."""


class Walks:
    """Every path from the root to its first solved state that costs no more than a limit.

    Args:
        problem: the problem.
        limit: the greatest cost.
        watch: its check may end the work.

    Attributes:
        states: number of rows by cost.

    Raises:
        BadPuzzle: there are more steps than the puzzle declares, or costs overflow their field.
        OutOfMemory: the rows do not fit.
    """

    def __init__(self, problem: Problem, limit: int, watch: Watch) -> None:
        kernel = layer_kernel(problem.compiled_rules)
        if kernel is None:
            raise BadInput(f"{problem.name} gives no key, which breadth-first search needs")
        self._problem, self._limit, self._inspect = problem, limit, kernel.inspect_rows
        self._max_memory = ceiling(watch)
        words = inspected(problem, self._inspect, problem.root)[0].shape[1]
        self._expander = Expander(problem, kernel.expand_layer, words, watch.check, self._watch_memory)
        self.states: Counter[int] = Counter()
        self._layers: list[tuple[Array, Array]] = []
        """For each number of steps, the children in the order of their parents: int64[n, 3], the parent, the child's
        place in the next layer, its move; and the cost of each solved row, otherwise -1."""
        rows = problem.root
        for _ in range(problem.steps(limit) + 1):
            rows = self._expand(rows)
            if not len(rows):
                break
        else:
            raise misdeclared(problem, f"has paths of more steps than 'steps' says for the limit {limit}")
        self._ways = self._count_backwards()

    @property
    def by_cost(self) -> dict[int, int]:
        """The number of paths by cost, ascending."""
        return {cost: int(ways[0][0]) for cost, ways in sorted(self._ways.items()) if ways[0][0]}

    def _expand(self, rows: Array) -> Array:
        """Keep a layer, and return the next one, without repeated rows."""
        solved = inspected(self._problem, self._inspect, rows)[1]
        self.states.update(rows["cost"].tolist())
        parts, parents = [rows[:0]], [np.zeros(0, np.int64)]
        for children, places, _ in self._expander.children(rows, past_solved=False):
            if (children["cost"] < rows["cost"][places]).any():
                raise self._problem.cost_falls()
            near = children["cost"].astype(np.int64) + children["bound"] <= self._limit
            self._problem.refuse_overflow(int(children["cost"][near].max(initial=0)))
            parts.append(children[near])
            parents.append(places[near])
        written = np.concatenate(parts)
        # Field by field: the bytes between fields are undefined.
        plain = np.zeros(len(written), np.dtype([(name, written.dtype[name]) for name in written.dtype.names or ()]))
        for name in written.dtype.names or ():
            plain[name] = written[name]
        _, first, place = np.unique(plain.view(np.dtype((np.void, plain.itemsize))), True, True)
        edges = np.stack([np.concatenate(parents), place.reshape(-1), written["move"].astype(np.int64)], axis=1)
        self._layers.append((edges, np.where(solved, rows["cost"].astype(np.int64), -1)))
        self._watch_memory(0)
        return written[first]

    def _count_backwards(self) -> dict[int, list[Array]]:
        """Return, for each cost of a solution, the number of ways to such a solution from each row of each layer."""
        costs = {int(cost) for _, solved in self._layers for cost in np.unique(solved) if 0 <= cost <= self._limit}
        return {cost: self._ways_to(cost) for cost in costs}

    def _ways_to(self, cost: int) -> list[Array]:
        after = np.zeros(0, np.int64)
        every: list[Array] = []
        for edges, solved in reversed(self._layers):
            ways = (solved == cost).astype(np.int64)
            if len(edges):
                on = after[edges[:, 1]]
                if max(on) > LARGEST // self._problem.children:
                    ways = ways.astype(object)
                np.add.at(ways, edges[:, 0], on.astype(ways.dtype))
            every.append(ways)
            after = ways
        return every[::-1]

    def walk(self) -> Iterator[tuple[int, ...]]:
        """Yield every path, by cost and in depth-first order."""
        starts = [np.searchsorted(edges[:, 0], np.arange(len(solved) + 1)) for edges, solved in self._layers]
        for _, ways in sorted(self._ways.items()):
            # With an explicit stack instead of recursion: paths may be longer than Python's stack.
            stack = [iter([[0, 0]])]  # moves and rows to try, layer by layer; the root has no move
            path: list[int] = []
            while stack:
                step = next(stack[-1], None)
                if step is None:
                    stack.pop()
                    continue
                depth, (move, row) = len(stack) - 1, step
                path[depth:] = [move]
                edges, solved = self._layers[depth]
                if not ways[depth][row]:
                    continue
                if solved[row] >= 0:
                    yield tuple(path[1:])
                else:
                    first, end = starts[depth][row : row + 2]
                    stack.append(iter(edges[first:end, :0:-1].tolist()))

    def _watch_memory(self, more: int) -> None:
        if memory_in_use().rss + more > self._max_memory:
            raise OutOfMemory(
                f"{self.states.total():,} states reached, and going on would take more than the"
                f" {self._max_memory / 2**20:,.0f} MB that breadth-first search may use (--max-memory)"
            )
