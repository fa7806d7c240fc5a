"""Permutations: against itertools."""

import itertools
import math

import pytest
from samples import texts
from shared import Run

import parsolve
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


def test_the_command_line(run: Run) -> None:
    done = run("solve", "permutations", "--n", "2", "--boards", "--quiet")
    assert done.stdout.split("\n") == ["1 2", "1 2", "", "2 1", "2 1", "", ""]
