"""Ctrl-C, SIGTERM and the end of the time: stopped within a second, whatever the process is doing, with what is known
printed.

The handler itself does nothing: an exception raised just anywhere, in the middle of numba's compiler say, may be
swallowed or turned into another. The search looks between two slices whether it is to stop. A watching thread,
woken by the C-level wakeup descriptor even while compiled code runs, ends the process when the search does not look:
at once before it has begun, and after `GRACE` seconds later. Workers notice that the coordinator is gone. Where a
puzzle's code holds the interpreter's lock this thread cannot act either: then the supervisor does.
"""

import contextlib
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping

from parsolve.activity import current as activity
from parsolve.text import one_line

GRACE = 0.5
"""Seconds that the search has to stop by itself."""


LOOK = 0.2
"""Seconds between two looks of the watching thread at the clock."""

SAYING = 0.2
"""Seconds to write what is known."""


NOT_BEGUN = "stopped before the search began"


class Stopped(BaseException):
    """Raised between two slices after SIGINT or SIGTERM."""


class Stops:
    """Whether a signal came, and the one place that writes the end of the output.

    Attributes:
        say: writes what is known so far; None before the search has begun.
        signal: the number of the signal that came first, 0 before.
        earlier: the jobs of a batch that have ended an earlier process: what to say, and the exit code for it.
    """

    def __init__(self, earlier: Mapping[str, tuple[str, int]] | None = None) -> None:
        self.earlier = earlier or {}
        self.say: Callable[[], None] | None = None
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
            self._say()
        return 128 + self.signal

    def come(self, number: int) -> None:
        """A signal has come: see to it that the process ends. Called on the watching thread."""
        self.signal = self.signal or number
        if not self.ended.wait(GRACE if self._looks else 0):
            self._end("" if self.say else NOT_BEGUN, 128 + self.signal)

    def time_is_up(self) -> None:
        """The deadline has passed and the search has not noticed: end the process, unless other jobs wait. Called on
        the watching thread."""
        if not activity.job:
            self._end(f"parsolve: {activity.late}", 3)

    def _end(self, text: str, code: int) -> None:
        if self._once.acquire(blocking=False):
            # Nobody may be reading what we write: then it is not said.
            saying = threading.Thread(target=self._say, args=(text,), daemon=True)
            with contextlib.suppress(RuntimeError):  # no thread is left to be had
                saying.start()
                saying.join(SAYING)
        activity.exit_code = code
        os._exit(code)

    def _say(self, text: str = "") -> None:
        if self.say is not None:
            with contextlib.suppress(Exception):
                self.say()
        if text:
            with contextlib.suppress(Exception):
                print(one_line(text), file=sys.stderr, flush=True)


@contextlib.contextmanager
def stoppable(earlier: Mapping[str, tuple[str, int]] | None = None) -> Iterator[Stops]:
    """Run the body so that SIGINT, SIGTERM and the deadline end it. Only in the main thread; elsewhere nothing is
    installed.

    Args:
        earlier: see `Stops`.
    """
    stops = Stops(earlier)
    if threading.current_thread() is not threading.main_thread():
        yield stops
        return
    wake, wakened = socket.socketpair()
    wakened.setblocking(False)

    def watch() -> None:
        with wake:
            while True:
                late = activity.overdue > GRACE and not stops.ended.is_set()
                if late:
                    stops.time_is_up()
                ready, _, _ = select.select([wake], [], [], LOOK)
                if not ready:
                    continue
                number = wake.recv(1)
                if not number:
                    return
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
