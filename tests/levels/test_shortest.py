"""Shortest solutions counted and listed by their numbers: against brute force, and other engines."""

import random

import numpy as np
import pytest
from conftest import Run
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds.places import Graph, Keyed, Spread, cheapest

import parsolve
from parsolve.errors import BadInput
from parsolve.puzzle import Puzzle
from parsolve.puzzles import Peg, Sliding
from parsolve.search.result import Result

KINDS = ["bipartite", "reversible", "any"]


class Wide(Keyed):
    """A graph whose keys have two words."""

    @staticmethod
    def key(tables, here):  # type: ignore[no-untyped-def]
        return np.uint64(here.place), np.uint64(here.place)

    @staticmethod
    def unkey(tables, key, row):  # type: ignore[no-untyped-def]
        row.place = key[0]
        row.move = 0


def listed(puzzle: Puzzle, workers: int = 1, **more: object) -> Result:
    return parsolve.solve(puzzle, engine="sharing", workers=workers, **more)  # type: ignore[arg-type]


@pytest.mark.nightly
@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    places=st.integers(4, 80),
    seed=st.integers(0, 10**6),
    degree=st.integers(1, 4),
    workers=st.integers(1, 3),
    back=st.booleans(),
    dearest=st.integers(1, 6),
    several=st.booleans(),
)
def test_random_graphs(
    kind: str, places: int, seed: int, degree: int, workers: int, back: bool, dearest: int, several: bool
) -> None:
    graph = Wide if several else Keyed
    puzzle = graph(places, seed, degree, kind=kind, back=back and kind == "any", dearest=dearest)  # type: ignore[arg-type]
    cost, paths = cheapest(puzzle)
    found = listed(puzzle, workers, want="all")
    assert (found.count, [*found.paths]) == (len(paths), paths)
    assert found.cost == (cost if paths else None)
    counted = listed(puzzle, workers, want="count")
    assert (counted.count, [*counted.paths]) == (len(paths), [])
    assert counted.nodes <= found.nodes <= 2 * counted.nodes
    if paths:
        first = random.Random(seed).randrange(len(paths))
        assert [*listed(puzzle, want="all", skip=first, take=2).paths] == paths[first : first + 2]
        assert {*listed(puzzle, want="all", sample=5, seed=seed).paths} <= {*paths}


@pytest.mark.nightly
def test_keys_of_64_bits() -> None:
    puzzle = Spread(300, 1, 3, kind="reversible")
    assert [*listed(puzzle, want="all").paths] == cheapest(puzzle)[1]


@pytest.mark.nightly
@pytest.mark.parametrize(
    "puzzle",
    [
        Sliding(start="8 6 7 2 5 4 3 0 1"),
        Sliding(start="8 6 7 2 5 4 3 0 1", bound="none"),
        Sliding(shape="2x4", start="6 7 5 4 3 2 1 0", bound="manhattan"),
        Sliding(shape="3x4", start="2 1 4 3 5 6 7 8 9 10 11 0", bound="manhattan"),
        Peg(board="triangle15", vacancy="0", target="0"),
    ],
    ids=str,
)
def test_engines_agree(puzzle: Puzzle) -> None:
    """A bound that changes with each move is none in a state from a key."""
    found, other = listed(puzzle, 2, want="all"), parsolve.solve(puzzle, engine="deepening", workers=1)
    assert (found.cost, found.count, [*found.paths]) == (other.cost, other.count, [*other.paths])


def test_the_40_shortest_of_an_8_puzzle(run: Run) -> None:
    every = run("solve", "eight", "--quiet").stdout.splitlines()
    assert len(every) == 40
    words = ("eight", "--engine", "sharing", "--quiet", "--workers", "1")
    assert run("solve", *words, "--skip", "38").stdout.splitlines() == every[38:]
    assert run("count", *words).stdout == "40\n"
    drawn = run("solve", *words, "--sample", "20", "--seed", "3").stdout.splitlines()
    assert len(drawn) == 20
    assert {*drawn} < {*every}
    assert drawn == run("solve", *words, "--sample", "20", "--seed", "3").stdout.splitlines()


@pytest.mark.nightly
def test_refusals() -> None:
    class Unkeyed(Graph):
        unkey = None

    for puzzle, text in ((Unkeyed(20, 1, 3), r"no way back from a key to its state \(unkey\)"),):
        for want in ("all", "count"):
            with pytest.raises(BadInput, match=text):
                listed(puzzle, want=want)
