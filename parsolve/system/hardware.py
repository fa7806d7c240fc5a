"""The machine on which a figure was measured. No host names, no paths."""

import os
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any


@cache
def machine() -> dict[str, Any]:
    """Return the processor, its cores and the versions of Python and packages."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: version(package) for package in ("numpy", "numba", "parsolve")},
    }


def processor() -> str:
    """Return the processor's name."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
