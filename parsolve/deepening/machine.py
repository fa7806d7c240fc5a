"""Machine: a worker whose slices are longer. A task runs a frontier of its own on the processes of its machine.
Machines: those of a search.

    root: frontier ─▶ task of seconds ─▶ a machine: frontier ─▶ slices ─▶ its processes
                 ◀─ one outcome, and the branches left, joined ◀─┘

The processes are kept from task to task, and nothing else: the task of a lost machine is searched elsewhere.
"""

import atexit
import contextlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from parsolve.deepening.driver import Driver
from parsolve.deepening.frontier import Frontier, Task
from parsolve.deepening.outcome import Outcome, paths_of
from parsolve.deepening.pace import Pace
from parsolve.deepening.prefixes import weight_within
from parsolve.deepening.remote import Call, Remote
from parsolve.deepening.searcher import Sought
from parsolve.deepening.slices import Assignment, Setup, prepare
from parsolve.deepening.transposition import TableMemory
from parsolve.executors.adapter import Adapter
from parsolve.executors.dask import DaskMachines, is_wanted
from parsolve.executors.local import LocalPool
from parsolve.executors.warm import WarmPools
from parsolve.problem.shipping import PuzzleFile, install, puzzle_file_of
from parsolve.search.branch import Branch, Path, join
from parsolve.search.progress import Progress
from parsolve.search.request import Request
from parsolve.search.tuning import Tuning
from parsolve.search.watch import Listener
from parsolve.system.resources import default_workers

MOST_COUNTS = 64
"""Number of prefixes in an outcome."""

_pools = WarmPools()
_turn = threading.Lock()  # one task at a time, however many threads a cluster's worker has
_sharing = 1

atexit.register(_pools.close)


@dataclass(frozen=True)
class Work:
    """What a machine does with branches, as plain data.

    Attributes:
        assignment: as for a slice; its table says how large that of the machine is.
        file: the puzzle's source file, if it is in no package.
        workers: processes a machine; None for its cores.
        budget: nodes of each slice; None for what suits the node rate.
        tuning: the tuning of a machine's own slices.
    """

    assignment: Assignment
    file: PuzzleFile | None
    workers: int | None
    budget: int | None
    tuning: Tuning = field(default_factory=Tuning)


class MachinePool(LocalPool):
    """The processes of this machine for one puzzle, with the transposition table that they share.

    Args:
        work: their work.
        workers: how many.

    Attributes:
        setup: setup of its processes.
        pace: the node rate of a process.
    """

    def __init__(self, work: Work, workers: int) -> None:
        asked = work.assignment.setup
        spec = asked.spec if work.file is None else install(work.file, asked.spec)
        self._memory = TableMemory(asked.table.size, shared=True)
        self.setup = replace(asked, spec=spec, table=self._memory.table)
        self.pace = Pace(work.budget, work.tuning.first_budget)
        super().__init__(workers, (prepare, (self.setup,)))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes, and release the table."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        self._memory.close()


def prepare_machine(sharing: int, work: Work) -> int:
    """Start this machine's processes for a puzzle: its file is written, its kernel compiled, its tables are built.

    Args:
        sharing: how many workers of the cluster share this machine.
        work: the work that follows.

    Returns:
        How many processes there are.

    Raises:
        NotReproducible: the puzzle's sources on this machine differ.
        ParsolveError: see `slices.prepare`.
    """
    global _sharing
    _sharing = sharing
    with _pool_for(work) as pool:
        pool.submit(os.getpid).result()
        return _processes(work)


def run_on_machine(work: Work, branches: Sequence[Branch], seconds: float) -> Outcome:
    """Search branches on all processes of this machine for `seconds`, or until they are done, the solutions are many or
    the task is cancelled.

    Raises:
        BranchLost, WorkersLost, BadPuzzle, NotReproducible: see `Remote.run`.
    """
    with _pool_for(work) as pool:
        return search_on(pool, work, branches, seconds)


