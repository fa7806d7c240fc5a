"""What runs in a worker process and in the fork server. `crew` starts both with `python -c`, so that the user's
main module is never imported."""

import contextlib
import json
import os
import pickle
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[2])\nfrom parsolve.engine import worker; worker.main()"
"""Run as `python -c BOOT KIND SYS_PATH FD…`: the parent's import path, then one of the two mains."""


def main() -> None:
    """Be what the command line says: `serve FD` or `fork FD FD`."""
    kind, _, *handles = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the coordinator decides
    if kind == "serve":
        connection = Connection(int(handles[0]))
        _leave_with_parent(connection)
        with contextlib.suppress(EOFError, OSError):
            if _prepared(connection):
                serve(connection)
    else:
        with contextlib.suppress(EOFError, OSError):
            fork_server(socket.socket(fileno=int(handles[0])), Connection(int(handles[1])))
    os._exit(0)  # nothing is left to say, and nobody to hear it


def command(kind: str, *handles: int) -> list[str]:
    """The command that runs `main` in a fresh interpreter."""
    return [sys.executable, "-c", BOOT, kind, json.dumps(sys.path), *map(str, handles)]


def serve(connection: Connection) -> None:
    """Run tasks as they come, `(function, arguments)`, and answer with `(True, result)` or `(False, error)`."""
    connection.send(("ready", None))
    while True:
        function, arguments = pickle.loads(connection.recv_bytes())
        try:
            answer = (True, function(*arguments))
        except Exception as error:
            answer = (False, _portable(error))
        connection.send(answer)


def fork_server(orders: socket.socket, news: Connection) -> None:
    """Fork a ready worker for each connection that comes in, and tell of births and deaths.

    One thread only: that is what makes forking safe here.
    """
    if not _prepared(news):
        return
    wake, wakened = socket.socketpair()
    wake.setblocking(False)
    wakened.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakened.fileno(), warn_on_full_buffer=False)
    news.send(("ready", None))
    while True:
        ready, _, _ = select.select([orders, wake], [], [])
        if wake in ready:
            wake.recv(1 << 12)
            _tell_deaths(news)
        if orders in ready:
            order, handles, _, _ = socket.recv_fds(orders, 1, 1)
            if not order:
                return  # the parent is gone
            child = os.fork()
            if child == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for inherited in (orders, wake, wakened, news):
                    inherited.close()
                connection: Connection = Connection(handles[0])
                _leave_with_parent(connection)
                with contextlib.suppress(EOFError, OSError):
                    serve(connection)
                os._exit(0)
            os.close(handles[0])
            news.send(("born", child))


def _tell_deaths(news: Connection) -> None:
    with contextlib.suppress(ChildProcessError):
        while True:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child == 0:
                return
            news.send(("died", (child, os.waitstatus_to_exitcode(status))))


def _prepared(connection: Connection) -> bool:
    function, arguments = pickle.loads(connection.recv_bytes())
    try:
        function(*arguments)
    except Exception as error:
        connection.send(("failed", _portable(error)))
        return False
    return True


def _leave_with_parent(connection: Connection) -> None:
    """End this process as soon as the other end of the connection is closed, whatever it is doing: kernels
    release the interpreter lock. Without this a killed coordinator leaves its workers behind for ever."""

    def watch() -> None:
        hangup = select.poll()
        hangup.register(connection.fileno(), select.POLLHUP)
        while not any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in hangup.poll()):
            pass
        os._exit(0)

    threading.Thread(target=watch, daemon=True, name="leave-with-parent").start()


def _portable(error: Exception) -> Exception:
    """The error, or one that says the same where it cannot be pickled."""
    with contextlib.suppress(Exception):
        pickle.loads(pickle.dumps(error))
        return error
    return RuntimeError("".join(traceback.format_exception(error)))


def ready(function: Callable[..., Any], *arguments: Any) -> bytes:
    """A task, or what prepares a worker, as bytes."""
    return pickle.dumps((function, arguments))
