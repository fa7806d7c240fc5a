"""Frontier: the open branches of one iteration. A state machine: outcomes and losses in, tasks out.

               ┌───────────── what is left ◀─────────────┐
    whole ─▶ queue ─▶ task: branches and a budget ─▶ …  ─▶ outcomes, or a loss
               │  split when short
               └─ the earliest open branch: solutions before it can be given out

The frontier knows no futures, clocks, callbacks or processes. So thousands of simulated workers run the same code as
two processes (`tests/deepening/test_machine.py`). An event takes the same time however many branches are open.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from parsolve.deepening.heap import Heap
from parsolve.deepening.outcome import Outcome, solutions_of
from parsolve.deepening.pace import Pace
from parsolve.deepening.prefixes import Prefix
from parsolve.errors import BranchLost, WorkersLost
from parsolve.search.branch import Branch, Path
from parsolve.search.cuts import NOTHING, least_cut
from parsolve.search.tuning import DEFAULT, Tuning

WHOLE = 1 << 256
"""The share of the whole tree. Shares are whole numbers, so that their sum never drifts; large ones, so that the small
shares of deep branches stay distinct."""

NAMED = 12
"""Maximum number of moves in a branch's name."""


@dataclass(eq=False, slots=True)
class Open:
    """An open branch.

    Attributes:
        branch: the branch.
        order: its position in depth-first order.
        share: its share of the whole tree, in parts of `WHOLE`.
        strikes: number of workers that it may have cost.
    """

    branch: Branch
    order: Path
    share: int
    strikes: int

    def named(self, most: int | None = None) -> str:
        """Name it by the moves of its first row, or the first `most` of them."""
        more = " …" if most is not None and len(self.order) > most else ""
        return " ".join(map(str, self.order[:most])) + more or "none"


@dataclass(eq=False, slots=True)
class Task:
    """Branches handed to a worker, and how long it may search them.

    Attributes:
        items: the branches.
        seconds: time limit for a machine, which looks at the clock between two slices.
        budget: node limit for a process, which does not.
    """

    items: list[Open]
    seconds: float
    budget: int

    @property
    def branches(self) -> list[Branch]:
        """The branches, in depth-first order."""
        return [item.branch for item in self.items]

    @property
    def name(self) -> str:
        """The first moves of the first branch."""
        return self.items[0].named(NAMED)


