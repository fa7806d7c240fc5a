"""How long counting N queens takes on this machine: every method, size and number of workers, in turns."""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, get_args

from parsolve.errors import ParsolveError
from parsolve.problem import Problem
from parsolve.puzzles.queens import Method, Queens
from parsolve.puzzles.queens_counts import KNOWN
from parsolve.report.machine import machine
from parsolve.report.tables import Spread, spread, table
from parsolve.search.slices import Searcher
from parsolve.search.solve import solve
from parsolve.text import plural

METHODS: tuple[Method, ...] = tuple(method for method in get_args(Method) if method != "auto")

BARE = 0
"""In place of a number of workers: the compiled kernel on its own, in one call."""

PAGE = {"backtrack": "8.96", "bits": "4.06 and 3.54"}
"""Seconds of the page that the methods are from, at n = 14."""

PAGE_SIZE = 14


class Cell(NamedTuple):
    """What is timed."""

    method: Method
    n: int
    workers: int

    @property
    def command(self) -> str:
        """The command that does the same."""
        search = f"parsolve count queens --n {self.n} --method {self.method}"
        return f"the kernel of `{search}` alone" if self.workers == BARE else f"{search} --workers {self.workers}"


@dataclass
class Measurement:
    """A cell and the seconds that its searches took, kernels and tables ready; none where one took too long."""

    cell: Cell
    seconds: list[float] = field(default_factory=list)
    too_long: bool = False

    @property
    def spread(self) -> Spread | None:
        """The median, least and greatest time, if there is any."""
        return spread(self.seconds) if self.seconds and not self.too_long else None


class TooLong(Exception):
    """A search has run for longer than it may."""


def within(limit: float, check: Callable[[], None]) -> Callable[[], None]:
    """Return a stop condition that ends a search when `limit` seconds have passed, or as `check` does."""
    end = time.monotonic() + limit

    def stop() -> None:
        check()
        if time.monotonic() > end:
            raise TooLong

    return stop


