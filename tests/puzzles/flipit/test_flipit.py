"""Flip-It: known answers, and what is refused."""

import pytest
from conftest import ORACLE
from samples import texts

import parsolve
from parsolve.errors import BadInput
from parsolve.levels.explore import explore
from parsolve.puzzles import FlipIt


def test_the_first_rows() -> None:
    for line in (ORACLE / "flipit_first.txt").read_text().splitlines():
        if not line.startswith("#"):
            row, _, solution = line.partition(": ")
            for engine in ("deepening", "breadth"):
                result = parsolve.solve(FlipIt(row=row), want="first", engine=engine, workers=1)  # type: ignore[arg-type]
                assert texts(result) == [solution]


@pytest.mark.parametrize(("pieces", "depth", "among"), [(4, 10, "B_WBB BB_BB BBW_B"), (5, 8, "BB_BBB"),
                                                        (6, 8, "B_WBBBB"), (7, 8, "B_WWWBBB")])  # fmt: skip
def test_the_farthest_rows(pieces: int, depth: int, among: str) -> None:
    found = explore(FlipIt(row="B" * pieces + "_"))
    assert (found.start, found.depths[-1][0]) == ("goal", depth)
    assert set(among.split()) <= set(found.farthest)


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"row": "BBBB"}, "row is a row of B and W with one gap _, not 'BBBB'"),
        ({"row": "B_B_"}, "with one gap"),
        ({"row": "_"}, "row has 1 cells; 2 to 32 are possible"),
        ({"goal": "black"}, "goal is a row of B and W with one gap _ or white, not 'black'"),
        ({"goal": "_WWWW"}, "goal has 5 cells, row has 6"),
    ],
)
def test_bad_input(parameters: dict[str, str], says: str) -> None:
    with pytest.raises(BadInput, match=says) as raised:
        FlipIt(**parameters)
    assert "\n" not in str(raised.value)
