"""HTML files that commands write."""

import os
from pathlib import Path

from parsolve.errors import BadInput
from parsolve.system.files import replaced, require_own


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


def require_folder(path: Path) -> None:
    """Make a folder for files, or refuse it, before what they are about takes its time."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None
    if not os.access(path, os.W_OK):
        raise BadInput(f"{path} cannot be written: permission denied")
