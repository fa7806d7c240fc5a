"""Searches on a dask cluster: a real scheduler and real workers, which are killed, suspended and added meanwhile."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from at_once import AT_ONCE
from conftest import Run
from heard import Heard
from samples import WALK, edited

import parsolve
from parsolve.deepening.machine import Work, prepare_machine, run_on_machine
from parsolve.deepening.outcome import solutions_of
from parsolve.deepening.searcher import Searcher, Sought
from parsolve.deepening.slices import Assignment, Setup
from parsolve.deepening.transposition import TranspositionTable
from parsolve.errors import BadInput, OtherData, WorkersLost
from parsolve.executors import dask
from parsolve.executors.adapter import Adapter
from parsolve.executors.dask import DaskMachines, connected
from parsolve.executors.pool import WorkerLost
from parsolve.problem.problem import Identity, Problem
from parsolve.problem.registry import spec_of
from parsolve.problem.shipping import puzzle_file_of
from parsolve.puzzles import Queens, Sliding
from parsolve.search.branch import Branch
from parsolve.search.tuning import Tuning
from parsolve.tables.databases import supply

pytestmark = pytest.mark.processes

distributed = pytest.importorskip("distributed", reason="dask is not installed: pip install 'parsolve[dask]'")

QUICK = replace(AT_ONCE, machine_seconds=0.2, machine_short=0.05, machine_silence=3.0)
"""Machines are used at once, their tasks are short, and one that is silent is soon given up."""

IDLE = "120s"
"""After which a scheduler ends that its tests have left behind, and its workers with it."""


DETACHED = """
import subprocess, sys
nothing = subprocess.DEVNULL
print(subprocess.Popen(sys.argv[1:], stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True).pid)
"""


def detached(*words: str, **variables: str) -> int:
    """Start a process that is nobody's child, so that no test takes it for its own; return its id."""
    command = [sys.executable, "-c", DETACHED, sys.executable, "-m", *words]
    return int(subprocess.run(command, env=os.environ | variables, capture_output=True, check=True).stdout)


def free_port() -> int:
    """Return a port that nobody uses just now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _is_alive(pid: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


@dataclass
class Cluster:
    """A scheduler and its workers, each a process of its own with one process that searches."""

    port: int = field(default_factory=free_port)
    scheduler: int = 0
    workers: list[int] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the scheduler."""
        words = ("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", str(self.port))
        self.scheduler = detached(*words, "--no-dashboard", "--no-show", "--idle-timeout", IDLE)

    def add_worker(self) -> None:
        """Start a worker."""
        words = ("distributed.cli.dask_worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        self.workers.append(detached(*words, "--death-timeout", "20s", PARSOLVE_WORKERS="1"))

    @contextlib.contextmanager
    def client(self) -> Iterator[Any]:
        """Connect, and wait for all workers."""
        with distributed.Client(self.address, timeout=30, set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), timeout=60)
            yield client

    def kill(self) -> None:
        """Kill a worker, the newest."""
        os.kill(self.workers.pop(), signal.SIGKILL)

    def forget_dead(self) -> None:
        """Leave out workers that have ended."""
        self.workers = [pid for pid in self.workers if _is_alive(pid)]

    def kill_all(self, client: Any) -> None:
        """Kill all workers, and wait until the scheduler knows."""
        while self.workers:
            self.kill()
        while client.scheduler_info(n_workers=-1)["workers"]:
            time.sleep(0.02)

    def stop(self) -> None:
        """End everything."""
        for pid in (*self.workers, self.scheduler):
            with contextlib.suppress(psutil.NoSuchProcess):
                process = psutil.Process(pid)
                for each in (*process.children(recursive=True), process):
                    each.kill()


@contextlib.contextmanager
def running(workers: int) -> Iterator[Cluster]:
    """Run a cluster."""
    cluster = Cluster()
    try:
        cluster.start()
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.stop()


class Machinery(Heard):
    """Makes something happen in the middle of a search.

    Args:
        events: what to call, one after the other: each once so many nodes more have been visited.
        nodes: so many.
        client: of a cluster; nothing happens before all its workers have tasks. By default it does not matter.
    """

    def __init__(self, *events: Any, nodes: int = 1_000_000, client: Any = None) -> None:
        super().__init__()
        self.events, self.nodes, self.next = list(events), nodes, nodes
        self.client = client

    def progress_made(self, progress: Any) -> None:
        if self.events and progress.nodes > self.next and self._all_busy():
            self.next = progress.nodes + self.nodes
            self.events.pop(0)()

    def _all_busy(self) -> bool:
        return self.client is None or all(self.client.processing().values())


