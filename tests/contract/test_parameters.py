"""Parameters are coerced and checked in one place, whoever gives them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import WALK, edited
from shared import Run

from parsolve.errors import BadInput, BadPuzzle
from parsolve.parameters import coerce, values_of
from parsolve.problem import registry
from parsolve.problem.registry import load_class, make
from parsolve.puzzles import Crossing, Jugs, Peg, Permutations, Queens, Sliding

pytestmark = pytest.mark.plain

TILES = "8 6 7 2 5 4 3 0 1"


@pytest.mark.parametrize(
    ("cls", "given", "same"),
    [
        (Queens, {"n": "8"}, {"n": 8}),
        (Queens, {"n": np.int64(8)}, {"n": 8}),
        (Queens, {"unique": "true", "n": 8}, {"unique": True, "n": 8}),
        (Queens, {"unique": "No"}, {"unique": False}),
        (Sliding, {"start": [8, 6, 7, 2, 5, 4, 3, 0, 1]}, {"start": TILES}),
        (Sliding, {"start": tuple(TILES.split())}, {"start": TILES}),
        (Sliding, {"start": np.array([[8, 6, 7], [2, 5, 4], [3, 0, 1]])}, {"start": TILES}),
        (Sliding, {"start": list(np.array([8, 6, 7, 2, 5, 4, 3, 0, 1]))}, {"start": TILES}),
        (Jugs, {"capacities": [8, 5]}, {"capacities": "8 5"}),
    ],
)
def test_what_is_as_good(cls: Any, given: dict[str, Any], same: dict[str, Any]) -> None:
    puzzle = cls(**given)
    assert puzzle == cls(**same)
    assert values_of(puzzle) == values_of(cls(**same))
    json.dumps(values_of(puzzle))
    assert make(cls.__name__.lower(), given) == puzzle


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (Sliding, {"bound": "None"}, "sliding: there is no bound 'None'; did you mean none?"),
    (Sliding, {"bound": "Manhatan"}, "sliding: there is no bound 'Manhatan'; did you mean manhattan?"),
    (Sliding, {"bound": None}, "sliding: there is no bound None"),
    (Peg, {"bound": "region"}, "peg: there is no bound 'region'; did you mean regions?"),
    (Crossing, {"kind": 3}, "crossing: there is no kind 3"),
    (Sliding, {"start": {0: 1}}, "sliding: start is a text or a list of numbers, not {0: 1}"),
    (Sliding, {"start": b"1 0"}, "sliding: start is a text or a list of numbers, not b'1 0'"),
    (Sliding, {"start": [1, None]}, "sliding: start is a text or a list of numbers, not None"),
    (Queens, {"n": "eight"}, "queens: n is a whole number, not 'eight'"),
    (Queens, {"n": 8.0}, "queens: n is a whole number, not 8.0"),
    (Queens, {"n": True}, "queens: n is a whole number, not True"),
    (Queens, {"n": None}, "queens: n is a whole number, not None"),
    (Queens, {"n": 1 << 63}, "queens: n is a number of at most 63 bits"),
    (Queens, {"n": 29}, "queens: n is 0 to 28, not 29"),
    (Permutations, {"n": -1}, "permutations: n is 0 to 13, not -1"),
    (Queens, {"unique": 1}, "queens: unique is true or false, not 1"),
    (Queens, {"unique": "maybe"}, "queens: unique is true or false, not 'maybe'"),
]


@pytest.mark.parametrize(("cls", "given", "says"), WRONG, ids=lambda value: str(value)[:40])
def test_what_is_wrong_is_the_same_line_everywhere(cls: Any, given: dict[str, Any], says: str) -> None:
    for construct in (lambda: cls(**given), lambda: make(cls.__name__.lower(), given)):
        with pytest.raises(BadInput) as error:
            construct()
        assert str(error.value).startswith(says)


def test_the_command_line_and_job_files_say_the_same(run: Run, tmp_path: Path) -> None:
    says = "sliding: there is no bound 'Manhatan'; did you mean manhattan?"
    assert says in run("count", "sliding", "--bound", "Manhatan", code=2).stderr
    (tmp_path / "jobs.toml").write_text('[[job]]\npuzzle = "sliding"\nbound = "Manhatan"\n')
    assert says in run("run", "jobs.toml", "--journal", "it.sqlite", code=2).stderr
    says = "queens: n is a whole number, not 'eight'"
    assert says in run("count", "queens", "--n", "eight", code=2).stderr
    (tmp_path / "jobs.toml").write_text('[[job]]\npuzzle = "queens"\nn = "eight"\n')
    assert says in run("run", "jobs.toml", "--journal", "it.sqlite", code=2).stderr


def test_arguments_that_do_not_fit_the_constructor() -> None:
    with pytest.raises(BadInput, match="sliding has no parameter 'strat'; did you mean start"):
        Sliding(strat="1 0")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Queens(8, n=8)  # type: ignore[misc]
    with pytest.raises(TypeError):
        Queens(8, "bits", False, 1)  # type: ignore[call-arg]
    with pytest.raises(BadInput, match="queens has no parameter 'm'"):
        coerce(Queens, {"m": 8})


def test_parameters_of_a_class_of_ones_own(puzzle_file: Callable[..., Path]) -> None:
    path = puzzle_file(edited('size: int = parameter(8, "places")', 'size: float = parameter(8, "p", least=2, most=9)'))
    cls = load_class(f"{path}:Walk")
    assert cls(size="4").size == 4.0  # type: ignore[call-arg]
    for value, says in (
        (1, "Walk: size is 2 to 9, not 1"),
        (9.5, "is 2 to 9, not 9.5"),
        *((value, "size is a number, not") for value in ("inf", float("nan"), 10**400, True, None)),
    ):
        with pytest.raises(BadInput, match=says):
            cls(size=value)  # type: ignore[call-arg]
    with pytest.raises(BadPuzzle, match="parameter 'size' must be int, float, str, bool or Literal"):
        load_class(f"{puzzle_file(edited('size: int', 'size: list', WALK), 'other.py')}:Walk")


INSTANCES = """
    @classmethod
    def instances(cls):
        return {"small": {"size": 4}, "large": {"size": 12}}
