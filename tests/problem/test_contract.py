"""A class that breaks the contract, or a method that returns what it may not, is refused in one line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from samples import WALK, edited

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


def counting(what: str) -> str:
    """The source of a walk with a `counting`."""
    imports = "from parsolve.puzzle.core import Better, Counting"
    return f"{imports}\n{WALK}\n    counting = lambda self, want: Counting(self, {what})\n"


WRONG = {
    "a bound without a cost": (STEPS, "Walk: 'state' has 'bound', but lacks 'cost'"),
    "no multiplicity": (WALK + "\n    multiplicity = 0\n", "Walk: 'multiplicity' must be an int, at least 1, below"),
    "a size as text": (WALK + "\n    default_transposition = '4M'\n", "Walk: 'default_transposition' must be an int"),
    "no number of nodes": (
        counting("better=[Better(lambda: self, 'x', 0)]"),
        "Walk: 'better' of a Counting must be a list of Better, each with numbers of nodes, not [Better(",
    ),
    "a total below 0": (counting("total=lambda n: -n"), "Walk: 'total' must return a number of solutions, not -1"),
    "no limits": (
        WALK + "\n    limits = lambda self: None\n",
        "Walk: 'limits' must return whole numbers, not None: is a",
    ),
    "a key without a hash": (
        WALK + "\n    batch_key = lambda self: [1]\n",
        "Walk: 'batch_key' must return what has a hash, such as a tuple, not [1]",
    ),
    "an exception that has no text": (
        WALK + "\n    def limits(self):\n        raise type('Odd', (Exception,), {'__str__': None})\n",
        "Walk: 'limits' raises Odd: a value of type Odd (my_puzzle.py",
    ),
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

    def ready() -> Any:
        problem = Problem(load_class(f"{puzzle_file(source)}:Walk")(), "count")
        return next(problem.limits()), problem.batch_key, problem.total(1)

    with pytest.raises(BadPuzzle) as error:
        ready()
    assert str(error.value).startswith(says)


def test_the_problem_itself_instead_of_a_file() -> None:
    options: Any = [["a", "b"], ["a"], ["b"]]
    assert Cover(options=options, order=["b", "a"]) == Cover("a b\na b\na\nb\n", order="b a")
    with pytest.raises(BadInput, match="cover: file and problem name another problem"):
        Cover(options=options, problem="2")  # type: ignore[arg-type]
