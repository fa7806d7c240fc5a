"""The result of one of many searches: a row of a file, a job of a batch, a variant of a puzzle."""

import time
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from parsolve.errors import ParsolveError
from parsolve.search.result import Answer, Result

T = TypeVar("T")


class Done(NamedTuple, Generic[T]):
    """One search that has ended.

    Attributes:
        item: the item.
        answer: its answer; None if the search failed.
        result: its full result; None if the search failed, or if results are not needed, see `Items.needs_results`.
        error: why it failed; empty if it did not.
        exit_code: the exit code for that error.
        wall_seconds: total time, including the preparation, such as building a pattern database.
    """

    item: T
    answer: Answer | None
    result: Result | None
    error: str
    exit_code: int
    wall_seconds: float

    @classmethod
    def of(cls, item: T, answer: Answer, result: Result | None, wall_seconds: float) -> "Done[T]":
        """Return the result of an item whose search has ended."""
        return cls(item, answer, result, "", 0 if answer.status == "solved" else 1, wall_seconds)


def attempt(item: T, search: Callable[[T], Result], ends_all: tuple[type[BaseException], ...] = ()) -> Done[T]:
    """Search an item, and return its result or its failure.

    Args:
        item: the item.
        search: searches it.
        ends_all: the errors that are raised: they end all searches.
    """
    begin = time.monotonic()
    try:
        result = search(item)
    except ends_all:
        raise
    except ParsolveError as why:
        return Done(item, None, None, str(why), why.exit_code, time.monotonic() - begin)
    except Exception as why:
        error = f"internal failure: {type(why).__name__}: {why}"
        return Done(item, None, None, error, 4, time.monotonic() - begin)
    return Done.of(item, result.answer, result, time.monotonic() - begin)
