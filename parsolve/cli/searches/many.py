"""Many searches on a terminal: their bar, their results, what stops them, their exit code."""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from parsolve.batch.items import Done
from parsolve.cli.process.signals import Stopped, Stops
from parsolve.cli.terminal.reporter import Reporter
from parsolve.cli.terminal.streams import status_line
from parsolve.errors import BadInput
from parsolve.text import clock, plural, short

KINDS = {"none": "without a solution", "more": "with more"}
"""What a status is called after a number, where that is not its name."""


class Searches(Reporter):
    """Reports many searches, one after the other: each is a `noun`, such as `row`, of `total`, if that is known.

    Attributes:
        ended: searches by how they ended: the status of a result, or `failed`.
    """

    def __init__(self, name: str, quiet: bool, stops: Stops, noun: str, total: int | None, done: int = 0) -> None:
        super().__init__(name, quiet)
        self._stops, self._noun, self._all, self._done = stops, noun, total, done
        self._nodes, self._seconds, self._since = 0, 0.0, time.monotonic()
        self.ended: Counter[str] = Counter()

    def run(self, searched: Iterable[Done[Any]], show: Callable[[Done[Any]], int]) -> int:
        """Show each search when it has ended, and return the highest exit code; they run as they are iterated over.

        Raises:
            Stopped: a signal has come; the output is complete before.
        """
        self._stops.on_stop = self.stopped
        code = 0
        try:
            for done in searched:
                code = max(code, show(done))
                self.show_progress()
        except Stopped:
            self._stops.finish()
            raise
        except BrokenPipeError:
            raise
        except BaseException as error:
            if self.ended or not isinstance(error, BadInput):
                self._stops.complete(self.stopped)
            raise
        finally:
            status_line.close()
        return code

    def show_progress(self) -> None:
        """Show how many are done."""
        if self._has_status_line:
            status_line.show_batch(self._done + self.ended.total(), self._all, f"{self._noun}s", self._since)

    def add(self, status: str, nodes: int = 0, seconds: float = 0.0) -> None:
        """Count a search by how it ended, and sum what it took, kernels and tables ready."""
        self.ended[status] += 1
        self._nodes += nodes
        self._seconds += seconds

    def stopped(self) -> None:
        """Say how many are left."""
        number = f"{self.ended.total():,}"
        if self._all is None:
            done = f"{number} {self._noun}s done{self._kinds()}, more may follow"
        else:
            done = f"{number} of {plural(self._all - self._done, self._noun)} done{self._kinds()}"
        status_line.close()
        self.write(f"stopped before the end: {done}", always=True)

    def summarize(self) -> None:
        """Print a summary of them all."""
        what = f"{plural(self.ended.total(), self._noun)}{self._kinds()}" if self.ended else f"no {self._noun}"
        wall = time.monotonic() - self._since
        rate = f", {short(self.ended.total() / wall)} {self._noun}s/s" if wall > 0 else ""
        effort = f"{plural(self._nodes, 'node')}, {self._seconds:.3f} s of search, {clock(wall)} in all{rate}"
        self.write(f"{what}: {effort}")

    def as_event(self) -> dict[str, float]:
        """Return the summary as the members of an event in the log."""
        wall = round(time.monotonic() - self._since, 6)
        return {**self.ended, "nodes": self._nodes, "seconds": self._seconds, "wall_seconds": wall}

    def _kinds(self) -> str:
        """Return how they ended: ` (2 solved, 1 failed)`."""
        kinds = ", ".join(f"{number:,} {KINDS.get(status, status)}" for status, number in self.ended.items())
        return f" ({kinds})" if kinds else ""
