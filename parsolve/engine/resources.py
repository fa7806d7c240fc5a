"""What this process may use: cores by affinity and control groups, memory by control groups and the machine."""

import contextlib
import math
import os
from collections.abc import Iterator
from pathlib import Path

import psutil

from parsolve.errors import BadInput
from parsolve.words import shown

CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUPS = Path("/proc/self/cgroup")

MOST_WORKERS = 4096
"""Processes that a user may ask for."""

MARGIN = 256 << 20
"""Bytes of a control group's limit that are left unused, at most: what may be allocated between two looks."""


def default_workers() -> int:
    """The cores that this process may use: affinity and cgroup quota, or $PARSOLVE_WORKERS over both.

    Raises:
        BadInput: $PARSOLVE_WORKERS is not a whole number of at least 1.
    """
    chosen = os.environ.get("PARSOLVE_WORKERS")
    if chosen:
        if not chosen.isdecimal() or not 1 <= float(chosen) <= MOST_WORKERS:
            raise BadInput(f"PARSOLVE_WORKERS must be a whole number from 1 to {MOST_WORKERS}, not {shown(chosen)}")
        return int(chosen)
    try:
        cores = len(psutil.Process().cpu_affinity() or [])
    except AttributeError:  # macOS has no affinity
        cores = 0
    cores = cores or psutil.cpu_count() or 1
    quota = cgroup_quota()
    return max(1, min(cores, math.ceil(quota))) if quota else cores


def cgroup_quota(root: Path = CGROUPS, own: Path = OWN_CGROUPS) -> float | None:
    """The smallest CPU quota of this process' control groups, in cores; None where there is none.

    Version 2 (`cpu.max`) and version 1 (`cpu.cfs_quota_us`), each in the group itself and all above it.
    """
    quotas = (_quota(folder) for folder in _groups("cpu", root, own))
    return min((quota for quota in quotas if quota), default=None)


def total_memory(root: Path = CGROUPS, own: Path = OWN_CGROUPS) -> int:
    """Return the bytes that this process may use at most: the machine's, or its control groups'."""
    limits = (limit - _margin(limit) for limit, _ in _memory(root, own))
    return min([psutil.virtual_memory().total, *limits])


def free_memory(root: Path = CGROUPS, own: Path = OWN_CGROUPS) -> int:
    """Return the bytes that this process may use beside what is in use: the machine's, or its control groups'."""
    room = cgroup_room(root, own)
    free = psutil.virtual_memory().available
    return free if room is None else max(0, min(free, room))


def cgroup_room(root: Path = CGROUPS, own: Path = OWN_CGROUPS) -> int | None:
    """Return the bytes that are left of the memory limits of this process' control groups, less a margin: negative
    shortly before the system kills a process of the group. None where no group has a limit.

    Version 2 (`memory.max`, `memory.high`) and version 1 (`memory.limit_in_bytes`), each in the group itself and all
    above it. File cache does not count as used: the system takes it back first.
    """
    rooms = (limit - _margin(limit) - used for limit, used in _memory(root, own))
    return min(rooms, default=None)


def _margin(limit: int) -> int:
    return min(MARGIN, limit // 10)


def _groups(controller: str, root: Path, own: Path) -> Iterator[Path]:
    """The folders of this process' control groups that may limit it: its own and all above, of both versions."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        base = root / controller if controllers else root
        for folder in (base / group.lstrip("/"), *(base / group.lstrip("/")).parents):
            if not folder.is_relative_to(base):
                break
            yield folder


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


def _memory(root: Path, own: Path) -> Iterator[tuple[int, int]]:
    """The limit of each limited group and the bytes in use there."""
    machine = psutil.virtual_memory().total
    for folder in _groups("memory", root, own):
        limit = min(_numbers(folder, "memory.max", "memory.high", "memory.limit_in_bytes"), default=machine)
        used = sum(_numbers(folder, "memory.current", "memory.usage_in_bytes"))  # one of them is there
        if limit < machine:
            yield limit, used - _file_cache(folder)


def _numbers(folder: Path, *names: str) -> Iterator[int]:
    for name in names:
        with contextlib.suppress(OSError, ValueError):  # no such file, or "max"
            yield int((folder / name).read_text())


def _file_cache(folder: Path) -> int:
    """Bytes of a group that are copies of files on disk. Version 1 counts those of the groups below as `total_…`."""
    try:
        rows = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return 0
    kinds = ("inactive_file", "active_file")
    return sum(int(rows.get(f"total_{kind}", rows.get(kind, 0))) for kind in kinds)
