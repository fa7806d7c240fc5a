"""How long a search takes, kernels and tables ready."""

import time

from parsolve.compiler.cache import readying
from parsolve.search.result import Result


class Stopwatch:
    """Measures a search from now on; what is compiled meanwhile, such as for drawing a solution, is getting ready.

    Args:
        result: whose seconds of getting ready are added to.
        before: seconds of earlier runs.
    """

    def __init__(self, result: Result, before: float = 0.0) -> None:
        self._result, self._before, self._begin = result, before, time.perf_counter()
        readying.lap()

    @property
    def seconds(self) -> float:
        """How long all has been searched, in all runs."""
        return self._before + time.perf_counter() - self._begin

    def leave_out(self, seconds: float) -> None:
        """Count seconds that have passed as those of getting ready."""
        self._begin += seconds
        self._result.setup_seconds += seconds

    def leave_out_compiling(self) -> float:
        """Do so with what was compiled since the last time, and return how long it took."""
        seconds = readying.lap()
        self.leave_out(seconds)
        return seconds