PLAIN_27 = Sliding(bound="none", start="2 8 7 0 6 4 3 5 1")
NODES_27 = 17_219_735

PLAIN_31 = Sliding(bound="none", start="8 6 7 2 5 4 3 0 1")
"""Takes long enough for all machines to take part."""

QUEENS = Queens(n=11)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    for puzzle in (PLAIN_27, QUEENS):  # else each machine waits for the compiler, some of them in vain
        searcher = Searcher(Problem(puzzle))
        searcher.warm_up()
        searcher.warm_up_restoring()
    with running(2) as cluster:
        yield cluster


@pytest.fixture
def client(cluster: Cluster) -> Iterator[Any]:
    """A client of a cluster that has two workers."""
    while len(cluster.workers) < 2:
        cluster.add_worker()
    with cluster.client() as client:
        yield client


def solve(client: Any, puzzle: Any = PLAIN_31, tuning: Tuning = QUICK, **options: Any) -> parsolve.Result:
    return parsolve.solve(puzzle, executor=client, tuning=tuning, **options)


IMPATIENT = replace(QUICK, machine_silence=1.5)
"""What is silent is given up still sooner. A machine that is given up by mistake only costs time."""


@pytest.fixture
def ready(client: Any) -> Any:
    """The same, with both machines ready for `PLAIN_27`."""
    with machines_for(client, work_of(PLAIN_27)) as machines:
        while machines.ready < 2:  # one that was lost just now may come back
            time.sleep(0.02)
    return client


def same(found: parsolve.Result) -> None:
    assert (found.cost, found.count, found.nodes) == (31, 40, 154_972_513)


def machines_for(client: Any, work: Work) -> DaskMachines:
    """Have machines made ready for some work, or refused."""
    machines = DaskMachines(client, 30.0)
    machines.prepare(prepare_machine, work)
    while any(machine.state == "joining" for machine in list(machines._machines.values())):
        time.sleep(0.02)
    return machines


def work_of(puzzle: Any, limit: int = 0, identity: Identity | None = None) -> Work:
    """Return the work of an iteration."""
    spec = spec_of(puzzle)
    assert spec is not None
    job = Assignment(Setup(spec, identity or Problem(puzzle).identity), Sought(limit, True))
    return Work(job, puzzle_file_of(spec), None, None, QUICK)


def test_every_want_has_the_same_answer(client: Any) -> None:
    here = parsolve.solve(QUEENS, workers=1)
    assert here.count == 2680
    there = solve(client, QUEENS)
    assert (there.paths, there.count, there.nodes) == (here.paths, here.count, here.nodes)
    assert solve(client, QUEENS, want="first").paths == here.paths[:1]
    found = solve(client, PLAIN_27, want="any", limit=35)
    assert found.cost == len(found.paths[0]) <= 35
    assert len(found.paths) == 1


@pytest.mark.parametrize(
    ("puzzle", "table"),
    [(PLAIN_27, 1 << 20), (Sliding(start=PLAIN_27.start, bound="patterns"), 0)],
    ids=["table", "patterns"],
)
def test_tables_of_a_machine(client: Any, puzzle: Sliding, table: int) -> None:
    """A transposition table is made there, the tables of abstractions are loaded or built there."""
    searched = supply(Problem(puzzle, "all"))
    setup = Setup(searched.spec, searched.identity, TranspositionTable(table), searched.supplier)
    job = Assignment(setup, Sought(27, True))
    work = Work(job, None, None, None, QUICK)
    with machines_for(client, work) as machines:
        outcome = machines.submit(run_on_machine, work, [Branch.whole(0)], 20.0).result(60)
    assert solutions_of(outcome.paths) == parsolve.solve(puzzle, workers=1).paths
    assert outcome.rest == ()
    assert outcome.nodes < NODES_27 / 2


def test_solutions_leave_in_order_while_the_search_runs(client: Any) -> None:
    """And a machine's task ends when it has many."""
    found: list[tuple[int, ...]] = []
    tuning = replace(QUICK, machine_moves=50)
    result = solve(client, QUEENS, on_solution=found.append, budget=20_000, tuning=tuning)
    assert (len(found), sorted(found), result.paths) == (2680, found, [])


