"""A better bound, when what a search has taken tells that it pays."""

from collections.abc import Callable

from parsolve.errors import OutOfMemory
from parsolve.problem.problem import Problem
from parsolve.puzzle.parameters import values_of
from parsolve.search.watch import Listener
from parsolve.text import shown


def better_bound(problem: Problem, nodes: float, load: Callable[[Problem], bool]) -> Problem | None:
    """Return the same problem with the best bound that pays; None if none does.

    Args:
        problem: with the bound so far.
        nodes: nodes of the last iteration with it.
        load: loads the pattern databases of a problem if they are available, and returns whether they are.
    """
    for number, each in reversed([*enumerate(problem.counting.better)]):
        if nodes >= min(each.after, each.kept):
            found = problem.bounded(number)
            if load(found) or nodes >= each.after:
                return found
    return None


def description(problem: Problem) -> str:
    """Return the searched class, with the parameters that differ from those given."""
    values, given = values_of(problem.puzzle), values_of(problem.given)
    changed = ", ".join(f"{name}={shown(values[name])}" for name in values if values[name] != given.get(name))
    return f"{problem.name}({changed})" if changed else problem.name


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
        found = None if self._refused else better_bound(problem, nodes, self._load)
        if found is None:
            return False
        pay = "are kept" if found.is_supplied else "pay"
        self._listener.bound_changed(f"continuing with {description(found)}: {why}, and its pattern databases {pay}")
        try:
            use(found)
        except OutOfMemory as error:
            self._refused = True
            self._listener.warning_given(f"{error}: continuing without a better bound")
        return not self._refused
