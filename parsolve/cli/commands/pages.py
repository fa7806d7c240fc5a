"""HTML files that commands write."""

import argparse
import os
from pathlib import Path

from parsolve.errors import BadInput
from parsolve.system.files import replaced, require_kind


def add_html(parser: argparse._ActionsContainer, what: str) -> None:
    """Add the option that names a page."""
    parser.add_argument("--html", metavar="FILE", type=Path, help=f"also write one HTML file: {what}")


def write_page(path: Path, text: str) -> None:
    """Write a page as a whole; see `replaced`.

    Raises:
        BadInput: it cannot be written there.
    """
    require_writable(path)  # again: the search may have made its journal there
    with replaced(path) as file:
        file.write(text.encode())


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


def require_writable(path: Path) -> None:
    """Refuse a path where no page can be written, before the search that it is about."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name a file, such as {path / 'report.html'}")
    if not path.parent.is_dir():
        raise BadInput(f"{path} cannot be written: there is no folder {path.parent}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise BadInput(f"{path} cannot be written: permission denied")
    require_kind(path, b"<!DOCTYPE html>", "an HTML page")
