"""`--log FILE`: events and warnings through `logging`, one JSON object a line."""

import contextlib
import json
import logging
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from parsolve import __version__
from parsolve.errors import BadInput
from parsolve.system.userfiles import require_own

events = logging.getLogger("parsolve.events")
"""What happens to searches: `log_event` writes it."""


def log_event(event: str, **about: Any) -> None:
    """Log that something has happened: what, in one word, and values that JSON knows."""
    events.info(event, extra={"about": about})


class _JsonLines(logging.StreamHandler[Any]):
    """Writes a record as a JSON object on a line; one that `log_event` has not made is named after its level."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        event, about = record.getMessage(), getattr(record, "about", None)
        if about is None:
            event, about = record.levelname.lower(), {"logger": record.name, "text": event}
        return json.dumps({"event": event, "time": time, **about})

    def handleError(self, record: logging.LogRecord) -> None:
        """Ignore what cannot be written: no search is lost for its log."""


@contextlib.contextmanager
def logging_to(path: Path | None) -> Iterator[None]:
    """Append what the body logs to a file; without a path, do nothing.

    Warnings are still printed on stderr.

    Raises:
        BadInput: the file cannot be written, or is something else.
    """
    if path is None:
        yield
        return
    require_own(path, b'{"event": "log", ')
    try:
        # A pipe that nobody reads is refused at once, and one whose reader is slow misses lines.
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK, 0o666)
    except OSError as error:
        raise BadInput(f"the log {path} cannot be written: {error.strerror}") from None
    file = open(handle, "a", buffering=1, encoding="utf-8")  # noqa: SIM115
    logger = logging.getLogger("parsolve")
    level, handlers = logger.level, [_JsonLines(file), *filter(None, [logging.lastResort])]
    logger.setLevel(logging.INFO)
    for each in handlers:
        logger.addHandler(each)
    if not os.fstat(handle).st_size:
        log_event("log", version=__version__)
    try:
        yield
    finally:
        for each in handlers:
            logger.removeHandler(each)
        logger.setLevel(level)
        with contextlib.suppress(OSError):
            file.close()
