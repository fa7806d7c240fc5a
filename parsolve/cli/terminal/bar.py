"""Progress bars on stderr, at any width of the terminal, which leave nothing behind."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar
from weakref import WeakSet

from tqdm import tqdm

from parsolve.cli.terminal.streams import terminal
from parsolve.text import clock, printable

SHORTEST_BAR = 6
"""Columns of a bar at least: a shorter one says nothing."""

SPARE = 3
"""Columns that stay free: for the `^C` that a terminal writes behind the line, and one, for a full line may wrap."""


def line_of(before: Sequence[str], after: Sequence[str], columns: int, bar: Callable[[int], str] | None) -> str:
    """Return a line of at most `columns` columns. The bar is the first to go, then what follows it from the left, then
    what precedes it; the last piece, which is the time, stays to the end. `bar` returns a bar of a width."""
    room = columns - SPARE
    left, right = " ".join(before), ", ".join(after)
    width = room - len(f"{left}|| {right}")
    if bar is not None and width >= SHORTEST_BAR:
        return f"{left}|{bar(width)}| {right}"
    pieces = [*before, *after]
    for gone in [*after[:-1], *before]:
        if len(", ".join(pieces)) <= room:
            break
        pieces.remove(gone)
    return ", ".join(piece.strip() for piece in pieces)[: max(room, 0)]


def columns() -> int:
    """Return the width of the terminal that stderr is."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


class Bar(tqdm):  # type: ignore[type-arg]
    """A bar on stderr, refreshed by hand; `visible` where there is a terminal for it."""

    monitor_interval = 0  # no thread of its own: the process forks
    _instances: ClassVar[WeakSet[Any]] = WeakSet()  # tqdm's, of all kinds together: `write` clears them all

    def __init__(self, visible: bool = True, **more: Any) -> None:
        self._pieces: tuple[Sequence[str], Sequence[str]] = ((), ())
        super().__init__(file=terminal(sys.stderr), leave=False, disable=not visible, **{"total": 1.0, **more})

    def show(self, share: float, before: Sequence[str], after: Sequence[str]) -> None:
        """Show how much is done, 0 to 1, and the pieces of `line_of`; without a share there is no bar."""
        self._pieces, self.n = (before, after), share
        self.refresh()

    def __str__(self) -> str:
        before, after = self._pieces
        return line_of(before, after, columns(), self._drawn if self.n and self.total else None)

    def _drawn(self, width: int) -> str:
        state = {**self.format_dict, "ncols": None, "bar_format": f"{{bar:{width}}}"}
        return self.format_meter(**state)

    @staticmethod
    def status_printer(file: Any) -> Callable[[str], None]:
        """Return a function that writes the line; an empty one erases the terminal's `^C` as well."""
        longest = 0

        def write(line: str) -> None:
            nonlocal longest
            line = printable(line)
            file.write(f"\r{line.ljust(longest if line else columns() - 1)}")
            file.flush()
            longest = len(line)

        return write


class BatchBar(Bar):
    """A bar over a batch: what is done. How long the others take is not known: they may be much larger."""

    def __init__(self, total: int | None, done: int, what: str, visible: bool) -> None:
        self._what, self._started = what, time.monotonic()
        # No least number of steps between two refreshes: `update(0)` shows the time.
        super().__init__(visible, total=total, initial=done, miniters=0, mininterval=0.5)

    def __str__(self) -> str:
        done = f"{self.n} of {self.total}" if self.total else f"{self.n}"
        self._pieces = [f"{done} {self._what}"], [clock(time.monotonic() - self._started)]
        return super().__str__()
