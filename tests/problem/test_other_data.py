"""What is kept follows the data that a puzzle's methods read: tables, journals, spaces, the searcher of a process."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attack_edits import World
from cases import nightly
from digests import of
from journals import Plug, Pulled, Remembering
from samples import TOWERS, edited
from shared import Run
from variants import HEAD

import parsolve
from parsolve.check import check
from parsolve.errors import BadPuzzle
from parsolve.problem.registry import load_class
from parsolve.search.watch import Watch

pytest_plugins = ["tabled"]


TO_A_PEG = """
import os
from pathlib import Path

def goal(disks):
    return int(Path(os.environ["PEG"]).read_text()) * (4**disks - 1) // 3

""" + edited("    hidden: int\n", "    hidden: int\n    goal: int\n", source=TOWERS)
TO_A_PEG = edited("here.pegs == (1 << 2 * tables.disks) - 1", "here.pegs == tables.goal", source=TO_A_PEG)
TO_A_PEG = edited('{"pegs": 4**self.disks - 1}', '{"pegs": goal(self.disks)}', source=TO_A_PEG)
TO_A_PEG = edited("self.disks, NOTHING", "self.disks, goal(self.disks), NOTHING", source=TO_A_PEG)
TO_A_PEG = edited("self.disks - self.known, *", "self.disks - self.known, goal(self.disks), *", source=TO_A_PEG)
"""Towers whose last peg is read from a file."""


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that the peg is read from."""
    monkeypatch.setenv("PEG", str(tmp_path / "peg"))
    (tmp_path / "peg").write_text("3")
    return tmp_path / "peg"


@pytest.fixture
def towers(puzzle_file: Callable[..., Path], data: Path) -> Any:
    """The class `Towers`."""
    return load_class(f"{puzzle_file(TO_A_PEG, 'to_a_peg.py')}:Towers")


@pytest.mark.usefixtures("place")
def test_a_table_is_used_again_where_the_data_is_the_same(towers: Any, data: Path) -> None:
    disks: Any = type(towers().abstractions()[0])
    first = parsolve.distances(disks(2))
    data.write_text("2")
    assert parsolve.distances(disks(2)) is not first
    data.write_text("3")
    assert parsolve.distances(disks(2)) is first


@pytest.mark.usefixtures("towers")
def test_solutions_are_not_drawn_with_other_data(data: Path, run: Run) -> None:
    listed = run("solve", "to_a_peg.py:Towers", "--disks", "3", "--journal", "it.sqlite", "--workers", "1").stdout
    show = ("show", "it.sqlite", "--solutions", "--puzzle", "to_a_peg.py:Towers")
    assert run(*show).stdout == listed
    data.write_text("2")
    assert "the data that to_a_peg.py:Towers reads has changed" in run(*show, code=2).stderr


def test_a_space_is_not_resumed_with_other_data(towers: Any, data: Path) -> None:
    from parsolve.levels.explore import explore

    store, disks = Remembering(), towers(4, 4).abstractions()[0]
    explore(disks, threads=1)  # compiles: a plug would be asked meanwhile
    with pytest.raises(Pulled):
        explore(disks, Watch(check=Plug(9)), store=store, threads=1)
    data.write_text("2")
    with pytest.raises(parsolve.BadInput, match="has begun another search for Disks"):
        explore(disks, store=store, threads=1)


# What differs between processes.

BY_SET = """
    def tables(self, *distances):
        names = [*{str(number) for number in range(100)}]
        return super().tables(*distances)._replace(hidden=self.disks + names.index("7"))
"""
"""A lookup by the order of a set of texts, which differs from process to process; of towers without a bound."""

BY_CHANCE = """
    def root(self, *distances):
        import os
        return {"pegs": 0, "cost": int.from_bytes(os.urandom(2)) // 2, "bound": os.urandom(1)[0]}
"""

NOT_IN_OTHERS = """
    def tables(self, *distances):
        import os
        return [][0] if "PYTHONHASHSEED" in os.environ else super().tables(*distances)
"""
"""Lookups whose `tables` fails in any other process."""

Write = Callable[[str, str], Path]


@pytest.fixture
def write(puzzle_file: Callable[..., Path]) -> Write:
    """Write a file with `Towers` and methods of its own: `write(name, methods)`. It has the kernels of `Towers`."""
    right = puzzle_file(TOWERS, "towers.py").resolve()
    return lambda name, methods: puzzle_file(HEAD.format(right=f"{right}:Towers", name="Towers") + methods, name)


@pytest.mark.parametrize(
    ("methods", "fault"),
    [
        nightly(("    pass", "")),
        (BY_SET, "'tables' returns something else from process to process: the order of a set,"),
        (BY_CHANCE, "'root' returns something else from call to call:"),
        (NOT_IN_OTHERS, "another process could not build 'tables' and 'root': Towers: 'tables' raises IndexError"),
    ],
    ids=["right", "by the order of a set", "by chance", "not in others"],
)
def test_check_builds_lookups_in_other_processes(
    write: Write, run: Run, monkeypatch: pytest.MonkeyPatch, methods: str, fault: str
) -> None:
    monkeypatch.delenv("PYTHONHASHSEED", raising=False)
    write("checked.py", methods)
    done = run("check", "checked.py:Towers", "--disks", "3", "--known", "0", code=2 if fault else 0)
    assert (fault or "0 faults") in done.stdout


# Whatever a search reads may be edited between two searches: the answer is the new one, or a refusal in one line.


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """The puzzle's module, with nothing edited."""
    monkeypatch.syspath_prepend(tmp_path)
    made = World(tmp_path)
    yield made
    made.forget()


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
    assert len(set(map(of, [*orders, array.astype("M8[s]")]))) == 4


@pytest.mark.nightly
def test_what_numba_keeps_is_not_used_again(world: World) -> None:
    """A function that numba compiles once, such as a ufunc, cannot follow a change: it is refused."""
    assert parsolve.solve(world.module.Kept(), workers=1).count == 1
    world.set("ONE", 1)
    with pytest.raises(BadPuzzle, match="ONE has changed since an earlier search, but numba keeps"):
        parsolve.solve(world.module.Kept(), workers=1)
