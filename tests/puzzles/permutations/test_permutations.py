"""Permutations: against itertools, and what is refused."""

import itertools
import math

import pytest
from samples import texts
from shared import Run

import parsolve
from parsolve.check import check
from parsolve.errors import BadInput
from parsolve.puzzles import Permutations

pytestmark = pytest.mark.plain

METHODS = ("lists", "bits")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", range(8))
def test_all_permutations(n: int, method: str) -> None:
    result = parsolve.solve(Permutations(n, method), workers=1)
    assert (result.status, result.cost, result.count) == ("solved", None, math.factorial(n))
    assert result.paths == list(itertools.permutations(range(n)))
    assert texts(result) == [" ".join(str(thing + 1) for thing in path) for path in result.paths]


@pytest.mark.parametrize(
    "puzzle", [Permutations(5), Permutations(5, "lists"), Permutations(13), Permutations(13, "lists")], ids=repr
)
def test_the_contract_is_kept(puzzle: Permutations) -> None:
    assert check(puzzle, states=400, samples=30).faults == []


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"n": -1}, "n is 0 to 13, not -1"),
        ({"n": 14}, "n is 0 to 13, not 14"),
        ({"method": "list"}, "there is no method 'list'; did you mean lists"),
    ],
)
def test_bad_input(parameters: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says) as raised:
        Permutations(**parameters)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)


def test_the_command_line(run: Run) -> None:
    done = run("solve", "permutations", "--n", "2", "--boards", "--quiet")
    assert done.stdout.split("\n") == ["1 2", "1 2", "", "2 1", "2 1", "", ""]
    assert "n is 0 to 13" in run("solve", "permutations", "--n", "14", code=2).stderr
