"""How far a search is, and how long it will still take."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from parsolve.search.result import Iteration


@dataclass
class Progress:
    """The progress of a search, for bars and logs.

    Attributes:
        limit: the limit of the running iteration.
        share: the share of its tree, or of the level in a count by sharing, that is finished, 0 to 1.
        nodes: states visited in this iteration.
        found: solutions found in this iteration.
        before: the earlier iterations.
        since: the start of the iteration, by `time.monotonic`.
        level: number of levels begun, in a count by sharing; None in other searches.
        waiting: minimum number of entries that are known and not expanded.
        total: expected number of entries in a count by sharing; None if unknown.
    """

    limit: int
    share: float = 0.0
    nodes: int = 0
    found: int = 0
    before: Sequence[Iteration] = ()
    since: float = field(default_factory=time.monotonic)
    level: int | None = None
    waiting: int = 0
    total: float | None = None

    @property
    def seconds(self) -> float:
        """How long the iteration has been running."""
        return time.monotonic() - self.since

    @property
    def growth(self) -> float | None:
        """The ratio of the nodes of the last two limits; None without two, or if a part has none in one."""
        last = [each.nodes for each in self.before[-2:]]
        return last[1] / last[0] if len(last) == 2 and all(last) else None

    @property
    def expected(self) -> float | None:
        """Expected seconds of the iteration, from the earlier ones; None if there were fewer than two."""
        return None if self.growth is None else self.before[-1].seconds * self.growth

    @property
    def whole(self) -> float | None:
        """Nodes that the whole iteration will visit; None while that is unknown.

        At first estimated from the growth of the limits, which is right within a few percent while the finished share
        is still unreliable (`estimate.md` in `results/`); the share gets more weight as it grows.
        """
        if self.level is not None:
            return None if self.total is None else max(self.total, self.nodes + self.waiting)
        by_share = self.nodes / self.share if self.share > 0.001 else None
        if self.growth is None or not self.nodes:
            return by_share
        by_growth = self.before[-1].nodes * self.growth
        trust = max(self.share, min(1.0, self.nodes / by_growth))
        return by_growth * math.pow((by_share or by_growth) / by_growth, trust)

    @property
    def left(self) -> float | None:
        """Seconds that the iteration still needs; None while that is unknown."""
        return None if self.whole is None or not self.nodes else self.seconds * max(0.0, self.whole / self.nodes - 1)

    @property
    def left_at_least(self) -> float | None:
        """Seconds for the known remaining work of a count by sharing; None in other searches."""
        return self.seconds * self.waiting / self.nodes if self.nodes and self.level is not None else None

    @property
    def left_at_most(self) -> float | None:
        """The same with the next limit, in case this one has no solution; None if it has one, or if that is unknown."""
        if self.left is None or self.whole is None or self.growth is None or self.found:
            return None
        return self.left + self.seconds * self.whole / self.nodes * self.growth
