"""Coordinator: one iteration, branches out and outcomes in.

               ┌──────────── leftovers ◀───────────┐
    whole ─▶ queue ─▶ task: branches + budget ─▶ slice (here, or on an executor) ─▶ outcomes
               │  split when short                                                  │
               └─ solutions, in order, as soon as no earlier branch is open ◀───────┘

It speaks `concurrent.futures` and nothing else, and trusts no worker to survive: what a lost task was given
is searched again. Nothing of an outcome counts before it is here.
"""

import heapq
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field

from parsolve.errors import BranchLost, CrewLost, WorkerLost
from parsolve.puzzle import Want
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint, CheckpointStore
from parsolve.search.progress import Prefix, Progress, prefix_of
from parsolve.search.result import Iteration
from parsolve.search.slices import Job, Outcome, run_slice

SLICE = 0.25
"""Seconds of a slice while there is plenty of work; a round trip costs 1.2 ms. Less in an iteration's first seconds: if
it is a short one, all workers are to end at once."""

SHORT_SLICE, SHORTEST_SLICE = 0.04, 0.005
"""Seconds of a slice while the queue is short, so that what is left comes back to be split; the less, the less time the
iteration still needs."""

BUNDLE = 16
"""Branches in one task at most."""

CAUTION = (1, 64, 1 << 62)
"""By strikes, how many times smaller a branch's budget is: some branches cost far more a node, and the last try is one
node, so that only what hangs at a single state is ever given up."""

STRIKES = 3
"""Workers that one branch may cost before it is given up."""

REMIND = 60.0
"""Seconds after which a task that is still running is told of, and again after as long."""

NAMED = 12
"""Moves that name a branch."""

LOOK = 0.2
"""Seconds after which the coordinator looks round when no outcome comes."""


@dataclass(order=True)
class Open:
    """A branch in the queue: in depth-first order, so that few solutions wait for earlier branches."""

    order: tuple[int, ...]
    branch: Branch = field(compare=False)
    share: float = field(compare=False)
    strikes: int = field(compare=False, default=0)


@dataclass
class Task:
    """Branches that are with a worker."""

    branches: list[Open]
    budget: int
    began: float | None = None
    told: int = 0


@dataclass
class Pace:
    """Node rate of a search so far; carried from one iteration to the next."""

    fixed: int | None = None
    nodes: float = 0.0
    seconds: float = 0.0

    def budget(self, seconds: float) -> int:
        """Nodes that take about `seconds`; few as long as nothing has been measured."""
        return self.fixed or (max(1, int(self.nodes / self.seconds * seconds)) if self.seconds else 5000)

    def learn(self, outcome: Outcome) -> None:
        """Take a slice into account. Sums that fade, and not a mean of rates: a short slice tells little."""
        self.nodes = 0.8 * self.nodes + outcome.nodes
        self.seconds = 0.8 * self.seconds + outcome.seconds


