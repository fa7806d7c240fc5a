"""Process pools that outlive their search for a minute, so that a program's next search finds one.

A command line that may be forked does not need them: there a pool starts in a few ms, with its kernel.
"""

import atexit
import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsolve.executors.local import LocalPool

Key = tuple[int, str]
"""Workers, and the sources that they have imported; empty for parsolve's own."""

SECONDS = 60.0
"""Seconds for which a pool is kept."""


class WarmPools:
    """The pools that wait for another search for some seconds, one for each key."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._waiting: dict[Key, tuple[LocalPool, threading.Timer]] = {}

    def has(self, key: Key) -> bool:
        """Return whether a pool waits."""
        return key in self._waiting

    def take(self, key: Key) -> "LocalPool | None":
        """Return an unused pool; None if there is none."""
        with self._lock:
            pool, timer = self._waiting.pop(key, (None, None))
        if timer is not None:
            timer.cancel()
        return pool if pool is not None and pool.usable else None

    def keep(self, key: Key, pool: "LocalPool") -> None:
        """Keep an idle pool, or end it if there is one already."""
        timer = threading.Timer(self._seconds, self._end, (key, pool))
        timer.daemon = True
        with self._lock:
            kept = self._waiting.setdefault(key, (pool, timer))[0] is pool
        if not kept:
            pool.shutdown()
            return
        try:
            timer.start()
        except RuntimeError:  # the system refuses a thread
            self._end(key, pool)

    def close(self) -> None:
        """End all waiting pools."""
        with self._lock:
            waiting = list(self._waiting.values())
            self._waiting.clear()
        for pool, timer in waiting:
            timer.cancel()
            pool.shutdown()

    def forget(self) -> None:
        """Leave the pools to another process: this one is a copy of it."""
        self._waiting, self._lock = {}, threading.Lock()

    def _end(self, key: Key, pool: "LocalPool") -> None:
        with self._lock:
            if self._waiting.get(key, (None,))[0] is not pool:
                return  # it was just taken
            del self._waiting[key]
        pool.shutdown()


warm_pools = WarmPools()
"""This process's."""

atexit.register(warm_pools.close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=warm_pools.forget)
