"""What this process may use: cores by affinity and control groups, memory by control groups and the machine."""

import contextlib
import math
import os
import resource
import sys
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from parsolve.errors import BadInput, BadPuzzle, OutOfMemory
from parsolve.text import shown

CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUPS = Path("/proc/self/cgroup")

MOST_WORKERS = 4096
"""Maximum number of processes that a user may request."""

MARGIN = 256 << 20
"""Maximum bytes of a control group's limit that are left unused: what may be allocated between two checks."""

HEADROOM = 256 << 20
"""Bytes that may always be allocated: LLVM ends the process if it has too little memory to compile a kernel."""


def default_workers() -> int:
    """The cores that this process may use: by affinity, cgroup quota and $SLURM_CPUS_PER_TASK, unless $PARSOLVE_WORKERS
    is set.

    Raises:
        BadInput: $PARSOLVE_WORKERS is not a whole number of at least 1.
    """
    chosen = os.environ.get("PARSOLVE_WORKERS")
    if chosen:
        if not (chosen.isascii() and chosen.isdecimal()) or not 1 <= float(chosen) <= MOST_WORKERS:
            raise BadInput(f"PARSOLVE_WORKERS must be a whole number from 1 to {MOST_WORKERS}, not {shown(chosen)}")
        return int(chosen)
    # macOS has no affinity.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota, of_task = cgroup_quota(), os.environ.get("SLURM_CPUS_PER_TASK", "")
    limits = [math.ceil(quota)] if quota else []
    limits += [int(of_task)] if of_task.isascii() and of_task.isdecimal() else []
    return max(1, min([cores, *limits]))


def cgroup_quota(root: Path = CGROUPS, own: Path = OWN_CGROUPS) -> float | None:
    """The smallest CPU quota of this process' control groups, in cores; None without a quota.

    Version 2 (`cpu.max`) and version 1 (`cpu.cfs_quota_us`), each in the group itself and all above it.
    """
    quotas = map(_quota, _quota_files(root, own))
    return min((quota for quota in quotas if quota), default=None)


def total_memory(root: Path = CGROUPS, own: Path = OWN_CGROUPS) -> int:
    """Return the maximum number of bytes that this process may use: the machine's, or its control groups'."""
    limits = (limit - _margin(limit) for limit, _ in _memory(root, own))
    return min([_machine(), *limits])


def free_memory(root: Path = CGROUPS, own: Path = OWN_CGROUPS) -> int:
    """Return the bytes that this process may use in addition: the machine's, its control groups', or what `ulimit -v`
    leaves."""
    import psutil  # 15 ms

    rooms = (psutil.virtual_memory().available, cgroup_room(root, own), _address_room())
    return max(0, min(room for room in rooms if room is not None))


def cgroup_room(root: Path = CGROUPS, own: Path = OWN_CGROUPS) -> int | None:
    """Return the bytes left of the memory limits of this process' control groups, less a margin: negative shortly
    before the system kills a process of the group. None if no group has a limit.

    Version 2 (`memory.max`, `memory.high`) and version 1 (`memory.limit_in_bytes`), each in the group itself and all
    above it. File cache does not count as used: the system reclaims it first.
    """
    rooms = (limit - _margin(limit) - used for limit, used in _memory(root, own))
    return min(rooms, default=None)


def memory_in_use() -> Any:
    """Return the memory of this process: `rss` and, on Linux, `data`, in bytes."""
    import psutil  # 15 ms

    return psutil.Process().memory_info()


def memory_of(pid: int) -> int:
    """Return the bytes of a process and all its descendants; shared memory counts once, if the system reports it."""
    import psutil  # 15 ms

    total = 0
    me = psutil.Process(pid)
    for process in (me, *me.children(recursive=True)):
        try:
            info = process.memory_full_info()
            total += getattr(info, "pss", info.rss)
        except psutil.Error:
            continue  # it has just ended
    return total


def memory_left(most: int | None) -> int | None:
    """Return the bytes that this process may still allocate: out of `most`, and within its control groups' limits. None
    without either, negative if a limit is exceeded. `ulimit -v` alone is no such limit: it may exceed the free memory.
    """
    rooms = [cgroup_room(), None if most is None else most - memory_in_use().rss]
    if rooms == [None, None]:
        return None
    return min(room for room in [*rooms, _address_room()] if room is not None)


