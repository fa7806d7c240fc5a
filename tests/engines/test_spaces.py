"""Breadth-first search beside deepening: for small spaces of a puzzle of one's own, with the same answers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run
from samples import KEY, WALK, edited

import parsolve
from parsolve import Tuning
from parsolve.problem.problem import Problem
from parsolve.problem.registry import make
from parsolve.puzzles import Peg, Sliding
from parsolve.search.choice import rivals
from parsolve.search.request import Request

RING = edited("return here.place * 2 == tables.size", "return here.place == tables.size // 3 * 2 + 1", WALK + KEY)
RING = edited("range(1, 3)", "range(1, 15)", edited("children = 2", "children = 14", RING))
"""A walk on a ring in steps of 1 to 14: deepening meets each place again by every way to it."""


@pytest.fixture
def ring(puzzle_file: Callable[..., Path]) -> Path:
    return puzzle_file(RING)


IMPATIENT = Tuning(space_after=0.02, space_least=20.0)

NEVER = Tuning(space_after=0.02, space_least=0.0, space_part=0.0)


@pytest.mark.nightly
def test_a_space_without_a_solution_is_searched_to_its_end(ring: Path, run_here: Run) -> None:
    """Deepening would never end."""
    path = ring.with_name("none.py")
    path.write_text(edited("tables.size // 3 * 2 + 1", "tables.size", RING))
    done = run_here("count", f"{path}:Walk", "--size", "500", code=1)
    assert done.stdout == "0\n"
    assert "its space is small: the engine breadth has searched 500 states of it" in done.stderr


def test_a_large_space_is_left_to_deepening(ring: Path) -> None:
    puzzle = make(f"{ring}:Walk", {"size": 60})
    found = parsolve.solve(puzzle, workers=1, tuning=NEVER)
    expected = parsolve.solve(puzzle, workers=1, engine="breadth")
    assert (found.engine, found.count, found.paths) == ("deepening", expected.count, expected.paths)


@pytest.mark.parametrize("want", ["count", "all", "first"])
def test_a_journal_keeps_the_answer(ring: Path, tmp_path: Path, want: str) -> None:
    """Also one of a search that was stopped while it deepened."""
    puzzle, path = make(f"{ring}:Walk", {"size": 140}), tmp_path / "it.sqlite"
    begun = parsolve.solve(puzzle, want=want, workers=1, journal=path, tuning=NEVER, timeout=0.3)  # type: ignore[arg-type]
    assert (begun.status, begun.engine) == ("stopped", "deepening")
    expected = parsolve.solve(puzzle, want=want, workers=1, engine="breadth")  # type: ignore[arg-type]
    for _ in range(2):  # the second time from the journal
        found = parsolve.solve(puzzle, want=want, workers=1, journal=path, tuning=IMPATIENT)  # type: ignore[arg-type]
        assert found.engine == "breadth"
        for name in ("status", "cost", "count", "paths", "found_so_far"):
            assert getattr(found, name) == getattr(expected, name), name


def test_where_it_is_not_tried(ring: Path) -> None:
    def is_tried(puzzle: parsolve.Puzzle, **asked: object) -> bool:
        request = Request.of(**{"want": "count", **asked})
        return any(each.name == "breadth" for each in rivals(Problem(puzzle, "count"), request))

    walk = make(f"{ring}:Walk", {"size": 40})
    assert is_tried(walk)
    for name, value in {"engine": "deepening", "limit": 5, "transposition": 1 << 20, "slack": 1, "at_most": 1}.items():
        assert not is_tried(walk, **{name: value})
    assert not any(map(is_tried, (Sliding(), Peg())))
