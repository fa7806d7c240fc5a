"""Whole spaces and counts that take seconds to a minute each."""

import pytest
from shared import oracle

import parsolve
from parsolve.check import check
from parsolve.levels.explore import explore
from parsolve.puzzles import Peg, Polyominoes

pytestmark = pytest.mark.nightly


def test_the_english_board() -> None:
    """The totals of G. I. Bell's pages and of this project's prototype."""
    found = explore(Peg("english33", "d4"))
    assert (found.states, sum(found.in_all)) == (23_475_688, 187_636_299)
    assert found.findings == {"targets": ["d1", "a4", "d4", "g4", "d7"]}


def test_the_central_game() -> None:
    (row,) = [row for row in oracle("peg_english33.csv") if row["vacancy_and_target"] == "d4"]
    found = parsolve.solve(Peg("english33", vacancy="d4", target="d4"), want="count")
    assert (found.cost, found.count) == (int(row["min_moves"]), int(row["optimal_solutions"]))


def test_rules_that_look_at_large_tables_are_no_endless_ones() -> None:
    assert check(Polyominoes("4x15", "pentominoes"), states=5, samples=1).faults == []
