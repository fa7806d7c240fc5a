"""Flip-It: known answers, a plain breadth-first search over rows as text, and what is refused."""

import csv
import itertools

import pytest
from conftest import ORACLE, Run
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from samples import texts
from worlds.families import flips
from worlds.plain import cheapest

import parsolve
from parsolve.errors import BadInput
from parsolve.problem.registry import make
from parsolve.puzzles import FlipIt

FIRST = dict(
    line.split(": ") for line in (ORACLE / "flipit_first.txt").read_text().splitlines() if not line.startswith("#")
)


def jumps(row: str) -> list[str]:
    """Return the rows that follow a row."""
    return [after for after, _, _ in flips(row)]


def plain(puzzle: FlipIt) -> tuple[int | None, int]:
    """Return the fewest jumps and the number of solutions with as many."""
    answer = cheapest(puzzle.row, flips, lambda row: "B" not in row if puzzle.goal == "white" else row == puzzle.goal)
    return answer.cost, answer.count


def test_the_oracle() -> None:
    with (ORACLE / "small.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["puzzle"] == "flipit"]
    known = {row["instance"]: (row["optimal_length"], row["optimal_solutions"]) for row in rows}
    assert len(known) == 5
    for name, (cost, count) in known.items():
        if name.startswith("farthest"):
            puzzles = [FlipIt(row) for row in ("BBW_B", "BB_BB", "B_WBB")]
        else:
            row, _, goal = name.split()[:3]
            puzzles = [FlipIt(row, "white" if goal == "all" else goal)]
        for puzzle in puzzles:
            result = parsolve.solve(puzzle, workers=1)
            assert (str(result.cost), str(result.count)) == (cost, count.split()[0]), puzzle


@pytest.mark.parametrize(("name", "count"), [("flipit-a", 7), ("flipit-b", 41), ("flipit-c", 73)])
def test_the_named_rows_give_the_first_solutions_of_the_page(name: str, count: int) -> None:
    puzzle = make(name, {})
    assert isinstance(puzzle, FlipIt)
    result = parsolve.solve(puzzle, workers=1)
    assert (result.cost, result.count) == (8, count)
    assert texts(result)[0] == FIRST[puzzle.row]


@st.composite
def puzzles(draw: st.DrawFn, most: int = 8) -> FlipIt:
    def row(cells: int) -> str:
        pieces = draw(st.text("BW", min_size=cells - 1, max_size=cells - 1))
        gap = draw(st.integers(0, cells - 1))
        return f"{pieces[:gap]}_{pieces[gap:]}"

    cells = draw(st.integers(2, most))
    return FlipIt(row(cells), "white" if draw(st.booleans()) else row(cells))


@settings(max_examples=80, deadline=None)
@given(puzzles())
def test_random_rows(puzzle: FlipIt) -> None:
    cost, count = plain(puzzle)
    assert cost is None or cost in puzzle.limits()
    # A search without an end is cut where every state could have been met: soon enough for three cells only.
    assume(len(puzzle.row) <= 3 if cost is None else cost <= 10)
    result = parsolve.solve(puzzle, workers=1)
    assert (result.cost, result.count) == (cost, count)
    assert result.paths == sorted(set(result.paths))
    for solution in texts(result):
        rows = solution.split()
        assert all(b in jumps(a) for a, b in itertools.pairwise(rows))


@settings(max_examples=200, deadline=None)
@given(puzzles(10))
def test_the_bound_is_never_too_high_and_falls_by_one_at_most(puzzle: FlipIt) -> None:
    bound = puzzle.root()["bound"]
    for row in jumps(puzzle.row):
        assert FlipIt(row, puzzle.goal).root()["bound"] >= bound - 1
    assert bound <= len(puzzle.row)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"row": "BBBB"}, "row is a row of B and W with one gap _, not 'BBBB'"),
        ({"row": "B_B_"}, "with one gap"),
        ({"row": "b_b"}, "a row of B and W"),
        ({"row": ""}, "a row of B and W"),
        ({"row": "_"}, "row has 1 cells; 2 to 32 are possible"),
        ({"row": "_" + "B" * 32}, "row has 33 cells"),
        ({"goal": "black"}, "goal is a row of B and W with one gap _ or white, not 'black'"),
        ({"goal": "_WWWW"}, "goal has 5 cells, row has 6"),
    ],
)
def test_bad_input(parameters: dict[str, str], says: str) -> None:
    with pytest.raises(BadInput, match=says) as raised:
        FlipIt(**parameters)
    assert "\n" not in str(raised.value)


def test_the_command_line(run: Run) -> None:
    done = run("solve", "flipit", "--goal", "_WWWWW", "--boards", "--quiet", "--want", "first")
    assert done.stdout.splitlines()[1:3] == ["● ●   ● ● ●", "  ○ ● ● ● ●"]
    assert "one gap" in run("solve", "flipit", "--row", "BBB", code=2).stderr
