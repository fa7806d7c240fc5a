"""What a figure depends on besides the code: processor and versions. No names of hosts, no paths."""

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any


def machine() -> dict[str, Any]:
    """The processor, its cores and the versions of what runs on it."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: version(package) for package in ("numpy", "numba", "parsolve")},
    }


def processor() -> str:
    """The processor's name."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def slug(name: str, cores: int) -> str:
    """The folder of a machine's results, such as `amd-epyc-2-cores`."""
    return "-".join([*re.findall("[a-z0-9]+", re.sub(r"\((r|tm)\)", "", name.lower())), str(cores), "cores"])
