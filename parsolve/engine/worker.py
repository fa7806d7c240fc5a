"""What runs in a worker process and in the fork server. `crew` starts both with `python -c`, so that the user's
main module is never imported."""

import contextlib
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
from typing import Any

BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[2])\nfrom parsolve.engine import worker; worker.main()"
"""Run as `python -c BOOT KIND SYS_PATH FD…`: the parent's import path, then one of the two mains."""


def main() -> None:
    """Be what the command line says: `serve FD` or `fork FD FD`."""
    kind, _, *handles = sys.argv[1:]
    logging.getLogger("parsolve").setLevel(logging.ERROR)  # what there is to warn of, the coordinator has warned of
    # What is sent to all processes of a service or a SLURM job: the coordinator decides.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with contextlib.suppress(EOFError, OSError):
        if kind == "serve":
            connection = Connection(int(handles[0]))
            tasks = inbox(connection)
            if _prepared(connection, tasks.get()):
                serve(connection, tasks)
        else:
            fork_server(socket.socket(fileno=int(handles[0])), Connection(int(handles[1])))
    os._exit(0)  # nothing is left to say, and nobody to hear it


def command(kind: str, *handles: int) -> list[str]:
    """The command that runs `main` in a fresh interpreter."""
    paths = [path for path in sys.path if isinstance(path, str)]  # Python ignores the others too
    return [sys.executable, "-c", BOOT, kind, json.dumps(paths), *map(str, handles)]


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


def serve(connection: Connection, tasks: "queue.SimpleQueue[bytes]") -> None:
    """Run tasks as they come, `(function, arguments)`, and answer with `(True, result)` or `(False, error)`."""
    connection.send(("ready", None))
    while True:
        function, arguments = pickle.loads(tasks.get())
        try:
            answer = (True, function(*arguments))
        except Exception as error:
            answer = (False, _portable(error))
        connection.send(answer)


def fork_server(orders: socket.socket, news: Connection) -> None:
    """Fork a ready worker for each connection that comes in, and tell of births and deaths.

    One thread only: that is what makes forking safe here.
    """
    if not _prepared(news, news.recv_bytes()):
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
                with contextlib.suppress(EOFError, OSError):
                    serve(connection, inbox(connection))
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


def _prepared(connection: Connection, message: bytes) -> bool:
    function, arguments = pickle.loads(message)
    try:
        function(*arguments)
    except Exception as error:
        connection.send(("failed", _portable(error)))
        return False
    return True


def _portable(error: Exception) -> Exception:
    """The error, or one that says the same where it cannot be pickled."""
    with contextlib.suppress(Exception):
        pickle.loads(pickle.dumps(error))
        return error
    return RuntimeError("".join(traceback.format_exception(error)))


def ready(function: Callable[..., Any], *arguments: Any) -> bytes:
    """A task, or what prepares a worker, as bytes."""
    return pickle.dumps((function, arguments))
