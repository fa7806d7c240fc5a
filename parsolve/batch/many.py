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
        begin = time.monotonic()
        result, error = None, ""
        try:
            result = search(item)
            code = 0 if result.status == "solved" else 1
        except ends_all:
            raise
        except ParsolveError as why:
            error, code = str(why), why.exit_code
        except Exception as why:
            error, code = f"internal failure: {type(why).__name__}: {why}", 4
        yield Done(item, result, error, code, time.monotonic() - begin)
