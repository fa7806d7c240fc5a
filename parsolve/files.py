"""Files that users name."""

import os
import stat
from pathlib import Path

from parsolve.errors import BadInput

MOST = 1 << 26
"""Bytes of a file that is read whole: a longer one is no job file, table or puzzle."""


def read_plain(path: Path, what: str) -> bytes:
    """Return the bytes of a plain file.

    Args:
        path: of the file.
        what: it is, for messages.

    Raises:
        BadInput: there is none, it cannot be read, it is no plain file (a pipe or a device may never end), or too long.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise BadInput(f"the {what} {path} is no plain file")
            data = file.read(MOST + 1)
    except FileNotFoundError:
        raise BadInput(f"there is no file {path.name!r} in {path.parent}: the {what} cannot be read") from None
    except OSError as error:
        raise BadInput(f"the {what} {path} cannot be read: {error.strerror}") from None
    except ValueError as error:  # a zero byte in its name
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"the {what} {str(path)!r} cannot be read: {error}") from None
    if len(data) > MOST:
        raise BadInput(f"the {what} {path} has more than {MOST >> 20} MB")
    return data