def _address_room() -> int | None:
    """Return half of the bytes that `ulimit -v` leaves, as threads reserve more than they use; None without it."""
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if most == resource.RLIM_INFINITY else (most - int(memory_in_use().vms)) // 2


_limiting = threading.RLock()  # the limit is the process's: two threads would restore each other's


@contextlib.contextmanager
def within_memory(most: int | None) -> Iterator[None]:
    """Run the body, such as a puzzle's `tables`; it fails if it needs more than `memory_left(most)` (Linux).

    Raises:
        OutOfMemory: it needs more.
    """
    left = memory_left(most)
    if left is None or sys.platform != "linux":
        yield
        return
    with _limiting:
        before = resource.getrlimit(resource.RLIMIT_DATA)
        limit = memory_in_use().data + max(left, HEADROOM)
        known = [each for each in before if each != resource.RLIM_INFINITY]
        resource.setrlimit(resource.RLIMIT_DATA, (min([limit, *known]), before[1]))
        try:
            yield
        except (MemoryError, BadPuzzle) as error:
            if not isinstance(error, MemoryError) and not isinstance(error.__cause__, MemoryError):
                raise
            raise OutOfMemory(
                f"{str(error) or 'not enough memory'}: there are {max(0, left) / 2**20:,.0f} MB left for it"
                " (--max-memory, or the memory limit of the container, service or job)"
            ) from error
        finally:
            resource.setrlimit(resource.RLIMIT_DATA, before)


def _margin(limit: int) -> int:
    return min(MARGIN, limit // 10)


@cache
def _groups(controller: str, root: Path, own: Path) -> list[Path]:
    """The folders of this process' control groups that may limit it: its own and all above, of both versions."""
    try:
        lines = own.read_text().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        base = root / controller if controllers else root
        for folder in (base / group.lstrip("/"), *(base / group.lstrip("/")).parents):
            if not folder.is_relative_to(base):
                break
            found.append(folder)
    return found


@cache
def _quota_files(root: Path, own: Path) -> list[list[str]]:
    """The files of each group that may have a quota: one in version 2, two in version 1."""
    kinds = (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
    files = [[folder / name for name in names] for folder in _groups("cpu", root, own) for names in kinds]
    return [[str(file) for file in each] for each in files if all(file.exists() for file in each)]


def _quota(files: list[str]) -> float | None:
    try:
        quota, period = " ".join(map(_read, files)).split()
        return int(quota) / int(period) if int(quota) > 0 else None
    except (OSError, ValueError):  # no such file, or "max"
        return None


def _memory(root: Path, own: Path) -> Iterator[tuple[int, int]]:
    """The limit of each limited group and the bytes in use there."""
    for limits, usages, rows in _memory_files(root, own):
        limit = min(_numbers(limits), default=_machine())
        if limit < _machine():
            yield limit, sum(_numbers(usages)) - _file_cache(rows)


@cache
def _memory_files(root: Path, own: Path) -> list[tuple[list[str], list[str], str]]:
    """The files of each group: with its limits, with its usage (one of two), and with the details of the usage."""
    found = []
    for folder in _groups("memory", root, own):
        kinds = (("memory.max", "memory.high", "memory.limit_in_bytes"), ("memory.current", "memory.usage_in_bytes"))
        limits, usages = ([str(folder / name) for name in names if (folder / name).exists()] for names in kinds)
        if limits and usages:
            found.append((limits, usages, str(folder / "memory.stat")))
    return found


@cache
def _machine() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _numbers(files: list[str]) -> Iterator[int]:
    for name in files:
        with contextlib.suppress(OSError, ValueError):  # it may be gone, or contain "max"
            yield int(_read(name))


def _file_cache(rows_file: str) -> int:
    """Bytes of a group that are copies of files on disk. In version 1, those of subgroups count as `total_…`."""
    try:
        rows = dict(line.split() for line in _read(rows_file).splitlines())
    except (OSError, ValueError):
        return 0
    kinds = ("inactive_file", "active_file")
    return sum(int(rows.get(f"total_{kind}", rows.get(kind, 0))) for kind in kinds)


def _read(name: str) -> str:
    """Return the content of a small file; this takes a third of the time of `open`."""
    handle = os.open(name, os.O_RDONLY)
    try:
        return os.read(handle, 1 << 16).decode()
    finally:
        os.close(handle)
