"""A dask cluster as machines: `distributed` runs on ssh, SLURM, Kubernetes, with TLS and a dashboard.

Only `client.submit` is used, for functions of a module with plain data and a named machine, so this process knows what
runs where. Dask's own recovery from a dead worker (it gives the task to others, `allowed-failures` times, then raises
`KilledWorker`) never happens: if the scheduler no longer lists a machine, or has had no heartbeat from it for some
seconds, the machine's tasks are lost, and no branch is to blame: a branch can only end the machine's own processes, and
the machine watches these.
"""

import asyncio
import contextlib
import gc
import logging
import pickle
import platform
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future, InvalidStateError
from dataclasses import dataclass, field
from importlib import metadata
from typing import TYPE_CHECKING, Any

from parsolve.errors import BadInput, ParsolveError, WorkersLost
from parsolve.executors.pool import WorkerLost

if TYPE_CHECKING:
    import distributed
    from distributed import Client

WATCH = 0.5
"""Seconds between two reads of the scheduler's list of workers."""

PACKAGES = ("parsolve", "numba")
"""Packages that must have the same version everywhere."""


class MachineFuture(Future[Any]):
    """The future of a task on one machine. Cancelling it releases dask's: a waiting task is dropped, and a running one
    may ask `is_wanted`."""

    def __init__(self, future: "distributed.Future") -> None:
        super().__init__()
        self.future = future

    def cancel(self) -> bool:
        self.future.release()
        return super().cancel()


@dataclass(eq=False)
class Machine:
    """A worker of the cluster.

    Attributes:
        name: its address.
        beat: time of its last heartbeat, from the scheduler.
        heard: when that time last changed, by `time.monotonic`.
        state: `joining`, `ready`, or `refused`.
        early: whether it was present when the search began.
        tasks: its tasks.
    """

    name: str
    host: str
    beat: float
    heard: float
    early: bool
    state: str = "joining"
    tasks: set[MachineFuture] = field(default_factory=set)


