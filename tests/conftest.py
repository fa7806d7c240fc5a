"""Shared by all tests: a kernel cache of their own, and the paths of the command and of known answers."""

import contextlib
import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from shared import CACHE, IN_MEMORY, ORACLE, ROOT, Run, write_puzzle

# Before anything of parsolve is imported; shared by pytest's own processes and all that the tests start.
os.environ["PARSOLVE_CACHE_DIR"] = str(CACHE)
os.environ.pop("PARSOLVE_WORKERS", None)


__all__ = ["CACHE", "IN_MEMORY", "ORACLE", "ROOT", "Run"]

pytest_plugins = ["small_kernel"]
"""Modules beside this one with fixtures for several files. None imports a kernel: plain tests have none compiled."""

# Those that do are named by test files, as plugins or for what else is in them.
pytest.register_assert_rewrite("digests", "tabled", "variants")


def workers_of(pid: int) -> list[psutil.Process]:
    """The worker processes and fork servers below a process, the oldest first."""
    found = []
    with contextlib.suppress(psutil.NoSuchProcess):
        for process in psutil.Process(pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                forked = process.name() in ("parsolve-server", "parsolve-worker")
                started = any("parsolve.executors" in word for word in process.cmdline())
                if process.status() != psutil.STATUS_ZOMBIE and (forked or started):
                    found.append((process.create_time(), process.pid, process))
    return [process for _, _, process in sorted(found)]


def await_workers(pid: int, number: int) -> list[psutil.Process]:
    """Wait until there are so many worker processes and fork servers below a process."""
    until = time.monotonic() + 60
    while len(workers_of(pid)) < number:
        assert time.monotonic() < until
        time.sleep(0.05)
    return workers_of(pid)


def _runs(process: psutil.Process) -> bool:
    """Whether a process has not ended; one that has may wait for whoever has inherited it."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def assert_workers_end_with(process: "subprocess.Popen[Any]", number: int, pause: float) -> None:
    """Wait until a process has so many worker processes and fork servers, kill it, and see that they end too.

    Args:
        process: a program that uses a pool.
        number: how many it is to have.
        pause: seconds that they are left to work.
    """
    workers = await_workers(process.pid, number)
    assert len(workers) == number
    time.sleep(pause)
    process.kill()
    process.wait()
    until = time.monotonic() + 10
    while left := [each for each in workers if _runs(each)]:
        assert time.monotonic() < until, left
        time.sleep(0.02)


@pytest.fixture(params=["forkserver", "spawn"])
def start_method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How workers start during the test."""
    from parsolve.executors.warm import warm_pools

    warm_pools.close()
    monkeypatch.setenv("PARSOLVE_START_METHOD", request.param)
    return request.param  # type: ignore[no-any-return]


STARTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn"})

_started: list[str] = []
"""What this process has started since the test began."""


def _notice(event: str, arguments: tuple[object, ...]) -> None:
    if event in STARTS:
        _started.append(f"{event}{arguments[:2]}")


sys.addaudithook(_notice)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--nightly", action="store_true", help="run the cases that only the nightly tests try, no others")
    parser.addoption("--part", default="0/1", metavar="K/N", help="run every N-th file only, from K on (default: all)")


def is_compiled(item: pytest.Item) -> bool:
    """Whether a test has its rules compiled."""
    return item.get_closest_marker("plain") is None or "compiled" in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def compiled() -> None:
    """What a test of a plain file takes that has its rules compiled; it runs with the files that are not plain."""


def pytest_configure(config: pytest.Config) -> None:
    """Compile nothing for `-m plain`, or if all files named are plain; and have no deadline end pytest itself, as
    `Stops.expire` would end the command's process."""
    named = [Path(each.partition("::")[0]) for each in config.args]
    are_plain = all(file.is_file() and "mark.plain" in file.read_text() for file in named)
    are_plain = are_plain and config.option.markexpr != "mission"
    if config.option.markexpr == "plain" or are_plain:
        import numba

        os.environ["NUMBA_DISABLE_JIT"] = "1"
        numba.config.reload_config()
        assert "parsolve.deepening.kernels" not in sys.modules, "too late: some kernels are compiled already"
    from parsolve.cli.process.signals import Stops

    Stops.expire = lambda self: None  # type: ignore[method-assign]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files without plain tests where nothing is compiled, and those with no others where rules are, as one
    process cannot do both; and nightly files by day, without importing them."""
    if not collection_path.name.startswith("test_") or collection_path.is_dir():
        return None
    text = collection_path.read_text()
    if config.option.markexpr == "mission" and "mark.mission" not in text:
        return True
    if re.search(r"^pytestmark = .*mark\.nightly", text, re.M) and not config.getoption("nightly"):
        return True
    plain = "mark.plain" in text
    has_tests = plain if "NUMBA_DISABLE_JIT" in os.environ else not plain or "compiled: None" in text
    return None if has_tests else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests that start processes by the fixtures that they use; choose cases by `--nightly` and `--part`, and of a
    plain file those that take `compiled`, or the others."""
    left = []
    part, parts = map(int, config.getoption("part").split("/"))
    nightly = config.getoption("nightly")
    chosen = {item for item in items if (item.get_closest_marker("nightly") is not None) == nightly}
    chosen = {item for item in chosen if is_compiled(item) != ("NUMBA_DISABLE_JIT" in os.environ)}
    files = sorted({item.path for item in chosen})[part::parts]
    for item in [*items]:
        if item not in chosen or item.path not in files:
            items.remove(item)
            left.append(item)
        names = set(getattr(item, "fixturenames", ()))
        if names & {"run_process", "start_method"} or item.get_closest_marker("nightly"):
            item.add_marker("processes")
    config.hook.pytest_deselected(items=left)


@pytest.fixture(autouse=True)
def _no_orphans(request: pytest.FixtureRequest) -> Iterator[None]:
    """No test leaves a process of parsolve's behind, and none starts one without the marker `processes`."""
    _started.clear()
    yield
    if not _started:
        return
    # Whether a search starts its workers depends on its time; whether matplotlib lists the fonts, on the machine.
    started = [
        each
        for each in _started
        if "parsolve.executors" not in each and "parsolve.check" not in each and "fc-list" not in each
    ]
    if "parsolve.executors.warm" in sys.modules:
        sys.modules["parsolve.executors.warm"].warm_pools.close()
    until = time.monotonic() + 5
    while (left := workers_of(os.getpid())) and time.monotonic() < until:
        time.sleep(0.02)
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    assert not left, f"left behind: {left}"
    assert not started or request.node.get_closest_marker("processes"), f"mark it `processes`: it starts {started}"


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """`parsolve check` builds lookups in this process only: fresh interpreters take a second."""
    from parsolve.check.others import elsewhere_faults

    monkeypatch.setattr("parsolve.check.elsewhere_faults", lambda problem, seeds: elsewhere_faults(problem, ()))


@pytest.fixture
def run_process(tmp_path: Path) -> Run:
    """Run the command in a process of its own, in an empty folder: `run_process("solve", "hoppers")`."""

    def runner(
        *words: str, env: dict[str, str] | None = None, code: int | None = 0
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "parsolve", *words],
            cwd=tmp_path,
            env=os.environ | (env or {}),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return checked(done, code)

    return runner


@pytest.fixture
def run_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in this process, in an empty folder: `run_here("solve", "hoppers")`.

    Half a second faster than `run_process`, but without a supervisor and without streams, and signals, priority and
    crashes are pytest's own.
    """
    monkeypatch.chdir(tmp_path)

    def runner(
        *words: str, env: dict[str, str] | None = None, code: int | None = 0
    ) -> subprocess.CompletedProcess[str]:
        from parsolve.cli import main

        out, err = io.StringIO(), io.StringIO()
        with monkeypatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            returned = main(words)
        return checked(subprocess.CompletedProcess(words, returned, out.getvalue(), err.getvalue()), code)

    return runner


@pytest.fixture
def run(run_here: Run) -> Run:
    """`run_here`, for the tests that do not say which."""
    return run_here


def checked(done: "subprocess.CompletedProcess[str]", code: int | None) -> "subprocess.CompletedProcess[str]":
    """Return a command that has ended; it has no traceback, and the exit code unless that is None."""
    assert "Traceback" not in done.stderr, done.stderr
    if code is not None:
        assert done.returncode == code, done.stderr
    return done


def start(*words: str, cwd: Path, env: dict[str, str] | None = None) -> "subprocess.Popen[str]":
    """Start the command in a folder."""
    return subprocess.Popen(
        [sys.executable, "-m", "parsolve", *words],
        cwd=cwd,
        env=os.environ | (env or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def puzzle_file(tmp_path: Path) -> Callable[..., Path]:
    """Write a puzzle's file: `puzzle_file(text)`.

    It is a link to one file for all tests that write the same text, so that its kernels are compiled once; unless
    `own` says that it stays here, beside its neighbours.
    """

    def write(text: str, name: str = "my_puzzle.py", own: bool = False) -> Path:
        path = tmp_path / name
        if not own:
            return write_puzzle(path, text)
        path.unlink(missing_ok=True)
        path.write_text(text)
        return path

    return write
