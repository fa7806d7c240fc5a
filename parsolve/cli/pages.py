"""HTML files that commands write."""

from pathlib import Path

from parsolve.system.userfiles import replaced, require_own


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
