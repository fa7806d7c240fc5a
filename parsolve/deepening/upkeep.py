"""What is done between two outcomes: stop conditions, progress, checkpoints."""

import math
import time
from dataclasses import replace

from parsolve.deepening.driver import Driver
from parsolve.deepening.preparation import Preparation
from parsolve.errors import OutOfMemory
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.engine import Run, Stopwatch


class Upkeep:
    """What a search needs besides its iterations.

    Args:
        run, stopwatch: the search, and its time.
        preparation: of the search, with the transposition table, which is given up if memory is short.
    """

    def __init__(self, run: Run, stopwatch: Stopwatch, preparation: Preparation) -> None:
        self._run, self._stopwatch, self._preparation = run, stopwatch, preparation
        self._shed_at = -math.inf  # when the table was given up
        # The end of the last iteration, if no checkpoint was due.
        self._unsaved: Checkpoint | None = None

    def between(self, driver: Driver) -> None:
        """Do what is due between two outcomes.

        Raises:
            ParsolveError: a stop condition ends the search, which is saved.
        """
        driver.progress.since += self._stopwatch.leave_out_compiling()
        try:
            self._run.watch.listener.progress_made(driver.progress)
            self._ask_stop_conditions(driver)  # a listener may know from the progress that it is time to stop
        except BaseException:
            self.save(driver)
            raise
        if self._run.store.is_due():
            self.save(driver)

    def begin_iteration(self, limit: int) -> None:
        """Note that another iteration begins."""
        self._run.watch.listener.iteration_started(limit)
        self._unsaved = None

    def end_iteration(self, driver: Driver) -> None:
        """Save the end of an iteration if a checkpoint is due."""
        if self._run.store.is_due():
            self.save(driver)
        else:
            self._unsaved = self._checkpoint(driver)

    def save(self, driver: Driver) -> None:
        """Save where the search stands."""
        self._run.store.save(self._checkpoint(driver))

    def save_rest(self) -> None:
        """Save what has not been saved, where the search ends between two iterations."""
        if self._unsaved is not None:
            self._run.store.save(self._unsaved)

    def _ask_stop_conditions(self, driver: Driver) -> None:
        try:
            self._run.watch.check()
        except OutOfMemory as error:
            if self._preparation.memory.table.size:
                self._shed_table(driver, str(error))
            elif time.monotonic() >= self._shed_at + self._run.request.tuning.shed_grace:  # it has not helped
                raise

    def _shed_table(self, driver: Driver, why: str) -> None:
        """Give up the transposition table."""
        self._preparation.memory.shed()
        self._shed_at = time.monotonic()
        driver.assignment = replace(driver.assignment, setup=self._preparation.setup)
        self._run.watch.listener.warning_given(f"{why}: continuing without the transposition table")

    def _checkpoint(self, driver: Driver) -> Checkpoint:
        frontier, progress = driver.frontier, driver.progress
        return Checkpoint(
            iterations=tuple(self._run.result.iterations),
            limit=progress.limit,
            branches=frontier.branches,
            nodes=frontier.nodes,
            weight=frontier.weight,
            cut=frontier.cut,
            share=frontier.share,
            iteration_seconds=progress.seconds,
            seconds=self._stopwatch.seconds,
        )
