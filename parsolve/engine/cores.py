"""How many cores this process may use."""

import math
import os
from pathlib import Path

import psutil

from parsolve.errors import BadInput


def default_workers() -> int:
    """The cores that this process may use: affinity and cgroup quota, or $PARSOLVE_WORKERS over both.

    Raises:
        BadInput: $PARSOLVE_WORKERS is not a whole number of at least 1.
    """
    chosen = os.environ.get("PARSOLVE_WORKERS")
    if chosen:
        if not chosen.isdecimal() or int(chosen) < 1:
            raise BadInput(f"PARSOLVE_WORKERS must be a whole number of at least 1, not {chosen!r}")
        return int(chosen)
    try:
        cores = len(psutil.Process().cpu_affinity() or [])
    except AttributeError:  # macOS has no affinity
        cores = 0
    cores = cores or psutil.cpu_count() or 1
    quota = cgroup_quota()
    return max(1, min(cores, math.ceil(quota))) if quota else cores


def cgroup_quota(root: Path = Path("/sys/fs/cgroup"), mine: Path = Path("/proc/self/cgroup")) -> float | None:
    """The smallest CPU quota of this process' control groups, in cores; None where there is none.

    Version 2 (`cpu.max`) and version 1 (`cpu.cfs_quota_us`), each in the group itself and all above it.
    """
    try:
        lines = mine.read_text().splitlines()
    except OSError:
        return None
    quotas = []
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        base = root / "cpu" if controllers else root
        for folder in (base / group.lstrip("/"), *(base / group.lstrip("/")).parents):
            if not folder.is_relative_to(base):
                break
            quota = _quota(folder)
            if quota:
                quotas.append(quota)
    return min(quotas, default=None)


def _quota(folder: Path) -> float | None:
    try:
        if (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text().split()
        else:
            quota = (folder / "cpu.cfs_quota_us").read_text()
            period = (folder / "cpu.cfs_period_us").read_text()
        return int(quota) / int(period) if int(quota) > 0 else None
    except (OSError, ValueError):  # no such file, or "max"
        return None