class Frontier:
    """The open branches of one iteration, and the totals of the finished ones.

    Args:
        branches: the branches to search: the whole tree, or the open branches of a checkpoint.
        weigh: returns the share of the tree that a branch holds, 0 to 1.
        pace: the node rate so far; kept up to date here.
        first: how many of the first solutions are wanted; 0 for all. Branches after that many known ones are dropped.
        enough: without `first`, the weight of solutions at which all other branches are dropped; None for all.
        tuning: how the tree is cut into tasks, and how these are run.

    Attributes:
        nodes: states visited.
        seconds: time in the kernel, in this run.
        weight: weight of the solved states.
        cut: so far, see `search.cuts`.
        prefixes: the nodes below each prefix of moves.
    """

    def __init__(
        self,
        branches: Sequence[Branch],
        *,
        weigh: Callable[[Branch], float] = lambda _: 1.0,
        pace: Pace | None = None,
        first: int = 0,
        enough: int | None = None,
        tuning: Tuning = DEFAULT,
    ) -> None:
        self.nodes, self.weight, self.cut = 0, 0, NOTHING
        self.seconds = 0.0
        self.prefixes = Prefix()
        self._weigh, self._pace, self.tuning = weigh, pace or Pace(), tuning
        self._first, self._enough = first, None if first else enough
        self._known: list[Path] = []  # solutions up to the last one that is still wanted
        self._best: Path | None = None
        self._queue: Heap[Open] = Heap()  # in depth-first order, so that few solutions wait for earlier branches
        self._divisible: Heap[Open] = Heap()  # the splittable branches of the queue, the greatest share first
        self._running: Heap[Task] = Heap()  # by their first branch
        self._open_share = 0
        self._share = 0.0
        self._losses = self._workers = 0
        for branch in branches:
            self._add(branch)

    def resume(self, nodes: int, weight: int, cut: int, share: float) -> None:
        """Continue the totals of an earlier run."""
        self.nodes, self.weight, self.cut, self._share = nodes, weight, cut, share
        self.learn(())

    # The open branches.

    @property
    def done(self) -> bool:
        """Whether nothing is left to search."""
        return not self._queue and not self._running

    @property
    def running(self) -> int:
        """The number of tasks with workers."""
        return len(self._running)

    @property
    def branches(self) -> list[Branch]:
        """All open branches, those with workers included."""
        return [item.branch for item in self._items()]

    @property
    def earliest(self) -> Path | None:
        """The position of the first open branch: no earlier solution can still arrive. None if nothing is open."""
        queued, running = self._queue.first(), self._running.first()
        orders = [each.order for each in (queued, running.items[0] if running else None) if each is not None]
        return min(orders, default=None)

    @property
    def share(self) -> float:
        """The share of the tree that is finished, 0 to 1. It never falls."""
        return 1.0 if self.done else self._share

    def _items(self) -> Iterator[Open]:
        yield from self._queue
        for task in self._running:
            yield from task.items

    # Out.

    def take(self, workers: int, seconds: float, short: float) -> Task | None:
        """Return the next task; None if there is nothing to hand out, or every worker has enough.

        Args:
            workers: how many tasks run at once.
            seconds: length of a task while there is plenty of work.
            short: the same while there is not.
        """
        self._workers = workers
        running, enough = self.running, self.tuning.tasks(workers)
        if running >= enough or not self._queue:
            return None
        fair = int(self._open_share * self.tuning.split_share / workers)
        self._split(self.tuning.branches_per_worker * workers if running < workers else enough, fair)
        # If a task holds a fair share of the open work, the queue is short however much work there is.
        plenty = len(self._queue) >= enough or (fair > 0 and running >= workers)
        most = max(1, min(self.tuning.bundle, len(self._queue) // (2 * enough)))
        least = int(self._open_share * self.tuning.bundle_share / workers)
        return self._hand_out(most, seconds if plenty else short, least)

    def take_first(self, seconds: float, most: int = 1) -> Task | None:
        """Return the first open branches, `most` at most, as a task; None if no branch is open."""
        return self._hand_out(most, seconds) if self._queue else None

    def _hand_out(self, most: int, seconds: float, least: int = 0) -> Task:
        """Hand out `most` branches, and more as long as their share of the tree is less than `least`."""
        items = [self._pop()]
        share = items[0].share
        # A branch that has cost a worker goes alone: an innocent one must not share the blame.
        while not items[0].strikes and (item := self._queue.first()) and not item.strikes:
            if len(items) >= most and (share >= least or len(items) >= self.tuning.bundle):
                break
            share += item.share
            items.append(self._pop())
        divisors = self.tuning.strike_divisors
        divisor = divisors[min(items[0].strikes, len(divisors) - 1)]
        task = Task(items, seconds / divisor, max(1, self._pace.budget(seconds) // divisor))
        self._running.push(task, items[0].order)
        return task

    def _split(self, wanted: int, fair: int) -> None:
        """Split the greatest branches until the queue is long enough, and none holds more than a fair share."""
        while item := self._divisible.first():
            if len(self._queue) >= wanted and (fair == 0 or item.share <= fair):
                break
            self._divisible.discard(item)
            self._queue.discard(item)
            self._open_share -= item.share
            for part in item.branch.split():
                self._add(part, item.strikes)

    # In.

    def finish(self, task: Task, outcome: Outcome) -> list[Task]:
        """Take the outcome of a task.

        Args:
            task: as it was handed out.
            outcome: the outcome of its branches.

        Returns:
            Tasks that are no longer needed: only later solutions are in them, or enough are known.
        """
        self._losses = 0
        self._pace.learn(outcome.nodes, outcome.seconds)
        self.nodes += outcome.nodes
        self.seconds += outcome.seconds
        self.weight += outcome.weight
        self.cut = least_cut(self.cut, outcome.cut)
        self._running.discard(task)
        for path, nodes in outcome.counts:
            self.prefixes.add(path, nodes)
        self._open_share -= sum(item.share for item in task.items[: outcome.begun])
        # Branches of a task that took long in spite of its small budget keep their strikes.
        strikes = task.items[0].strikes
        slow = outcome.seconds > self.tuning.short_slice
        for branch in outcome.rest:
            if self._best is None or branch.order < self._best:
                self._add(branch, strikes if slow else max(0, strikes - 1))
        for item in task.items[outcome.begun :]:
            self._enqueue(item)
        dropped = self.learn(solutions_of(outcome.paths) if self._first else ())
        self._share = max(self._share, 1 - self._open_share / WHOLE)
        return dropped

    def lose(self, task: Task, why: str, *, blame: bool, overrun: bool = False) -> None:
        """Put back the branches of a lost task; they are open again.

        Args:
            task: as it was handed out.
            why: what happened, for a person.
            blame: whether its branches may be the cause.
            overrun: whether its lease ran out.

        Raises:
            BranchLost: a branch costs every worker that it is given to, or takes too long node by node.
            WorkersLost: tasks are lost again and again, with no outcome in between.
        """
        self._losses += 1
        self._running.discard(task)
        alone, most = len(task.items) == 1, self.tuning.strikes
        for item in task.items:
            # It is unknown which branch of the bundle failed, so each runs alone next time, with one strike.
            item.strikes += 1 if blame and (alone or item.strikes == 0) else 0
            self._enqueue(item)
        guilty = max(task.items, key=lambda item: item.strikes)
        if overrun and alone and task.budget == 1:
            raise BranchLost(
                f"one node below the moves {guilty.named()} took longer than a task may on this executor ({why}):"
                " give solve() a longer `lease`, or search on parsolve's own workers, which need none"
            )
        if guilty.strikes > most or (alone and guilty.strikes == most):
            raise BranchLost(f"a branch cost {most} workers ({why}); its moves: {guilty.named()}")
        # A lost machine may mean that all of its workers are lost.
        if self._losses > max(self.tuning.losses, 2 * self.tuning.tasks(self._workers)):
            raise WorkersLost(f"{self._losses} tasks were lost in a row, the last because {why}")

    def learn(self, paths: Sequence[Path]) -> list[Task]:
        """Take solutions into account, and drop unneeded branches; return the tasks that have no others."""
        if self._enough is not None and self.weight >= self._enough:
            return self._drop_after(())  # every branch comes after it
        if not self._first:
            return []
        self._known += (path for path in paths if self._best is None or path < self._best)
        # Sorting takes time, so the best solution is searched for again only after a growing number of new ones.
        if len(self._known) < self._first + (0 if self._best is None else 1 + self._first // 8):
            return []
        self._known.sort()
        del self._known[self._first :]
        return self._drop_after(self._known[-1])

    def _drop_after(self, best: Path) -> list[Task]:
        """Drop all branches that come after a solution."""
        self._best = best
        for item in [item for item in self._queue if item.order >= best]:
            self._open_share -= item.share
            self._queue.discard(item)
            self._divisible.discard(item)
        dropped = []
        for task in list(self._running):
            later = [item for item in task.items if item.order >= best]
            self._open_share -= sum(item.share for item in later)
            if len(later) == len(task.items):
                self._running.discard(task)
                dropped.append(task)
            else:
                del task.items[len(task.items) - len(later) :]
        return dropped

    # The queue.

    def _add(self, branch: Branch, strikes: int = 0) -> None:
        item = Open(branch, branch.order, int(self._weigh(branch) * WHOLE), strikes)
        self._open_share += item.share
        self._enqueue(item)

    def _enqueue(self, item: Open) -> None:
        self._queue.push(item, item.order)
        if item.branch.rows > 1:
            self._divisible.push(item, -item.share)

    def _pop(self) -> Open:
        item = self._queue.first()
        assert item is not None
        self._queue.discard(item)
        self._divisible.discard(item)
        return item
