"""Many searches on a terminal: their bar, their tally, what stops them, their exit code."""

from collections.abc import Callable, Iterable
from typing import Any

from parsolve.batch.many import Done
from parsolve.cli.process.signals import Stopped, Stops
from parsolve.cli.tally import Tally
from parsolve.cli.terminal.bar import BatchBar
from parsolve.cli.terminal.messages import Messages
from parsolve.errors import BadInput
from parsolve.search.progress import Progress


class Searches(Messages):
    """Reports many searches, one after the other.

    Args:
        name: of the puzzle or the file.
        quiet: print nothing but errors and warnings.
        stops: whether a signal has come.
        noun: what is searched, such as `row`.
        total: how many there are; None if unknown.
        done: how many are done already.

    Attributes:
        tally: what came of them so far.
        bar: of all of them.
    """

    def __init__(self, name: str, quiet: bool, stops: Stops, noun: str, total: int | None, done: int = 0) -> None:
        super().__init__(name, quiet)
        self._stops, self._total = stops, total
        self.tally = Tally(noun)
        self.bar = BatchBar(total, done, f"{noun}s", self._with_bar)

    def progress_made(self, progress: Progress) -> None:
        super().progress_made(progress)
        self.bar.update(0)

    def report(self, searched: Iterable[Done[Any]], show: Callable[[Done[Any]], None]) -> int:
        """Show each search when it has ended, and return the highest exit code.

        Args:
            searched: the searches, which run as they are iterated over.
            show: prints one, and adds it to the tally.

        Raises:
            Stopped: a signal has come; the output is complete before.
        """
        self._stops.on_stop = self.stopped
        code = 0
        try:
            for done in searched:
                self._close_bar()
                show(done)
                self.bar.update()
                code = max(code, done.exit_code)
        except Stopped:
            self._stops.finish()
            raise
        except BrokenPipeError:
            raise
        except BaseException as error:
            if self.tally.done or not isinstance(error, BadInput):
                self.stopped()
            raise
        finally:
            self._close_bar()
            self.bar.close()
        return code

    def stopped(self) -> None:
        """Say how many are left."""
        self._close_bar()
        left = "more may follow" if self._total is None else f"{self._total - self.tally.number:,} left"
        self.write(f"stopped before the end: {self.tally.searches} done, {left}", always=True)
        self.bar.close()

    def summarize(self, more: str = "") -> None:
        """Print what came of them all."""
        self.write(f"{self.tally.searches}: {self.tally.effort}{more}")
