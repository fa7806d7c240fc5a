"""River crossings: known answers, a plain breadth-first search over people by name, and what is refused."""

import csv

import pytest
from conftest import ORACLE, Run
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from samples import texts
from worlds.families import crossing_of
from worlds.plain import cheapest

import parsolve
from parsolve.errors import BadInput
from parsolve.puzzles import Crossing

pytestmark = pytest.mark.nightly


def plain(puzzle: Crossing) -> tuple[int | None, int]:
    """Return the answer by a plain search."""
    number = puzzle.each if puzzle.kind == "missionaries" else puzzle.couples
    answer = cheapest(*crossing_of(puzzle.kind, number, puzzle.boat))
    return answer.cost, answer.count


KNOWN = {
    "jealous husbands 3 couples boat 2 (people labelled; the boat is safe too)": Crossing(),
    "jealous husbands 2 couples boat 2": Crossing(couples=2),
    "jealous husbands 3 couples boat 3": Crossing(boat=3),
    "wolf goat cabbage": Crossing(kind="wolf"),
    "missionaries and cannibals 3+3 boat 2 (people unlabelled)": Crossing(kind="missionaries"),
}


def test_the_oracle() -> None:
    with (ORACLE / "small.csv").open() as file:
        rows = {row["instance"]: row for row in csv.DictReader(file) if row["puzzle"] == "crossing"}
    # Four couples have no solution, which deepening alone never finds out.
    assert rows.keys() - KNOWN.keys() == {"jealous husbands 4 couples boat 2"}
    for name, puzzle in KNOWN.items():
        result = parsolve.solve(puzzle, workers=1)
        expected = int(rows[name]["optimal_length"]), int(rows[name]["optimal_solutions"])
        assert (result.cost, result.count) == expected == plain(puzzle), name
        assert len(set(texts(result))) == result.count


def test_four_couples_cannot_cross_by_the_plain_search() -> None:
    assert plain(Crossing(couples=4)) == (None, 0)


def test_a_solution_prints_as_its_loads() -> None:
    assert texts(parsolve.solve(Crossing(kind="wolf"), workers=1)) == [
        "FG> F< FW> FG< FC> F< FG>",
        "FG> F< FC> FG< FW> F< FG>",
    ]
    assert texts(parsolve.solve(Crossing(kind="missionaries"), workers=1))[0] == (
        "MC> M< CC> C< MM> MC< MM> C< CC> M< MC>"
    )


puzzles = st.one_of(
    st.builds(Crossing, couples=st.integers(1, 4), boat=st.integers(2, 6)),
    st.builds(Crossing, kind=st.just("missionaries"), each=st.integers(1, 8), boat=st.integers(2, 6)),
    st.builds(Crossing, kind=st.just("wolf"), boat=st.integers(2, 6)),
)


@settings(max_examples=50, deadline=None)
@given(puzzles)
def test_random_crossings(puzzle: Crossing) -> None:
    cost, count = plain(puzzle)
    assume(cost is not None)
    result = parsolve.solve(puzzle, want="count", workers=1)
    assert (result.cost, result.count) == (cost, count)


@settings(max_examples=50, deadline=None)
@given(puzzles)
def test_limits_hold_every_cheapest_solution(puzzle: Crossing) -> None:
    cost, _ = plain(puzzle)
    assert cost is None or cost in puzzle.limits()


def test_the_largest_are_made_and_end_at_once_where_nothing_is_kept_apart() -> None:
    for puzzle in (Crossing(couples=8, boat=16), Crossing(kind="missionaries", each=63, boat=126)):
        assert parsolve.solve(puzzle, want="first", workers=1).cost == 1


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"kind": "couple"}, "there is no kind 'couple'; did you mean couples"),
        ({"couples": 0}, "couples is 1 to 8, not 0"),
        ({"couples": 9}, "couples is 1 to 8, not 9"),
        ({"kind": "missionaries", "each": 0}, "each is 1 to 63, not 0"),
        ({"kind": "missionaries", "each": 64}, "each is 1 to 63, not 64"),
        ({"kind": "missionaries", "couples": 4}, "couples has no meaning for kind missionaries"),
        ({"kind": "wolf", "each": 4}, "each has no meaning for kind wolf"),
        ({"boat": 1}, "it must hold at least 2"),
        ({"boat": -3}, "it must hold at least 2"),
    ],
)
def test_bad_input(parameters: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says) as raised:
        Crossing(**parameters)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)


def test_the_command_line(run: Run) -> None:
    done = run("solve", "crossing", "--kind", "wolf", "--boards", "--quiet")
    assert (
        r"""
FWGC \_/~~~~~
WC   ~~~~~\_/ FG
FWC  \_/~~~~~ G
"""
        in "\n" + done.stdout.split("\n", 1)[1]
    )
    assert "boat" in run("solve", "crossing", "--boat", "1", code=2).stderr
