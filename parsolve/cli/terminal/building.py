"""What is told on stderr while a puzzle gets ready: tables that are built, kernels that are compiled."""

import sys
import time
from typing import TYPE_CHECKING

from parsolve.cli.terminal.compiling import Compiling
from parsolve.cli.terminal.streams import write_line
from parsolve.search.progress import Progress
from parsolve.search.watch import Listener
from parsolve.system.cachefolder import folder
from parsolve.text import clock, one_line

if TYPE_CHECKING:
    from parsolve.cli.terminal.bar import Bar


def building_message(what: str) -> str:
    """Return what to tell a person while a table is built."""
    return f"building the table of {what} ({'once; kept for the next time' if folder() else 'not kept'})"


class Building:
    """A bar for each table that is built, or for a space that is explored.

    Args:
        visible: whether there is a terminal for it.
    """

    def __init__(self, visible: bool) -> None:
        self._visible = visible
        self._what = ""
        self._bar: Bar | None = None
        self._began = 0.0

    def begins(self, what: str) -> bool:
        """Return whether a table was not the one before."""
        before, self._what = self._what, what
        return what != before

    def show(self, progress: Progress) -> None:
        """Show how far it is."""
        if not self._visible:
            return
        if self._bar is None:
            from parsolve.cli.terminal.bar import Bar  # tqdm, which a short search needs not

            self._bar, self._began = Bar(), time.monotonic()
        about = [f"depth {progress.limit}"]
        if progress.share:  # else the number of states is not known in advance
            about.append(f"{progress.share:6.1%}")
        elapsed = clock(time.monotonic() - self._began)
        self._bar.show(progress.share, about, [f"{progress.nodes:,} states", elapsed])

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class GettingReady(Listener):
    """Tells what a command does before its own work.

    Args:
        name: of the puzzle.
        on_stop: what to do to resume a command that was stopped.
        quiet: tell nothing but warnings.
    """

    def __init__(self, name: str, on_stop: str = "", quiet: bool = False) -> None:
        self._on_stop, self._quiet = on_stop, quiet
        visible = not quiet and sys.stderr.isatty()
        self._building, self._compiling = Building(visible), Compiling(name, visible, self._tell)

    def compilation_started(self, template: str, seconds: float | None) -> None:
        self._compiling.show(template, seconds)

    def compilation_ended(self) -> None:
        self._compiling.close()

    def warning_given(self, warning: str) -> None:
        self._write(warning)

    def table_progress_made(self, what: str, progress: Progress) -> None:
        if self._building.begins(what):
            self._tell(building_message(what))
        self._building.show(progress)

    def table_built(self, what: str, seconds: float) -> None:
        self._building.close()

    def progress_made(self, progress: Progress) -> None:
        self._building.show(progress)

    def close(self) -> None:
        """Take the bars away."""
        self._building.close()
        self._compiling.close()

    def stopped(self) -> None:
        """Say that a signal has ended the command."""
        self.close()
        self._write(f"stopped before the end{self._on_stop and f'; {self._on_stop}'}")

    def _tell(self, text: str) -> None:
        if not self._quiet:
            self._write(text)

    def _write(self, text: str) -> None:
        write_line(one_line(text))
