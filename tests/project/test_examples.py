"""The puzzles of examples/: they keep the contract, and have the answers that others have found. `scripts/check` tries
their types."""

import json
import math

import pytest
from shared import ROOT, Run

from parsolve import BadInput, solve
from parsolve.problem.registry import load_class

EXAMPLES = {
    "pancakes": "Pancakes",
    "hanoi": "Hanoi",
    "rush_hour": "RushHour",
    "numerical_semigroups": "NumericalSemigroups",
}


def example(name: str) -> str:
    """An example as the command line names it."""
    return f"{ROOT / 'examples' / name}.py:{EXAMPLES[name]}"


def test_each_is_here() -> None:
    assert {path.stem for path in (ROOT / "examples").glob("*.py")} == EXAMPLES.keys()


@pytest.mark.nightly
@pytest.mark.parametrize("name", EXAMPLES)
def test_it_keeps_the_contract(run: Run, name: str) -> None:
    assert run("check", example(name)).stdout.startswith("0 faults")


@pytest.mark.parametrize(("pancakes", "number"), [(4, 4), (5, 5), (6, 7), (7, 8)])
def test_pancake_numbers(run: Run, pancakes: int, number: int) -> None:
    """A058986 of the OEIS."""
    order = " ".join(map(str, range(1, pancakes + 1)))
    explored = json.loads(run("explore", example("pancakes"), "--order", order, "--json").stdout)
    assert (explored["states"], explored["greatest_depth"]) == (math.factorial(pancakes), number)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("disks", "pegs", "moves"),
    [(5, 4, 13), (1, 3, 1), (5, 3, 31), (10, 3, 1023), (8, 4, 33), (6, 5, 15)],
)
def test_towers_of_hanoi(disks: int, pegs: int, moves: int) -> None:
    """2^n - 1 moves with three pegs, in one way; A007664 and A007665 of the OEIS with four and five."""
    result = solve(load_class(example("hanoi"))(disks=disks, pegs=pegs), want="count")
    assert result.cost == moves
    assert result.count == 1 or pegs > 3


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("genus", "number"), [(1, 1), (2, 2), (3, 4), (4, 7), (5, 12), (10, 204), (15, 2857), (20, 37396)]
)
def test_numerical_semigroups(genus: int, number: int) -> None:
    """A007323 of the OEIS."""
    assert solve(load_class(example("numerical_semigroups"))(genus=genus), want="count").count == number


@pytest.mark.nightly
def test_rush_hour() -> None:
    """Fogleman's database says 60 and 58 moves; a plain search of texts has counted as many ways."""
    cls = load_class(example("rush_hour"))
    for board, *known in (
        (cls().board, 8, 61),
        (cls.instances()["hardest"]["board"], 60, 907_200),
        ("BBoKMx DDDKMo IAALoo IoJLEE ooJFFN oGGoxN", 58, 287_077_367_808),
    ):
        result = solve(cls(board=board), want="count")
        assert [result.cost, result.count] == known
    with pytest.raises(BadInput, match="board: B is not a row or column"):
        cls(board="BoooBo" + "oooooo" + "AAoooo" + 18 * "o")