class DaskMachines(Executor):
    """The workers of a dask cluster, each a machine with processes of its own, which runs long tasks one after another.

    Args:
        client: client of the cluster; it is not closed.
        silence: seconds without a heartbeat after which a machine, or the scheduler, counts as lost.

    Raises:
        BadInput: the client is not connected, or asynchronous.
    """

    def __init__(self, client: "Client", silence: float) -> None:
        if client.asynchronous:
            raise BadInput("the dask client is asynchronous: a search takes one that is not")
        if client.status != "running":
            raise BadInput(f"the dask client is {client.status}: its scheduler may have ended; connect it again")
        self._client, self._silence = client, silence
        self._address = client.scheduler.address if client.scheduler else "?"
        self._machines: dict[str, Machine] = {}
        self._lock = threading.RLock()
        self._prepared: bytes | None = None
        self._failure: Exception | None = None
        self._warnings: list[str] = []
        self._told_none = False
        self._heard = time.monotonic()
        self._closed = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True, name="dask machines")
        self._look(early=True)
        self._watcher.start()

    # What a search asks.

    @property
    def ready(self) -> int:
        """The number of machines that are ready and alive.

        Raises:
            WorkersLost: the scheduler is gone.
            ParsolveError: a machine that was present from the beginning cannot take part.
        """
        with self._lock:
            if self._failure is not None:
                raise self._failure
            if time.monotonic() > self._heard + self._silence or self._client.status == "closed":
                raise WorkersLost(
                    f"the dask scheduler at {self._address} is gone: what a journal has is saved; start the scheduler"
                    " again, and the same command resumes"
                )
            return sum(self._usable(machine) for machine in self._machines.values())

    def prepare(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Let each machine make a call before its next task, and each later machine before its first task.

        Args:
            function: a function of a module; its arguments are the number of the cluster's workers on the machine, then
                `arguments`.
            arguments: plain data.
        """
        with self._lock:
            self._prepared = pickle.dumps((function, arguments))
            for machine in self._machines.values():
                if machine.state != "refused":
                    machine.state = "joining"
                    self._client.loop.add_callback(self._join, machine, self._prepared)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a function of a module on the machine with the fewest tasks.

        If there is none, because the last has gone since a look at `ready`, the task is lost at once.
        """
        with self._lock:
            usable = filter(self._usable, self._machines.values())
            machine = min(usable, key=lambda machine: len(machine.tasks), default=None)
            if machine is None:
                lost = Future[Any]()
                lost.set_exception(WorkerLost("there is no dask worker", blame=False))
                return lost
            task = MachineFuture(self._submitted(machine, call_packed, pickle.dumps((fn, args, kwargs))))
            machine.tasks.add(task)
            task.add_done_callback(machine.tasks.discard)
            self._client.loop.add_callback(self._run, machine, task)
            return task

    def warnings(self) -> list[str]:
        """Return new warnings for the user, for example that a machine that came later cannot take part."""
        with self._lock:
            is_none = all(machine.state == "refused" for machine in self._machines.values())
            if is_none and not self._told_none:
                self._warnings.append(f"no worker is at the dask scheduler {self._address}: waiting for one")
            self._told_none = is_none
            warnings, self._warnings = self._warnings, []
            return warnings

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more tasks and forget the present ones; the cluster keeps running."""
        self._closed.set()
        with self._lock:
            for machine in self._machines.values():
                for task in list(machine.tasks):
                    task.cancel()

    # Tasks.

    def _usable(self, machine: Machine) -> bool:
        alive = time.monotonic() <= machine.heard + self._silence
        return machine.state == "ready" and alive and self._client.status == "running"

    def _submitted(self, machine: Machine, function: Callable[..., Any], *arguments: Any) -> "distributed.Future":
        only = {"workers": [machine.name], "allow_other_workers": False}
        return self._client.submit(function, *arguments, **only, pure=False, retries=0)

    async def _run(self, machine: Machine, task: MachineFuture) -> None:
        """Give a task its result or error once dask has it, unless it was cancelled."""
        with contextlib.suppress(InvalidStateError):
            try:
                task.set_result(pickle.loads(await self._client.gather(task.future, asynchronous=True)))
            except (Exception, asyncio.CancelledError) as error:
                if isinstance(error, WorkersLost):  # its own error
                    self._refuse(machine, error)
                task.set_exception(self._loss_of(machine, error) or error)
            finally:
                task.future.release()  # so that the scheduler drops it

    def _loss_of(self, machine: Machine, error: BaseException) -> WorkerLost | None:
        """Return the loss that an error means; None if it is the task's own error."""
        if isinstance(error, WorkersLost | CancelledError | asyncio.CancelledError | OSError):
            return WorkerLost(f"the dask worker {machine.name} has lost a task: {named(error)}", blame=False)
        # Not imported: such an error can only occur if `distributed` has been imported.
        if type(error).__module__.partition(".")[0] == "distributed":  # KilledWorker, FutureCancelledError and others
            return WorkerLost(f"dask has lost a task of {machine.name}: {named(error)}", blame=False)
        return None

    @staticmethod
    def _lose(machine: Machine, why: str) -> None:
        """Give up all tasks of a machine."""
        for task in list(machine.tasks):
            with contextlib.suppress(InvalidStateError):
                task.set_exception(WorkerLost(why, blame=False))
            task.cancel()

    # Machines.

    def _watch(self) -> None:
        while not self._closed.wait(WATCH):
            with contextlib.suppress(Exception):  # the scheduler is gone; `ready` reports that after a while
                self._look(early=False)

    def _look(self, early: bool) -> None:
        """Compare the machines with the scheduler's list of workers."""
        workers: Mapping[str, Any] = self._client.scheduler_info(n_workers=-1)["workers"]
        now = time.monotonic()
        with self._lock:
            self._heard = now
            for name in self._machines.keys() - workers.keys():
                self._lose(self._machines.pop(name), f"the dask worker {name} is gone")
            for name, about in workers.items():
                machine = self._machines.get(name)
                if machine is None:
                    machine = Machine(name, about["host"], about["last_seen"], now, early)
                    self._machines[name] = machine
                    if self._prepared:
                        self._client.loop.add_callback(self._join, machine, self._prepared)
                elif about["last_seen"] != machine.beat:
                    machine.beat, machine.heard = about["last_seen"], now
                elif now > machine.heard + self._silence and machine.tasks:
                    self._lose(machine, f"the dask worker {name} has given no sign of life for {self._silence:g} s")

    async def _join(self, machine: Machine, prepared: bytes) -> None:
        """Prepare a machine, or refuse it; if that is lost meanwhile, try again."""
        error: BaseException | None = None
        with self._lock:
            if self._machines.get(machine.name) is not machine or self._closed.is_set():
                return
            sharing = sum(other.host == machine.host for other in self._machines.values())
        try:
            await self._client.gather(self._submitted(machine, join, versions(), sharing, prepared), asynchronous=True)
        except (Exception, asyncio.CancelledError) as caught:
            error = caught
        with self._lock:
            if self._machines.get(machine.name) is not machine or prepared is not self._prepared:
                return
            if error is None:
                machine.state = "ready"
            elif isinstance(error, WorkersLost) or not self._loss_of(machine, error):
                self._refuse(machine, error)
            else:
                self._client.loop.call_later(WATCH, self._join, machine, prepared)

    def _refuse(self, machine: Machine, error: BaseException) -> None:
        """Exclude a machine: with an error if it was present from the beginning, otherwise with a warning."""
        text = f"the dask worker {machine.name} cannot take part: {named(error)}"
        with self._lock:
            if machine.early and machine.state == "joining" and self._failure is None:
                self._failure = type(error)(text) if isinstance(error, ParsolveError) else BadInput(text)
            else:
                self._warnings.append(text)
            machine.state = "refused"


# On a machine.


def join(theirs: Mapping[str, str], sharing: int, packed: bytes) -> None:
    """Make the call that prepares this machine.

    Raises:
        BadInput: a version differs from that of the machine that has sent the call.
    """
    for what, here in versions().items():
        if here != theirs[what]:
            raise BadInput(f"it has {what} {here}, and {theirs[what]} is here: install the same")
    function, arguments = pickle.loads(packed)
    function(sharing, *arguments)


def call_packed(packed: bytes) -> bytes:
    """Make a call and return its result, both pickled: dask inspects lists and objects, which for a machine's branches
    takes longer than all other work of the root."""
    function, arguments, more = pickle.loads(packed)
    return pickle.dumps(function(*arguments, **more))


def is_wanted() -> bool:
    """Return whether the task that calls this is still wanted: dask ends nothing that runs."""
    import distributed

    worker = distributed.get_worker()
    return bool(worker.state.tasks[worker.get_current_task()].state != "cancelled")


def versions() -> dict[str, str]:
    """Return the versions that must be the same everywhere, by name. Within a minor version of Python, bytecode is
    compatible."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {package: metadata.version(package) for package in PACKAGES} | {"Python": python}


def named(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


@contextlib.contextmanager
def connected(address: str, patience: float = 10.0) -> Iterator["Client"]:
    """Connect to a dask scheduler.

    Args:
        address: such as `tcp://host:8786`, or `local` for a cluster on this machine, which ends with the body.
        patience: seconds in which a scheduler must answer the first call.

    Raises:
        BadInput: dask is not installed, the address is wrong, or no scheduler answers.
    """
    try:
        import distributed
    except ImportError as error:
        raise BadInput(f'dask cannot be imported ({error}): pip install "parsolve[dask]"') from None
    import dask

    for name in ("distributed", "distributed.client"):  # of this process, where the configuration has been read already
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with dask.config.set({"distributed.logging.distributed": "critical"}), contextlib.ExitStack() as stack:
        where: Any = address
        if address == "local":
            options = {"threads_per_worker": 1, "processes": True, "dashboard_address": None, "host": "127.0.0.1"}
            where = stack.enter_context(distributed.LocalCluster(n_workers=2, **options))
        try:
            client = distributed.Client(where, timeout=patience, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            why = named(error.with_traceback(None))
            gc.collect()  # the client that failed: its end, by any later collection, blocks the start of the next one
            raise BadInput(
                f"no dask scheduler answers at {address} ({why}): an address is such as tcp://host:8786"
            ) from None
        try:
            yield client
        finally:
            client.close(timeout=1)
