"""Small parts by themselves: cores and memory, progress, words, specs."""

import resource
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from toys import Coins

import parsolve
from parsolve.deepening.pace import Pace
from parsolve.deepening.searcher import Searcher, Sought
from parsolve.deepening.slices import Assignment, Setup, run_slice
from parsolve.errors import BadInput, NotReproducible, OtherData, OutOfMemory
from parsolve.problem.problem import Problem
from parsolve.problem.registry import spec_of
from parsolve.puzzles import Sliding
from parsolve.search.branch import Branch
from parsolve.search.progress import Progress
from parsolve.search.result import Iteration
from parsolve.system.resources import (
    cgroup_quota,
    cgroup_room,
    default_workers,
    free_memory,
    memory_in_use,
    memory_left,
    total_memory,
    within_memory,
)
from parsolve.text import clock, nearest, short, time_left, whole

pytestmark = pytest.mark.plain


def test_default_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A task of slurm's has its own cores."""
    monkeypatch.delenv("PARSOLVE_WORKERS", raising=False)
    monkeypatch.delenv("SLURM_CPUS_PER_TASK", raising=False)
    cores = default_workers()
    assert 1 <= cores <= (psutil.cpu_count() or 1)
    for of_task, workers in {"4096": cores, "": cores, "all": cores, "0": 1, "1": 1}.items():
        monkeypatch.setenv("SLURM_CPUS_PER_TASK", of_task)
        assert default_workers() == workers
    monkeypatch.setenv("PARSOLVE_WORKERS", "7")
    assert default_workers() == 7
    assert parsolve.solve(Coins()).workers == 7
    for bad in ("0", "-1", "two", "1.5"):
        monkeypatch.setenv("PARSOLVE_WORKERS", bad)
        with pytest.raises(BadInput):
            default_workers()


def written(folder: Path, files: Mapping[str, int | str], group: str) -> tuple[Path, Path]:
    """Write the files of control groups, and that with a process' own group; where they are."""
    for name, text in files.items():
        (folder / "fs" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "fs" / name).write_text(f"{text}\n")
    (folder / "mine").write_text(f"{group}\n")
    return folder / "fs", folder / "mine"


@pytest.mark.parametrize(
    ("files", "group", "cores"),
    [
        ({"a/b/cpu.max": "150000 100000"}, "0::/a/b", 1.5),
        ({"a/cpu.max": "200000 100000", "a/b/cpu.max": "max 100000"}, "0::/a/b", 2.0),
        ({"a/cpu.max": "100000 100000", "a/b/cpu.max": "300000 100000"}, "0::/a/b", 1.0),
        ({"a/b/cpu.max": "max 100000"}, "0::/a/b", None),
        ({"cpu/a/cpu.cfs_quota_us": "50000", "cpu/a/cpu.cfs_period_us": "100000"}, "4:cpu,cpuacct:/a", 0.5),
        ({"cpu/a/cpu.cfs_quota_us": "-1", "cpu/a/cpu.cfs_period_us": "100000"}, "4:cpu,cpuacct:/a", None),
        ({}, "0::/", None),
    ],
)
def test_cgroup_quota(tmp_path: Path, files: dict[str, str], group: str, cores: float | None) -> None:
    assert cgroup_quota(*written(tmp_path, files, group)) == cores


MB = 1 << 20