def test_a_task_that_is_not_wanted_ends(client: Any) -> None:
    """What takes a minute is not waited for by the next task, though dask ends nothing that runs."""
    work = work_of(Queens(n=18, method="bits"))
    work = replace(work, assignment=replace(work.assignment, sought=Sought(0)))  # solutions that are many would end it
    with machines_for(client, work) as machines:
        tasks = [machines.submit(run_on_machine, work, [Branch.whole(0)], 60.0) for _ in range(2)]
        time.sleep(0.3)
        for task in tasks:
            assert not task.done()
            task.cancel()
        assert [machines.submit(abs, -1).result(20) for _ in range(2)] == [1, 1]


def test_a_worker_that_hangs(cluster: Cluster, ready: Any) -> None:
    """It is not waited for, because its heartbeats stay away; once it goes on its late outcome counts for nothing."""
    hung = cluster.workers[-1]
    listener = Machinery(lambda: os.kill(hung, signal.SIGSTOP), client=ready)
    try:
        same(solve(ready, tuning=IMPATIENT, listener=listener))
    finally:
        os.kill(hung, signal.SIGCONT)
    assert any("no sign of life for 1.5 s" in why for why in listener.losses)


def test_what_dask_raises_for_a_lost_task_is_no_error_of_the_task(ready: Any) -> None:
    import distributed

    with machines_for(ready, work_of(PLAIN_27)) as machines:
        machine = next(iter(machines._machines.values()))
        for error in (
            distributed.scheduler.KilledWorker("a task", SimpleNamespace(address="tcp://a:1"), 3),
            distributed.client.FutureCancelledError("a task", "scheduler-connection-lost"),
            distributed.comm.CommClosedError("closed"),
            WorkersLost("this machine's processes cannot be started"),
        ):
            loss = machines._loss_of(machine, error)
            assert loss is not None
            assert not loss.blame
        assert machines._loss_of(machine, parsolve.BadPuzzle("the puzzle's own")) is None


def test_a_worker_that_is_killed(cluster: Cluster, ready: Any) -> None:
    """Its tasks are counted as lost before dask gives them to others (`allowed-failures`); no branch gets a strike."""
    listener = Machinery(cluster.kill, client=ready)
    same(solve(ready, listener=listener))
    assert listener.losses
    assert all(why.startswith("the dask worker tcp://127.0.0.1:") for why in listener.losses)


def test_a_task_that_ends_its_worker_ends_no_other(cluster: Cluster, ready: Any) -> None:
    """dask would give it to four workers (`allowed-failures`), and then raise `KilledWorker`."""
    with machines_for(ready, work_of(PLAIN_27)) as machines:
        first, second = machines.submit(os._exit, 3), machines.submit(abs, -1)
        assert second.result(30) == 1
        error = first.exception(30)
        assert isinstance(error, WorkerLost)
        assert "is gone" in str(error)
        assert not error.blame
        time.sleep(0.5)
        assert machines.ready == 1
    cluster.forget_dead()
    assert len(cluster.workers) == 1


@pytest.fixture
def lonely(cluster: Cluster) -> Iterator[Any]:
    """A client of a cluster that has no worker."""
    with cluster.client() as client:
        cluster.kill_all(client)
        yield client


def test_a_worker_that_comes_later_takes_part(cluster: Cluster, lonely: Any) -> None:
    """Also where there was none."""
    listener = Machinery()
    told = listener.warning_given

    def warned(text: str) -> None:
        told(text)
        cluster.add_worker()

    listener.warning_given = warned  # type: ignore[method-assign]
    same(solve(lonely, listener=listener))
    assert len(listener.warnings) == 1
    assert "no worker is at the dask scheduler" in listener.warnings[0]


def test_a_machine_that_cannot_be_prepared_yet_is_tried_again(client: Any) -> None:
    """Nobody is told that there is none."""
    with DaskMachines(client, 30.0) as machines:
        machines.prepare(os.fchdir)  # an OSError, as of a full disk
        told = []
        for _ in range(15):
            time.sleep(0.1)
            told += machines.warnings()
        assert (told, machines.ready) == ([], 0)
        machines.prepare(os.getpgid)
        while machines.ready < 2:
            time.sleep(0.02)


class Late(DaskMachines):
    """The last machine goes just after the first look."""

    looks = 1

    @property
    def ready(self) -> int:
        self.looks -= 1
        return super().ready + (self.looks == 0)