class Coordinator:
    """One iteration.

    Args:
        job: what each slice is to do.
        branches: what is to be searched: the whole tree, or what a checkpoint has left of it.
        iterations: those before it.
        total: what the solved states' worth comes to, as `Puzzle.total`.
        want: `all`, `count`, or `first`, which drops what comes after the first solution.
        pace: the node rate so far, updated.
        before: nodes by prefix of the iteration before, to judge shares by.
        store: holds solutions until no open branch can come before them.
        emit: called with each solution, in depth-first order.
        tell: called with the progress after each outcome, and now and then while none comes. What it raises ends the
            search between two outcomes.
        lost: called with a text when a task was lost.
        caution: called with a text that the user may want to know.
    """

    def __init__(
        self,
        job: Job,
        branches: Sequence[Branch],
        iterations: Sequence[Iteration],
        total: Callable[[int], int],
        want: Want,
        pace: Pace,
        before: Prefix,
        store: CheckpointStore,
        emit: Callable[[tuple[int, ...]], None],
        tell: Callable[[Progress], None],
        lost: Callable[[str], None],
        caution: Callable[[str], None],
    ) -> None:
        self.job = job
        self.progress = Progress(job.limit, before=iterations)
        self.prefixes = Prefix()
        self.cut = False
        self._total = total
        self.worth = 0
        self._want = want
        self._pace = pace
        self._before = before
        self._emit, self._tell, self._lost, self._caution = emit, tell, lost, caution
        self._store = store
        self._queue = [self._open(branch) for branch in branches]
        heapq.heapify(self._queue)
        self._running: dict[Future[list[Outcome]], Task] = {}
        self._best = store.least()
        self._given = False
        self._losses = 0

    def resume(self, checkpoint: Checkpoint) -> None:
        """Count on from where a checkpoint stands."""
        self.cut = checkpoint.cut
        self.worth = checkpoint.found
        self.progress = checkpoint.progress
        self.progress.found = self._total(checkpoint.found)

    @property
    def branches(self) -> list[Branch]:
        """All that is not searched yet, also what is with workers."""
        return [item.branch for item in self._all_open()]

    @property
    def done(self) -> bool:
        """Whether nothing is left to search."""
        return not self._queue and not self._running

    def run_here(self, seconds: float) -> None:
        """Search in this process until the iteration is done or `seconds` have passed, at least one slice."""
        until = time.monotonic() + seconds
        while self._queue:
            left = until - time.monotonic()
            item = heapq.heappop(self._queue)
            outcomes = run_slice(self.job, [item.branch], self._pace.budget(max(0.001, min(left, SLICE / 2))))
            self._merge([item], outcomes)
            if time.monotonic() >= until:
                return

    def run_on(self, executor: Executor, workers: int, lease: float | None, remind: float = REMIND) -> None:
        """Search on an executor until the iteration is done.

        Args:
            executor: of any kind.
            workers: how many tasks it runs at once.
            lease: seconds after which a running task is taken to be lost; None for an executor that notices itself
                when it loses one, as a crew does.
            remind: seconds after which a running task is told of.

        Raises:
            BranchLost: a branch costs every worker that it is given to, or overruns its lease node by node.
            CrewLost: the executor gives up.
            BadPuzzle, NotReproducible: as the slices do.
        """
        try:
            while not self.done:
                self._fill(executor, workers)
                finished, _ = wait(self._running, timeout=min(LOOK, lease or LOOK), return_when=FIRST_COMPLETED)
                if not finished:
                    self._tell(self.progress)
                for future in finished:
                    self._collect(future)
                self._look_after(lease, remind)
        finally:
            for future in self._running:
                future.cancel()

    # Out.

    def _fill(self, executor: Executor, workers: int) -> None:
        enough = 2 * workers
        left = self.progress.left
        short = SHORT_SLICE if left is None else min(SHORT_SLICE, max(SHORTEST_SLICE, left / 4))
        while len(self._running) < enough and self._queue:
            self._split(8 * workers if len(self._running) < workers else enough)
            plenty = len(self._queue) >= enough
            bundle = max(1, min(BUNDLE, len(self._queue) // (4 * workers)))
            items = [heapq.heappop(self._queue)]
            # A branch that has cost a worker goes alone: no innocent one may share the blame.
            while items[0].strikes == 0 and len(items) < bundle and self._queue and not self._queue[0].strikes:
                items.append(heapq.heappop(self._queue))
            long = min(SLICE, self.progress.seconds / 10)
            budget = self._pace.budget(max(long, short) if plenty else short)
            budget = max(1, budget // CAUTION[items[0].strikes])
            try:
                future = executor.submit(run_slice, self.job, [item.branch for item in items], budget)
            except (BrokenExecutor, RuntimeError) as error:
                raise CrewLost(f"the executor takes no task: {error}") from error
            self._running[future] = Task(items, budget)

    def _split(self, wanted: int) -> None:
        """Split the branches with the greatest shares until the queue is long enough."""
        tries = 2 * wanted
        while len(self._queue) < wanted and tries:
            tries -= 1
            most = max((item for item in self._queue if item.branch.rows > 1), key=_share, default=None)
            if most is None:
                return
            self._queue.remove(most)
            self._queue += [self._open(part, most.strikes) for part in most.branch.split()]
            heapq.heapify(self._queue)

    def _open(self, branch: Branch, strikes: int = 0) -> Open:
        return Open(branch.order, branch, self._before.share(branch), strikes)

    # In.

    def _collect(self, future: Future[list[Outcome]]) -> None:
        task = self._running.pop(future, None)
        if task is None:  # dropped by an outcome that came at the same moment
            return
        try:
            outcomes = future.result()
        except (WorkerLost, BrokenExecutor) as error:
            self._again(task, str(error), blame=getattr(error, "blame", True))
            return
        self._losses = 0
        self._merge(task.branches, outcomes)

    def _merge(self, items: list[Open], outcomes: list[Outcome]) -> None:
        for item, outcome in zip(items, outcomes, strict=False):
            self._pace.learn(outcome)
            self.progress.nodes += outcome.nodes
            self.worth += outcome.found
            self.cut = self.cut or outcome.cut
            self.prefixes.add(prefix_of(item.branch, outcome.rest), outcome.nodes)
            if len(outcome.paths):
                paths = [tuple(row[1 : 1 + row[0]]) for row in outcome.paths.tolist()]
                self._best = min(self._best or paths[0], paths[0])
                self._store.add(paths)
            if outcome.rest is not None:
                # What took its time with a small budget is left with it.
                slow = item.strikes if outcome.seconds > SHORT_SLICE else max(0, item.strikes - 1)
                heapq.heappush(self._queue, self._open(outcome.rest, slow))
        for item in items[len(outcomes) :]:
            heapq.heappush(self._queue, item)
        self.progress.found = self._total(self.worth)
        if self._want == "first" and self._best is not None:
            self._drop_later(self._best)
        self.send_out()
        open_share = sum(item.share for item in self._all_open())
        self.progress.share = max(self.progress.share, 1 - open_share) if not self.done else 1.0
        self._tell(self.progress)

    def _all_open(self) -> Iterator[Open]:
        yield from self._queue
        for task in self._running.values():
            yield from task.branches

    def send_out(self) -> None:
        """Give out the solutions that no open branch can come before."""
        earliest = min((item.order for item in self._all_open()), default=None)
        for path in self._store.ready(earliest):
            if self._want == "all" or not self._given:
                self._emit(path)
            self._given = True

    def _drop_later(self, best: tuple[int, ...]) -> None:
        self._queue = [item for item in self._queue if item.order < best]
        heapq.heapify(self._queue)
        for future, task in list(self._running.items()):
            task.branches = [item for item in task.branches if item.order < best]
            if not task.branches:
                future.cancel()
                del self._running[future]

    # Lost and found.

    def _look_after(self, lease: float | None, remind: float) -> None:
        """Tell of tasks that run for long, and take back those whose lease has run out: their worker hangs, or their
        executor has lost them."""
        now = time.monotonic()
        for future, task in list(self._running.items()):
            if task.began is None and future.running():
                task.began = now
            if task.began is None:
                continue
            if lease is not None and now > task.began + lease:
                del self._running[future]
                future.cancel()
                self._again(task, f"a task did not come back in {lease:g} s", blame=True, overrun=True)
            elif now > task.began + remind * (task.told + 1):
                task.told += 1
                self._caution(
                    f"a task has been running for {now - task.began:.0f} s, from the branch with the moves"
                    f" {moves_of(task.branches[0], NAMED)} on: its nodes take long, or for ever (--timeout ends it)"
                )

    def _again(self, task: Task, why: str, blame: bool, overrun: bool = False) -> None:
        self._lost(why)
        self._losses += 1
        if self._losses > 50:
            raise CrewLost(f"{self._losses} tasks were lost in a row, the last because {why}")
        alone = len(task.branches) == 1
        for item in task.branches:
            # Of a bundle nobody knows which branch it was: each goes alone next time, with one strike.
            item.strikes = item.strikes + 1 if blame and (alone or item.strikes == 0) else item.strikes
            if overrun and alone and task.budget == 1:
                raise BranchLost(
                    f"one node below the moves {moves_of(item)} took longer than a task may on this executor ({why}):"
                    " give solve() a longer `lease`, or search on parsolve's own workers, which need none"
                )
            if item.strikes > STRIKES or (alone and item.strikes == STRIKES):
                raise BranchLost(f"a branch cost {STRIKES} workers ({why}); its moves: {moves_of(item)}")
            heapq.heappush(self._queue, item)


def moves_of(item: Open, most: int | None = None) -> str:
    """Name a branch by the moves of its first row, or the first `most` of them."""
    more = " …" if most is not None and len(item.order) > most else ""
    return " ".join(map(str, item.order[:most])) + more or "none"


def _share(item: Open) -> float:
    return item.share