class Bench:
    """Measures in turns: round after round each cell once, so that what slows the machine down slows down all.

    Args:
        sizes: the board sizes.
        methods: of `METHODS`.
        workers: the numbers of workers.
        rounds: how often each is measured.
        limit: seconds that one search may take; what takes longer is not tried again, nor at greater sizes. The bare
            kernel is one call that nothing ends: it is tried where one worker has been fast enough.
        tell: called with a line now and then.
        check: called several times a second; raises to end everything.
    """

    def __init__(
        self,
        sizes: Sequence[int],
        methods: Sequence[Method],
        workers: Sequence[int],
        rounds: int,
        limit: float,
        tell: Callable[[str], None],
        check: Callable[[], None],
    ) -> None:
        self.sizes, self.methods, self.workers = sorted(set(sizes)), list(dict.fromkeys(methods)), sorted(set(workers))
        self.rounds, self.limit = rounds, limit
        self._tell, self._check = tell, check
        cells = [Cell(method, n, each) for method in self.methods for n in self.sizes for each in (*self.workers, BARE)]
        self.measurements = {cell: Measurement(cell) for cell in cells}

    def run(self) -> None:
        """Measure everything.

        Raises:
            ParsolveError: a count is wrong.
        """
        for method in self.methods:
            self._tell(f"getting the kernel of method {method} ready")
            solve(Queens(4, method), want="count", workers=1)
        for number in range(1, self.rounds + 1):
            self._tell(f"round {number} of {self.rounds}")
            for measurement in self.measurements.values():
                if not self._hopeless(measurement.cell):
                    self._measure(measurement)

    def _hopeless(self, cell: Cell) -> bool:
        """Whether it, or what takes less time, has taken too long."""
        return any(
            measurement.too_long
            for other, measurement in self.measurements.items()
            if other.method == cell.method
            and other.n <= cell.n
            and (other.workers == cell.workers or (cell.workers == BARE and other.workers == self.workers[0]))
        )

    def _measure(self, measurement: Measurement) -> None:
        cell = measurement.cell
        puzzle = Queens(cell.n, cell.method)
        try:
            if cell.workers == BARE:
                searcher = Searcher(Problem(puzzle, "count"))
                searcher.warm_up()
                outcome = searcher.run(searcher.whole(), 0, 1 << 62, False, None)
                count, seconds = outcome.found, outcome.seconds
            else:
                stop = within(self.limit, self._check)
                found = solve(puzzle, want="count", workers=cell.workers, check=stop)
                count, seconds = found.found_so_far, found.seconds
        except TooLong:
            measurement.too_long = True
            return
        if count != KNOWN[cell.n]:
            raise ParsolveError(f"wrong: {count} solutions of {cell.n} queens, not {KNOWN[cell.n]}")
        measurement.seconds.append(seconds)

    # What came out.

    def tables(self) -> str:
        """Markdown: seconds, and how much faster several workers are."""
        return "\n".join([*self._seconds(), *self._speed_ups()])

    def _seconds(self) -> Iterator[str]:
        page = PAGE_SIZE in self.sizes
        yield f"Seconds; medians of {self.rounds} rounds (least – greatest).\n"
        rows = []
        for method in self.methods:
            for workers in (BARE, *self.workers):
                who = "bare kernel" if workers == BARE else plural(workers, "worker")
                row = [method, who, *(self._text(Cell(method, n, workers)) for n in self.sizes)]
                rows.append([*row, PAGE.get(method, "") if workers == 1 else ""] if page else row)
        sizes = [f"n = {n}" for n in self.sizes]
        yield table(["method", "", *sizes, *([f"the page, n = {PAGE_SIZE}"] if page else [])], rows)

    def _text(self, cell: Cell) -> str:
        if self._hopeless(cell):
            return f"> {self.limit:g}, skipped"
        return str(self.measurements[cell].spread or "")

    def _speed_ups(self) -> Iterator[str]:
        several = [workers for workers in self.workers if workers > 1]
        if not several:
            return
        yield "Speed-up of several workers, by medians, against one worker and against the bare kernel (efficiency):\n"
        rows = [
            [method, plural(workers, "worker"), *(self._faster(method, n, workers) for n in self.sizes)]
            for method in self.methods
            for workers in several
        ]
        yield table(["method", "", *(f"n = {n}" for n in self.sizes)], rows)

    def _faster(self, method: Method, n: int, workers: int) -> str:
        texts = []
        for other in (1, BARE):
            speed_up = self.speed_up(Cell(method, n, workers), other)
            if speed_up is not None:
                texts.append(f"{speed_up:.2f} ({speed_up / workers:.0%})")
        return ", ".join(texts)

    def speed_up(self, cell: Cell, other: int) -> float | None:
        """How many times faster a cell is than the same with another number of workers, or BARE; by medians."""
        pair = [self.measurements.get(each) for each in (cell._replace(workers=other), cell)]
        spreads = [each.spread if each else None for each in pair]
        return spreads[0].median / spreads[1].median if spreads[0] and spreads[1] else None

    def as_data(self) -> list[dict[str, Any]]:
        """One object a measurement: command, parameters, all times and what they depend on."""
        about = machine()
        return [
            {
                "command": cell.command,
                "n": cell.n,
                "method": cell.method,
                "workers": cell.workers or None,
                "solutions": KNOWN[cell.n],
                "seconds": measurement.seconds,
                **(_named(measurement.spread) if measurement.spread else {"skipped_after": self.limit}),
                "machine": about,
            }
            for cell, measurement in self.measurements.items()
        ]

    def write(self, folder: Path, name: str, head: str) -> list[str]:
        """Write tables, data and, where matplotlib is there, plots.

        Args:
            folder: made if need be.
            name: of the files.
            head: the text before the tables.

        Returns:
            The names of the files.
        """
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.md").write_text(f"{head.strip()}\n\n{self.tables()}")
        (folder / f"{name}.json").write_text(json.dumps(self.as_data(), indent=1) + "\n")
        return [f"{name}.md", f"{name}.json", *self.draw(folder, name)]

    def draw(self, folder: Path, name: str) -> list[str]:
        """Draw time against n and speed-up against workers; nothing, and say so, where matplotlib is not there.

        Returns:
            The names of the files.
        """
        try:
            from parsolve.report.plots import lines
        except ImportError:
            self._tell("matplotlib is not there (pip install 'parsolve[plots]'): no plots are drawn")
            return []
        many, most = self.workers[-1], self.sizes[-1]
        times: dict[str, list[tuple[float, float]]] = {
            method: [
                (n, found.median) for n in self.sizes if (found := self.measurements[Cell(method, n, many)].spread)
            ]
            for method in self.methods
        }
        speed_ups: dict[str, list[tuple[float, float]]] = {
            method: [
                (workers, faster)
                for workers in self.workers
                if (faster := self.speed_up(Cell(method, most, workers), self.workers[0])) is not None
            ]
            for method in self.methods
        }
        files = [f"{name}-time.svg", f"{name}-speed-up.svg"]
        title = f"Counting N queens, {plural(many, 'worker')}"
        lines(folder / files[0], title, ("n", "seconds"), times, log=True)
        lines(folder / files[1], f"Counting {most} queens", ("workers", "times faster"), speed_ups, ideal=True)
        return files


def _named(figures: Spread) -> dict[str, float]:
    return {"median": figures.median, "min": figures.low, "max": figures.high}
