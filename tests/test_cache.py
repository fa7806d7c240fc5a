"""The kernel cache: hits, never stale, heals, and harms nobody."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run
from samples import WALK, edited

from parsolve.kernel import fingerprint

COMPILING = "compiling the kernel"


@pytest.fixture
def cache(tmp_path: Path) -> dict[str, str]:
    return {"PARSOLVE_CACHE_DIR": str(tmp_path / "cache")}


def test_the_second_process_hits(run: Run, cache: dict[str, str]) -> None:
    assert run("count", "hoppers", env=cache).stderr.count(COMPILING) == 1
    again = run("count", "hoppers", env=cache)
    assert COMPILING not in again.stderr
    assert again.stdout == "18\n"


def test_an_edited_rule_misses(run: Run, cache: dict[str, str], puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK)
    assert run("solve", "my_puzzle.py:Walk", env=cache).stdout == "2 2\n"
    puzzle_file(edited("range(1, 3)", "range(1, 2)"))
    done = run("solve", "my_puzzle.py:Walk", env=cache)
    assert COMPILING in done.stderr
    assert done.stdout == "1 1 1 1\n"


@pytest.mark.parametrize(
    ("how", "call"),
    [
        ("from helpers import step_of", "step_of(step)"),
        ("import helpers", "helpers.step_of(step)"),
    ],
)
def test_an_edited_helper_of_another_file_misses(
    run: Run, cache: dict[str, str], puzzle_file: Callable[..., Path], how: str, call: str
) -> None:
    jitted = "import numba\n@numba.njit\ndef step_of(step):\n    return step"
    source = edited("here.place + step)", f"here.place + {call})").replace(
        "import numpy as np", f"import numpy as np\n{how}"
    )
    puzzle_file(source)
    puzzle_file(jitted, "helpers.py")
    assert run("solve", "my_puzzle.py:Walk", env=cache).stdout == "2 2\n"
    puzzle_file(jitted + " * 2", "helpers.py")
    done = run("solve", "my_puzzle.py:Walk", env=cache)
    assert done.stdout == "2\n"
    assert COMPILING in done.stderr


def test_plain_helpers_are_compiled_with_the_rule(
    run: Run, cache: dict[str, str], puzzle_file: Callable[..., Path]
) -> None:
    source = (
        edited("here.place + step)", "here.place + step_of(step))")
        + "\ndef step_of(step):\n    return STEP * step\nSTEP = 1\n"
    )
    puzzle_file(source)
    assert run("solve", "my_puzzle.py:Walk", env=cache).stdout == "2 2\n"
    puzzle_file(source.replace("STEP = 1", "STEP = 2"))
    assert run("solve", "my_puzzle.py:Walk", env=cache).stdout == "2\n"


def test_helpers_in_a_circle_are_refused(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(
        edited("here.place + step)", "here.place + one(step))")
        + "\ndef one(step):\n    return two(step)\n\ndef two(step):\n    return one(step)\n"
    )
    done = run("solve", "my_puzzle.py:Walk", code=2)
    assert "call each other in a circle" in done.stderr


def test_a_damaged_file_heals(run: Run, cache: dict[str, str], puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK)
    run("count", "my_puzzle.py:Walk", env=cache)
    damages: list[Callable[[bytes], bytes]] = [
        lambda data: data[: len(data) // 2],
        lambda data: data[:-9] + b"x" + data[-8:],
        lambda _: b"",
    ]
    for damage in damages:
        kernels = list(Path(cache["PARSOLVE_CACHE_DIR"]).glob("*.kernel"))
        assert kernels
        for kernel in kernels:
            kernel.write_bytes(damage(kernel.read_bytes()))
        done = run("count", "my_puzzle.py:Walk", env=cache)
        assert done.stdout == "1\n"
        assert COMPILING in done.stderr
        assert COMPILING not in run("count", "my_puzzle.py:Walk", env=cache).stderr


def test_a_copy_of_a_file_elsewhere_is_no_damage(run: Run, cache: dict[str, str], tmp_path: Path) -> None:
    for folder in ("x", "y", "x"):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "walk.py").write_text(WALK)
        done = run("count", f"{folder}/walk.py:Walk", env=cache)
        assert done.stdout == "1\n"
        assert "damaged" not in done.stderr


def test_nowhere_to_write(run: Run, tmp_path: Path) -> None:
    blocked = tmp_path / "a-file"
    blocked.write_text("")
    places = dict.fromkeys(("PARSOLVE_CACHE_DIR", "HOME", "XDG_CACHE_HOME", "TMPDIR"), str(blocked / "x"))
    assert run("count", "hoppers", env=places).stdout == "18\n"


def test_a_folder_of_somebody_else_is_not_trusted(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "open"
    place.mkdir()
    place.chmod(0o777)
    run("count", "hoppers", env={"PARSOLVE_CACHE_DIR": str(place), "XDG_CACHE_HOME": str(tmp_path / "mine")})
    assert list(place.iterdir()) == []
    assert list((tmp_path / "mine/parsolve").iterdir())


def test_several_processes_at_once(cache: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "parsolve", "count", "hoppers"]
    processes = [
        subprocess.Popen(
            command, cwd=tmp_path, env=os.environ | cache, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        for _ in range(4)
    ]
    assert [process.communicate(timeout=100)[0] for process in processes] == [b"18\n"] * 4


def test_the_cache_of_numba_itself_is_left_alone(
    run: Run, cache: dict[str, str], puzzle_file: Callable[..., Path]
) -> None:
    puzzle_file(WALK)
    run("count", "my_puzzle.py:Walk", env=cache)
    package = Path(fingerprint.__file__).parents[1]
    assert not list(package.rglob("*.nbi"))
    assert not list(package.rglob("*.nbc"))


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
