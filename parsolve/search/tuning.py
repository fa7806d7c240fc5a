"""What can be tuned in a search. Nothing here changes an answer."""

import math
from dataclasses import dataclass, replace

from parsolve.errors import BadInput


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """Numbers that steer a search, in groups; handed to `parsolve.solve`. Times are in seconds.

    Attributes:
        slice_seconds: a slice while there is plenty of work. A round trip costs about 1 ms.
        slice_part: a slice takes at most this part of the time that its iteration has run, so that all workers of a
            short iteration end together.
        short_slice: a slice while the queue is short, so that its rest comes back early and can be split.
        shortest_slice: the least length of a slice towards the end of an iteration.
        coordination: the least time for each outstanding task: more than an outcome takes here, so that none has to
            wait.
        first_budget: nodes of a slice before a node rate is known.

        tasks_per_worker: tasks that an executor holds for each of its workers: one running, the others waiting.
        branches_per_worker: branches that a queue should hold for each idle worker.
        bundle: maximum number of branches in one task.
        bundle_share: the part of the open share per worker that a task should hold, if necessary in more branches.
        split_share: the part above which branches are split; 0 for no such limit.

        bulk_seconds: length of a call that searches many small puzzles; a puzzle that takes longer is large, and
            searched by itself.
        bulk_nodes: the same as a most number of nodes; a quarter of it before a node rate is known.

        strike_divisors: divisors of a branch's budget, by its strikes. Some branches cost far more per node; the last
            try is one node, so that only a branch that hangs at a single state is ever given up.
        strikes: how many workers a branch may cost before the search fails.
        losses: how many tasks may be lost in a row, with no outcome in between, before the search fails; with many
            workers twice the number of outstanding tasks.

        lasting: time of a search, less that of compiling, for which what is compiled sooner will do, if nothing else is
            kept; what a longer one needs is compiled meanwhile from then on. 0 to compile it at first.
        head_start: how long each iteration runs in this process before workers are started for it.
        head_start_beside_workers: the same once there are workers, or if it is long enough for them. Less stays here.
        worthwhile: seconds that an iteration must still need for workers to be started.
        worthwhile_forked: the same if they are forked from this process, which takes 0.03 s.
        patch: time between two checks whether the workers are ready, while this process searches.

        choice_after: how long deepening counts before it is compared with sharing.
        choice_least: seconds that must be left then for a comparison.
        choice_seconds: time for a sample of sharing's levels.
        choice_part: the part of the time so far that a larger sample may take.
        choice_clearly: the part of deepening's time left that another engine may be expected to take: for covers with
            little sharing, a sample underestimates the entries, and deepening's work so far is lost.

        space_after: time of deepening without a solution, after which breadth-first search is tried for a small space.
        space_part: part of the time so far that the try may take.
        space_least: least time of a try.

        machine_seconds: a machine's task while there is plenty of work. Its round trip costs about 10 ms, and the root
            a few ms; but a lost machine loses that much, and the progress shown is that old.
        machine_short: the same while the root's queue is short, and the least length of such a task.
        machine_coordination: the least time for each outstanding task: what an outcome of a machine with 16 cores takes
            here. Larger machines take longer; but while there is work, each has two outstanding tasks.
        machine_slices: tasks that a machine holds for each of its processes, which share the waiting ones. Each task
            holds a single branch: every begun branch is one more to give back.
        machine_bundle, machine_bundle_share: sized to keep all cores of a machine busy for that long.
        machine_moves: moves of listed solutions after which a machine's task ends: 1 MB.
        machine_silence: seconds without a sign of life after which a machine counts as lost.

        poll: time between two checks of the stop conditions and of long tasks, while no outcome arrives.
        lease: time limit of a task on an executor that does not notice lost tasks by itself. A worker's first task has
            to import and to compile.
        remind: seconds between two reports of a long task.
        shed_grace: time in which workers let go of the transposition table when memory is short.

        checkpoint_seconds: time between two checkpoints.
        commit_seconds: results of a journal's jobs that end within this time, at most `checkpoint_seconds`, are written
            together; such a job leaves no checkpoint. A kill loses that much, and it is searched again.
        retry: time between two attempts while the journal cannot be written.
        unsaved: the number of new solutions that makes a checkpoint due.
    """

    # Slices
    slice_seconds: float = 0.25
    slice_part: float = 0.1
    short_slice: float = 0.04
    shortest_slice: float = 0.005
    coordination: float = 0.0004
    first_budget: int = 5000

    # Splitting
    tasks_per_worker: float = 2.0
    branches_per_worker: int = 8
    bundle: int = 16
    bundle_share: float = 1 / 16
    split_share: float = 0.0

    # Many small searches
    bulk_seconds: float = 0.05
    bulk_nodes: int = 1 << 20

    # Lost tasks
    strike_divisors: tuple[int, ...] = (1, 64, 1 << 62)
    strikes: int = 3
    losses: int = 50

    # The start of workers
    lasting: float = 1.0
    head_start: float = 0.02
    head_start_beside_workers: float = 0.003
    worthwhile: float = 1.0
    worthwhile_forked: float = 0.03
    patch: float = 0.003

    # The choice of an engine
    choice_after: float = 0.02
    choice_least: float = 0.06
    choice_seconds: float = 0.02
    choice_part: float = 0.02
    choice_clearly: float = 0.7
    space_after: float = 1.0
    space_part: float = 0.1
    space_least: float = 0.5

    # Whole machines
    machine_seconds: float = 4.0
    machine_short: float = 0.1
    machine_coordination: float = 0.0034
    machine_slices: float = 1.25
    machine_bundle: int = 512
    machine_bundle_share: float = 0.2
    machine_moves: int = 1 << 19
    machine_silence: float = 30.0

    # Waiting
    poll: float = 0.2
    lease: float = 120.0
    remind: float = 60.0
    shed_grace: float = 3.0

    # The journal
    checkpoint_seconds: float = 3.0
    commit_seconds: float = 1.0
    retry: float = 0.5
    unsaved: int = 100_000

    def __post_init__(self) -> None:
        if min(self.strike_divisors, default=0) < 1:
            raise BadInput("strike_divisors has numbers from 1 on, at least one")

    def of_machines(self) -> "Tuning":
        """Return the tuning of a frontier whose workers are whole machines."""
        return replace(
            self,
            slice_seconds=self.machine_seconds,
            short_slice=self.machine_short,
            shortest_slice=self.machine_short,
            coordination=self.machine_coordination,
            bundle=self.machine_bundle,
            bundle_share=self.machine_bundle_share,
            split_share=self.machine_bundle_share,
        )

    def in_machine(self) -> "Tuning":
        """Return the tuning of the slices of a machine's task."""
        return replace(self, tasks_per_worker=self.machine_slices, bundle_share=0.0)

    def tasks(self, workers: int) -> int:
        """Return how many tasks an executor holds."""
        return math.ceil(self.tasks_per_worker * workers)


DEFAULT = Tuning()
