"""What happened and when, one JSON object a line."""

import contextlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from parsolve.errors import BadInput


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK, 0o666)


class Log:
    """A log file, appended to; without a path nothing is written.

    Raises:
        BadInput: it cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        try:
            # A pipe that nobody reads is refused at once, and one whose reader is slow misses lines.
            self._file = open(path, "a", buffering=1, opener=_without_waiting) if path else None  # noqa: SIM115
        except OSError as error:
            raise BadInput(f"the log {path} cannot be written: {error.strerror}") from None

    def write(self, event: str, **about: Any) -> None:
        """Write a line."""
        if self._file is not None:
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            with contextlib.suppress(OSError):  # a full disk: no search is lost for its log
                self._file.write(json.dumps({"time": now, "event": event, **about}) + "\n")
