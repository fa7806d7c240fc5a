"""What runs in a worker process and in the fork server. `crew` starts both with `python -c`, so that the user's
main module is never imported."""

import contextlib
import gc
import json
import logging
import os
import pickle
import queue
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from parsolve.activity import current as activity
from parsolve.processes import die_with, set_name

SERVER, WORKER = "parsolve-server", "parsolve-worker"
"""How the system's tools show these processes."""

IGNORED = ("SIGINT", "SIGTERM", "SIGHUP")
"""What is sent to all processes of a terminal, a service or a SLURM job: the coordinator decides."""

BOOT = f"""\
import signal
for name in {IGNORED}: signal.signal(getattr(signal, name), signal.SIG_IGN)
import json, sys
sys.path[:] = json.loads(sys.argv[2])
from parsolve.executors import worker
worker.main()
"""
"""Run as `python -c BOOT KIND SYS_PATH PARENT PULSE FD…`: signals are ignored first, then comes the parent's import
path, then one of the two mains. The parent has the signals blocked until then."""


def main() -> None:
    """Be what the command line says: `serve … FD` or `fork … FD FD`."""
    kind, _, parent, pulse, *handles = sys.argv[1:]
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ignored())
    die_with(int(parent))
    logging.getLogger("parsolve").setLevel(logging.ERROR)  # what there is to warn of, the coordinator has warned of
    with contextlib.suppress(EOFError, OSError):
        if kind == "serve":
            serve(Connection(int(handles[0])), float(pulse))
        else:
            set_name(SERVER)
            fork_server(socket.socket(fileno=int(handles[0])), Connection(int(handles[1])), float(pulse))
    os._exit(0)  # nothing is left to say, and nobody to hear it


def be_forked(parent: int, pulse: float, commands: int, events: int) -> NoReturn:
    """Be the fork server in a process that has just been forked from the coordinator; the signals that workers ignore
    are blocked.

    Nothing of the coordinator's is used, closed in order or written out: a journal, buffers, locks and bars are its
    own. Only its modules, kernels and tables are shared, until one of the two writes.
    """
    try:
        signal.set_wakeup_fd(-1)
        for number in ignored():
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ignored())
        os.setpgid(0, 0)  # Ctrl-C goes to the terminal's group: the coordinator decides
        die_with(parent)
        activity.separate()
        set_name(SERVER)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        for handle in map(int, os.listdir("/proc/self/fd")):
            if handle > 2 and handle not in (commands, events):
                with contextlib.suppress(OSError):  # the one that listed them
                    os.close(handle)
        logging.getLogger("parsolve").setLevel(logging.ERROR)
        with contextlib.suppress(EOFError, OSError):
            fork_server(socket.socket(fileno=commands), Connection(events), pulse)
    finally:
        os._exit(0)


def ignored() -> list[signal.Signals]:
    """Return the signals that workers ignore."""
    return [signal.Signals[name] for name in IGNORED]


def command(kind: str, pulse: float, *handles: int) -> list[str]:
    """Return the command that runs `main` in a fresh interpreter."""
    paths = [path for path in sys.path if isinstance(path, str)]  # Python ignores the others too
    return [sys.executable, "-c", BOOT, kind, json.dumps(paths), str(os.getpid()), str(pulse), *map(str, handles)]


class Line:
    """What this process tells its crew, and a thread that tells every `pulse` seconds that it is alive while it is
    busy: kernels release the interpreter lock. It is busy at first.

    Raises:
        RuntimeError: the system refuses a thread.
    """

    def __init__(self, connection: Connection, pulse: float) -> None:
        self.busy = True
        self._connection = connection
        self._pulse = pulse
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True, name="heartbeat")
        self._thread.start()

    def send(self, kind: Any, value: Any = None) -> None:
        """Send a message; OSError if nobody reads any more."""
        message = pickle.dumps((kind, value))
        with self._lock:
            self._connection.send_bytes(message)

    def end(self) -> None:
        """End the thread."""
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        with contextlib.suppress(OSError):
            while not self._over.is_set():
                if self.busy:
                    self.send("alive")
                self._over.wait(self._pulse)