@pytest.mark.parametrize(
    ("files", "group", "room"),
    [
        ({"a/b/memory.max": 100 * MB, "a/b/memory.current": 30 * MB}, "0::/a/b", 60),
        ({"a/b/memory.max": 100 * MB, "a/b/memory.high": 50 * MB, "a/b/memory.current": 30 * MB}, "0::/a/b", 15),
        ({"a/b/memory.max": "max", "a/b/memory.high": "max", "a/b/memory.current": 30 * MB}, "0::/a/b", None),
        ({"a/memory.max": 100 * MB, "a/memory.current": 95 * MB, "a/b/memory.max": "max"}, "0::/a/b", -5),
        (
            {
                "memory/a/memory.limit_in_bytes": 100 * MB,
                "memory/a/memory.usage_in_bytes": 80 * MB,
                "memory/a/memory.stat": f"inactive_file 1\ntotal_inactive_file {20 * MB}\ntotal_active_file {MB}",
            },
            "4:memory:/a",
            31,
        ),
        (
            {
                "a/memory.max": 100 * MB,
                "a/memory.current": 80 * MB,
                "a/memory.stat": f"shmem {50 * MB}\ninactive_file {20 * MB}\nactive_file {MB}",
            },
            "0::/a",
            31,
        ),
        # A container sees its own group as the root of version 1, under a name that it cannot see.
        ({"memory/memory.limit_in_bytes": 100 * MB, "memory/memory.usage_in_bytes": 0}, "4:memory:/docker/x", 90),
        (
            {"memory/a/memory.limit_in_bytes": 9223372036854771712, "memory/a/memory.usage_in_bytes": 80 * MB},
            "4:memory:/a",
            None,
        ),
        ({}, "0::/", None),
    ],
)
def test_cgroup_memory(tmp_path: Path, files: dict[str, int | str], group: str, room: int | None) -> None:
    places = written(tmp_path, files, group)
    machine = psutil.virtual_memory()
    found = cgroup_room(*places)
    if room is None:
        assert found is None
        assert total_memory(*places) == machine.total
        assert free_memory(*places) > 100 * MB
        return
    assert found is not None
    assert round(found / MB) == room
    assert free_memory(*places) == max(0, found)
    assert total_memory(*places) in (90 * MB, 45 * MB)


def test_a_great_memory_limit_keeps_a_small_margin(tmp_path: Path) -> None:
    places = written(tmp_path, {"memory.max": 8 << 30, "memory.current": 0}, "0::/")
    assert cgroup_room(*places) == (8 << 30) - (256 << 20)


def test_time_left_goes_by_growth_first_and_by_the_share_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parsolve.search.progress.time", SimpleNamespace(monotonic=lambda: 110.0))
    before = (Iteration(9, 100, 0, 0.1), Iteration(11, 500, 0, 0.5))

    def after(nodes: int, share: float, found: int = 0, before: Sequence[Iteration] = before) -> Progress:
        return Progress(13, share, nodes, found, before, since=100.0)

    begun, half, done = after(25, 0.3), after(1250, 0.25), after(3000, 1.0)
    assert begun.growth == 5
    assert begun.whole is not None
    assert 500 < begun.whole < 2500  # between 25 / 0.3 and 5 * 500
    assert half.whole == pytest.approx((2500 * 5000) ** 0.5)
    assert half.left == pytest.approx(10 * (half.whole / 1250 - 1))
    assert half.left_at_most == pytest.approx(10 * (6 * half.whole / 1250 - 1))
    assert done.whole == pytest.approx(3000)
    assert done.left == pytest.approx(0, abs=1e-6)
    assert after(1250, 0.25, found=1).left_at_most is None
    alone = after(100, 0.5, before=before[:1])
    assert (alone.whole, alone.left_at_most) == (200, None)
    assert after(0, 0.0).left is None
    assert after(3, 0.0, before=()).left is None
    assert time_left(None, None) == ""
    assert time_left(185.0, None) == "3:05"
    assert time_left(185.0, 1260.0) == "3:05 – 21:00"


def test_a_hiccup_does_not_slow_the_pace_for_good() -> None:
    pace = Pace()
    pace.learn(10, 0.005)
    for _ in range(30):
        nodes = pace.budget(0.1)
        pace.learn(nodes, nodes / 10e6)
    assert 0.9e6 < pace.budget(0.1) <= 1e6


