"""Flip-It: known answers, and what is refused."""

import pytest
from conftest import ORACLE
from samples import texts

import parsolve
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
