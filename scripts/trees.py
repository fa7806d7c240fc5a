"""Search trees for simulations: how real ones divide, and larger ones that divide alike."""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from parsolve.deepening.outcome import Outcome
from parsolve.deepening.prefixes import MOST, Prefix
from parsolve.deepening.searcher import Searcher
from parsolve.problem.problem import Problem
from parsolve.puzzle import Puzzle
from parsolve.search.branch import Branch, Path

NO_PATHS = np.zeros((0, 1), np.uint16)

GRAIN = 2_000
"""Nodes of a subtree that is searched as a whole, at least; and a thousandth of a slice."""

MASK = (1 << 64) - 1


def record(puzzle: Puzzle, limit: int, leaves: int = 2_000) -> "Model":
    """Search a tree by really splitting it, and return the model of that tree.

    Args:
        puzzle, limit: what is searched.
        leaves: about how many subtrees are not divided any more.
    """
    searcher = Searcher(Problem(puzzle))
    whole = searcher.run(searcher.whole(), limit, 1 << 60, False, None).nodes
    real: dict[int, tuple[int, ...]] = {}

    def nodes_of(branch: Branch, name: int) -> int:
        outcome = searcher.run(branch, limit, max(1, whole // leaves), False, None)
        if not outcome.rest:
            return outcome.nodes
        (below,) = searcher.run(branch, limit, 1, False, None).rest
        parts = [nodes_of(part, _name_of(name, move)) for move, part in enumerate(below.split())]
        real[name] = tuple(parts)
        return 1 + sum(parts)

    if nodes_of(searcher.whole(), 1) != whole:
        raise SystemExit("wrong: the parts of the tree are not the whole")
    return Model([tuple(part / sum(parts) for part in parts) for parts in real.values()], whole, real)


def _name_of(name: int, move: int) -> int:
    mixed = (name * 6364136223846793005 + move + 1442695040888963407) & MASK
    return mixed ^ (mixed >> 29)


@dataclass(frozen=True)
class Model:
    """A tree of any size whose nodes divide as recorded ones did, each as one that its path picks at random.

    Attributes:
        divisions: as recorded: the shares of a node's children.
        nodes: of the whole tree.
        real: the nodes of the children of some nodes, by their names, for a tree that is one that was recorded.
    """

    divisions: Sequence[tuple[float, ...]]
    nodes: int
    real: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def of_size(self, nodes: int) -> "Model":
        """Return another tree that divides alike."""
        return Model(self.divisions, nodes)

    def search(self, branch: Branch, budget: int) -> Outcome:
        """Search a branch as the kernel does: depth first, until it is done or so many nodes are visited."""
        path, pending, sizes = list(branch.path), [list(moves[::-1]) for moves in branch.pending], list(branch.sizes)
        above = [(self.nodes, 1)]
        for move in path[1:]:
            above.append(self._child(*above[-1], move))
        visited, grain = 0, max(GRAIN, budget // 1000)
        while pending and visited < budget:
            if not pending[-1]:
                pending.pop()
                sizes.pop()
                if path and len(path) > len(pending) - 1:
                    path.pop()
                    above.pop()
                continue
            move = pending[-1].pop()
            nodes, name = self._child(*above[-1], move) if path else (self.nodes, 1)
            if nodes <= grain or nodes <= budget - visited:
                visited += nodes
                continue
            visited += 1
            if path:
                above.append((nodes, name))
            path.append(move)
            number = self._number(name)
            pending.append(list(range(number - 1, -1, -1)))
            sizes.append(number)
        while pending and not pending[-1]:
            pending.pop()
            sizes.pop()
        if not pending:
            return Outcome(visited, 0, NO_PATHS, True, 0.0)
        rest = Branch(tuple(path[: len(pending) - 1]), tuple(tuple(moves[::-1]) for moves in pending), tuple(sizes))
        return Outcome(visited, 0, NO_PATHS, True, 0.0, (rest,))

    def prefix(self, noise: float = 0.3) -> Prefix:
        """Return what an iteration before would have counted below each prefix, wrong by up to so much."""
        found = Prefix()
        heap: list[tuple[int, Path, int]] = [(-self.nodes, (), 1)]
        while len(heap) < MOST // 3:
            nodes, path, name = heapq.heappop(heap)
            for move in range(self._number(name)):
                below, other = self._child(-nodes, name, move)
                heapq.heappush(heap, (-below, (*path, move), other))
        for nodes, path, name in heap:
            found.add(path, int(-nodes * (1 + noise * (name % 2001 - 1000) / 1000)))
        return found

    def _child(self, nodes: int, name: int, move: int) -> tuple[int, int]:
        """Return the nodes and the name of a child."""
        if name in self.real:
            return self.real[name][move], _name_of(name, move)
        share = self.divisions[name % len(self.divisions)][move]
        return int((nodes - 1) * share), _name_of(name, move)

    def _number(self, name: int) -> int:
        """Return how many children a node has."""
        return len(self.real.get(name) or self.divisions[name % len(self.divisions)])
