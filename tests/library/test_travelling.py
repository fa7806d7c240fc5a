"""What the library returns and raises can be pickled, copied and sent to other processes, as plain data."""

import copy
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from samples import WALK

import parsolve
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.problem.replay import Solution
from parsolve.puzzles import Domination, Queens, Sliding

WAYS: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}

PATTERNS = Sliding(start=[8, 6, 7, 2, 5, 4, 3, 0, 1], bound="patterns", patterns="4-4")


def found(puzzle: parsolve.Puzzle, **more: Any) -> parsolve.Result:
    return parsolve.solve(puzzle, workers=1, **more)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("puzzle", [Queens(6), PATTERNS, Queens(8, "quadrants"), Domination(n=4)], ids=str)
def test_results(way: str, puzzle: parsolve.Puzzle) -> None:
    for want in ("count",) if puzzle == Queens(8, "quadrants") else ("all", "count"):
        result = found(puzzle, want=want)
        other = WAYS[way](result)
        assert other.to_dict() == result.to_dict()
        assert [each.states for each in other.solutions] == [each.states for each in result.solutions]
        assert other._repr_html_() == result._repr_html_()


@pytest.mark.parametrize("way", WAYS)
def test_solutions(way: str) -> None:
    (solution, *_) = found(PATTERNS).solutions
    assert WAYS[way](solution) == solution
    assert WAYS[way](solution).boards == solution.boards
    assert solution != Solution(solution.moves, Problem(Queens(6)))


def text_of(result: parsolve.Result) -> str:
    return str(result.solutions[0].text)


@pytest.mark.processes
def test_a_class_of_a_file(puzzle_file: Callable[..., Path], tmp_path: Path) -> None:
    """The module that it was loaded as is unknown in another process."""
    result = found(load_class(f"{puzzle_file(WALK)}:Walk")())
    (tmp_path / "result").write_bytes(pickle.dumps(result))
    program = "import pickle, sys; print(pickle.load(open('result', 'rb')).solutions[0].text)"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == text_of(result)


def test_every_public_value() -> None:
    values = {
        "Better": parsolve.Better(int, 1, 1),  # type: ignore[arg-type]
        "Instance": parsolve.Instance({"n": 5}),
        "Iteration": parsolve.Iteration(1, 2, 3, 0.5),
        "Progress": parsolve.Progress(1),
        "Puzzle": Queens(5),
        "Shape": parsolve.Shape("disc", 0, 0, "piece"),
        "Tuning": parsolve.Tuning(),
    }
    values |= {
        name: getattr(parsolve, name)("text")
        for name in parsolve.__all__
        if inspect.isclass(getattr(parsolve, name)) and issubclass(getattr(parsolve, name), Exception)
    }
    for name, value in values.items():
        for way in WAYS.values():
            other = way(value)
            assert type(other) is type(value), name
            assert str(other) == str(value)
    others = {"Counting", "Exploring", "JournalReader", "Listener", "Result", "Roots", "Solution"}  # see above
    classes = {name for name in parsolve.__all__ if inspect.isclass(getattr(parsolve, name))}
    assert classes == values.keys() | others
