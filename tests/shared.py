"""Paths and types that all tests share, whatever their folder: each folder's own `conftest` hides the one above."""

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
