"""Many searches, one after the other: the rows of a file, the jobs of a batch, the variants of a puzzle."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from parsolve.errors import ParsolveError
from parsolve.search.result import Result

T = TypeVar("T")


@dataclass(frozen=True)
class Done(Generic[T]):
    """One search that has ended.

    Attributes:
        item: what was searched.
        result: of the search; None where it failed.
        error: why it failed; empty where it did not.
        exit_code: what that is for the command line.
        wall_seconds: how long it took with all that is not search, such as building a pattern database.
    """

    item: T
    result: Result | None
    error: str
    exit_code: int
    wall_seconds: float


def search_each(
    items: Iterable[T], search: Callable[[T], Result], ends_all: tuple[type[BaseException], ...] = ()
) -> Iterator[Done[T]]:
    """Search items one after the other, and yield what came of each; what fails does not end the others.

    Args:
        items: what is searched; none is taken ahead.
        search: searches one.
        ends_all: the errors that end all searches.
    """
    for item in items:
        yield attempt(item, search, ends_all)


def attempt(item: T, search: Callable[[T], Result], ends_all: tuple[type[BaseException], ...] = ()) -> Done[T]:
    """Search one item, and return what came of it; see `search_each`."""
    begin = time.monotonic()
    try:
        result = search(item)
    except ends_all:
        raise
    except ParsolveError as why:
        return Done(item, None, str(why), why.exit_code, time.monotonic() - begin)
    except Exception as why:
        error = f"internal failure: {type(why).__name__}: {why}"
        return Done(item, None, error, 4, time.monotonic() - begin)
    return done(item, result, time.monotonic() - begin)


def done(item: T, result: Result, wall_seconds: float) -> Done[T]:
    """Return what came of an item whose search has ended."""
    return Done(item, result, "", 0 if result.status == "solved" else 1, wall_seconds)
