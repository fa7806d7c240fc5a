"""Control groups of version 1, for tests of what a container's limits do: they take root."""

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path("/sys/fs/cgroup")


@contextlib.contextmanager
def limited(controller: str, **limits: int) -> Iterator[list[str]]:
    """Make a group below this process' own one, and give the words that begin a command which is to run in it.

    Args:
        controller: `memory` or `pids`.
        limits: values by the names of the controller's files, without its own name: `limit_in_bytes=…`.
    """
    own = ""
    with contextlib.suppress(OSError):
        lines = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
        own = next((group for _, controllers, group in lines if controller in controllers.split(",")), "")
    folder = ROOT / controller / own.lstrip("/") / f"parsolve-{os.getpid()}-{time.monotonic_ns()}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control group (version 1) of {controller} can be made here: {error.strerror}")
    try:
        for name, value in limits.items():
            (folder / f"{controller}.{name}").write_text(str(value))
        yield ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(folder / "cgroup.procs")]
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    for _ in range(200):  # until all that ran there has ended
        try:
            folder.rmdir()
            return
        except OSError:
            time.sleep(0.05)
