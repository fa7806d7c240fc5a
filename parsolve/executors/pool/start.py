"""How a pool's processes are started: as fresh interpreters, or forked from the pool's own process."""

import contextlib
import gc
import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Literal

from .process import IGNORED, die_with_parent, ignored_signals, signals_blocked
from .worker import run_forked_server, run_server, run_worker

START_METHOD = "PARSOLVE_START_METHOD"
"""The environment variable by which tests choose. `forkserver`: one process is prepared and forks the workers, a few
ms and 4 MB each. `spawn`: every worker is a fresh interpreter. So is a fork server, which takes 0.7 s, unless the
pool's own process may be forked."""

PULSE = 1.0
"""Seconds between two signs of life; fewer if a shorter silence must be noticed."""

BOOT = f"""\
import signal
for name in {IGNORED}: signal.signal(getattr(signal, name), signal.SIG_IGN)
import json, sys
sys.path[:] = json.loads(sys.argv[2])
from {__package__} import start
start.main()
"""
"""Run as `python -c BOOT KIND SYS_PATH PARENT NAME PULSE FD…`, so that the user's main module is never imported.
Signals are ignored first, then comes the parent's import path. The parent has the signals blocked until then."""


@dataclass(frozen=True)
class Settings:
    """What the processes of a pool have in common.

    Attributes:
        name: how the system's tools show them: `NAME-server` and `NAME-worker`.
        prepare: the call that prepares a worker, or the fork server of all.
        silence: seconds without a sign of life after which a process counts as hanging.
    """

    name: str
    prepare: bytes
    silence: float

    @property
    def pulse(self) -> float:
        """Seconds between two signs of life."""
        return min(PULSE, self.silence / 5)


def has_server() -> bool:
    """Return whether a fork server starts workers. Not on macOS: forking a process that has loaded system frameworks is
    not safe there."""
    return os.environ.get(START_METHOD, "forkserver" if sys.platform == "linux" else "spawn") == "forkserver"


class Forked:
    """A child forked from this process, with the part of `subprocess.Popen` that a pool needs."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def kill(self) -> None:
        """SIGKILL; harmless if the process has ended: its pid is not reused before it is waited for."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def start_interpreter(
    kind: Literal["server", "worker"], settings: Settings, *handles: int
) -> "subprocess.Popen[bytes]":
    """Start a fresh interpreter that inherits handles: a worker's connection, or a server's commands and events."""
    paths = [path for path in sys.path if isinstance(path, str)]  # Python ignores other values too
    words = [sys.executable, "-c", BOOT, kind, json.dumps(paths), str(os.getpid()), settings.name, str(settings.pulse)]
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return subprocess.Popen(
        [*words, *map(str, handles)],
        pass_fds=handles,
        process_group=0,  # Ctrl-C goes to the terminal's group: the pool's own process decides
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env=os.environ | threads,
    )


def fork_server(settings: Settings, commands: int, events: int) -> Forked:
    """Fork a fork server from this process; it inherits the two handles."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    parent = os.getpid()
    with signals_blocked():
        gc.freeze()  # a collection would write to every page that the two share
        try:
            pid = os.fork()
            if pid == 0:
                run_forked_server(parent, commands, events, settings.name, settings.pulse)
        finally:
            gc.unfreeze()
    return Forked(pid)


def main() -> None:
    """Run the process that the command line of a fresh interpreter describes."""
    kind, _, parent, name, pulse, *handles = sys.argv[1:]
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ignored_signals())
    die_with_parent(int(parent))
    with contextlib.suppress(EOFError, OSError):
        if kind == "worker":
            run_worker(Connection(int(handles[0])), f"{name}-worker", float(pulse), prepared=False)
        else:
            run_server(socket.socket(fileno=int(handles[0])), Connection(int(handles[1])), name, float(pulse))
    os._exit(0)  # nothing is left to report, and no reader
