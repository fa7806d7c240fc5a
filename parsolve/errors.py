"""The errors, in the words that the command line prints, with its exit codes."""

from typing import Literal


class ParsolveError(Exception):
    """Base of all of parsolve's own errors. `exit_code` is the command line's exit code for it."""

    exit_code = 4

    @property
    def state(self) -> Literal["stopped", "failed"]:
        """How a job ends by it."""
        return "stopped" if self.exit_code == 3 else "failed"


class BadInput(ParsolveError, ValueError):
    """The request is invalid: one line says what is wrong and what would be right."""

    exit_code = 2


class BadOption(BadInput):
    """An option has a wrong value: its name, and what is wrong with the value, which is said behind the name."""

    def __str__(self) -> str:
        return "".join(self.args)


class BadPuzzle(BadInput):
    """A puzzle breaks the contract of `parsolve.Puzzle`: a rule is missing, does not compile, or misbehaves."""


class TooCheap(BadPuzzle):
    """A solution costs less than the searched limit: it should have been found before."""


class CostFalls(BadPuzzle):
    """A move leads to less cost: a search by limits may have left out what follows."""


class NotShared(BadPuzzle):
    """Puzzles with one `batch_key` differ in more than their roots and limits."""


class RuleRaised(BadPuzzle):
    """A puzzle's compiled rule raises an exception at some state."""


class OtherData(BadInput):
    """A puzzle's `tables` or `root` does not return what it returned where, or when, its search began."""


class OtherJob(OtherData):
    """A journal's job has begun with other rules or data than its puzzle has now."""


class NotReproducible(ParsolveError):
    """A puzzle's source differs from the one for which the work was made."""


class OutOfMemory(ParsolveError):
    """A search would need more memory than it may have; it stops before the machine swaps."""

    exit_code = 3


class Damaged(BadInput):
    """A journal has been altered or damaged."""


class Unwritable(BadInput):
    """A journal cannot be used now, for example because its disk is full."""


class JournalGone(ParsolveError):
    """A journal's file was deleted, moved or replaced while a search wrote it."""


class Disagreement(ParsolveError):
    """Two engines, or two workers, give different answers."""


class WorkersLost(ParsolveError):
    """Worker processes cannot be started, or die faster than they finish anything."""


class BranchLost(ParsolveError):
    """One branch kills or hangs every worker that searches it."""


class GuardStop(ParsolveError):
    """A guard has ended a search, for example because its time is up. The results so far are kept."""

    exit_code = 3


class TimeUp(GuardStop):
    """The time of a whole command is up."""


class EngineStop(ParsolveError):
    """An engine's search ends here, and the run continues without it: no caller of `search.run` gets this."""
