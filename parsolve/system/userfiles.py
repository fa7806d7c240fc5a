"""Files and folders named by users."""

import codecs
import contextlib
import io
import os
import re
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from parsolve.errors import BadInput

MOST_BYTES = 1 << 26
"""Maximum bytes of a file that is read: a longer one is not a job file, table or puzzle."""

GZIP = b"\x1f\x8b\x08"
"""The first bytes of each member of a gzip file."""

MOST_MEMBERS = 4096
"""Maximum number of members of a compressed file: each takes some time, even if it is empty."""

MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""The first bytes of a text in UTF-16."""

_DECLARED = re.compile(rb"""<\?xml\s[^>]{0,100}?\bencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
"""The encoding that an XML file declares."""

_ENCODINGS = re.compile(r"utf-8|ascii|iso8859-\d+|cp125\d|koi8-[ru]")
"""Python's names of the encodings that are read if they are declared."""


def read_plain(path: Path, what: str) -> bytes:
    """Return the bytes of a plain file.

    Args:
        path: path of the file.
        what: the kind of file, for messages.

    Raises:
        BadInput: it is missing, not readable, not a plain file (a pipe or a device may never end), or too long.
    """
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            is_plain = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
            data = file.read(MOST_BYTES + 1 if is_plain else 0)
    except FileNotFoundError:
        raise BadInput(f"there is no file {path.name!r} in {path.parent}: the {what} cannot be read") from None
    except OSError as error:
        raise BadInput(f"the {what} {path} cannot be read: {error.strerror}") from None
    except ValueError as error:  # a zero byte in its name
        raise BadInput(f"the {what} {str(path)!r} cannot be read: {error}") from None
    if not is_plain:
        raise BadInput(f"the {what} {path} is not a plain file")
    if len(data) > MOST_BYTES:
        raise BadInput(f"the {what} {path} has more than {MOST_BYTES >> 20} MB")
    return data


def decoded(data: bytes) -> str:
    """Return the bytes of a file as text: in UTF-16 if it begins with its mark, or as XML in UTF-16 does; otherwise in
    the encoding that an XML file declares, or in UTF-8.

    Raises:
        UnicodeDecodeError: it is not text in this encoding.
    """
    if data.startswith(MARKS):
        return data.decode("utf-16")
    for without_mark in ("utf-16-le", "utf-16-be"):
        if data.startswith("<?xml".encode(without_mark)):
            return data.decode(without_mark)
    declared = _DECLARED.match(data)
    encoding = "utf-8"
    with contextlib.suppress(LookupError):
        encoding = codecs.lookup(declared[1].decode()).name if declared else encoding
    return data.decode(encoding if _ENCODINGS.fullmatch(encoding) and encoding != "utf-8" else "utf-8-sig")


def unpacked(data: bytes, what: str, most: int) -> bytes:
    """Return the text of a compressed file: of all its members, one after another, as gzip does.

    Zeros after the last member are ignored, because tapes and disks pad files with them. A file that is not compressed
    is returned unchanged.

    Args:
        data: bytes of the file.
        what: the kind of file, for messages.
        most: maximum number of bytes of text. From a longer text the first `most + 1` bytes are returned.

    Raises:
        BadInput: the file is damaged, or something else follows the last member.
    """
    if not data.startswith(GZIP):
        return data
    if data.count(GZIP) > MOST_MEMBERS:
        raise BadInput(f"{what} has more than {MOST_MEMBERS:,} compressed members: compress its text as one")
    import gzip  # few files are compressed

    try:
        return gzip.GzipFile(fileobj=io.BytesIO(data)).read(most + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise BadInput(f"{what} is damaged: {error}") from None


def require_own(path: Path, mark: bytes = b"") -> None:
    """Refuse a path where an option cannot write its file, or would lose another one.

    Args:
        path: a new file, a device, or a file that is empty or that the option has written before.
        mark: what the option's files begin with; empty if it writes only new ones.

    Raises:
        BadInput: it is something else, or nothing can be written there.
    """
    folder = (Path(os.path.realpath(path)) if os.path.islink(path) else path).parent
    try:
        if path.is_dir():
            raise BadInput(f"{path} is a folder: name a file")
        if not folder.is_dir():
            raise BadInput(f"{path} cannot be written: there is no folder {folder}")
        if not os.access(path if path.exists() else folder, os.W_OK):
            raise BadInput(f"{path} cannot be written: permission denied")
        if not _is_plain(path):
            return
        with path.open("rb") as file:
            begin = file.read(len(mark))
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None
    if not mark or begin not in (b"", mark):
        raise BadInput(f"{path} is there already, and this option has not written it: name another file")


@contextlib.contextmanager
def replaced(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file that takes the place of the one at a path when it is complete: a reader meanwhile sees the old one.
    A device is written itself, and so is /dev/stdout, which may be a plain file for the shell.

    Raises:
        BadInput: it cannot be written there.
    """
    real = Path(os.path.realpath(path))  # a symbolic link stays
    draft = real.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.exists() and not _is_plain(path):
            with path.open("wb") as file:
                yield file
            return
        draft.unlink(missing_ok=True)
        with draft.open("xb") as file:  # follows no link that another user has put there
            yield file
        draft.replace(real)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


@contextlib.contextmanager
def spill_folder(folder: Path | None) -> Iterator[None]:
    """Run the body with a folder for files; a folder made here is removed afterwards, if empty.

    Raises:
        BadInput: the folder cannot be used.
    """
    import tempfile  # not with every puzzle: it imports `random`, which a file beside a puzzle's may hide

    if folder is None:
        yield
        return
    is_made = not folder.exists()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise BadInput(f"the folder {folder} cannot be used: {error.strerror}") from None
    try:
        yield
    finally:
        if is_made:
            with contextlib.suppress(OSError):
                folder.rmdir()


def _is_plain(path: Path) -> bool:
    return path.is_file() and path.parent not in (Path("/dev"), Path("/dev/fd"))
