"""Which kernels are compiled, and how often."""

from pathlib import Path

import pytest
from conftest import Run

pytestmark = pytest.mark.processes


@pytest.mark.nightly
def test_short_searches_on_two_workers_compile_each_kernel_once(run_process: Run, tmp_path: Path) -> None:
    """They end before a worker could have compiled what it alone needs."""
    place = tmp_path / "cache"
    place.mkdir(mode=0o700)
    kept = []
    for _ in range(10):
        words = ("count", "queens", "--n", "12", "--method", "bits", "--workers", "2")
        done = run_process(*words, env={"PARSOLVE_CACHE_DIR": str(place)})
        kept.append({file.name: file.stat().st_ino for file in place.glob("*.kernel")})
        assert ("compiling" in done.stderr) == (len(kept) == 1)
        assert [*place.glob(".draft*")] == []
    assert sorted(name.partition("-")[0] for name in kept[0]) == ["restore", "search"]
    assert all(each == kept[0] for each in kept)
