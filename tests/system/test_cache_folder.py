"""The cache folder: only where nobody else can write, and doing without one is no error."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from failing import Countdown, failing_python
from small_kernel import open_to_all, plus_one

pytestmark = pytest.mark.processes


def group_writable(place: Path) -> Path:
    place.mkdir()
    place.chmod(0o770)
    return place


def below_an_open_one(place: Path) -> Path:
    below = open_to_all(place) / "below"
    below.mkdir(mode=0o700)
    return below


def owned_by_nobody(place: Path) -> Path:
    if os.getuid() != 0:
        pytest.skip("only root gives a folder away")
    place.mkdir(mode=0o755)
    os.chown(place, 65534, 65534)
    return place


@pytest.mark.parametrize(
    "make",
    [open_to_all, group_writable, below_an_open_one, owned_by_nobody],
)
def test_a_folder_that_others_can_write_is_not_used(
    kernel_folder: Path,
    make: Callable[[Path], Path],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    """And no other in its stead, where it was named."""
    (tmp_path / "mine").mkdir()
    for name in ("XDG_CACHE_HOME", "HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path / "mine"))
    made = make(kernel_folder)
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", str(made))
    assert [plus_one(), plus_one()] == [True, True]
    assert list(made.iterdir()) == list((tmp_path / "mine").iterdir()) == []
    assert [record.getMessage() for record in caplog.records] == [
        next(record.getMessage() for record in caplog.records if f"{made} is not used: " in record.getMessage())
    ]


def test_a_folder_below_a_sticky_one_is_used(
    kernel_folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    open_to_all(kernel_folder).chmod(0o1777)
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", str(kernel_folder / "mine"))
    assert [plus_one(), plus_one()] == [True, False]
    assert caplog.records == []


def test_without_a_home_the_temporary_folder_is_used(
    kernel_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "a-file"
    blocked.write_text("")
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked / "x"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert [plus_one(), plus_one()] == [True, False]
    assert list((tmp_path / f"parsolve-{os.getuid()}").iterdir())


def nowhere() -> str:
    raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")


def test_no_temporary_folder_is_no_error(
    kernel_folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """On a read-only root, or where all is full, Python finds none; one that is named is used all the same."""

    monkeypatch.setattr("tempfile.gettempdir", nowhere)
    assert [plus_one(), plus_one()] == [True, False]
    assert caplog.records == []


def read_only_places(monkeypatch: pytest.MonkeyPatch, why: int) -> None:
    """Let nothing be written anywhere, as in a read-only container or on full disks; root may write everywhere else."""

    def fails(*_: object, **__: object) -> None:
        raise OSError(why, os.strerror(why))

    monkeypatch.setattr("tempfile.gettempdir", nowhere)
    monkeypatch.setattr("tempfile.TemporaryFile", fails)
    monkeypatch.setattr("tempfile.mkstemp", fails)


@pytest.mark.parametrize("why", [errno.EROFS, errno.ENOSPC])
@pytest.mark.parametrize("chosen", ["", "place"])
def test_where_nothing_can_be_written_kernels_are_compiled_each_time(
    kernel_folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    why: int,
    chosen: str,
) -> None:
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", chosen and str(kernel_folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    read_only_places(monkeypatch, why)
    assert [plus_one(), plus_one()] == [True, True]
    (record,) = caplog.records
    assert os.strerror(why) in record.getMessage()
    assert "set PARSOLVE_CACHE_DIR" in record.getMessage()


def test_a_disk_that_fills_up_is_no_error(
    kernel_folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And what was written of the kernel is removed."""
    with failing_python(Countdown(1, 1 << 60), monkeypatch):
        assert [plus_one(), plus_one()] == [True, True]
    (record,) = caplog.records
    assert f"{kernel_folder}: No space left on device" in record.getMessage()
    assert "free space there, or set PARSOLVE_CACHE_DIR" in record.getMessage()
    assert list(kernel_folder.iterdir()) == []


def test_only_the_first_process_tells(tmp_path: Path, cache: dict[str, str]) -> None:
    """Workers do without a cache in silence."""
    open_to_all(tmp_path / "cache")
    script = (
        "from parsolve.executors.local import LocalPool\nfrom parsolve.system.cachefolder import folder\n"
        "with LocalPool(2) as pool:\n"
        "    print(folder(), *[pool.submit(folder).result() for _ in range(4)])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | cache | {"PARSOLVE_START_METHOD": "spawn"},
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert done.stdout.split() == ["None"] * 5
    assert done.stderr.count("is not used") == 1, done.stderr
