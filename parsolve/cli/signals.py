"""Ctrl-C and SIGTERM: stopped within a second, whatever the process is doing, with what is known printed.

The handler itself does nothing: an exception raised just anywhere, in the middle of numba's compiler say, may be
swallowed or turned into another. The search looks between two slices whether it is to stop. A watching thread,
woken by the C-level wakeup descriptor even while compiled code runs, ends the process when the search does not look:
at once before it has begun, and after `GRACE` seconds later. Workers notice that the coordinator is gone.
"""

import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator

GRACE = 0.5
"""Seconds that the search has to stop by itself."""


SAYING = 0.2
"""Seconds to write what is known."""


class Stopped(BaseException):
    """Raised between two slices after SIGINT or SIGTERM."""


class Stops:
    """Whether a signal came, and the one place that writes the end of the output.

    Attributes:
        say: writes what is known so far.
        signal: the number of the signal that came first, 0 before.
    """

    def __init__(self) -> None:
        self.say: Callable[[], None] = lambda: print("stopped before the search began", file=sys.stderr, flush=True)
        self.signal = 0
        self.ended = threading.Event()
        self._looks = False
        self._once = threading.Lock()

    def check(self) -> None:
        """Called between two slices.

        Raises:
            Stopped: a signal has come.
        """
        self._looks = True
        if self.signal:
            raise Stopped

    def leave(self) -> int:
        """Write what is known; returns the exit code."""
        if self._once.acquire(blocking=False):
            self.say()
        return 128 + self.signal

    def come(self, number: int) -> None:
        """A signal has come: see to it that the process ends. Called on the watching thread."""
        self.signal = self.signal or number
        if self.ended.wait(GRACE if self._looks else 0):
            return
        if self._once.acquire(blocking=False):
            # Nobody may be reading what we write: then it is not said.
            saying = threading.Thread(target=self._say_quietly, daemon=True)
            saying.start()
            saying.join(SAYING)
        os._exit(128 + self.signal)

    def _say_quietly(self) -> None:
        with contextlib.suppress(Exception):
            self.say()


@contextlib.contextmanager
def stoppable() -> Iterator[Stops]:
    """Run the body so that SIGINT and SIGTERM end it. Only in the main thread; elsewhere nothing is installed."""
    stops = Stops()
    if threading.current_thread() is not threading.main_thread():
        yield stops
        return
    wake, wakened = socket.socketpair()
    wakened.setblocking(False)

    def watch() -> None:
        with wake:
            while number := wake.recv(1):
                if number[0] in (signal.SIGINT, signal.SIGTERM) and not stops.ended.is_set():
                    stops.come(number[0])

    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    wakeup = signal.set_wakeup_fd(wakened.fileno(), warn_on_full_buffer=False)
    watching = threading.Thread(target=watch, daemon=True, name="signals")
    watching.start()
    try:
        yield stops
    finally:
        stops.ended.set()
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        wakened.close()
        watching.join()
