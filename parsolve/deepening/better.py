"""A better bound, when what a search has taken tells that it pays."""

from collections.abc import Callable

from parsolve.errors import OutOfMemory
from parsolve.problem.problem import Problem
from parsolve.search.watch import Listener


class BetterBounds:
    """Takes a better bound each time one pays, until one does not fit the memory.

    Args:
        load: see `search.engine.Run`.
        listener: receives each change.
    """

    def __init__(self, load: Callable[[Problem], bool], listener: Listener) -> None:
        self._load, self._listener, self._refused = load, listener, False

    def take(self, problem: Problem, nodes: float, why: str, use: Callable[[Problem], None]) -> bool:
        """Take the best bound that pays, and return whether there is one.

        Args:
            problem: with the bound so far.
            nodes: of an iteration.
            why: says what they are, as messages do.
            use: continues with the problem that it is given; an OutOfMemory leaves the one so far.
        """
        better = None if self._refused else problem.better(nodes, self._load)
        if better is None:
            return False
        pay = "are kept" if better.is_supplied else "pay"
        self._listener.bound_changed(f"continuing with {better.description}: {why}, and its pattern databases {pay}")
        try:
            use(better)
        except OutOfMemory as error:
            self._refused = True
            self._listener.warning_given(f"{error}: continuing without a better bound")
        return not self._refused
