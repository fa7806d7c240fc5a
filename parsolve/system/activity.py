"""What this process is doing and until when, in memory that it shares with the process that watches it.

A puzzle's code may never return, and may hold the interpreter's lock meanwhile: then no thread of this process can act,
and only another process still sees the clock (`cli.process.supervisor`, which forks this one).
"""

import contextlib
import math
import mmap
import struct
import threading
import time
from collections.abc import Iterator

_TEXT = struct.Struct("H1022s")
"""A text in shared memory: its length, and its bytes up to a maximum."""

_RUNNING = -1


class _Number:
    """A number in the shared memory of an `Activity`."""

    def __init__(self, place: int, form: str) -> None:
        self._place, self._struct = place, struct.Struct(form)

    def __get__(self, activity: "Activity", _: type) -> float:
        value: float = self._struct.unpack_from(activity.memory, self._place)[0]
        return value

    def __set__(self, activity: "Activity", value: float) -> None:
        self._struct.pack_into(activity.memory, self._place, value)


class _Text:
    """A text in the shared memory of an `Activity`."""

    def __init__(self, place: int) -> None:
        self._place = place

    def __get__(self, activity: "Activity", _: type) -> str:
        length, data = _TEXT.unpack_from(activity.memory, self._place)
        return str(data[:length], errors="replace")

    def __set__(self, activity: "Activity", text: str) -> None:
        data = text.encode(errors="replace")[: _TEXT.size - 2]
        _TEXT.pack_into(activity.memory, self._place, len(data), data)


class Activity:
    """What a process is doing, visible to its parent and its forked children.

    Attributes:
        doing: the foreign code that runs, such as `'tables' of Walk`; empty for none.
        limit: the message when the time is up, such as `the time is up: --timeout 5 s`.
        job: the job of a batch that is running; empty for none.
        deadline: by `time.monotonic`; infinite for none.
        exit_code: exit code of a command that has finished; None before.
        is_saving: whether a command is writing a checkpoint or a page, which a stop lets end.
        said: `doing` as last set by this process, which is faster to read than the shared memory.
        watched: whether another process reads this; otherwise nothing is written to shared memory.
    """

    deadline, _code, is_saving = _Number(0, "d"), _Number(8, "i"), _Number(12, "?")
    _doing, limit, job = _Text(1024), _Text(2048), _Text(3072)

    def __init__(self) -> None:
        self.separate()

    def separate(self) -> None:
        """Stop sharing what this process does."""
        self.watched = False
        self.memory = mmap.mmap(-1, 4096)
        self.reset()

    def reset(self) -> None:
        """Forget everything: another command begins."""
        self.doing = self.limit = self.job = ""
        self.exit_code, self.is_saving = None, False
        self.allow(None)

    @property
    def exit_code(self) -> int | None:
        return None if self._code == _RUNNING else int(self._code)

    @exit_code.setter
    def exit_code(self, code: int | None) -> None:
        self._code = _RUNNING if code is None else code

    @property
    def doing(self) -> str:
        return self._doing if self.watched else self.said

    @doing.setter
    def doing(self, what: str) -> None:
        self.said = what
        if self.watched:
            self._doing = what

    @property
    def late(self) -> str:
        """The message when the time is up, with the foreign code that runs."""
        return f"{self.limit}, while {self.doing} ran" if self.doing else self.limit

    @property
    def overdue(self) -> float:
        """Seconds since the deadline; negative before."""
        return time.monotonic() - self.deadline

    def allow(self, seconds: float | None, limit: str = "") -> None:
        """Set the deadline `seconds` from now, or none."""
        self.limit = limit
        self.deadline = math.inf if seconds is None else time.monotonic() + seconds

    @contextlib.contextmanager
    def saving(self) -> Iterator[None]:
        """Let the body, which writes a checkpoint or a page, end: neither deadline nor first signal ends it."""
        before, self.is_saving = self.is_saving, True
        try:
            yield
        finally:
            self.is_saving = before


current = Activity()
"""This process's."""


class doing:
    """Record which foreign code the body runs, on the main thread: other threads may run some too. A context manager of
    its own takes a third of the time of `contextlib`'s."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        self._is_main = threading.current_thread() is threading.main_thread()
        if self._is_main:
            self._before = current.said
            current.doing = self._what

    def __exit__(self, *_: object) -> None:
        if self._is_main:
            current.doing = self._before
