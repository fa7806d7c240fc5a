"""The code of a worker process."""

import contextlib
import pickle
import traceback
from multiprocessing.connection import Connection

from .messages import Heart, call, inbox
from .process import set_process_name


def run_worker(connection: Connection, name: str, pulse: float, prepared: bool) -> None:
    """Run tasks as they come, `(function, arguments)`, and answer each with `(True, result)` or `(False, error)`.

    Args:
        connection: connection to the pool.
        name: how the system's tools show this process.
        pulse: see `Settings`.
        prepared: whether the first message is already a task, instead of the call that prepares this worker.
    """
    set_process_name(name)
    try:
        messages = inbox(connection)
        heart = Heart(connection, pulse, busy=not prepared)
    except RuntimeError as error:
        connection.send(("refused", str(error)))
        return
    if not prepared and not prepare(heart, messages.get()):
        return
    heart.send("ready")
    while True:
        heart.busy = False
        message = messages.get()
        heart.busy = True
        try:
            answer = (True, call(message))
        except BaseException as error:  # SystemExit too: only its pool ends a worker
            answer = (False, portable(error))
        heart.send(*answer)


def prepare(heart: Heart, message: bytes) -> bool:
    """Make the call that prepares this process, and return whether it succeeded; if not, tell the pool."""
    try:
        call(message)
    except BaseException as error:
        heart.send("failed", portable(error))
        return False
    return True


def portable(error: BaseException) -> Exception:
    """Return an error, or a similar one if it cannot be pickled or would end more than a task."""
    with contextlib.suppress(Exception):
        pickle.loads(pickle.dumps(error))
        if isinstance(error, Exception):
            return error
    return RuntimeError("".join(traceback.format_exception(error)))
