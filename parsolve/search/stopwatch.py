"""How long a search takes, with kernels and tables ready."""

import time

from parsolve.compiler.cache import readying
from parsolve.search.result import Result


class Stopwatch:
    """Measures a search from now on; compiling meanwhile, such as for drawing a solution, counts as preparation.

    Args:
        result: the result whose seconds of preparation are increased.
        before: seconds of earlier runs.
    """

    def __init__(self, result: Result, before: float = 0.0) -> None:
        self._result, self._before, self._begin = result, before, time.perf_counter()
        readying.lap()

    @property
    def seconds(self) -> float:
        """The seconds of searching, in all runs."""
        return self._before + time.perf_counter() - self._begin

    def leave_out(self, seconds: float) -> None:
        """Count seconds that have passed as preparation."""
        self._begin += seconds
        self._result.setup_seconds += seconds

    def leave_out_compiling(self) -> float:
        """Count the compiling since the last call as preparation, and return how long it took."""
        seconds = readying.lap()
        self.leave_out(seconds)
        return seconds
