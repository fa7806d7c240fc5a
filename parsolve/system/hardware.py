"""The machine on which a figure was measured, and its conditions. No host names, no paths."""

import contextlib
import os
import platform
import time
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


def conditions() -> dict[str, Any]:
    """Return the present conditions of a measurement: date, load, and where they are known the clock and its governor.

    The load is the number of processes that ran or waited to run, on average over the last minute.
    """
    found: dict[str, Any] = {"date": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())}
    with contextlib.suppress(OSError, AttributeError):  # not on every system
        found["load"] = round(os.getloadavg()[0], 2)
    governor = Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    with contextlib.suppress(OSError):
        found["governor"] = governor.read_text().strip()
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    clocks = [float(line.partition(":")[2]) for line in lines if line.startswith("cpu MHz")]
    if clocks:
        found["clock_mhz"] = round(max(clocks))
    return found


def processor() -> str:
    """Return the processor's name."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
