"""A better bound is taken early where its pattern databases are at hand, and later where they must be built."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Run
from samples import TOWERS
from tabled import forget, tables_in

from parsolve.deepening.better import better_bound, description
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.puzzles import Sliding
from parsolve.tables.databases import load, supply

pytest_plugins = ["tabled"]

GROWING = (
    TOWERS.replace(
        "from parsolve import Puzzle, parameter",
        """\
from dataclasses import replace
from parsolve import Puzzle, parameter
from parsolve.puzzle.core import Better, Counting""",
    )
    + """
    def counting(self, want):
        if self.known:
            return None
        return Counting(self, better=[Better(lambda: replace(self, known=3), 10**9, 100)])
"""
)


@pytest.fixture
def growing(place: Path, puzzle_file: Callable[..., Path]) -> Any:
    """Towers without a bound that takes one of four disks."""
    return load_class(f"{puzzle_file(GROWING, 'growing.py')}:Towers")(disks=4, known=0)  # type: ignore[call-arg]


def test_what_is_at_hand_is_loaded(growing: Any, place: Path) -> None:
    """It takes class, parameters and all that a table is made from."""
    better = [Problem(type(growing)(disks=4, known=known)) for known in (2, 3)]
    assert not any(map(load, better))
    supply(Problem(type(growing)(disks=4, known=3)))
    forget()
    assert [*map(load, better)] == [False, True]
    assert len(better[1].databases) == 1
    (file,) = tables_in(place)
    file.rename(file.with_name("Disks-00000000000000000000000000000000.table"))
    forget()
    assert not load(Problem(type(growing)(disks=4, known=3)))


def test_the_command_says_it(run: Run, place: Path, growing: Any) -> None:
    run("tables", "build", "growing.py:Towers", "--known", "3")
    words = ("count", "growing.py:Towers", "--disks", "4", "--known", "0", "--workers", "1")
    said = run(*words).stderr
    assert "continuing with Towers(known=3): an iteration took" in said
    assert "and its pattern databases are kept" in said
    assert "continuing with" not in run(*words, "--quiet").stderr


def test_bounds_of_sliding_tiles() -> None:
    """5-5-5 is built soon, 7-8 late; where it is kept, it is taken soon."""
    problem = Problem(Sliding("13 5 4 10 9 12 8 14 2 3 7 1 0 15 11 6", goal="blank-first"), "count")

    def best(nodes: float, kept: str) -> str:
        found = better_bound(problem, nodes, lambda problem: kept in description(problem))
        return "" if found is None else description(found)

    by_five, by_eight = "AdditivePatterns", "WidePatterns(patterns='7-8')"
    assert [best(nodes, "no") for nodes in (2e6, 3e6, 9e9, 1e10)] == ["", by_five, by_five, by_eight]
    assert [best(nodes, "Wide") for nodes in (1.9e6, 2e6, 1e10)] == ["", by_eight, by_eight]
    for other in (
        Sliding("13 5 4 10 9 12 8 14 2 3 7 1 0 15 11 6", goal="blank-first", patterns="6-6-3"),
        Sliding("1 2 3 4 5 6 7 8 9 10 0 11", shape="3x4"),
    ):
        found = better_bound(Problem(other, "count"), 1e12, lambda problem: True)
        assert found is not None
        assert type(found.puzzle).__name__ == "AdditivePatterns"
        assert better_bound(found, 1e12, lambda problem: True) is None