def test_nobody_comes(lonely: Any) -> None:
    """A task that finds no machine any more is lost, without blame, and the search waits."""
    listener = Heard()
    with Late(lonely, 30.0) as machines:
        result = solve(Adapter(machines, None, machines=machines), timeout=0.3, listener=listener)
    assert (result.status, result.message) == ("stopped", "the time is up: timeout 0.3 s")
    assert set(listener.losses) == {"there is no dask worker"}


def test_a_puzzle_file_is_shipped(client: Any, puzzle_file: Callable[..., Path]) -> None:
    walk = parsolve.problem.registry.make(f"{puzzle_file(WALK)}:Walk", {})
    here = parsolve.solve(walk, workers=1)
    assert here.cost is not None
    work = work_of(walk, here.cost)
    with machines_for(client, work) as machines:
        assert machines.ready == 2
        outcome = machines.submit(run_on_machine, work, [Branch.whole(0)], 9.0).result(60)
    assert (solutions_of(outcome.paths), outcome.nodes) == (here.paths, here.iterations[-1].nodes)
    shipped = (Path(os.environ["PARSOLVE_CACHE_DIR"]) / "puzzles").glob("*/my_puzzle.py")
    assert WALK in [file.read_text() for file in shipped]


# What is refused.


@pytest.mark.parametrize("what", ["parsolve", "numba", "Python"])
def test_another_version_is_refused(client: Any, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = dask.versions() | {what: "0.0.7"}
    monkeypatch.setattr(dask, "versions", lambda: versions)
    said = rf"tcp://\S+ cannot take part: it has {what} \S+, and 0.0.7 is here"
    with machines_for(client, work_of(PLAIN_27)) as machines, pytest.raises(BadInput, match=said):
        _ = machines.ready


@pytest.mark.parametrize("there", ["other", "none"])
def test_a_data_file_that_does_not_travel_is_told(
    client: Any, puzzle_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: str
) -> None:
    """A puzzle's file is sent to the machines, a file that it reads is not."""
    data = tmp_path / "size"
    data.write_text("8")
    source = edited("Tables(self.size)", f"Tables(int(np.loadtxt({str(data)!r})))")
    work = work_of(parsolve.problem.registry.make(f"{puzzle_file(source)}:Walk", {}))
    if there == "other":
        data.write_text("12")
        said: Any = pytest.raises(OtherData, match="cannot take part: Walk: 'tables' or 'root' returns something else")
    else:
        data.unlink()
        said = pytest.raises(BadInput, match="cannot take part: Walk: 'tables' raises FileNotFoundError")
    with machines_for(client, work) as machines, said:
        _ = machines.ready


@pytest.mark.parametrize("address", ["nowhere", "tcp://127.0.0.1:9"])
def test_an_address_where_nobody_answers(address: str) -> None:
    refused = pytest.raises(BadInput, match=f"no dask scheduler answers at {address} \\(")
    with refused, connected(address, patience=0.5):
        pass


def test_without_dask(run_here: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = run_here("count", "eight", "--dask", "local", code=2)
    assert 'pip install "parsolve[dask]"' in done.stderr


# The command line.


@pytest.mark.nightly
def test_the_scheduler_dies(tmp_path: Path) -> None:
    """What is known is saved, and the message says what to do. The search takes long enough to be there still."""
    options: dict[str, Any] = {"journal": tmp_path / "journal.sqlite", "tuning": IMPATIENT}
    with running(1) as cluster, cluster.client() as client:
        killed = Machinery(lambda: os.kill(cluster.scheduler, signal.SIGKILL), nodes=4_000_000)
        with pytest.raises(WorkersLost, match=rf"scheduler at {cluster.address} is gone: .* the same command resumes"):
            parsolve.solve(PLAIN_31, executor=client, listener=killed, **options)
    listener = Heard()
    found = parsolve.solve(PLAIN_31, workers=1, listener=listener, **options)
    assert (found.cost, found.count) == (31, 40)
    assert listener.resumed


def test_the_scheduler_is_gone_before_the_search() -> None:
    with running(1) as cluster, cluster.client() as client:
        os.kill(cluster.scheduler, signal.SIGKILL)
        while client.status == "running":
            time.sleep(0.01)
        with pytest.raises(BadInput, match=r"the dask client is \w+: its scheduler may have ended; connect it again"):
            parsolve.solve(PLAIN_31, executor=client)
