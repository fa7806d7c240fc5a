"""What a search does at the limits of a container, a service or a job: it says so in one line, and is never killed."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from cases import some
from conftest import Run
from samples import KEY, edited

import parsolve
from parsolve.errors import OutOfMemory
from parsolve.levels.explore import explore
from parsolve.problem.registry import load_class
from parsolve.puzzles import Sliding
from parsolve.search.watch import Watch

pytestmark = pytest.mark.processes

MB = 1 << 20

LARGE = edited("size: int\n", "size: int\n    waste: np.ndarray\n").replace(
    "return Tables(self.size)", "return Tables(self.size, np.ones(self.size << 20, np.uint8))"
)
"""A walk with tables of `size` MB."""


GROUPS = Path("/sys/fs/cgroup")
"""Control groups of version 1: to make one takes root."""


@contextlib.contextmanager
def limited(controller: str, **limits: int) -> Iterator[list[str]]:
    """Make a group below this process' own one, and give the words that begin a command which is to run in it.

    Args:
        controller: `memory` or `pids`.
        limits: values by the names of the controller's files, without its own name: `limit_in_bytes=…`.
    """
    own = ""
    with contextlib.suppress(OSError):
        lines = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text().splitlines()]
        own = next((group for _, controllers, group in lines if controller in controllers.split(",")), "")
    folder = GROUPS / controller / own.lstrip("/") / f"parsolve-{os.getpid()}-{time.monotonic_ns()}"
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no control group (version 1) of {controller} can be made here: {error.strerror}")
    try:
        for name, value in limits.items():
            (folder / f"{controller}.{name}").write_text(str(value))
        yield ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(folder / "cgroup.procs")]
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    for _ in range(200):  # until all that ran there has ended
        try:
            folder.rmdir()
            return
        except OSError:
            time.sleep(0.05)


def run_in(group: list[str], *words: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a Python command in a control group: it may end in any way but by a signal or with a traceback."""
    done = subprocess.run(
        [*group, sys.executable, *words],
        cwd=folder,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode >= 0, done
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits addresses")
@pytest.mark.parametrize("kilobytes", [30_000, 100_000, 160_000])
def test_too_few_addresses_to_load_libraries(kilobytes: int, tmp_path: Path) -> None:
    """Libraries fail to load, or end the process: no puzzle's code has done that."""
    script = f"ulimit -v {kilobytes}; exec {sys.executable} -m parsolve count queens --n 6"
    done = run_in(["bash", "-c", script], folder=tmp_path)
    assert done.returncode == 3, done.stderr
    assert "memory" in done.stderr.splitlines()[-1]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits what is allocated")
def test_tables_count_as_memory_when_exploring(run_process: Run, puzzle_file: Callable[..., Path]) -> None:
    path = puzzle_file(LARGE + KEY)
    most = psutil.Process().memory_info().rss + 700 * MB
    with pytest.raises(OutOfMemory, match="'tables'"):
        explore(load_class(f"{path}:Walk")(size=3000), Watch(max_memory=most))
    done = run_process("explore", "my_puzzle.py:Walk", "--size", "3000", "--max-memory", "700M", code=3)
    assert "'tables'" in done.stderr


HARD = ("sliding", "--start", "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3", "--goal", "blank-first", "--bound", "manhattan")

EASY = "1 0 2 3 4 5 6 7 8 9 10 11 12 13 14 15"
"""A start of the same puzzle, one move from its goal."""


@pytest.mark.parametrize(
    ("words", "code", "says"),
    some(
        [
            (("count", "my_puzzle.py:Walk", "--size", "3000"), 3, "'tables' raises"),
            (("count", *HARD, "--engine", "breadth"), 3, "the next states"),
            (("count", *HARD, "--engine", "breadth", "--max-memory", "8G"), 3, "the next states"),
            (
                ("count", *HARD, "--transposition", "1G"),
                2,
                "is more than the memory limit of the container, service or job leaves",
            ),
            (("explore", *HARD), 3, "the next states"),
            (("count", "my_puzzle.py:Walk", "--size", "3000", "--engine", "breadth"), 3, "'tables' raises"),
            (("estimate", "my_puzzle.py:Walk", "--size", "3000"), 3, "'tables' raises"),
        ],
        3,
    ),
)
def test_a_memory_limit_of_a_group_is_kept(
    tmp_path: Path, puzzle_file: Callable[..., Path], words: tuple[str, ...], code: int, says: str
) -> None:
    puzzle_file(LARGE + KEY)
    # Its kernels are compiled outside the group: compiling takes a large part of what the group may.
    parsolve.solve(Sliding(start=EASY, goal="blank-first", bound="manhattan"), engine="breadth", workers=1)
    with limited("memory", limit_in_bytes=700 * MB) as group:
        done = run_in(group, "-m", "parsolve", *words, folder=tmp_path)
    assert done.returncode == code, done.stderr
    assert says in done.stderr.splitlines()[-1]


GROWING = """
import time
from parsolve.cli.process.signals import Stops
from parsolve.errors import OutOfMemory
from parsolve.search.request import Request
stops, held = Stops(), []
stops.guard(Request())
try:
    for _ in range(100):
        stops.check()
        held.append(b"x" * (5 << 20))
        time.sleep(0.025)
except OutOfMemory as error:
    print(len(held), error)
"""


def test_a_guard_stops_a_search_before_the_system_kills_it(tmp_path: Path) -> None:
    with limited("memory", limit_in_bytes=300 * MB) as group:
        done = run_in(group, "-c", GROWING, folder=tmp_path)
    number, _, text = done.stdout.partition(" ")
    assert 10 < int(number) < 60
    assert "memory limit of the container" in text


@pytest.mark.parametrize(
    ("most", "start_method"),
    some([(3, "forkserver"), (4, "spawn"), (6, "forkserver"), (8, "spawn"), (8, "forkserver")], 3),
)
def test_a_limit_of_processes_is_told(tmp_path: Path, most: int, start_method: str) -> None:
    """The search ends with that line where there is not one worker, else it goes on with fewer."""
    words = ("count", "queens", "--n", "18", "--method", "backtrack", "--workers", "4")
    lines: list[str] = []
    with (
        limited("pids", max=most) as group,
        subprocess.Popen(
            [*group, sys.executable, "-m", "parsolve", *words, "--timeout", "60s"],
            cwd=tmp_path,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "PARSOLVE_START_METHOD": start_method},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        assert process.stderr is not None
        for line in process.stderr:
            lines.append(line)
            if "refuses" in line:
                break
        if most == 8:
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
        lines += process.stderr
        assert process.wait(60) == (4 if most < 8 else 143), lines
    assert not any("Traceback" in line for line in lines)
    (line,) = [line for line in lines if "refuses to start another worker" in line]
    assert "--workers" in line