def inbox(connection: Connection) -> "queue.SimpleQueue[bytes]":
    """What comes through a connection, read by a thread of its own. So the coordinator can always send, also while an
    answer waits to be read. And this process ends with the connection, whatever it is doing: kernels release the
    interpreter lock. Without this a killed coordinator leaves its workers behind for ever."""
    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def read() -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                messages.put(connection.recv_bytes())
        os._exit(0)

    threading.Thread(target=read, daemon=True, name="inbox").start()
    return messages


def serve(connection: Connection, pulse: float, prepared: bool = False) -> None:
    """Run tasks as they come, `(function, arguments)`, and answer with `(True, result)` or `(False, error)`.

    Args:
        connection: to the crew.
        pulse: seconds between two signs of life.
        prepared: whether the first message is a task already, and not what prepares this worker.
    """
    try:
        tasks = inbox(connection)
        line = Line(connection, pulse)
    except RuntimeError as error:
        connection.send(("refused", str(error)))
        return
    set_name(WORKER)
    if not prepared and not _prepared(line, tasks.get()):
        return
    line.send("ready")
    while True:
        line.busy = False
        message = tasks.get()
        line.busy = True
        function, arguments = pickle.loads(message)
        try:
            answer = (True, function(*arguments))
        except BaseException as error:  # SystemExit too: a worker ends when its crew says so
            answer = (False, _portable(error))
        line.send(*answer)


def fork_server(commands: socket.socket, events: Connection, pulse: float) -> None:
    """Fork a ready worker for each connection that comes in, and tell of births and deaths.

    One thread only from the first fork on: that is what makes forking safe here.
    """
    try:
        line = Line(events, pulse)
    except RuntimeError as error:
        events.send(("refused", str(error)))
        return
    if not _prepared(line, events.recv_bytes()):
        return
    line.end()
    gc.freeze()  # a collection would write on every page that the workers share
    wake, wakened = socket.socketpair()
    wake.setblocking(False)
    wakened.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakened.fileno(), warn_on_full_buffer=False)
    me = os.getpid()
    events.send(("ready", None))
    while True:
        ready, _, _ = select.select([commands, wake], [], [])
        if wake in ready:
            wake.recv(1 << 12)
            _tell_deaths(events)
        if commands in ready:
            command, handles, _, _ = socket.recv_fds(commands, 1, 1)
            if not command:
                return  # the parent is gone
            try:
                child = os.fork()
            except OSError as error:
                events.send(("refused", error.strerror))
                os.close(handles[0])
                continue
            if child == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                die_with(me)
                for inherited in (commands, wake, wakened, events):
                    inherited.close()
                with contextlib.suppress(EOFError, OSError):
                    serve(Connection(handles[0]), pulse, prepared=True)
                os._exit(0)
            os.close(handles[0])
            events.send(("born", child))


def _tell_deaths(events: Connection) -> None:
    with contextlib.suppress(ChildProcessError):
        while True:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child == 0:
                return
            events.send(("died", (child, os.waitstatus_to_exitcode(status))))


def _prepared(line: Line, message: bytes) -> bool:
    function, arguments = pickle.loads(message)
    try:
        function(*arguments)
    except BaseException as error:
        line.send("failed", _portable(error))
        return False
    return True


def _portable(error: BaseException) -> Exception:
    """The error, or one that says the same where it cannot be pickled or would end more than a task."""
    with contextlib.suppress(Exception):
        pickle.loads(pickle.dumps(error))
        if isinstance(error, Exception):
            return error
    return RuntimeError("".join(traceback.format_exception(error)))


def ready(function: Callable[..., Any], *arguments: Any) -> bytes:
    """A task, or what prepares a worker, as bytes."""
    return pickle.dumps((function, arguments))
