"""Whatever a search reads may be edited between two searches: the answer is the new one, or a refusal in one line."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attack_edits import WAYS, World
from digests import of

import parsolve
from parsolve.check import check
from parsolve.errors import BadPuzzle


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The puzzle's module, with nothing edited."""
    monkeypatch.syspath_prepend(tmp_path)
    made = World(tmp_path)
    yield made
    made.forget()


@pytest.mark.nightly
@pytest.mark.parametrize("way", WAYS)
def test_random_edits(world: World, way: str) -> None:
    search, _ = WAYS[way]
    answered = 0
    for number in range(2):
        for found, right in search(world, random.Random(f"{way} {number}")):
            assert isinstance(found, str) or found in right
            answered += not isinstance(found, str)
    assert answered  # not all is refused


def test_puzzles_whose_constructors_overwrite_each_other(world: World) -> None:
    first, _ = (world.module.Edited(constructor=f"ONE {value}") for value in (0, 1))
    with pytest.raises(BadPuzzle, match="the constructor changes ONE, which the rules read"):
        parsolve.solve(first, workers=1)
    assert parsolve.solve(world.module.Edited(constructor="ONE 1"), workers=1).count == 4


def test_check_finds_what_parameters_change(world: World) -> None:
    assert check(world.module.Edited()).faults == []
    (fault,) = check(world.module.Flagged()).faults
    assert str(fault) == (
        "ONE, which the rules read, changes with the parameter 'flag': let 'tables' return it instead"
    )


def test_a_journal_sees_what_tables_writes(world: World, tmp_path: Path) -> None:
    def count(**more: str) -> Any:
        return parsolve.solve(
            world.module.Edited(**more), want="count", workers=1, journal=tmp_path / "it.sqlite"
        ).count

    assert count(lookups="ONE 1") == count(lookups="ONE 1") == 4
    world.module.change = lambda writes: setattr(world.module, "ONE", 3)
    with pytest.raises(parsolve.BadInput, match=r"the rules of .* have been edited since"):
        count(lookups="ONE 1")


def test_the_memory_order_of_an_array_counts() -> None:
    array = np.arange(6).reshape(2, 3)
    orders = [array, np.asfortranarray(array), np.repeat(array, 2, axis=0)[::2]]
    assert all(np.array_equal(array, each) for each in orders)
    assert len(set(map(of, orders))) == 3


@pytest.mark.nightly
def test_what_numba_keeps_is_not_used_again(world: World) -> None:
    """A function that numba compiles once, such as a ufunc, cannot follow a change: it is refused."""
    assert parsolve.solve(world.module.Kept(), workers=1).count == 1
    world.set("ONE", 1)
    with pytest.raises(BadPuzzle, match="ONE has changed since an earlier search, but numba keeps"):
        parsolve.solve(world.module.Kept(), workers=1)
