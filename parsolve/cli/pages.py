"""HTML files that commands write."""

from pathlib import Path
from typing import TYPE_CHECKING

from parsolve.system.activity import current as activity
from parsolve.system.userfiles import replaced, require_own

if TYPE_CHECKING:
    from parsolve.search.result import Result


def require_page(path: Path, option: str) -> None:
    """Refuse a path where an option cannot write a page, before the search that it is about."""
    require_own(path, _mark(option))


def write_page(path: Path, option: str, text: str) -> None:
    """Write a page of an option as a whole; see `replaced`.

    Raises:
        BadInput: it cannot be written there.
    """
    require_page(path, option)  # again: the search takes long
    with replaced(path) as file:
        file.write(_mark(option) + text.removeprefix("<!DOCTYPE html>").encode())


def _mark(option: str) -> bytes:
    return f"<!DOCTYPE html><!-- parsolve {option} -->".encode()


def title_of(source: str) -> str:
    """Return what a puzzle is called in a page, which is sent to others: no folders of this machine."""
    return source.rpartition("/")[2]


class SearchPage:
    """The page of one search: its result, with its first solutions; `rest` says where the others are."""

    def __init__(self, path: Path, source: str, rest: str) -> None:
        from parsolve.report.player import MOST_SHOWN

        self._path, self._name, self._rest = path, title_of(source), rest
        self._kept = MOST_SHOWN + 1  # one more than a page shows tells that there are more
        self._first: list[tuple[int, ...]] = []

    def add(self, moves: tuple[int, ...]) -> None:
        """Keep a solution, if it is one of the first."""
        if len(self._first) < self._kept:
            self._first.append(moves)

    def write(self, result: "Result") -> None:
        """Write the page."""
        from parsolve.report.document import jobs_page
        from parsolve.report.reported import reported_result

        with activity.saving():
            entry = reported_result(self._name, result, self._first, self._rest)
            write_page(self._path, "--html", jobs_page(self._name, [entry]))
