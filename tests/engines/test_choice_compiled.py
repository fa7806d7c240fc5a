"""Counts of covers that name no engine, and counts by deepening with a transposition table."""

import json
import random

import pytest
from conftest import Run
from worlds.covers import random_cover

import parsolve
from parsolve.errors import BadInput
from parsolve.puzzles import Cover, Langford, Polyominoes

DOMINOES = ("polyominoes", "--board", "12x12", "--pieces", "72*I2")

TILINGS = 53_060_477_521_960_000
"""Of 12x12 cells with dominoes, A004003."""


@pytest.mark.nightly
def test_large_counts_are_shared(run: Run) -> None:
    done = run("count", *DOMINOES, "--json", "--workers", "1")
    found = json.loads(done.stdout)
    assert (found["status"], found["count"], found["engine"]) == ("solved", TILINGS, "sharing")
    (told,) = [line for line in done.stderr.splitlines() if "engine" in line]
    assert told.startswith("continuing with the engine sharing: ")
    assert "and by deepening more than 100 days are left" in told


def test_small_counts_say_nothing(run: Run) -> None:
    done = run("count", "langford", "--n", "8", "--workers", "1")
    assert done.stdout == "150\n"
    assert "engine" not in done.stderr


@pytest.mark.nightly
def test_an_estimate_is_of_the_engine_that_a_count_takes(run: Run) -> None:
    (line,) = run("estimate", *DOMINOES, "--time", "0.1s", "--workers", "1").stdout.splitlines()
    assert line.startswith("by the engine sharing: ")
    (found,) = json.loads(run("estimate", *DOMINOES, "--time", "0.1s", "--json").stdout)
    assert (found["engine"], found["fits"]) == ("sharing", True)
    small = ("estimate", "langford", "--n", "8", "--time", "0.1s")
    assert " nodes " in run(*small).stdout
    assert run(*small, "--engine", "sharing").stdout.startswith("by the engine sharing: ")
    assert " nodes " in run("estimate", *DOMINOES, "--time", "0.1s", "--engine", "deepening").stdout
    assert "is not known" in run("estimate", "eight", "--engine", "sharing", code=3).stderr


@pytest.mark.nightly
def test_a_table_shares_the_states_of_covers() -> None:
    puzzle = Polyominoes(board="8x8", pieces="32*I2")
    found = parsolve.solve(puzzle, want="count", transposition=1 << 20, workers=1)
    assert (found.count, found.engine) == (12_988_816, "deepening")
    assert found.nodes < 5000


@pytest.mark.nightly
@pytest.mark.parametrize("size", [1, 1 << 10, 1 << 20])
def test_a_table_changes_no_count(size: int) -> None:
    for seed in range(100):
        problem = random_cover(random.Random(seed))
        found = parsolve.solve(Cover(problem.text), want="count", transposition=size, workers=1)
        assert found.count == len(problem.solutions), seed


def test_a_table_does_not_list_covers() -> None:
    with pytest.raises(BadInput, match="Langford gives no key, which the transposition table needs"):
        parsolve.solve(Langford(7), transposition=1 << 20)