def test_a_branch_of_another_puzzle_is_refused() -> None:
    spec = spec_of(Sliding())
    assert spec is not None
    identity = Problem(Sliding()).identity
    job = Assignment(Setup(spec, identity), Sought(31))
    with pytest.raises(NotReproducible, match="not there"):
        run_slice(job, [Branch((0, 999), ((), (), (1,)), (1, 2, 2))], 100)
    with pytest.raises(NotReproducible, match="not the same here"):
        run_slice(Assignment(Setup(spec, identity._replace(rules="another")), Sought(31)), [Branch.whole(0)], 100)
    with pytest.raises(OtherData, match="returns something else in a worker"):
        run_slice(Assignment(Setup(spec, identity._replace(data="another")), Sought(31)), [Branch.whole(0)], 100)


def test_no_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise MemoryError("Unable to allocate 134. GiB")

    monkeypatch.setattr(Searcher, "_make_room", full)
    with pytest.raises(OutOfMemory, match=r"there is not enough memory: Unable to allocate 134\. GiB"):
        parsolve.solve(Sliding(), workers=1)


def test_progress_is_honest_about_iterative_deepening(compiled: None) -> None:
    """It rises to the whole, and, weighted by the iteration before, is near the part of the nodes that was searched."""
    steps: list[tuple[float, int]] = []

    class Shares(parsolve.Listener):
        def progress_made(self, progress: Progress) -> None:
            assert progress.left is None or progress.left >= 0
            if progress.limit == 55:
                steps.append((progress.share, progress.nodes))

    puzzle = Sliding(start="13 5 4 10 9 12 8 14 2 3 7 1 0 15 11 6", goal="blank-first", bound="manhattan")
    parsolve.solve(puzzle, workers=1, budget=50_000, listener=Shares(), want="count")
    last, total = steps[-1]
    assert (last, len(steps) > 20, steps == sorted(steps)) == (1, True, True)
    assert max(abs(share - nodes / total) for share, nodes in steps) < 0.1


# The limit of memory within which a puzzle's tables are computed.


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's data")
def test_two_threads_restore_the_limit_of_the_process() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    first_is_inside, second_waits = threading.Event(), threading.Event()

    def second() -> None:
        first_is_inside.wait()
        second_waits.set()
        with within_memory(2**30):
            pass

    other = threading.Thread(target=second)
    other.start()
    with within_memory(2**30):
        assert resource.getrlimit(resource.RLIMIT_DATA) != before
        first_is_inside.set()
        second_waits.wait()
        other.join(timeout=0.2)  # without a lock it enters now, and leaves after this thread has
    other.join()
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's addresses")
def test_a_limit_of_addresses_is_one_of_memory() -> None:
    """A search reserves addresses for all that it may store: `ulimit -v` must not make that fail."""
    before, room = resource.getrlimit(resource.RLIMIT_AS), 2**30
    resource.setrlimit(resource.RLIMIT_AS, (memory_in_use().vms + room, before[1]))
    try:
        assert free_memory() <= room // 2
        assert (memory_left(2**60) or 0) <= room // 2
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


# What messages suggest.


JOBS = [f"b{number:03}" for number in range(900)]


@pytest.mark.parametrize(
    ("word", "known", "says"),
    [
        ("b00", JOBS, "; did you mean b000 or b001 or b002?"),
        ("q-7", ["q-4", "q-6"], "; did you mean q-4 or q-6?"),
        ("eigth", ["five", "eight"], "; did you mean eight?"),
        ("peg2", ["peg", "peg21"], "; did you mean peg21 or peg?"),
        ("tri", ["triangle10", "star"], "; did you mean triangle10?"),
        ("--goal", ["--transposition", "--boards"], "; there are --transposition, --boards"),
        ("EIGHT", ["five", "eight"], "; did you mean eight?"),
        ("x", [], ""),
        ("x", ["five", "eight"], "; there are five, eight"),
    ],
)
def test_nearest_names(word: str, known: list[str], says: str) -> None:
    assert nearest(word, known) == says


def test_what_rounding_reaches() -> None:
    assert [*map(short, (999, 999.7, 999_999, 2.5e13))] == ["999", "1 k", "1 M", "25 T"]
    assert [clock(59.94), clock(59.97)] == ["59.9 s", "1:00"]
    with pytest.raises(ValueError, match="no digits of 0 to 9"):
        whole("1_000")
