"""What ends a search before its end: a signal, a time limit, a memory limit. Looked at between two outcomes."""

import os
import time
from typing import TYPE_CHECKING

from parsolve.cli.process.signals import Stops
from parsolve.errors import GuardStop, OutOfMemory
from parsolve.system.activity import current as activity
from parsolve.system.resources import cgroup_room

if TYPE_CHECKING:
    from parsolve.search.request import Request

EVERY = 0.5
"""Seconds between two looks at the memory of all processes, which takes milliseconds."""

GROUP_EVERY = 0.1
"""Seconds between two looks at the memory that the control groups leave: shortly after, the system kills."""


class Guards:
    """The guards of one search.

    Args:
        stops: whether a signal has come.
        request: its seconds from now on, and the bytes of all processes of this search together.
    """

    def __init__(self, stops: Stops, request: "Request") -> None:
        self._stops, self._max_memory = stops, request.max_memory
        self._look = self._look_at_groups = 0.0
        begin_clock(request.timeout)

    def check(self) -> None:
        """Look.

        Raises:
            Stopped: a signal has come.
            GuardStop: the time is up.
            OutOfMemory: there is no more memory.
        """
        self._stops.check()
        if activity.overdue > 0:
            raise GuardStop(activity.limit)
        now = time.monotonic()
        if now > self._look_at_groups + GROUP_EVERY:
            self._look_at_groups = now
            room = cgroup_room()
            if room is not None and room < 0:
                raise OutOfMemory("the memory limit of the container, service or job is all but reached")
        if self._max_memory is not None and now > self._look + EVERY:
            self._look = now
            used = memory_of(os.getpid())
            if used > self._max_memory:
                raise OutOfMemory(f"the search uses {used / 2**20:,.0f} MB, more than --max-memory")


def begin_clock(timeout: float | None) -> None:
    """Let the time begin: `timeout` seconds from now, those of compiling not counted; None for no end."""
    activity.allow(timeout, f"the time is up: --timeout {timeout:g} s" if timeout else "")


def memory_of(pid: int) -> int:
    """Bytes of a process and all below it; what they share counts once, where the system tells."""
    import psutil  # 15 ms

    total = 0
    me = psutil.Process(pid)
    for process in (me, *me.children(recursive=True)):
        try:
            info = process.memory_full_info()
            total += getattr(info, "pss", info.rss)
        except psutil.Error:
            continue  # it has just ended
    return total


def be_nice(niceness: int | None) -> None:
    """Lower the priority of this process, and of all that it will start."""
    if niceness is not None:
        os.nice(niceness)
