"""The process that watches the one that works, and says how that one ended.

    parsolve: supervisor ── passes signals on, watches the clock, returns the exit code
                 └─ fork ── the command: imports, puzzles' code, searches ── worker processes

A puzzle's code is anybody's: it may loop for ever while it holds the interpreter's lock, end the process, or crash it.
So the process that runs it is not the only one that watches. This one imports nothing but what it needs to wait.
"""

import contextlib
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator

from parsolve.activity import current as activity
from parsolve.executors.pool.process import die_with_parent
from parsolve.processes import own_process
from parsolve.text import one_line

POLL = 0.125
"""Seconds between two looks at the clock."""

OVERDUE = 10
"""Looks at which a command is past its deadline before it is ended: it stops by itself where it can. Looks and not
seconds, because both processes may have been suspended."""

STOPPING = 12
"""The same after a signal was passed on."""

PASSED_ON = (signal.SIGINT, signal.SIGTERM)


class Ended(Exception):
    """A command's process has ended, and has not finished.

    Attributes:
        code: the exit code for it.
        again: whether the other jobs of the command can go on without the one that ran.
    """

    def __init__(self, text: str, code: int, again: bool = True) -> None:
        super().__init__(text)
        self.code, self.again = code, again


def supervised(command: Callable[[dict[str, tuple[str, int]]], int]) -> int:
    """Run a command in a process of its own; returns its exit code.

    Args:
        command: called in that process with the jobs that have ended earlier ones, each with what to say and the exit
            code for it; returns the exit code.
    """
    ended: dict[str, tuple[str, int]] = {}
    with _signals() as wake:
        while True:
            activity.reset()
            try:
                return _watch(_fork(lambda: command(ended)), wake)
            except Ended as end:
                text, job = str(end), activity.job
                if not job or job in ended or not end.again:
                    if text:
                        _say(f"parsolve: {text}")
                    return end.code
                _say(f"{job}: {text}")
                ended[job] = (text, end.code)
            except OSError as error:
                _say(f"parsolve: no process can be started: {error.strerror} (is there a limit on processes?)")
                return 4


def _fork(run: Callable[[], int]) -> int:
    """Start the process that works; returns its id."""
    me = os.getpid()
    alive, closed = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
    try:
        child = os.fork()
        if child:
            os.close(alive)
            _kept.append(closed)
            return child
        signal.set_wakeup_fd(-1)
        for number in (*PASSED_ON, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
    code = 4
    try:
        for handle in (*_kept, closed):
            os.close(handle)
        _end_with(me, alive)
        own_process()
        code = run()
        activity.exit_code = code
    finally:
        # What a puzzle's code has left to be done at the end, threads or exit handlers, is not waited for.
        os._exit(code)


_kept: list[int] = []
"""The ends of pipes that tell the processes that work that this one lives."""


def _end_with(parent: int, alive: int) -> None:
    """Let this process end when its parent does, whatever it is doing then."""
    die_with_parent(parent)
    if sys.platform == "linux":
        return

    def wait() -> None:
        os.read(alive, 1)
        os._exit(4)

    threading.Thread(target=wait, daemon=True, name="parent").start()


@contextlib.contextmanager
def _signals() -> Iterator[socket.socket]:
    """Collect signals, a byte each: those to be passed on, and the end of a child. Afterwards nothing but the exit code
    is left to be said, and signals change nothing any more."""
    wake, wakened = socket.socketpair()
    wake.setblocking(False)
    wakened.setblocking(False)
    numbers = (*PASSED_ON, signal.SIGCHLD)
    for number in numbers:
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(wakened.fileno(), warn_on_full_buffer=False)
    try:
        yield wake
    finally:
        for number in PASSED_ON:
            signal.signal(number, signal.SIG_IGN)
        signal.set_wakeup_fd(-1)
        wake.close()
        wakened.close()


def _watch(child: int, wake: socket.socket) -> int:
    """Wait for the process that works; returns its exit code.

    Raises:
        Ended: it did not finish.
    """
    stopped = overdue = looks = 0
    while True:
        ready, _, _ = select.select([wake], [], [], POLL)
        if ready:
            for number in wake.recv(1 << 10):
                if number in PASSED_ON:
                    stopped = stopped or number
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(child, number)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return _code(status, stopped)
        if ready:
            continue
        overdue = overdue + 1 if activity.overdue > 0 else 0
        looks += bool(stopped)
        if overdue > OVERDUE or looks > STOPPING:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            if stopped:
                raise Ended("stopped before the end", 128 + stopped, again=False)
            raise Ended(activity.late, 3)


def _code(status: int, stopped: int) -> int:
    """The exit code of a process that has ended.

    Raises:
        Ended: it did not finish.
    """
    code = os.waitstatus_to_exitcode(status)
    if activity.exit_code is not None:
        return activity.exit_code
    if code in (-signal.SIGINT, -signal.SIGTERM):  # its own handlers did not stand yet
        raise Ended("stopped before the search began", 128 - code, again=False)
    if stopped:
        raise Ended("", 128 + stopped, again=False)
    if code >= 0:
        raise Ended(f"the process was ended by a puzzle's code{_blame()}", 4)
    name = signal.Signals(-code).name
    if code == -signal.SIGKILL:
        hint = "if the memory was short, --max-memory ends a search in time"
    else:
        hint = "a rule may write where it must not: parsolve check finds such places"
    raise Ended(f"the process was ended by {name}{_blame()}: {hint}", 4)


def _blame() -> str:
    doing = activity.doing
    return f", while {doing} ran" if doing else ""


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        print(one_line(text), file=sys.stderr, flush=True)
