"""Many searches on a terminal, of rows or of jobs: their bar, their results, what stops them, their exit code."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from parsolve.batch.bulk import Done
from parsolve.batch.csv_files import Row
from parsolve.cli.process.signals import Stopped, Stops
from parsolve.cli.process.supervisor import fatal_jobs
from parsolve.cli.terminal.printers import RowPrinter
from parsolve.cli.terminal.reporter import Reporter, SearchReporter
from parsolve.cli.terminal.streams import status_line
from parsolve.errors import BadInput
from parsolve.search.result import Result
from parsolve.search.watch import Watch
from parsolve.text import clock, plural, short

if TYPE_CHECKING:
    from parsolve.batch.jobs import ListedJob
    from parsolve.journal.records import Job

KINDS = {"none": "without a solution", "more": "with more"}
"""What a status is called after a number, where that is not its name."""


class ManyReporter(Reporter):
    """Reports many searches, one after the other: each is a `noun`, such as `row`, of `total`, if that is known.

    Attributes:
        ended: searches by how they ended: the status of a result, or `failed`.
    """

    def __init__(self, name: str, quiet: bool, stops: Stops, noun: str, total: int | None, done: int = 0) -> None:
        super().__init__(name, quiet)
        self._stops, self._noun, self._all, self._done = stops, noun, total, done
        self._nodes, self._seconds, self._since = 0, 0.0, time.monotonic()
        self.ended: Counter[str] = Counter()

    def run(self, searched: Iterable[Done[Any]]) -> int:
        """Show each search when it has ended, then a summary, and return the highest exit code; they run meanwhile.

        Raises:
            Stopped: a signal has come; the output is complete before.
        """
        self._stops.on_stop = self.stopped
        code = 0
        try:
            for done in searched:
                code = max(code, self.show(done))
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
        if self.ended:
            self._stops.complete(self.summarize)
        return code

    def show(self, done: Done[Any]) -> int:
        """Show how a search has ended, and return its exit code."""
        raise NotImplementedError

    def check(self) -> None:
        """Keep the time of the bar running, and look whether to stop."""
        self.show_progress()
        self._stops.check()

    def show_progress(self) -> None:
        """Show how many are done."""
        if self._has_status_line:
            status_line.show_batch(self._done + self.ended.total(), self._all, f"{self._noun}s", self._since)

    def add(self, status: str, nodes: int = 0, seconds: float = 0.0) -> None:
        """Count a search by how it ended, and sum what it took, kernels and tables ready."""
        self.ended[status] += 1
        self._nodes += nodes
        self._seconds += seconds

    def complete(self, **about: Any) -> None:
        """Complete the results, of which something is said then; `about` is for the log."""

    def stopped(self) -> None:
        """Say how many are left."""
        self.complete(status="stopped")
        number = f"{self.ended.total():,}"
        if self._all is None:
            done = f"{number} {self._noun}s done{self._kinds()}, more may follow"
        else:
            done = f"{number} of {plural(self._all - self._done, self._noun)} done{self._kinds()}"
        status_line.close()
        self.write(f"stopped before the end: {done}", always=True)

    def summarize(self) -> None:
        """Print a summary of them all."""
        self.complete()
        what = f"{plural(self.ended.total(), self._noun)}{self._kinds()}" if self.ended else f"no {self._noun}"
        wall = time.monotonic() - self._since
        rate = f", {short(self.ended.total() / wall)} {self._noun}s/s" if wall > 0 else ""
        effort = f"{plural(self._nodes, 'node')}, {self._seconds:.3f} s of search, {clock(wall)} in all{rate}"
        self.write(f"{what}: {effort}")

    def _kinds(self) -> str:
        """Return how they ended: ` (2 solved, 1 failed)`."""
        kinds = ", ".join(f"{number:,} {KINDS.get(status, status)}" for status, number in self.ended.items())
        return f" ({kinds})" if kinds else ""


class RowReporter(ManyReporter):
    """Reports the searches of rows, whose results a printer prints."""

    def __init__(self, name: str, quiet: bool, stops: Stops, total: int | None, printer: RowPrinter) -> None:
        super().__init__(name, quiet, stops, "row", total)
        self._printer = printer

    def check(self) -> None:
        self._printer.flush()
        super().check()

    def show(self, done: Done[Row]) -> int:
        """Print a row's result, with its solutions, if it failed those before, and return its exit code."""
        if done.failure is not None:
            self.write(f"{done.item.place}: {done.failure}", always=True)
        result, self.result = done.result or self.result, None
        answer = done.answer or (result.answer if result else None)  # as far as it has come
        self._printer.print_row(done, answer, result)
        self.add(done.status, *((answer.nodes, answer.seconds) if answer else ()))
        return int(done.status != "solved") if done.failure is None else done.failure.exit_code

    def complete(self, **about: Any) -> None:
        self._printer.flush()
        wall = round(time.monotonic() - self._since, 6)
        self.report("end", **about, **self.ended, nodes=self._nodes, seconds=self._seconds, wall_seconds=wall)


class JobReporter(ManyReporter):
    """Reports the searches of a file's jobs; `jobs` are those of the journal, by name."""

    def __init__(self, listed: Sequence["ListedJob"], jobs: Mapping[str, "Job"], quiet: bool, stops: Stops) -> None:
        done = sum(each.name in jobs and jobs[each.name].state == "done" for each in listed)
        super().__init__("run", quiet, stops, "job", len(listed), done)
        self._jobs = jobs
        self._places = {each.name: f"{number} of {len(listed)}" for number, each in enumerate(listed, 1)}
        self._present: SearchReporter | None = None  # of the present job

    def begin_job(self, item: "ListedJob", result: Result, seconds: float) -> Watch:
        """Begin the search of a job, which has taken some seconds in a call, and return its watch."""
        self._stops.guard(result.request, seconds)
        self._stops.on_stop = self._interrupted
        self._present = SearchReporter(item.name, self._quiet)
        self._present.result = result
        self._present.write(f"{item.name} ({self._places[item.name]}):")
        return Watch(self._present, self.check, result.request.max_memory, on_solution=lambda _: None)

    def _interrupted(self) -> None:
        """Say what is known of the present job, if there is one, and how many are done, after a signal."""
        if self._present is not None:
            self._present.stopped()
        self.stopped()
        self.write("the same command resumes from here", always=True)

    def show(self, done: Done["ListedJob"]) -> int:
        """Say how a job has ended, and return its exit code: one without a solution is done."""
        code = 0 if done.failure is None else 3 if done.status == "stopped" else 4
        name, reporter, self._present = done.item.name, self._present, None
        self._stops.unguard()
        if reporter is None:  # it has failed before its search
            self.add(done.status)
            if name not in fatal_jobs:  # else the supervisor has printed it
                self.write(f"{name}: {done.failure}", always=True)
            return code
        result, before = reporter.result, self._jobs[name]
        self.add(done.status, max(0, result.nodes - before.nodes), max(0.0, result.seconds - before.seconds))
        if done.failure is None:
            reporter.finished()
            return code
        tell = reporter.stopped if done.status == "stopped" else reporter.failed
        tell(str(done.failure))
        self.write(f"{name}: {done.failure}", always=True)
        return code
