"""The puzzle `Towers`, whose bound is a table of distances, and an empty cache folder: for the tests of tables."""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import CACHE
from samples import TOWERS
from worlds.plain import distances

import parsolve
from parsolve.compiler import kernelfile
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.system import cachefolder
from parsolve.tables import kept
from parsolve.tables.databases import supply


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder for this process and those that it starts; this process has no table.

    Its kernels stay where those of the other tests are.
    """
    kernels = cachefolder.folder()
    monkeypatch.setenv("PARSOLVE_CACHE_DIR", str(tmp_path / "place"))
    monkeypatch.setattr(kernelfile, "folder", lambda: kernels)
    forget()
    yield tmp_path / "place"
    forget()


def lend_kernels(place: Path, puzzle: Any) -> None:
    """Put the kernels of a puzzle into a cache folder, for other processes that use it: they were compiled here."""
    supply(Problem(puzzle))
    parsolve.solve(puzzle, workers=1)
    for file in place.glob("*.table"):
        file.unlink()
    forget()
    place.mkdir(mode=0o700, exist_ok=True)
    for file in CACHE.glob("*.kernel"):
        with contextlib.suppress(FileNotFoundError):  # of another test, which has dropped it
            shutil.copy2(file, place)


def forget() -> None:
    """Let this process know nothing of tables and folders, as one that has just begun."""
    kept._kept.clear()
    cachefolder.folder.cache_clear()
    cachefolder.warn_once.cache_clear()


@pytest.fixture
def towers(place: Path, puzzle_file: Callable[..., Path]) -> Any:
    """The class `Towers`."""
    return load_class(f"{puzzle_file(TOWERS, 'towers.py')}:Towers")


def disks_of(towers: Any) -> Any:
    """The class of its abstraction."""
    return type(towers(known=1).abstractions()[0])


def tables_in(place: Path) -> list[Path]:
    return sorted(place.glob("*.table"))


def plain_distances(disks: int) -> list[int]:
    """The distance of every state from the one with all disks on the last peg, by a search of its own: by the number
    that has the peg of the smallest disk as its lowest digit."""

    def moves(pegs: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...], int]]:
        tops = {peg: disk for disk, peg in reversed([*enumerate(pegs)])}
        for disk in list(tops.values()):
            for end in range(4):
                if tops.get(end, disks) > disk:
                    yield end, (*pegs[:disk], end, *pegs[disk + 1 :]), 1

    far = distances([(3,) * disks], moves)
    numbers = {sum(peg << 2 * disk for disk, peg in enumerate(pegs)): depth for pegs, depth in far.items()}
    return [numbers[number] for number in range(4**disks)]


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])
