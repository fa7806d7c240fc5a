"""A class that breaks the contract, or a method that returns what it may not, is refused in one line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from samples import WALK, edited

import parsolve
from parsolve.errors import BadInput, BadPuzzle
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.puzzle.core import CORE, Puzzle
from parsolve.puzzles import Cover

pytestmark = pytest.mark.plain


MEMBERS = {*CORE, *(name for name in dir(Puzzle) if not name.startswith("_"))}


@pytest.mark.parametrize("name", sorted(MEMBERS - {"size", "entries"}))
def test_a_parameter_may_not_be_called_like_a_member(name: str) -> None:
    with pytest.raises(BadPuzzle, match=f"^Walk: a parameter may not be called '{name}': that is a member"):
        type(Puzzle)("Walk", (Puzzle,), {"__annotations__": {name: int}, name: 1})


STEPS = edited('("cost", "u2"), ', "", edited("            row.cost = here.cost + 1\n", ""))
STEPS = edited("top += here.cost + 1 <= limit", "top += here.place + step < 20", STEPS)
BETTER = (
    "\n    def counting(self, want):\n        import parsolve\n        return parsolve.Counting(self, better=[{}])\n"
)
LIST_AS_KEY = "\n    def batch_key(self):\n        return [1]\n"
RAISING = """
    def limits(self):
        class Odd(Exception):
            def __str__(self):
                raise ValueError
        raise Odd
"""

WRONG = {
    "a bound without a cost": (STEPS, "Walk: 'state' has 'bound', but lacks 'cost'"),
    "no multiplicity": (WALK + "\n    multiplicity = 0\n", "Walk: 'multiplicity' must be an int, at least 1, below"),
    "no number of nodes": (
        WALK + BETTER.format("parsolve.puzzle.core.Better(lambda: self, 'x', 0)"),
        "Walk: 'better' of a Counting must be a list of Better, each with numbers of nodes, not [Better(",
    ),
    "an exception that has no text": (WALK + RAISING, "Walk: 'limits' raises Odd: a value of type Odd (my_puzzle.py"),
    "an exception of several lines": (
        WALK + "\n    def limits(self):\n        raise ValueError('a\\nb\\x1b')\n",
        "Walk: 'limits' raises ValueError: a b\\x1b (my_puzzle.py",
    ),
    "a text whose default is a path": (
        edited('size: int = parameter(8, "places")', 'size: str = parameter("a.txt", "p", text_file=True)'),
        "Walk: the default of a parameter is wrong: size is the text of a file, not 'a.txt'",
    ),
}
"""A source, and what is said of it before it is searched."""


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_refused(puzzle_file: Callable[..., Path], wrong: str) -> None:
    source, says = WRONG[wrong]
    with pytest.raises(BadPuzzle) as error:
        next(Problem(load_class(f"{puzzle_file(source)}:Walk")(), "count").limits())
    assert str(error.value).startswith(says)


def test_keys_of_a_batch_have_a_hash(puzzle_file: Callable[..., Path]) -> None:
    cls = load_class(f"{puzzle_file(WALK + LIST_AS_KEY)}:Walk")
    with pytest.raises(BadPuzzle, match=r"Walk: 'batch_key' must return what has a hash, such as a tuple, not \[1\]"):
        [*parsolve.solve_each([cls(), cls()], want="count", workers=1)]


def test_the_problem_itself_instead_of_a_file() -> None:
    options: Any = [["a", "b"], ["a"], ["b"]]
    assert Cover(options=options, order=["b", "a"]) == Cover("a b\na b\na\nb\n", order="b a")
    for given, says in (
        ({"order": {}}, "order is a text"),
        ({"problem": "2"}, "file and problem name another problem"),
    ):
        with pytest.raises(BadInput, match=says):
            Cover(options=options, **given)
