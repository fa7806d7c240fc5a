"""The process that watches the working process, and reports how it ended.

    parsolve: supervisor ── passes signals on, watches the clock, returns the exit code
                 └─ fork ── the command: imports, puzzles' code, searches ── worker processes

A puzzle's code is not trusted: it may loop for ever with the interpreter's lock held, end the process, or crash it.
Then only another process still sees signals and the clock. This one imports nothing but what it needs to wait.
"""

import contextlib
import os
import select
import signal
import socket
from collections.abc import Callable, Iterator

from parsolve.cli.terminal.streams import write_line
from parsolve.errors import GuardStop, ParsolveError
from parsolve.executors.pool.process import die_with_parent
from parsolve.system.activity import current as activity
from parsolve.system.forking import claim_process

POLL = 0.125
"""Seconds between two checks of the clock."""

OVERDUE = 10
"""Checks at which a command is past its deadline before it is killed: it stops by itself where it can. Checks and not
seconds, because both processes may have been suspended."""

STOPPING = 12
"""The same after a signal was forwarded."""

FINISHING = 480
"""The same while it writes a checkpoint or a page, which a second signal ends."""

FORWARDED = (signal.SIGINT, signal.SIGTERM)

fatal_jobs: dict[str, ParsolveError] = {}
"""How jobs of a batch have ended earlier processes of this command, by name."""


class Ended(Exception):
    """A command's process has ended before the command.

    Attributes:
        code: the exit code for it.
        restart: whether the other jobs of the command can be searched without the one that ran.
    """

    def __init__(self, text: str, code: int, restart: bool = True) -> None:
        super().__init__(text)
        self.code, self.restart = code, restart


def supervised(command: Callable[[], int]) -> int:
    """Run a command in a process of its own, again without each job that ends it, and return its exit code."""
    with _signals() as wake:
        while True:
            activity.watched = True
            activity.reset()
            try:
                return _watch(_fork(command), wake)
            except Ended as end:
                text, job = str(end), activity.job
                if not job or job in fatal_jobs or not end.restart:
                    if text:
                        write_line(f"parsolve: {text}")
                    return end.code
                write_line(f"{job}: {text}")
                fatal_jobs[job] = GuardStop(text) if end.code == GuardStop.exit_code else ParsolveError(text)
            except OSError as error:
                write_line(f"parsolve: no process can be started: {error.strerror} (is there a limit on processes?)")
                return 4


def _fork(run: Callable[[], int]) -> int:
    me = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    try:
        child = os.fork()
        if child:
            return child
        signal.set_wakeup_fd(-1)
        for number in (*FORWARDED, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
    code = 4
    try:
        die_with_parent(me)  # elsewhere than on Linux `stoppable` looks
        claim_process()
        code = run()
        activity.exit_code = code
    finally:
        # Threads and exit handlers that a puzzle's code has left behind are not waited for.
        os._exit(code)


@contextlib.contextmanager
def _signals() -> Iterator[socket.socket]:
    """Yield a socket that receives a byte for each signal to forward and each end of a child; ignore them then."""
    wake, wakened = socket.socketpair()
    wake.setblocking(False)
    wakened.setblocking(False)
    numbers = (*FORWARDED, signal.SIGCHLD)
    signal.set_wakeup_fd(wakened.fileno(), warn_on_full_buffer=False)  # before the handlers: none is to be lost
    for number in numbers:
        signal.signal(number, lambda *_: None)
    try:
        yield wake
    finally:
        for number in FORWARDED:
            signal.signal(number, signal.SIG_IGN)
        signal.set_wakeup_fd(-1)
        wake.close()
        wakened.close()


def _watch(child: int, wake: socket.socket) -> int:
    """Wait for the process that works and return its exit code; raise `Ended` if it ended before its command."""
    stopped = overdue = stopping = finishing = 0
    while True:
        ready, _, _ = select.select([wake], [], [], POLL)
        if ready:
            for number in wake.recv(1 << 10):
                if number in FORWARDED:
                    stopped = stopped or number
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(child, number)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return _code(status, stopped)
        if ready:
            continue
        overdue = overdue + 1 if activity.overdue > 0 and not activity.is_saving else 0
        if activity.is_saving:
            stopping, finishing = 0, finishing + bool(stopped)
        else:
            stopping, finishing = stopping + bool(stopped), 0
        if overdue > OVERDUE or stopping > STOPPING or finishing > FINISHING:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            if activity.exit_code is not None:
                return activity.exit_code
            if stopped:
                raise Ended("stopped before the end", 128 + stopped, restart=False)
            raise Ended(activity.late, 3)


def _code(status: int, stopped: int) -> int:
    """Return the exit code of a process that has ended; raise `Ended` if that was before its command."""
    code = os.waitstatus_to_exitcode(status)
    if activity.exit_code is not None:
        return activity.exit_code
    if code in (-signal.SIGINT, -signal.SIGTERM):  # its own handlers were not installed yet
        raise Ended("stopped before the search began", 128 - code, restart=False)
    if stopped:
        raise Ended("", 128 + stopped, restart=False)
    if code >= 0 and not activity.doing:  # BLAS does so, for example
        raise Ended("the process has ended: is there too strict a limit on memory, such as that of `ulimit -v`?", 3)
    if code >= 0:
        raise Ended(f"the process was ended by a puzzle's code{_blame()}", 4)
    name = signal.Signals(-code).name
    if code == -signal.SIGKILL:
        hint = "if the memory was short, --max-memory ends a search in time"
    else:
        hint = "a rule may write where it must not: parsolve check finds such places"
    raise Ended(f"the process was ended by {name}{_blame()}: {hint}", 4)


def _blame() -> str:
    return f", while {activity.doing} ran" if activity.doing else ""