"""


def test_instances_of_a_puzzle_of_ones_own(run: Run, tmp_path: Path, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK + INSTANCES)
    assert run("count", "my_puzzle.py:Walk:small").stdout == run("count", "my_puzzle.py:Walk", "--size", "4").stdout
    assert (
        run("count", "my_puzzle.py:Walk:small", "--size", "12").stdout == run("count", "my_puzzle.py:Walk:large").stdout
    )
    described = run("describe", "my_puzzle.py:Walk").stdout
    assert "my_puzzle.py:Walk:small\n    --size 4" in described
    assert "my_puzzle.py:Walk:large\n    --size 12" in described
    assert "default 12" in run("describe", "my_puzzle.py:Walk:large").stdout
    assert "has no instance 'smal'; did you mean small" in run("count", "my_puzzle.py:Walk:smal", code=2).stderr
    run("count", "my_puzzle.py:Walk:small", "--journal", "it.sqlite")
    assert json.loads(run("show", "it.sqlite", "--json").stdout)["parameters"] == {"size": 4}
    (tmp_path / "jobs.toml").write_text('[[job]]\npuzzle = "my_puzzle.py:Walk:large"\nwant = "count"\n')
    run("run", "jobs.toml", "--journal", "jobs.sqlite")
    assert "has no instance 'x'" in run("count", "peg:x", code=2).stderr


def test_instances_that_are_none(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK + INSTANCES.replace('{"small"', '1 / 0, {"small"'))
    assert "Walk: 'instances' raises ZeroDivisionError" in run("describe", "my_puzzle.py:Walk", code=2).stderr
    puzzle_file(WALK + INSTANCES.replace("return {", "{"))
    assert "'instances' must return" in run("count", "my_puzzle.py:Walk:small", code=2).stderr
    puzzle_file(WALK + INSTANCES.replace('"size": 4', '"sice": 4'))
    assert "no parameter 'sice'" in run("count", "my_puzzle.py:Walk:small", code=2).stderr


def test_an_error_without_a_text_is_named() -> None:
    class Silent(Jugs):
        def __init__(self, **given: Any) -> None:
            raise ValueError

    with pytest.raises(BadInput, match="Silent: ValueError"):
        registry.construct(Silent, {})
