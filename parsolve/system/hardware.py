"""The machine on which a figure was measured, and its conditions. No host names, no paths."""

import contextlib
import os
import platform
import time
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

BUSY = 0.3
"""Other processes for each core from which on times tell little."""


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


def busy(conditions: Sequence[Mapping[str, Any]], cores: int | None, own: int) -> str:
    """Return the load if other programs ran; otherwise an empty text.

    Args:
        conditions: those at the start of a measurement, and at its end if it has ended; see `conditions`.
        cores: those of the machine.
        own: how many processes the measurement itself ran at most.
    """
    for each, its in zip(conditions, (0, own), strict=False):
        if (load := float(each.get("load", 0))) > its + BUSY * (cores or 1):
            return f"load {load:g}"
    return ""


def processor() -> str:
    """Return the processor's name."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
