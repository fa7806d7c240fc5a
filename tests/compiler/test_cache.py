"""The kernel cache: hits, never stale, and heals."""

import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import nightly
from shared import Run
from small_kernel import plus_one

import parsolve
from parsolve.compiler.waiting import kernel_time
from parsolve.puzzle.core import EngineName
from parsolve.puzzles import Sliding
from parsolve.search.engine import Stopwatch

pytestmark = pytest.mark.processes


def test_loading_and_compiling_have_a_time_of_their_own(kernel_folder: Path) -> None:
    first, second = (Stopwatch(lambda seconds: None) for _ in range(2))
    for is_compiled in (True, False):
        assert plus_one() is is_compiled
        assert first.leave_out_compiling() > 0
    assert first.leave_out_compiling() == 0
    with contextlib.suppress(ValueError), kernel_time.counted():  # a kernel that does not compile
        assert first.seconds == first.seconds  # it stands still
        raise ValueError
    assert second.leave_out_compiling() > first.leave_out_compiling() > 0  # of a search within another one
    before = first.seconds
    with contextlib.suppress(ValueError), first.paused():
        time.sleep(0.2)
        raise ValueError
    assert first.seconds < before + 0.2


@pytest.mark.parametrize("engine", ["deepening", "breadth"])
def test_what_is_compiled_to_draw_a_solution_is_no_time_of_the_search(engine: EngineName) -> None:
    slept = 0.3

    def draw(_: object) -> None:
        """As where a kernel that no search needs is called first."""
        with kernel_time.counted():
            time.sleep(slept)

    begin = time.perf_counter()
    result = parsolve.solve(Sliding(start="1 2 3 4 0 5 7 8 6"), engine=engine, workers=1, on_solution=draw)
    passed = time.perf_counter() - begin
    assert result.setup_seconds >= slept
    assert sum(each.seconds for each in result.iterations) <= result.seconds <= passed - result.setup_seconds


def hostile(make: Callable[[Path, Path], None]) -> Callable[[Path, Path], None]:
    """Put something else in a kernel's place; the kernel itself is moved aside."""

    def change(kernel: Path, aside: Path) -> None:
        os.replace(kernel, aside)
        make(kernel, aside)

    return change


def foreign(kernel: Path, _: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root gives a file away")
    os.chown(kernel, 65534, 65534)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (hostile(lambda kernel, aside: kernel.symlink_to(aside)), "a symbolic link"),
        (hostile(lambda kernel, _: os.mkfifo(kernel)), "not a plain file"),
        (hostile(lambda kernel, _: kernel.mkdir()), "not a plain file"),
        (foreign, "others can write it"),
        (lambda kernel, _: kernel.chmod(0o620), "others can write it"),
        (lambda kernel, _: kernel.write_bytes(kernel.read_bytes()[: kernel.stat().st_size // 2]), "checksum"),
    ],
    ids=["link", "fifo", "folder", "foreign", "group", "half"],
)
def test_a_kernel_that_is_not_as_it_was_written_is_never_used(
    kernel_folder: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    change: Callable[[Path, Path], None],
    says: str,
) -> None:
    assert [plus_one(), plus_one()] == [True, False]
    (kernel,) = kernel_folder.glob("*.kernel")
    change(kernel, tmp_path / "aside")
    assert plus_one()
    assert "cannot be used and is compiled again: " in caplog.text
    assert says in caplog.text
    if not kernel.is_dir():
        assert kernel.is_file()
        assert not kernel.is_symlink()
        assert not plus_one()


# A command whose kernels are kept imports no numba, nor do its workers.


SPAWNED = """
import parsolve
from parsolve.puzzles import Sliding
if __name__ == "__main__":
    at_once = parsolve.Tuning(head_start=0, head_start_beside_workers=0, worthwhile=0, worthwhile_forked=0)
    puzzle = Sliding(start="8 6 7 2 5 4 3 0 1", bound="none")
    print(parsolve.solve(puzzle, want="count", workers=2, tuning=at_once).count)
"""

JOBS = """
[[job]]
name = "queens"
puzzle = "queens"
n = [6, 8]
want = "count"
"""

EVERY_IMPORT = {"PYTHONPROFILEIMPORTTIME": "1"}
"""Python then names each module that it imports on standard error, in all processes that are started."""


def imported(stderr: str) -> set[str]:
    return set(re.findall(r"^import time:.*\| +(\S+)$", stderr, re.M))


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "eight", "--workers", "2"),
        ("count", "queens", "--n", "8"),
        ("explore", "five"),
        nightly((("estimate", "five"),)),
        nightly((("bench", "queens", "--n", "6", "--methods", "bits", "--workers", "1", "--rounds", "1"),)),
        ("run", "jobs.toml", "--journal", "it.sqlite"),
        ("solve", "eight", "--engine", "breadth"),
    ],
    ids=" ".join,
)
def test_no_command(words: tuple[str, ...], run_process: Run, tmp_path: Path) -> None:
    (tmp_path / "jobs.toml").write_text(JOBS)
    modules = imported(run_process(*words, env=EVERY_IMPORT).stderr)
    if "numba" in modules:  # it has compiled what it needs
        (tmp_path / "it.sqlite").unlink(missing_ok=True)
        modules = imported(run_process(*words, env=EVERY_IMPORT).stderr)
    assert "parsolve.compiler.objects" in modules
    assert "numba" not in modules


@pytest.mark.nightly
def test_no_spawned_worker(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text(SPAWNED)
    command, env = [sys.executable, "main.py"], os.environ | EVERY_IMPORT | {"PARSOLVE_START_METHOD": "spawn"}
    for _ in range(2):
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
        assert done.stdout == "40\n"
        if "numba" not in imported(done.stderr):
            break  # else it has compiled what it needs
    assert len(re.findall(r"\| +parsolve.compiler.objects$", done.stderr, re.M)) >= 2
    assert "numba" not in imported(done.stderr)


@pytest.mark.nightly
def test_short_searches_on_two_workers_compile_each_kernel_once(run_process: Run, tmp_path: Path) -> None:
    """They end before a worker could have compiled what it alone needs, and before a branch is cut to be restored."""
    place = tmp_path / "cache"
    place.mkdir(mode=0o700)
    kept = []
    for _ in range(3):
        words = ("count", "queens", "--n", "12", "--method", "bits", "--workers", "2")
        done = run_process(*words, env={"PARSOLVE_CACHE_DIR": str(place)})
        kept.append({file.name: file.stat().st_ino for file in place.glob("*.kernel")})
        assert ("compiling" in done.stderr) == (len(kept) == 1)
        assert [*place.glob(".draft*")] == []
    assert sorted(name.partition("-")[0] for name in kept[0]) == ["search"]
    assert all(each == kept[0] for each in kept)
