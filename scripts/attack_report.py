"""The results of a part of the attack, and processes of its own for what may crash or hang."""

import contextlib
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, NamedTuple

from parsolve.bench.markdown import table


@dataclass
class Part:
    """The results of a part of the attack.

    Attributes:
        head: of the columns.
        rows: what was done, and how often.
        differences: what is wrong, each with what reproduces it.
        seconds: how long it took.
    """

    head: Sequence[str]
    rows: list[Sequence[Any]] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def differ(self, text: str) -> None:
        """Take down what is wrong, and say so at once."""
        self.differences.append(text)
        print(f"WRONG: {text}", file=sys.stderr, flush=True)

    @property
    def data(self) -> dict[str, Any]:
        """It as plain data."""
        rows = [dict(zip(self.head, row, strict=True)) for row in self.rows]
        return {"seconds": round(self.seconds, 1), "rows": rows, "differences": self.differences}

    def text(self, name: str) -> str:
        """Return it as Markdown."""
        sums = [sum(column) if isinstance(column[0], int) else "" for column in zip(*self.rows, strict=True)]
        rows = [*self.rows, ["all", *sums[1:]]]
        wrong = "".join(f"- {text}\n" for text in self.differences)
        title = f"## {name}: {len(self.differences)} differences, {self.seconds:.0f} s"
        return "\n\n".join(filter(None, [title, table(self.head, rows), wrong]))


class Ended(NamedTuple):
    """How a process has ended.

    Attributes:
        code: its exit code, or the signal that ended it as a negative number.
        output, errors: what it has printed.
        hung: whether it was ended because it had not ended by itself.
    """

    code: int
    output: str
    errors: str
    hung: bool = False


def forked(act: Callable[[], int], patience: float, sign_of_life: Callable[[], int] = lambda: 0) -> Ended:
    """Call a function in a process of its own, forked from this one.

    Args:
        act: returns the exit code.
        patience: seconds without a sign of life after which the process is ended.
        sign_of_life: returns what changes while it is alive.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        pid = os.fork()
        if pid == 0:
            _act(act, output.fileno(), errors.fileno())
        code, hung = _waited(pid, patience, sign_of_life)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        return Ended(code, _text(output), _text(errors), hung)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def _act(act: Callable[[], int], output: int, errors: int) -> None:
    """Call a function with its own streams, and end the process."""
    code = 70
    try:
        os.setpgid(0, 0)
        os.dup2(output, 1)
        os.dup2(errors, 2)
        sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
        code = act()
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _waited(pid: int, patience: float, sign_of_life: Callable[[], int]) -> tuple[int, bool]:
    """Wait for a process; return how it has ended, and whether it had to be ended."""
    before, since, pause = sign_of_life(), time.monotonic(), 0.001
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), False
        now = sign_of_life()
        if now != before:
            before, since = now, time.monotonic()
        if time.monotonic() - since > patience:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return -signal.SIGKILL, True
        time.sleep(pause)
        pause = min(0.05, 2 * pause)
