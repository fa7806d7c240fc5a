"""Ctrl-C and SIGTERM: stopped within a second, whatever the process is doing.

The handler raises `Stopped` in the main thread, which unwinds in the ordinary way. Compiled code hears of no
signal until it returns (LLVM may take seconds), so a watching thread, woken by the C-level wakeup descriptor,
writes what is known and ends the process when the main thread has not managed to in time. Workers notice that
the coordinator is gone and leave by themselves.
"""

import contextlib
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator

GRACE = 0.6
"""Seconds that the main thread has to unwind."""


class Stopped(BaseException):
    """Raised in the main thread by SIGINT and SIGTERM."""


class Stops:
    """Whether a signal came, and the one place that writes the end of the output.

    Args:
        say: writes what is known so far; called once.
    """

    def __init__(self, say: Callable[[], None]) -> None:
        self._say = say
        self._once = threading.Lock()
        self.signal = 0

    def leave(self) -> int:
        """Write what is known, unless that has been done; returns the exit code."""
        if self._once.acquire(blocking=False):
            self._say()
        return 128 + self.signal

    def leave_now(self) -> None:
        """The same from another thread, and the end of the process."""
        if self._once.acquire(blocking=False):
            with contextlib.suppress(Exception):
                self._say()
        os._exit(128 + self.signal)


@contextlib.contextmanager
def stoppable(say: Callable[[], None]) -> Iterator[Stops]:
    """Run the body so that SIGINT and SIGTERM end it. Only in the main thread; elsewhere nothing is installed."""
    stops = Stops(say)
    if threading.current_thread() is not threading.main_thread():
        yield stops
        return
    ended = threading.Event()
    wake, wakened = socket.socketpair()
    wakened.setblocking(False)

    def watch() -> None:
        while True:
            number = wake.recv(1)
            if not number or ended.is_set():
                return
            if number[0] in (signal.SIGINT, signal.SIGTERM):
                stops.signal = stops.signal or number[0]
                if not ended.wait(GRACE):
                    stops.leave_now()
                return

    def handle(number: int, _: object) -> None:
        if not stops.signal or stops.signal == number:
            stops.signal = number
        if not raised.is_set():
            raised.set()
            raise Stopped

    raised = threading.Event()
    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    wakeup = signal.set_wakeup_fd(wakened.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=watch, daemon=True, name="signals").start()
    try:
        yield stops
    finally:
        ended.set()
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        wakened.close()