@contextlib.contextmanager
def _pool_for(work: Work) -> Iterator[MachinePool]:
    """Have this machine's processes for some work; they are kept unless the body raises."""
    setup = work.assignment.setup
    key = _processes(work), f"{setup.spec} {setup.identity} {setup.table.size} {work.budget}"
    with _turn:
        pool = _pools.take(key)
        if not isinstance(pool, MachinePool):
            _pools.close()  # they belong to another puzzle: there is one search at a time
            pool = MachinePool(work, _processes(work))
        try:
            yield pool
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        _pools.keep(key, pool)


def _processes(work: Work) -> int:
    shared = 1 if os.environ.get("PARSOLVE_WORKERS") else _sharing
    return work.workers or max(1, default_workers() // shared)


def search_on(
    pool: MachinePool, work: Work, branches: Sequence[Branch], seconds: float, wanted: Callable[[], bool] = is_wanted
) -> Outcome:
    """Search branches on some processes, see `run_on_machine`, as long as the task is wanted."""
    until = time.monotonic() + seconds
    found = _Found()
    tuning = work.tuning.in_machine()
    sought = work.assignment.sought
    frontier = Frontier(
        branches,
        weigh=weight_within(branches),
        pace=pool.pace,
        first=sought.first,
        enough=sought.enough,
        tuning=tuning,
    )
    assignment = replace(work.assignment, setup=pool.setup)  # with the transposition table of this machine

    def between(driver: Driver) -> None:
        most = tuning.machine_moves
        if not wanted() or found.moves >= most or len(found.paths) >= (sought.buffer or most):
            driver.until = 0.0

    driver = Driver(assignment, frontier, Progress(sought.limit), found=found.add, between=between, until=until)
    Remote(Adapter(pool, lease=None), lambda: _processes(work), _Log()).run(driver)
    return Outcome(
        nodes=frontier.nodes,
        weight=frontier.weight,
        paths=paths_of(sorted(found.paths)),
        cut=frontier.cut,
        seconds=frontier.seconds,
        rest=tuple(join(frontier.branches)),
        begun=len(branches),
        counts=frontier.prefixes.parts(MOST_COUNTS),
    )


class _Found:
    """All solutions of a task: only the root knows which ones to give out first."""

    def __init__(self) -> None:
        self.paths: list[Path] = []
        self.moves = 0

    def add(self, paths: list[Path]) -> None:
        self.paths += paths
        self.moves += sum(map(len, paths))


class _Log(Listener):
    """Writes lost workers to the log of the cluster's worker."""

    def worker_lost(self, why: str) -> None:
        logging.getLogger(__name__).warning("%s", why)


class Machines(Remote):
    """Machines that run the tasks of a search, each on processes of its own.

    Args:
        adapter, machines: of the executor that knows them, and that executor.
        request: the processes of each, and the nodes and the tuning of their slices.
        listener: receives reports of lost and of long tasks.
    """

    def __init__(self, adapter: Adapter, machines: DaskMachines, request: Request, listener: Listener) -> None:
        self._machines, self._request = machines, request
        self._prepared: Setup | None = None
        self._file: PuzzleFile | None = None
        super().__init__(adapter, lambda: machines.ready, listener, machines.warnings)

    def run(self, driver: Driver) -> None:
        """Search an iteration on all machines, once the first is ready. Meanwhile this process searches nothing."""
        setup = driver.assignment.setup
        if self._prepared is None or self._prepared.spec != setup.spec:
            self._prepared, self._file = setup, puzzle_file_of(setup.spec)
            self._machines.prepare(prepare_machine, self._work(Assignment(setup, Sought(0))))
        super().run(driver)

    def _work(self, assignment: Assignment) -> Work:
        request = self._request
        return Work(assignment, self._file, request.workers, request.budget, request.tuning)

    def call_of(self, assignment: Assignment, task: Task) -> Call:
        """Return the call of a task for a machine."""
        return run_on_machine, (self._work(assignment), task.branches, task.seconds)
