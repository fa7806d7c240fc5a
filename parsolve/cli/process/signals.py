"""Ctrl-C, SIGTERM, the deadline and the memory limit: they stop a command within a second, whatever it is doing, with
what is known printed.

The signal handler itself does nothing: an exception raised just anywhere, in the middle of numba's compiler say, may be
swallowed or turned into another. The search asks between two slices whether it is to stop. A watching thread, woken by
the C-level wakeup descriptor even while compiled code runs, ends the process when the search does not ask: at once
before the search has started, after `GRACE` seconds later. Workers notice that this process is gone. Where a
puzzle's code holds the interpreter's lock this thread cannot act either: then the supervisor does. Only a checkpoint
or a page that is being written may take longer, which a second signal ends.
"""

import contextlib
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from parsolve.cli.terminal.streams import write_line
from parsolve.errors import OutOfMemory, TimeUp
from parsolve.system.activity import current as activity

if TYPE_CHECKING:
    from parsolve.search.request import Request

GRACE = 0.5
"""Seconds that the search has to stop by itself."""

POLL = 0.2
"""Seconds between two checks of the clock by the watching thread."""

LAST_WORDS = 0.2
"""Seconds to write what is known."""

MEMORY_EVERY = 0.5
"""Seconds between two looks at the memory of all processes, which takes milliseconds."""

GROUP_EVERY = 0.1
"""Seconds between two looks at the memory that the control groups leave: shortly after, the system kills."""

NOT_STARTED = "stopped before the search began"


class Stopped(KeyboardInterrupt):
    """Raised between two slices after SIGINT or SIGTERM."""


class Stops:
    """Whether the command is to stop, and the one place that completes the output then.

    Attributes:
        on_stop: writes what is known so far; None before the search has started.
        signal: the number of the signal that came first, 0 before.
        ended: whether the command has ended.
    """

    def __init__(self) -> None:
        self.on_stop: Callable[[], None] | None = None
        self.signal = 0
        self._began = time.monotonic()
        self.ended = threading.Event()
        self._checked = self._guarded = False
        self._max_memory: int | None = None
        self._looked = self._looked_at_groups = 0.0
        self._once = threading.Lock()

    def guard(self, request: "Request", spent: float | None = None) -> None:
        """Let `check` look at the time and the memory of a search from now on. Of its time `spent` seconds have passed;
        by default those of the command."""
        self._guarded, self._max_memory = True, request.max_memory
        begin_clock(request.timeout, time.monotonic() - self._began if spent is None else spent)

    def unguard(self) -> None:
        """Look at neither time nor memory from now on: a search has ended, and others follow."""
        self._guarded = False
        begin_clock(None)

    def check(self) -> None:
        """Raise if the search is to stop; called between two slices.

        Raises:
            Stopped, TimeUp: see `check_time`.
            OutOfMemory: there is no more memory for it.
        """
        self.check_time()
        if self._guarded:
            self._check_memory()

    def check_time(self) -> None:
        """Raise if the command is to stop, however much memory there is.

        Raises:
            Stopped: a signal has come.
            TimeUp: the time of a guarded search is up.
        """
        self._checked = True
        if self.signal:
            raise Stopped
        if self._guarded and activity.overdue > 0:
            raise TimeUp(activity.limit)

    def _check_memory(self) -> None:
        from parsolve.system.resources import cgroup_room, memory_of

        now = time.monotonic()
        if now > self._looked_at_groups + GROUP_EVERY:
            self._looked_at_groups = now
            room = cgroup_room()
            if room is not None and room < 0:
                raise OutOfMemory("the memory limit of the container, service or job is all but reached")
        if self._max_memory is not None and now > self._looked + MEMORY_EVERY:
            self._looked = now
            used = memory_of(os.getpid())
            if used > self._max_memory:
                raise OutOfMemory(f"the search uses {used / 2**20:,.0f} MB, more than --max-memory")

    def complete(self, write: Callable[[], None]) -> None:
        """Write what completes the output, unless that is done; no signal and no deadline adds to it later."""
        if self._once.acquire(blocking=False):
            write()
            self.unguard()

    def finish(self) -> int:
        """Complete the output with what is known, and return the exit code."""
        self.complete(self._write)
        return 128 + self.signal

    def receive(self, number: int) -> None:
        """Ensure that the process ends after a signal. Called on the watching thread."""
        is_first = not self.signal
        self.signal = self.signal or number
        if not self.ended.wait(GRACE if self._checked else 0) and not (is_first and activity.is_saving):
            self._exit("" if self.on_stop else NOT_STARTED, 128 + self.signal)

    def expire(self) -> None:
        """End the process, whose deadline has passed unnoticed, unless other jobs wait. Called on the watching
        thread."""
        if not activity.job:
            self._exit(f"parsolve: {activity.late}", 3)

    def _exit(self, text: str, code: int) -> None:
        if self._once.acquire(blocking=False):
            writing = threading.Thread(target=self._write, args=(text, code), daemon=True)
            with contextlib.suppress(RuntimeError):  # the system refuses a thread
                writing.start()
                writing.join(LAST_WORDS)  # perhaps nobody reads what is written: then it is given up
        activity.exit_code = code
        os._exit(code)

    def _write(self, text: str = "", code: int | None = None) -> None:
        if self.on_stop is not None:
            with contextlib.suppress(Exception):
                self.on_stop()
        # Before the last word: a rule may take the interpreter's lock while it is written, and the supervisor is not
        # to say it again.
        activity.exit_code = code
        if text:
            write_line(text)


def begin_clock(timeout: float | None, spent: float = 0.0) -> None:
    """Let the time begin: `timeout` seconds from now, less those `spent` already; None for no end."""
    left = None if timeout is None else max(0.0, timeout - spent)
    activity.allow(left, f"the time is up: --timeout {timeout:g} s" if timeout else "")


@contextlib.contextmanager
def stoppable() -> Iterator[Stops]:
    """Run the body so that SIGINT, SIGTERM and the deadline end it. Only in the main thread; elsewhere nothing is
    installed."""
    stops = Stops()
    if threading.current_thread() is not threading.main_thread():
        yield stops
        return
    supervisor = os.getppid()
    wake, wakened = socket.socketpair()
    wakened.setblocking(False)

    def watch() -> None:
        with wake:
            while True:
                if activity.overdue > GRACE and not activity.is_saving and not stops.ended.is_set():
                    stops.expire()
                if activity.watched and os.getppid() != supervisor:  # it was killed
                    os._exit(4)
                ready, _, _ = select.select([wake], [], [], POLL)
                if not ready:
                    continue
                number = wake.recv(1)
                if not number:
                    return
                if number[0] in (signal.SIGINT, signal.SIGTERM) and not stops.ended.is_set():
                    stops.receive(number[0])

    # Before the handlers: a signal between the two would be lost.
    wakeup = signal.set_wakeup_fd(wakened.fileno(), warn_on_full_buffer=False)
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    watching = threading.Thread(target=watch, daemon=True, name="signals")
    watching.start()
    try:
        yield stops
    finally:
        stops.ended.set()
        signal.set_wakeup_fd(wakeup)
        wakened.close()
        watching.join()  # it may be writing what is known: another signal is not to interrupt this
        for number, handler in before.items():
            signal.signal(number, handler)
