"""Many searches on a terminal: their bar, their results, what stops them, their exit code."""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from parsolve.batch.items import Done
from parsolve.cli.process.signals import Stopped, Stops
from parsolve.cli.terminal.bar import BatchBar
from parsolve.cli.terminal.reporter import Reporter
from parsolve.errors import BadInput
from parsolve.text import clock, plural, short

KINDS = {"none": "without a solution", "more": "with more"}
"""What a status is called after a number, where that is not its name."""


class Searches(Reporter):
    """Reports many searches, one after the other: each is a `noun`, such as `row`, of `total`, if that is known.

    Attributes:
        ended: searches by how they ended: the status of a result, or `failed`.
        bar: of all of them.
    """

    def __init__(self, name: str, quiet: bool, stops: Stops, noun: str, total: int | None, done: int = 0) -> None:
        super().__init__(name, quiet)
        self._stops, self._noun, self._total = stops, noun, total if total is None else total - done
        self._began = time.monotonic()
        self._nodes, self._seconds = 0, 0.0
        self.ended: Counter[str] = Counter()
        self.bar = BatchBar(total, done, f"{noun}s", self._with_bar)

    def run(self, searched: Iterable[Done[Any]], show: Callable[[Done[Any]], None]) -> int:
        """Show each search when it has ended, and return the highest exit code; they run as they are iterated over.

        Raises:
            Stopped: a signal has come; the output is complete before.
        """
        self._stops.on_stop = self.stopped
        code = 0
        try:
            for done in searched:
                self.close_bar()
                show(done)
                self.bar.update()
                code = max(code, done.exit_code)
        except Stopped:
            self._stops.finish()
            raise
        except BrokenPipeError:
            raise
        except BaseException as error:
            if self.ended or not isinstance(error, BadInput):
                self.stopped()
            raise
        finally:
            self.close_bar()
            self.bar.close()
        return code

    def add(self, status: str, nodes: int = 0, seconds: float = 0.0) -> None:
        """Count a search by how it ended, and sum what it took, kernels and tables ready."""
        self.ended[status] += 1
        self._nodes += nodes
        self._seconds += seconds

    def stopped(self) -> None:
        """Say how many are left."""
        self.close_bar()
        number = f"{self.ended.total():,}"
        if self._total is None:
            done = f"{number} {self._noun}s done{self._kinds()}, more may follow"
        else:
            done = f"{number} of {plural(self._total, self._noun)} done{self._kinds()}"
        self.write(f"stopped before the end: {done}", always=True)
        self.bar.close()

    def summarize(self) -> None:
        """Print a summary of them all."""
        what = f"{plural(self.ended.total(), self._noun)}{self._kinds()}" if self.ended else f"no {self._noun}"
        wall = time.monotonic() - self._began
        rate = f", {short(self.ended.total() / wall)} {self._noun}s/s" if wall > 0 else ""
        effort = f"{plural(self._nodes, 'node')}, {self._seconds:.3f} s of search, {clock(wall)} in all{rate}"
        self.write(f"{what}: {effort}")

    def as_event(self) -> dict[str, float]:
        """Return the summary as the members of an event in the log."""
        wall = round(time.monotonic() - self._began, 6)
        return {**self.ended, "nodes": self._nodes, "seconds": self._seconds, "wall_seconds": wall}

    def _kinds(self) -> str:
        """Return how they ended: ` (2 solved, 1 failed)`."""
        kinds = ", ".join(f"{number:,} {KINDS.get(status, status)}" for status, number in self.ended.items())
        return f" ({kinds})" if kinds else ""
