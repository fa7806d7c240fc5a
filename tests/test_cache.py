"""The kernel cache: hits, never stale, heals, and harms nobody."""

import errno
import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numba
import pytest
from conftest import Run
from samples import WALK, edited

from parsolve import cachefolder
from parsolve.kernel import cache as cache_code
from parsolve.kernel import fingerprint

COMPILING = "compiling the kernel"


@pytest.fixture
def cache(tmp_path: Path) -> dict[str, str]:
    return {"PARSOLVE_CACHE_DIR": str(tmp_path / "cache")}


def test_the_second_process_hits(run_process: Run, cache: dict[str, str], puzzle_file: Callable[..., Path]) -> None:
    """And the cache of numba itself is left alone."""
    puzzle_file(WALK)
    assert run_process("count", "my_puzzle.py:Walk", env=cache).stderr.count(COMPILING) == 1
    again = run_process("count", "my_puzzle.py:Walk", env=cache)
    assert COMPILING not in again.stderr
    assert again.stdout == "1\n"
    package = Path(fingerprint.__file__).parents[1]
    assert not list(package.rglob("*.nbi"))
    assert not list(package.rglob("*.nbc"))


def test_helpers_in_a_circle_are_refused(run_process: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(
        edited("here.place + step)", "here.place + one(step))")
        + "\ndef one(step):\n    return two(step)\n\ndef two(step):\n    return one(step)\n"
    )
    done = run_process("solve", "my_puzzle.py:Walk", code=2)
    assert "call each other in a circle" in done.stderr


def test_a_copy_of_a_file_elsewhere_is_no_damage(run_process: Run, cache: dict[str, str], tmp_path: Path) -> None:
    for folder in ("x", "y", "x"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "walk.py").write_text(WALK)
        done = run_process("count", f"{folder}/walk.py:Walk", env=cache)
        assert done.stdout == "1\n"
        assert "damaged" not in done.stderr


def test_nowhere_to_write(run_process: Run, tmp_path: Path, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK)
    blocked = tmp_path / "a-file"
    blocked.write_text("")
    places = dict.fromkeys(("PARSOLVE_CACHE_DIR", "HOME", "XDG_CACHE_HOME", "TMPDIR"), str(blocked / "x"))
    done = run_process("count", "my_puzzle.py:Walk", env=places)
    assert done.stdout == "1\n"
    assert done.stderr.count("PARSOLVE_CACHE_DIR") == 1


def open_to_all(place: Path) -> Path:
    place.mkdir()
    place.chmod(0o777)
    return place


def group_writable(place: Path) -> Path:
    place.mkdir()
    place.chmod(0o770)
    return place


def below_an_open_one(place: Path) -> Path:
    below = open_to_all(place) / "below"
    below.mkdir(mode=0o700)
    return below


def link_below_an_open_one(place: Path) -> Path:
    link = place.with_name("link")
    link.symlink_to(below_an_open_one(place))
    return link


def owned_by_nobody(place: Path) -> Path:
    if os.getuid() != 0:
        pytest.skip("only root gives a folder away")
    place.mkdir(mode=0o755)
    os.chown(place, 65534, 65534)
    return place


def below_one_of_nobody(place: Path) -> Path:
    below = owned_by_nobody(place) / "below"
    below.mkdir(mode=0o700)
    return below


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that $PARSOLVE_CACHE_DIR names in this process."""
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", str(tmp_path / "place"))
    for remembered in (cachefolder.folder, cachefolder.warn_once):
        remembered.cache_clear()
    yield tmp_path / "place"
    for remembered in (cachefolder.folder, cachefolder.warn_once):
        remembered.cache_clear()


def plus_one() -> bool:
    """Whether a small kernel had to be compiled."""
    dispatcher = numba.njit(increment)
    dispatcher._cache = cache_code.KernelCache("increment", "source")
    with cache_code.telling_once() as told:
        assert dispatcher(1) == 2
    return bool(told)


def increment(x: int) -> int:
    return x + 1


def test_a_damaged_file_heals(place: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert [plus_one(), plus_one()] == [True, False]
    (kernel,) = place.iterdir()
    data = kernel.read_bytes()
    kernel.write_bytes(data[:-9] + b"x" + data[-8:])
    assert [plus_one(), plus_one()] == [True, False]
    (record,) = caplog.records
    assert "a kernel in the cache cannot be used and is compiled again: checksum" in record.getMessage()


def test_whatever_is_edited_misses(place: Path, run_here: Run, puzzle_file: Callable[..., Path]) -> None:
    """A rule, a plain helper's constant, and helpers of other files, by name and by module."""
    walk = edited("here.place + step)", "here.place + half(one.step_of(2 * step)) * plain(1))").replace(
        "import numpy as np", "import numpy as np\nimport one\nfrom two import half"
    )
    walk += "\ndef plain(step):\n    return STEP * step\nSTEP = 1\n"
    one = "import numba\n@numba.njit\ndef step_of(step):\n    return step"
    two = "import numba\n@numba.njit\ndef half(step):\n    return step // 2"

    def solve(walk: str = walk, one: str = one, two: str = two) -> str:
        for text, name in ((walk, "my_puzzle.py"), (one, "one.py"), (two, "two.py")):
            path = puzzle_file(text, name, own=True)
            for module in [name for name, each in sys.modules.items() if getattr(each, "__file__", None) == str(path)]:
                del sys.modules[module]  # as another process has it
        done = run_here("solve", "my_puzzle.py:Walk", "--workers", "1")
        assert COMPILING in done.stderr
        return done.stdout

    assert solve() == "2 2\n"
    assert solve(walk.replace("range(1, 3)", "range(1, 2)")) == "1 1 1 1\n"
    assert solve(walk.replace("STEP = 1", "STEP = 2")) == "2\n"
    assert solve(one=one + " * 2") == "2\n"
    assert solve(two=two.replace("// 2", "// 1")) == "2\n"


@pytest.mark.parametrize(
    "make",
    [open_to_all, group_writable, below_an_open_one, link_below_an_open_one, owned_by_nobody, below_one_of_nobody],
)
def test_a_folder_that_others_can_write_is_not_used(
    place: Path,
    make: Callable[[Path], Path],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    """And no other in its stead, where it was named."""
    (tmp_path / "mine").mkdir()
    for name in ("XDG_CACHE_HOME", "HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path / "mine"))
    made = make(place)
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", str(made))
    assert [plus_one(), plus_one()] == [True, True]
    assert list(made.iterdir()) == list((tmp_path / "mine").iterdir()) == []
    assert [record.getMessage() for record in caplog.records] == [
        next(record.getMessage() for record in caplog.records if f"{made} is not used: " in record.getMessage())
    ]


def test_a_folder_below_a_sticky_one_is_used(
    place: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    open_to_all(place).chmod(0o1777)
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", str(place / "mine"))
    assert [plus_one(), plus_one()] == [True, False]
    assert caplog.records == []


def test_without_a_home_the_temporary_folder_is_used(
    place: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocked = tmp_path / "a-file"
    blocked.write_text("")
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked / "x"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert [plus_one(), plus_one()] == [True, False]
    assert list((tmp_path / f"parsolve-{os.getuid()}").iterdir())


def test_no_temporary_folder_is_no_error(
    place: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """On a read-only root, or where all is full, Python finds none; one that is named is used all the same."""

    def none() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.gettempdir", none)
    assert [plus_one(), plus_one()] == [True, False]
    assert caplog.records == []


def read_only_places(monkeypatch: pytest.MonkeyPatch, why: int) -> None:
    """Let nothing be written anywhere, as in a read-only container or on full disks; root may write everywhere else."""

    def fails(*_: object, **__: object) -> None:
        raise OSError(why, os.strerror(why))

    def none() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr("tempfile.gettempdir", none)
    monkeypatch.setattr("tempfile.TemporaryFile", fails)
    monkeypatch.setattr("tempfile.mkstemp", fails)


@pytest.mark.parametrize("why", [errno.EROFS, errno.ENOSPC])
@pytest.mark.parametrize("chosen", ["", "place"])
def test_where_nothing_can_be_written_kernels_are_compiled_each_time(
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    why: int,
    chosen: str,
) -> None:
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", chosen and str(place))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    read_only_places(monkeypatch, why)
    assert [plus_one(), plus_one()] == [True, True]
    (record,) = caplog.records
    assert os.strerror(why) in record.getMessage()
    assert "set PARSOLVE_CACHE_DIR" in record.getMessage()
    assert cache_code.compiling_message("x") == "compiling the kernel of x (not kept)"


def test_a_disk_that_fills_up_is_no_error(
    place: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And what was written of the kernel is removed."""
    room = 100

    class Full:
        def __init__(self, handle: int, _: str) -> None:
            self.handle = handle

        def __enter__(self) -> "Full":
            return self

        def __exit__(self, *_: object) -> None:
            os.close(self.handle)

        def write(self, data: bytes) -> None:
            os.write(self.handle, data[:room])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(cachefolder.os, "fdopen", Full)
    assert [plus_one(), plus_one()] == [True, True]
    (record,) = caplog.records
    assert f"{place}: No space left on device" in record.getMessage()
    assert "free space there, or set PARSOLVE_CACHE_DIR" in record.getMessage()
    assert list(place.iterdir()) == []


PLACES = ("HOME", "TMPDIR", "PARSOLVE_CACHE_DIR", "XDG_CACHE_HOME")
NO_MOUNTS = 99
READ_ONLY = f"""
mount --make-rprivate / && mount --bind "$1" "$1" && mount -o remount,ro,bind /dev/shm &&
mount -o remount,ro,bind / || exit {NO_MOUNTS}
cd / && shift && exec "$@"
"""


@pytest.fixture
def contained(tmp_path: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Run the command line where all file systems are read-only but for one folder, without a home."""
    if os.getuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("needs root and unshare")

    def runner(env: dict[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
        command = ["unshare", "--mount", "sh", "-c", READ_ONLY, "sh", str(tmp_path), sys.executable, "-m", "parsolve"]
        bare = {name: value for name, value in os.environ.items() if name not in PLACES}
        root = str(Path(fingerprint.__file__).parents[2])
        done = subprocess.run(
            [*command, *words],
            env=bare | {"PYTHONPATH": os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))} | env,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode == NO_MOUNTS or done.stderr.startswith("unshare:"):
            pytest.skip(f"no mounts here: {done.stderr}")
        return done

    return runner


@pytest.mark.processes
def test_a_read_only_container(
    contained: Callable[..., "subprocess.CompletedProcess[str]"], tmp_path: Path, puzzle_file: Callable[..., Path]
) -> None:
    words = ("count", f"{puzzle_file(WALK, own=True)}:Walk", "--workers", "2")
    done = contained({}, *words)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
    assert done.stderr.count("PARSOLVE_CACHE_DIR") == 1
    assert "(not kept)" in done.stderr
    writable = {"PARSOLVE_CACHE_DIR": str(tmp_path / "cache")}
    for compiled in (1, 0):
        done = contained(writable, *words)
        assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
        assert "PARSOLVE_CACHE_DIR" not in done.stderr
        assert done.stderr.count(COMPILING) == compiled


@pytest.mark.processes
def test_only_the_first_process_tells(tmp_path: Path, cache: dict[str, str]) -> None:
    """Workers do without a cache in silence."""
    open_to_all(tmp_path / "cache")
    script = (
        "from parsolve.executors.local import LocalPool\nfrom parsolve.cachefolder import folder\n"
        "with LocalPool(2, start_method='spawn') as pool:\n"
        "    print(folder(), *[pool.submit(folder).result() for _ in range(4)])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | cache,
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    assert done.stdout.split() == ["None"] * 5
    assert done.stderr.count("is not used") == 1, done.stderr


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
        (lambda kernel, _: kernel.chmod(0o602), "others can write it"),
        (lambda kernel, _: kernel.write_bytes(kernel.read_bytes()[:-1]), "checksum"),
        (lambda kernel, _: kernel.write_bytes(kernel.read_bytes()[: kernel.stat().st_size // 2]), "checksum"),
        (lambda kernel, _: kernel.write_bytes(b""), "not enough values"),
    ],
    ids=["link", "fifo", "folder", "foreign", "group", "others", "truncated", "half", "empty"],
)
def test_a_file_that_others_can_have_written_is_never_read(
    place: Path,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    change: Callable[[Path, Path], None],
    says: str,
) -> None:
    assert [plus_one(), plus_one()] == [True, False]
    (kernel,) = place.iterdir()
    change(kernel, tmp_path / "aside")
    assert plus_one()
    assert "cannot be used and is compiled again: " in caplog.text
    assert says in caplog.text
    if not kernel.is_dir():
        assert kernel.is_file()
        assert not kernel.is_symlink()
        assert not plus_one()


SMALL = """
import numba
from parsolve.kernel.cache import KernelCache
def increment(x):
    return x + 1
dispatcher = numba.njit(increment)
dispatcher._cache = KernelCache("increment", "source")
print(dispatcher(1))
"""


@pytest.mark.processes
def test_several_processes_at_once(cache: dict[str, str], tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SMALL],
            cwd=tmp_path,
            env=os.environ | cache,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    assert [process.communicate(timeout=100) for process in processes] == [(b"2\n", b"")] * 4
    assert [file.suffix for file in (tmp_path / "cache").iterdir()] == [".kernel"]


CONSTANT = 3


def helper(x: int) -> int:
    return x + CONSTANT


class Example:
    @staticmethod
    def rule(x: int) -> int:
        return helper(x)


def test_the_fingerprint_covers_values(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint.of_class(Example)
    assert not before.opaque
    monkeypatch.setattr(sys.modules[__name__], "CONSTANT", 4)
    assert fingerprint.of_class(Example).digest() != before.digest()
    monkeypatch.setattr(sys.modules[__name__], "CONSTANT", object())
    assert fingerprint.of_class(Example).opaque
    monkeypatch.undo()
    assert fingerprint.of_class(Example).digest() == before.digest()


def test_the_fingerprint_covers_closures() -> None:
    def example(value: int) -> type:
        class Inner:
            @staticmethod
            def rule(x: int) -> int:
                return x + value

        return Inner

    assert fingerprint.of_class(example(1)).digest() == fingerprint.of_class(example(1)).digest()
    assert fingerprint.of_class(example(1)).digest() != fingerprint.of_class(example(2)).digest()


@functools.cache
def kept(number: int) -> int:
    return number


def test_a_function_that_keeps_its_results_is_seen_through() -> None:
    """Else a kernel of a puzzle whose tables come from one would be compiled in every process."""
    found = fingerprint.Fingerprint()
    found.add("kept", kept)
    plain = fingerprint.Fingerprint()
    plain.add("kept", kept.__wrapped__)
    assert not found.opaque
    assert found.digest() == plain.digest()
