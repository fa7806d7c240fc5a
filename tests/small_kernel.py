"""A small kernel, and a cache folder for it: for the tests of the kernel cache."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from heard import Heard

from parsolve.compiler.cache import CompiledFunction, cached
from parsolve.compiler.kernelfile import KernelFile
from parsolve.compiler.waiting import reporting_to
from parsolve.system import cachefolder

COMPILING = "compiling the kernel"


@pytest.fixture
def cache(tmp_path: Path) -> dict[str, str]:
    return {"PARSOLVE_CACHE_DIR": str(tmp_path / "cache")}


def open_to_all(place: Path) -> Path:
    place.mkdir()
    place.chmod(0o777)
    return place


@pytest.fixture
def kernel_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that $PARSOLVE_CACHE_DIR names in this process."""
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", str(tmp_path / "place"))
    for remembered in (cachefolder.folder, cachefolder.warn_once):
        remembered.cache_clear()
    yield tmp_path / "place"
    for remembered in (cachefolder.folder, cachefolder.warn_once):
        remembered.cache_clear()


def compiling_until_set(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Let no compilation end before the event that is returned is set."""
    event, usual = threading.Event(), CompiledFunction._compiled

    def slow(*arguments: Any) -> Any:
        event.wait()
        return usual(*arguments)

    monkeypatch.setattr(KernelFile, "read", lambda _: None)
    monkeypatch.setattr(CompiledFunction, "_compiled", slow)
    return event


def plus_one() -> bool:
    """Whether a small kernel had to be compiled."""
    kernel, listener = cached(increment), Heard()
    with reporting_to(listener.compilation_started):
        assert kernel(1) == 2
    return bool(listener.compiled)


def increment(x: int) -> int:
    return x + 1
