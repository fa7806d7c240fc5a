"""Paths and types that all tests share."""

import csv
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""A folder whose files are on disk at once, for what writes thousands of times; None for the usual one."""

ROOT = Path(__file__).parents[1]

ORACLE = ROOT / "tests" / "oracle"

CACHE = Path(tempfile.gettempdir()) / f"parsolve-tests-{os.getuid()}"
"""The kernel cache of the tests. It is kept from run to run, because its names tell what is still true."""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def oracle(name: str) -> list[dict[str, str]]:
    """Return the rows of a table of known answers."""
    with (ORACLE / name).open() as file:
        return [*csv.DictReader(file)]


def write_puzzle(path: Path, text: str) -> Path:
    """Write a puzzle's file as a link to one file for all who write the same text, so that its kernels are compiled
    once, and return its path."""
    shared = CACHE / "puzzles" / hashlib.sha256(text.encode()).hexdigest()[:16] / path.name
    shared.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not shared.exists():  # as a whole, because others read it
        draft = shared.with_suffix(f".{os.getpid()}")
        draft.write_text(text)
        draft.replace(shared)
    path.unlink(missing_ok=True)
    path.symlink_to(shared)
    return path
