"""Messages between a pool and its processes: pickled pairs over socket pairs.

pool ──▶ process: (function, arguments)
process ──▶ pool: (kind, value), where kind is an event's name, or True for a result and False for an error
"""

import contextlib
import math
import os
import pickle
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any


def pack(function: Callable[..., Any], *arguments: Any) -> bytes:
    """Return a call as bytes: a task, or the call that prepares a worker."""
    return pickle.dumps((function, arguments))


def call(message: bytes) -> Any:
    """Make a call from bytes, and return its result."""
    function, arguments = pickle.loads(message)
    return function(*arguments)


@contextlib.contextmanager
def socket_pair(silence: float) -> Iterator[tuple[socket.socket, socket.socket]]:
    """Yield two connected sockets, the pool's and the process's, which is closed here afterwards.

    The pool's raises OSError if the other side stops for `silence` seconds within a message.
    """
    near_end, far_end = socket.socketpair()
    fraction, seconds = math.modf(silence)
    for direction in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        near_end.setsockopt(socket.SOL_SOCKET, direction, struct.pack("ll", int(seconds), int(1e6 * fraction)))
    try:
        yield near_end, far_end
    except BaseException:
        near_end.close()
        raise
    finally:
        far_end.close()


class Heart:
    """Messages of this process to its pool, and a thread that sends a sign of life every `pulse` seconds, and ends this
    process if nobody reads it: no worker survives a killed pool. The thread needs the interpreter lock: long
    computations must release it.

    Raises:
        RuntimeError: the system refuses a thread.
    """

    def __init__(self, connection: Connection, pulse: float) -> None:
        self._connection, self._pulse = connection, pulse
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True, name="heartbeat")
        self._thread.start()

    def send(self, kind: Any, value: Any = None) -> None:
        """Send a message.

        Raises:
            OSError: the pool no longer reads.
        """
        message = pickle.dumps((kind, value))
        with self._lock:
            self._connection.send_bytes(message)

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._over.is_set():
            try:
                self.send("alive")
            except OSError:
                os._exit(0)
            self._over.wait(self._pulse)
