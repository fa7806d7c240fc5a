"""What is told while kernels are compiled, and how long that is said to take."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run, on_terminal
from small_kernel import compiled_now, increment

from parsolve.compiler.functions import cached
from parsolve.compiler.listening import reporting_to, usual_seconds
from parsolve.system.cachefolder import write_sealed

pytestmark = pytest.mark.processes

COMPILE = """
import threading
from parsolve.cli.terminal.messages import GettingReady
from parsolve.compiler.functions import cached
from parsolve.compiler.listening import reporting_to

def increment(x):
    return x + 1

with reporting_to(GettingReady("five")):
    for number in {numbers}:
        cached(increment)(number)
assert {{each.name for each in threading.enumerate()}} == {{"MainThread"}}
"""


def test_each_kernel_is_told_with_the_time_of_those_before(kernel_folder: Path) -> None:
    first = compiled_now()
    assert (first.begun, first.ended) == ([("increment", None)], 1)
    (kernel,) = kernel_folder.glob("*.kernel")
    seconds = json.loads(kernel.read_bytes().split(b"\n")[1])["seconds"]
    second = type(first)()
    with reporting_to(second):
        assert cached(increment)(0.5) == 1.5
    assert (second.begun, second.ended) == ([("increment", seconds)], 1)


def test_the_time_is_the_median_of_what_can_be_read(tmp_path: Path) -> None:
    def keep(name: str, head: dict[str, object]) -> Path:
        write_sealed(tmp_path / f"{name}.kernel", json.dumps(head).encode() + b"\nobject code")
        return tmp_path / f"{name}.kernel"

    digests = [f"{number:032x}" for number in range(6)]
    file = tmp_path / f"search-{digests[0]}.kernel"
    assert usual_seconds("search", file) is None
    for digest, seconds in zip(digests, (1, 2, 9), strict=False):
        keep(f"search-{digest}", {"seconds": seconds})
    keep(f"search-remembering-{digests[0]}", {"seconds": 100})
    keep(f"restore-{digests[0]}", {"seconds": 100})
    keep(f"search-{digests[3]}", {})
    keep(f"search-{digests[4]}", {"seconds": 100}).write_bytes(b"damaged")
    keep(f"search-{digests[5]}", {"seconds": 100}).chmod(0o666)  # others could have written it
    assert usual_seconds("search", file) == 2


@pytest.mark.nightly
def test_a_terminal_shows_a_bar_and_other_streams_a_line(tmp_path: Path) -> None:
    """Only the second process knows about how long it takes."""
    place = {"PARSOLVE_CACHE_DIR": str(tmp_path / "cache")}
    line = b"compiling the kernel of five (once; kept for the next time)"
    for number, usual in ((1, False), (0.5, True)):
        code, _, shown = on_terminal(tmp_path, env=place, program=("-c", COMPILE.format(numbers=[number])))
        assert code == 0
        assert shown.count(line) == 1
        assert b"compiling increment of five" in shown
        assert (b", about " in shown or b"| about " in shown) is usual
    program = [sys.executable, "-c", COMPILE.format(numbers=[1, 0.5])]
    place["PARSOLVE_CACHE_DIR"] = str(tmp_path / "other")
    done = subprocess.run(program, env=place, capture_output=True, check=True)
    assert done.stderr.splitlines() == [line]


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
