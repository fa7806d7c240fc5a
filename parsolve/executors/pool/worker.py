"""The code of a worker process, and of the fork server, which is prepared once and forks ready workers."""

import contextlib
import gc
import os
import pickle
import select
import signal
import socket
import traceback
from multiprocessing.connection import Connection
from typing import NoReturn

from .messages import Heart, call
from .process import die_with_parent, ignored_signals, set_process_name


def run_worker(connection: Connection, name: str, pulse: float, prepared: bool) -> None:
    """Run tasks as they come, `(function, arguments)`, and answer each with its result or error, pickled.

    Args:
        connection: connection to the pool.
        name: how the system's tools show this process.
        pulse: see `Settings`.
        prepared: whether the first message is already a task, instead of the call that prepares this worker.
    """
    set_process_name(name)
    try:
        heart = Heart(connection, pulse)
    except RuntimeError as error:
        connection.send(("refused", str(error)))
        return
    if not prepared and not prepare(heart, connection.recv_bytes()):
        return
    heart.send("ready")
    while True:
        message = connection.recv_bytes()
        try:
            answer = (True, pickle.dumps(call(message)))
        except BaseException as error:  # SystemExit too: only its pool ends a worker
            answer = (False, pickle.dumps(portable(error)))
        heart.send(*answer)


def prepare(heart: Heart, message: bytes) -> bool:
    """Make the call that prepares this process, and return whether it succeeded; if not, tell the pool."""
    try:
        call(message)
    except BaseException as error:
        heart.send("failed", portable(error))
        return False
    return True


def portable(error: BaseException) -> Exception:
    """Return an error, or a similar one if it cannot be pickled or would end more than a task."""
    with contextlib.suppress(Exception):
        pickle.loads(pickle.dumps(error))
        if isinstance(error, Exception):
            return error
    return RuntimeError("".join(traceback.format_exception(error)))


def run_server(commands: socket.socket, events: Connection, name: str, pulse: float) -> None:
    """Fork a ready worker for each connection that arrives, and report births and deaths.

    From the first fork on there is only one thread, which makes forking safe here.

    Args:
        commands: each byte brings the connection of a requested worker.
        events: brings the call that prepares this process, and takes its reports.
        name, pulse: see `Settings`.
    """
    set_process_name(f"{name}-server")
    try:
        heart = Heart(events, pulse)
    except RuntimeError as error:
        events.send(("refused", str(error)))
        return
    if not prepare(heart, events.recv_bytes()):
        return
    heart.end()
    gc.freeze()  # a collection would write to every page that the workers share
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
                die_with_parent(me)
                for inherited in (commands, wake, wakened, events):
                    inherited.close()
                with contextlib.suppress(EOFError, OSError):
                    run_worker(Connection(handles[0]), f"{name}-worker", pulse, prepared=True)
                os._exit(0)
            os.close(handles[0])
            events.send(("born", child))


def run_forked_server(parent: int, commands: int, events: int, name: str, pulse: float) -> NoReturn:
    """Run the fork server in a process just forked from the pool's, with the signals that workers ignore blocked.

    It uses, closes and writes nothing of the pool's process, because files, buffers and locks belong to that one. Only
    modules and computed values are shared, until one of the two writes to them. `commands` and `events` are the handles
    for `run_server`.
    """
    try:
        signal.set_wakeup_fd(-1)
        for number in ignored_signals():
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ignored_signals())
        os.setpgid(0, 0)  # Ctrl-C goes to the terminal's group: the pool's own process decides
        die_with_parent(parent)
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        for handle in map(int, os.listdir("/proc/self/fd")):
            if handle > 2 and handle not in (commands, events):
                with contextlib.suppress(OSError):  # the handle of the listing itself
                    os.close(handle)
        with contextlib.suppress(EOFError, OSError):
            run_server(socket.socket(fileno=commands), Connection(events), name, pulse)
    finally:
        os._exit(0)


def _tell_deaths(events: Connection) -> None:
    with contextlib.suppress(ChildProcessError):
        while True:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child == 0:
                return
            events.send(("died", (child, os.waitstatus_to_exitcode(status))))
