"""Cluster: the machines of a search."""

from dataclasses import replace

from parsolve.deepening.frontier import Task
from parsolve.deepening.machine import Work, prepare_machine, run_on_machine
from parsolve.deepening.remote import Call, Remote
from parsolve.deepening.slices import Assignment, Setup
from parsolve.deepening.transposition import TranspositionTable
from parsolve.executors.adapter import Adapter
from parsolve.executors.machines import Machines
from parsolve.problem.shipping import PuzzleFile, puzzle_file_of
from parsolve.search.request import Request
from parsolve.search.watch import Listener


class Cluster:
    """Machines that run the tasks of a search, each on processes of its own.

    Args:
        machines: the executor that knows them.
        request: the processes of each, the nodes of their slices, and the tuning of these and of machines' tasks.
        listener: receives reports of lost and of long tasks.
    """

    def __init__(self, machines: Machines, request: Request, listener: Listener) -> None:
        self._machines, self._request = machines, request
        self._file: PuzzleFile | None = None
        self._prepared = False
        self._remote = Remote(
            Adapter(machines, lease=None), lambda: machines.ready, listener, request.tuning.of_machines(), self._call_of
        )

    def get(self, setup: Setup) -> Remote:
        """Wait for the first machine, and return what runs tasks on all of them. This process searches nothing
        meanwhile: its own machine may not be meant for searching."""
        if not self._prepared:
            self._prepared, self._file = True, puzzle_file_of(setup.spec)
            setup = replace(setup, table=TranspositionTable(setup.table.size))
            self._machines.prepare(prepare_machine, self._work(Assignment(setup, 0, False)))
        return self._remote

    def turn(self) -> None:
        """Search another puzzle from the next task on."""
        self._prepared = False

    def warnings(self) -> list[str]:
        """Return warnings for the user, once."""
        return self._machines.warnings()

    def _work(self, assignment: Assignment) -> Work:
        request = self._request
        return Work(assignment, self._file, request.workers, request.budget, request.tuning, request.recheck)

    def _call_of(self, assignment: Assignment, task: Task) -> Call:
        return run_on_machine, (self._work(assignment), task.branches, task.seconds)
