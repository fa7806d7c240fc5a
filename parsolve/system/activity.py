"""What this process is doing and until when, in memory that it shares with the process that watches it.

A puzzle's code may never return, and may hold the interpreter's lock meanwhile: then no thread of this process can act,
and only another process still sees the clock (`cli.supervisor`, which forks this one).
"""

import contextlib
import math
import mmap
import struct
import time
from collections.abc import Iterator

_ROOM = 1024
"""Bytes for each text, its length included."""

_DEADLINE = struct.Struct("d")
_CODE = struct.Struct("i")
_FINISHING = 12
"""Where it is said whether a command is finishing."""
_LENGTH = struct.Struct("H")
_RUNNING = -1


class Activity:
    """What a process is doing. All of it is seen by the processes that it is forked from or that it forks.

    Attributes:
        doing: what foreign code runs, such as `'tables' of Walk`; empty for none.
        limit: what to say when the time is up, such as `the time is up: --timeout 5 s`.
        job: the job of a batch that is running; empty for none.
        deadline: by `time.monotonic`; infinite for none.
        exit_code: of a command that has finished; None before.
        finishing: whether a command that was stopped still writes a page of what is known.
        said: `doing` as this process last set it, which is faster to read than the shared memory.
        watched: whether another process reads this; else what it does is not written where that could read it.
    """

    def __init__(self) -> None:
        self._pauses, self._left = 0, 0.0  # seconds, while the clock stands
        self.separate()

    def separate(self) -> None:
        """Share no longer what this process does."""
        self.watched = False
        self._memory = mmap.mmap(-1, 4 * _ROOM)
        self.reset()

    def reset(self) -> None:
        """Forget everything: another command begins."""
        self.doing = self.limit = self.job = ""
        self.exit_code, self.finishing = None, False
        self.allow(None)

    @property
    def deadline(self) -> float:
        return float(_DEADLINE.unpack_from(self._memory, 0)[0])

    @deadline.setter
    def deadline(self, when: float) -> None:
        _DEADLINE.pack_into(self._memory, 0, when)

    @property
    def exit_code(self) -> int | None:
        (code,) = _CODE.unpack_from(self._memory, 8)
        return None if code == _RUNNING else int(code)

    @exit_code.setter
    def exit_code(self, code: int | None) -> None:
        _CODE.pack_into(self._memory, 8, _RUNNING if code is None else code)

    @property
    def finishing(self) -> bool:
        return bool(self._memory[_FINISHING])

    @finishing.setter
    def finishing(self, whether: bool) -> None:
        self._memory[_FINISHING] = whether

    @property
    def doing(self) -> str:
        return self._text(1) if self.watched else self.said

    @doing.setter
    def doing(self, what: str) -> None:
        self.said = what
        if self.watched:
            self._write(1, what)

    @property
    def limit(self) -> str:
        return self._text(2)

    @limit.setter
    def limit(self, text: str) -> None:
        self._write(2, text)

    @property
    def job(self) -> str:
        return self._text(3)

    @job.setter
    def job(self, name: str) -> None:
        self._write(3, name)

    @property
    def late(self) -> str:
        """What to say when the time is up, with what foreign code runs."""
        return f"{self.limit}, while {self.doing} ran" if self.doing else self.limit

    @property
    def overdue(self) -> float:
        """Seconds since the deadline; negative before."""
        return time.monotonic() - self.deadline

    def allow(self, seconds: float | None, limit: str = "") -> None:
        """Set the deadline `seconds` from now, or none."""
        self.limit, self._pauses, self._allowed = limit, 0, math.inf if seconds is None else seconds
        self.restart()

    def restart(self) -> None:
        """Let the time that is allowed begin now."""
        self.deadline = time.monotonic() + self._allowed

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the clock during the body, which does not count."""
        if self._pauses == 0:
            self._left, self.deadline = -self.overdue, math.inf
        self._pauses += 1
        try:
            yield
        finally:
            if self._pauses == 1:
                self.deadline = time.monotonic() + self._left
            self._pauses = max(0, self._pauses - 1)

    def _text(self, place: int) -> str:
        (length,) = _LENGTH.unpack_from(self._memory, place * _ROOM)
        begin = place * _ROOM + _LENGTH.size
        return self._memory[begin : begin + length].decode(errors="replace")

    def _write(self, place: int, text: str) -> None:
        data = text.encode(errors="replace")[: _ROOM - _LENGTH.size]
        begin = place * _ROOM + _LENGTH.size
        self._memory[begin : begin + len(data)] = data
        _LENGTH.pack_into(self._memory, place * _ROOM, len(data))


current = Activity()
"""This process's."""


class doing:
    """Say what foreign code the body runs. A context manager of its own takes a third of the time of `contextlib`'s."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        self._before = current.said
        current.doing = self._what

    def __exit__(self, *_: object) -> None:
        current.doing = self._before
