"""A dask cluster as machines: `distributed` runs on ssh, SLURM, Kubernetes, with TLS and a dashboard.

Only `client.submit` is used, for functions of a module with plain data and a named machine, so this process knows what
runs where. Dask's own recovery from a dead worker (it gives the task to others, `allowed-failures` times, then raises
`KilledWorker`) never happens: if the scheduler no longer lists a machine, or has had no heartbeat from it for some
seconds, the machine's tasks are lost, and no branch is to blame: a branch can only end the machine's own processes, and
the machine watches these.
"""

import asyncio
import contextlib
import functools
import itertools
import logging
import pickle
import platform
import threading
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator, Mapping
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

PATIENCE = 10.0
"""Seconds in which a scheduler must answer the first call."""

PACKAGES = ("parsolve", "numba")
"""Packages that must have the same version everywhere."""


Call = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function of a module, and its arguments."""


@dataclass
class Running:
    """The task that this machine runs.

    Attributes:
        name: the task's name; None if none runs.
        dropped: whether it was cancelled: it may end early, and its result is ignored.
    """

    name: str | None = None
    dropped: bool = False

    def drop(self, name: str) -> None:
        self.dropped = self.dropped or name == self.name


running = Running()
"""The task of this process: one runs at a time."""


class Task(Future[Any]):
    """The future of a task on one machine. Cancelling it forgets the task, and tells the machine."""

    def __init__(self, forget: "Callable[[Task], None]") -> None:
        super().__init__()
        self._forget = forget

    def cancel(self) -> bool:
        cancelled = super().cancel()
        self._forget(self)
        return cancelled


@dataclass(eq=False)
class Machine:
    """A worker of the cluster.

    Attributes:
        name: its address.
        beat: time of its last heartbeat, from the scheduler.
        heard: when that time last changed, by `time.monotonic`.
        state: `joining`, `ready`, or `refused`.
        early: whether it was present when the search began.
        tasks: its tasks, the oldest first, with dask's futures.
    """

    name: str
    host: str
    beat: float
    heard: float
    early: bool
    state: str = "joining"
    tasks: "dict[Task, distributed.Future]" = field(default_factory=dict)


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
        self._prepared: Call | None = None
        self._failure: Exception | None = None
        self._warnings: list[str] = []
        self._told_none = False
        self._heard = time.monotonic()
        self._closed = threading.Event()
        self._names = (f"parsolve-{uuid.uuid4().hex[:12]}-{number}" for number in itertools.count())
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
            self._prepared = function, arguments
            for machine in self._machines.values():
                if machine.state != "refused":
                    machine.state = "joining"
                    self._on_loop(self._join(machine, self._prepared))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a function of a module on the machine with the fewest tasks.

        Raises:
            ParsolveError: see `ready`; or there is no machine.
        """
        with self._lock:
            if not self.ready:
                raise WorkersLost("there is no dask worker")
            machine = min(filter(self._usable, self._machines.values()), key=lambda machine: len(machine.tasks))
            task, name = Task(functools.partial(self._drop, machine)), next(self._names)
            packed = pickle.dumps((fn, args, kwargs))
            future = machine.tasks[task] = self._submitted(machine, call_packed, name, packed, name=name)
            self._begin(machine)
            self._on_loop(self._run(machine, task, future))
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

    def _submitted(
        self, machine: Machine, function: Callable[..., Any], *arguments: Any, name: str | None = None
    ) -> "distributed.Future":
        return self._client.submit(
            function,
            *arguments,
            key=name or next(self._names),
            workers=[machine.name],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )

    async def _result(self, future: "distributed.Future") -> Any:
        try:
            return await self._client.gather(future, asynchronous=True)
        finally:
            future.release()  # so that the scheduler drops it

    async def _cancel(self, future: "distributed.Future", machine: Machine | None = None) -> None:
        """Cancel a waiting task; a running one does not end by that, so its machine gets a message, if it is named."""
        with contextlib.suppress(OSError):  # the scheduler is gone
            await self._client.cancel(future, asynchronous=True)
            if machine is not None:
                await self._client.run(drop, future.key, workers=[machine.name], wait=False, on_error="ignore")

    def _on_loop(self, coroutine: Coroutine[Any, Any, Any]) -> "Future[Any]":
        return asyncio.run_coroutine_threadsafe(coroutine, self._client.loop.asyncio_loop)

    @staticmethod
    def _begin(machine: Machine) -> None:
        """Mark a machine's oldest task as running."""
        first = next(iter(machine.tasks), None)
        if first is not None and not first.running() and not first.done():
            first.set_running_or_notify_cancel()

    async def _run(self, machine: Machine, task: Task, future: "distributed.Future") -> None:
        """Give a task its result or error once dask has it, unless it was forgotten."""
        result, error = None, None
        try:
            result = pickle.loads(await self._result(future))
        except (Exception, asyncio.CancelledError) as caught:
            error = caught
        with self._lock:
            if machine.tasks.pop(task, None) is None:
                return
            self._begin(machine)
            if isinstance(error, WorkersLost):  # its own error
                self._refuse(machine, str(error), known=False)
        with contextlib.suppress(InvalidStateError):
            if not task.running():
                task.set_running_or_notify_cancel()
            if error is None:
                task.set_result(result)
            else:
                task.set_exception(self._loss_of(machine, error) or error)

    def _loss_of(self, machine: Machine, error: BaseException) -> WorkerLost | None:
        """Return the loss that an error means; None if it is the task's own error."""
        if isinstance(error, WorkersLost | CancelledError | asyncio.CancelledError | OSError):
            return WorkerLost(f"the dask worker {machine.name} has lost a task: {named(error)}", blame=False)
        # Not imported: such an error can only occur if `distributed` has been imported.
        if type(error).__module__.partition(".")[0] == "distributed":  # KilledWorker, FutureCancelledError and others
            return WorkerLost(f"dask has lost a task of {machine.name}: {named(error)}", blame=False)
        return None

    def _drop(self, machine: Machine, task: Task) -> None:
        with self._lock:
            future = machine.tasks.pop(task, None)
            self._begin(machine)
        if future is not None:
            self._on_loop(self._cancel(future, machine))

    def _lose(self, machine: Machine, why: str) -> None:
        """Give up all tasks of a machine."""
        tasks, machine.tasks = machine.tasks, {}
        for task, future in tasks.items():
            self._on_loop(self._cancel(future))
            with contextlib.suppress(InvalidStateError):
                task.set_exception(WorkerLost(why, blame=False))

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
                        self._on_loop(self._join(machine, self._prepared))
                elif about["last_seen"] != machine.beat:
                    machine.beat, machine.heard = about["last_seen"], now
                elif now > machine.heard + self._silence and machine.tasks:
                    self._lose(machine, f"the dask worker {name} has given no sign of life for {self._silence:g} s")

    async def _join(self, machine: Machine, prepared: Call) -> None:
        """Prepare a machine, or refuse it; if it is lost meanwhile, try again."""
        function, arguments = prepared
        error: Exception | None = None
        while self._is_wanted(machine, prepared):
            try:
                why = await self._difference(machine)
                if not why:
                    with self._lock:
                        sharing = sum(other.host == machine.host for other in self._machines.values())
                    await self._result(self._submitted(machine, function, sharing, *arguments))
            except metadata.PackageNotFoundError as missing:
                why = f"{missing.name} is not installed there"
            except Exception as caught:
                if self._loss_of(machine, caught) and not isinstance(caught, WorkersLost):
                    await asyncio.sleep(WATCH)
                    continue
                why, error = named(caught), caught
            with self._lock:
                if not self._is_wanted(machine, prepared):
                    return
                if why:
                    self._refuse(machine, why, error)
                else:
                    machine.state = "ready"
                return

    def _is_wanted(self, machine: Machine, prepared: Call) -> bool:
        there = self._machines.get(machine.name) is machine
        return there and prepared is self._prepared and not self._closed.is_set()

    async def _difference(self, machine: Machine) -> str:
        """Return which version differs on a machine, as a piece of a message; empty if none does."""
        # Functions of the standard library exist whatever is installed.
        there = [await self._result(self._submitted(machine, metadata.version, package)) for package in PACKAGES]
        there.append(_python(await self._result(self._submitted(machine, platform.python_version))))
        for (what, mine), other in zip(versions().items(), there, strict=True):
            if mine != other:
                return f"it has {what} {other}, and {mine} is here: install the same"
        return ""

    def _refuse(self, machine: Machine, why: str, error: BaseException | None = None, known: bool = True) -> None:
        """Exclude a machine: with an error if it was present from the beginning, otherwise with a warning."""
        machine.state = "refused"
        text = f"the dask worker {machine.name} cannot take part: {why}"
        if machine.early and known and self._failure is None:
            self._failure = type(error)(text) if isinstance(error, ParsolveError) else BadInput(text)
        else:
            self._warnings.append(text)


def call_packed(name: str, packed: bytes) -> bytes:
    """Make a call and return its result, both pickled: dask inspects lists and objects, which for a machine's branches
    takes longer than all other work of the root."""
    function, arguments, more = pickle.loads(packed)
    running.name, running.dropped = name, False
    try:
        return pickle.dumps(function(*arguments, **more))
    finally:
        running.name = None


async def drop(name: str) -> None:
    """End a task early, if it runs in this process; a coroutine, because dask makes any other function wait."""
    running.drop(name)


def versions() -> dict[str, str]:
    """Return the versions that must be the same everywhere, by name."""
    return {package: metadata.version(package) for package in PACKAGES} | {"Python": _python(platform.python_version())}


def named(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _python(version: str) -> str:
    """Return the minor version of Python: within one, bytecode is compatible."""
    return ".".join(version.split(".")[:2])


@contextlib.contextmanager
def connected(address: str, patience: float = PATIENCE) -> Iterator["Client"]:
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
            raise BadInput(
                f"no dask scheduler answers at {address} ({named(error)}): an address is such as tcp://host:8786"
            ) from None
        try:
            yield client
        finally:
            client.close(timeout=1)
