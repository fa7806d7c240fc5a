"""The kernel cache: hits, never stale, and heals."""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from small_kernel import plus_one

import parsolve
from parsolve.compiler.cache import readying
from parsolve.puzzle.core import EngineName
from parsolve.puzzles import Sliding

pytestmark = pytest.mark.processes


def test_loading_and_compiling_have_a_time_of_their_own(kernel_folder: Path) -> None:
    readying.lap()
    for is_compiled in (True, False):
        assert plus_one() is is_compiled
        assert readying.lap() > 0
    assert readying.lap() == 0
    with contextlib.suppress(ValueError), readying.counted():  # a kernel that does not compile
        raise ValueError
    assert readying.lap() > 0
    begin = time.perf_counter()
    plus_one()
    assert 0 < readying.lap() < time.perf_counter() - begin


@pytest.mark.parametrize("engine", ["deepening", "breadth"])
def test_what_is_compiled_to_draw_a_solution_is_no_time_of_the_search(engine: EngineName) -> None:
    slept = 0.3

    def draw(_: object) -> None:
        """As where a kernel that no search needs is called first."""
        with readying.counted():
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
def test_a_file_that_others_can_have_written_is_never_read(
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
