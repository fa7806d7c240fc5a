"""What a search tells while it runs. Whoever wants to know overrides some of these.

A listener only listens: what is to end a search is the `check` of `parsolve.solve`.
"""

from collections.abc import Callable
from typing import Any

from parsolve.search.progress import Progress
from parsolve.search.result import Iteration, Result


class Listener:
    """Told of everything, on the thread that called `solve`; does nothing with it."""

    def attach(self, found: Result) -> None:
        """A search is about to get ready; `found` is filled while it runs."""

    def warning(self, text: str) -> None:
        """Something to know: the search will take days, or goes on without its transposition table."""

    def compiling(self) -> None:
        """A kernel is not in the cache and is compiled now, which takes seconds."""

    def building(self, what: str, progress: Progress) -> None:
        """The table of an abstraction is not in the cache folder and is built now; called with each layer of it."""

    def built(self, what: str, seconds: float) -> None:
        """A table is ready."""

    def began(self, limit: int) -> None:
        """An iteration begins."""

    def progress(self, progress: Progress) -> None:
        """Some work has come in, or some time has passed; called several times a second."""

    def solution(self, moves: tuple[int, ...]) -> None:
        """The next solution in depth-first order; called as soon as all earlier branches are done."""

    def ended(self, iteration: Iteration) -> None:
        """An iteration is finished."""

    def resumed(self, share: float) -> None:
        """The search resumes what an earlier run has left, at this share of the running iteration."""

    def waiting(self, why: str) -> None:
        """The search cannot go on before somebody does something."""

    def lost(self, why: str) -> None:
        """A worker was lost; its branches are searched again."""


class Listeners(Listener):
    """Tells several listeners."""

    def __init__(self, listeners: list[Listener]) -> None:
        self._listeners = listeners

    def add(self, listener: Listener) -> None:
        """Tell one more."""
        self._listeners.append(listener)


def _telling(name: str) -> Callable[..., None]:
    def tell(self: Listeners, *arguments: Any) -> None:
        for listener in self._listeners:
            getattr(listener, name)(*arguments)

    return tell


for _name, _method in vars(Listener).items():
    if callable(_method):
        setattr(Listeners, _name, _telling(_name))
