"""What can be tuned about a search. Nothing here changes an answer."""

import math
from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """Numbers that steer a search, in groups; handed to `parsolve.solve`. Times are in seconds.

    Attributes:
        slice_seconds: a slice while there is plenty of work. A round trip costs about 1 ms.
        slice_part: a slice takes at most this part of the time that its iteration has run, so that all workers of a
            short iteration end together.
        short_slice: a slice while the queue is short, so that what is left comes back to be split.
        shortest_slice: the least that this falls to towards the end of an iteration.
        coordination: the least for each task that is out: more than an outcome takes here, so that all can be taken.
        first_budget: nodes of a slice as long as no node rate is known.

        tasks_per_worker: tasks that an executor holds for each of its workers: one running, the others waiting.
        branches_per_worker: branches that a queue should hold for each worker that has nothing to do.
        bundle: branches in one task at most.
        bundle_share: what a task should hold, by share, of what is open for each worker, if need be in more branches.
        split_share: the same for branches that are split until none holds more; 0 if they need not be.

        restart_nodes: where any solution is wanted, the nodes that are visited before other orders of children are
            tried, and those of the shortest such try.

        bulk_seconds: a call that searches many small puzzles begins no other one after so long; one of them that takes
            longer is large, and searched by itself.
        bulk_nodes: the same in nodes, at most; as long as no node rate is known, a quarter of it.
        alone_seconds: how long a thread searches such a large one by itself while others wait; then all workers do. A
            batch that is killed meanwhile loses as much.

        strike_divisors: by strikes, how many times smaller a branch's budget is. Some branches cost far more a node;
            the last try is one node, so that only a branch that hangs at a single state is ever given up.
        strikes: workers that one branch may cost before the search fails.
        losses: tasks that may be lost in a row, with no outcome in between, before the search fails; with many workers
            twice as many as are out at once.

        head_start: how long each iteration runs in this process before workers are started for it.
        head_start_beside_workers: the same once there are workers, or where the iteration is long enough for them.
        worthwhile: an iteration must still need as long for workers to be started.
        worthwhile_forked: the same where they are forked from this process, which takes 0.03 s.
        patch: between two looks whether the workers are ready, while this process searches.

        choice_after: how long deepening counts before it is compared with sharing.
        choice_least: what must be left then for a comparison.
        choice_seconds: what a sample of sharing's levels takes.

        machine_seconds: a task of a whole machine while there is plenty of work. Its round trip costs some 10 ms, and
            the root some ms; but this is what a lost machine loses, and how old the progress is that is shown.
        machine_short: the same while the root's queue is short.
        machine_shortest: the least that this falls to towards the end of an iteration.
        machine_coordination: the least for each task that is out: what an outcome of one with 16 cores takes here. That
            of a larger one takes longer; but while there is work, two tasks are out for each machine.
        machine_slices: tasks that a machine holds for each of its processes, which share those that wait. Each holds a
            branch that has been begun, which is one more to be given back; so it holds no other one beside it.
        machine_bundle, machine_bundle_share: a machine's task should keep all its cores busy for so long.
        machine_moves: moves of listed solutions after which a machine's task ends: 1 MB.
        machine_silence: a machine that has given no sign of life for so long is taken to be lost.

        poll: between two looks at the stop conditions and at long tasks, while no outcome comes.
        lease: what a task may take on an executor that does not notice itself that it has lost one. The first task
            of a worker has to import and to compile.
        remind: a task that has run so long is reported, and again after as long.
        shed_grace: what workers have to let go of the transposition table when the memory is short.

        commit_seconds: the results of a journal's jobs that end within so long are written together; such a job leaves
            no checkpoint. A kill loses as much, and it is searched again.
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

    # Restarts
    restart_nodes: int = 20_000

    # Many small searches
    bulk_seconds: float = 0.05
    bulk_nodes: int = 1 << 20
    alone_seconds: float = 10.0

    # Lost tasks
    strike_divisors: tuple[int, ...] = (1, 64, 1 << 62)
    strikes: int = 3
    losses: int = 50

    # The start of workers
    head_start: float = 0.02
    head_start_beside_workers: float = 0.002
    worthwhile: float = 1.0
    worthwhile_forked: float = 0.03
    patch: float = 0.003

    # The choice of an engine
    choice_after: float = 0.02
    choice_least: float = 0.06
    choice_seconds: float = 0.02

    # Whole machines
    machine_seconds: float = 4.0
    machine_short: float = 0.1
    machine_shortest: float = 0.1
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
    commit_seconds: float = 1.0

    def of_machines(self) -> "Tuning":
        """Return the tuning of a frontier whose workers are whole machines."""
        return replace(
            self,
            slice_seconds=self.machine_seconds,
            short_slice=self.machine_short,
            shortest_slice=self.machine_shortest,
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
