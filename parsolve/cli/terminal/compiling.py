"""Messages on stderr while kernels are compiled: one line, and at a terminal a bar for each."""

import contextlib
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from parsolve.system.cachefolder import folder
from parsolve.text import clock

if TYPE_CHECKING:
    from parsolve.cli.terminal.bar import Bar

REFRESH = 0.1
"""Seconds between two updates of a bar. A kernel that takes less has none."""


def compiling_message(name: str) -> str:
    """Return what to tell a person while a puzzle's kernels are compiled."""
    return f"compiling the kernel of {name} ({'once; kept for the next time' if folder() else 'not kept'})"


class Compiling:
    """Tells which kernels of a puzzle are compiled.

    Args:
        name: of the puzzle.
        visible: whether there is a terminal for a bar.
        write: writes the line.
    """

    def __init__(self, name: str, visible: bool, write: Callable[[str], None]) -> None:
        self._name, self._visible, self._write = name, visible, write
        self._line_is_written = False
        self._drawing: threading.Thread | None = None
        self._ended = threading.Event()

    def show(self, template: str, seconds: float | None) -> None:
        """Show a bar from now on, on a thread of its own; see `Listener.compilation_started`."""
        if not self._line_is_written:
            self._line_is_written = True
            self._write(compiling_message(self._name))
        if not self._visible:
            return
        from parsolve.cli.terminal.bar import Bar  # tqdm; not on the thread, which `write_line` could see half-way

        self.close()
        self._ended.clear()
        drawing = threading.Thread(target=self._draw, args=(Bar, template, seconds), daemon=True)
        with contextlib.suppress(RuntimeError):  # the system refuses a thread
            drawing.start()
            self._drawing = drawing

    def close(self) -> None:
        """Take the bar away, with its thread: this process may be forked."""
        drawing = self._drawing
        if drawing is not None:
            self._ended.set()
            drawing.join()
            self._drawing = None

    def _draw(self, kind: "type[Bar]", template: str, seconds: float | None) -> None:
        begin = time.monotonic()
        if self._ended.wait(REFRESH):
            return
        what = "the depth-first search" if template.startswith("search") else template
        about = f"compiling {what} of {self._name}"
        usual = [] if seconds is None else [f"about {clock(seconds)}"]
        with contextlib.suppress(OSError):  # the terminal is gone
            bar = kind()
            while not self._ended.wait(REFRESH):
                elapsed = time.monotonic() - begin
                bar.show(min(elapsed / seconds, 1.0) if seconds else 0.0, [about], [*usual, clock(elapsed)])
            bar.close()
