"""A small kernel, and a cache folder for it: for the tests of the kernel cache."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from parsolve.compiler.functions import cached
from parsolve.compiler.listening import reporting_to
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


class Compiled:
    """Remembers what is compiled, and how long that was said to take."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, float | None]] = []
        self.ended = 0

    def compilation_started(self, template: str, seconds: float | None) -> None:
        self.begun.append((template, seconds))

    def compilation_ended(self) -> None:
        self.ended += 1


def plus_one() -> bool:
    """Whether a small kernel had to be compiled."""
    return bool(compiled_now().begun)


def compiled_now() -> Compiled:
    """What a small kernel had to compile."""
    kernel, compiled = cached(increment), Compiled()
    with reporting_to(compiled):
        assert kernel(1) == 2
    return compiled


def increment(x: int) -> int:
    return x + 1
