"""Cluster: the machines of a search."""

from parsolve.deepening.frontier import Task
from parsolve.deepening.machine import Work, prepare_machine, run_on_machine
from parsolve.deepening.remote import Call, Remote
from parsolve.deepening.slices import Job
from parsolve.deepening.transposition import Table
from parsolve.executors.adapter import Adapter
from parsolve.executors.machines import Machines
from parsolve.problem.making import Maker
from parsolve.problem.problem import Identity
from parsolve.problem.registry import Spec
from parsolve.problem.shipping import PuzzleFile, puzzle_file_of
from parsolve.search.tuning import Tuning
from parsolve.search.watch import Listener


class Cluster:
    """Machines that run the tasks of a search, each on processes of its own.

    Args:
        machines: what knows them.
        workers: processes a machine; None for its cores.
        budget: nodes of each slice; None for what suits the node rate.
        listener: told of lost and of long tasks.
        tuning: of slices, and of the tasks that machines get.
    """

    def __init__(
        self, machines: Machines, workers: int | None, budget: int | None, listener: Listener, tuning: Tuning
    ) -> None:
        self._machines, self._workers, self._budget, self._tuning = machines, workers, budget, tuning
        self._file: PuzzleFile | None = None
        self._prepared = False
        self._remote = Remote(
            Adapter(machines, lease=None), lambda: machines.ready, listener, tuning.of_machines(), self._call_of
        )

    def get(self, spec: Spec, identity: Identity, table: Table, maker: Maker | None) -> Remote:
        """Return what runs tasks on the machines; it waits for the first one that is ready, because this process may be
        on a machine that is not for searching. See `Job` for the arguments."""
        if not self._prepared:
            self._prepared, self._file = True, puzzle_file_of(spec)
            job = Job(spec, identity, 0, False, table=Table(table.size), maker=maker)
            self._machines.prepare(prepare_machine, self._work(job))
        return self._remote

    def turn(self) -> None:
        """Search another puzzle from the next task on."""
        self._prepared = False

    def warnings(self) -> list[str]:
        """Return what a person is to know, once."""
        return self._machines.warnings()

    def _work(self, job: Job) -> Work:
        return Work(job, self._file, self._workers, self._budget, self._tuning)

    def _call_of(self, job: Job, task: Task) -> Call:
        return run_on_machine, (self._work(job), task.branches, task.seconds)
