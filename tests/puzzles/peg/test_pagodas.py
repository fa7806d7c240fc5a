"""Pagoda functions of peg solitaire: what they say, and that they refute nothing that can be reached."""

import random

import numpy as np
import pytest
from worlds.peg import jumps_from
from worlds.plain import distances

from parsolve.puzzles import Peg
from parsolve.puzzles.peg.boards import from_places
from parsolve.puzzles.peg.large import EVEN, PegLarge, sums_of
from parsolve.puzzles.peg.pagodas import MOST_PAGODAS, refuting

pytestmark = pytest.mark.plain

LINE = from_places([(0, 2 * column) for column in range(6)], ((0, -2), (0, 2)))
"""Six holes in a row."""

OUT_OF_REACH = [
    *("e1 e3", "e1 b6", "e1 e6", "e1 e9", "d2 f5", "d2 i5", "e3 e1", "e3 e4", "e4 e3", "e4 b6", "e4 e6", "e4 e9"),
]
"""Problems of the diamond."""


def values_of(pegs: int, holes: int) -> np.ndarray:
    return np.array([pegs >> hole & 1 for hole in range(holes)], np.int64)


def test_six_holes_in_a_row() -> None:
    """Whatever is reachable is not refuted; what is refuted is so by a function that no jump raises."""
    refuted = 0
    for start in range(1, 1 << 6, 9):
        there = distances([start], jumps_from(LINE.jumps))
        for goal in range(1, 1 << 6):
            function = refuting(LINE, values_of(start, 6), values_of(goal, 6))
            if function is None:
                continue
            refuted += 1
            assert goal not in there
            assert all(function[a] + function[b] >= function[c] for a, b, c in LINE.jumps)
            sums = [sum(value for hole, value in enumerate(function) if at >> hole & 1) for at in (start, goal)]
            assert sums[0] < sums[1]
    assert refuted > 100


@pytest.mark.parametrize("problem", OUT_OF_REACH)
def test_problems_of_the_diamond_that_are_out_of_reach(problem: str) -> None:
    peg = Peg("diamond41", *problem.split())
    assert "no jump raises a pagoda function that is " in peg.obstacle
    assert f"this cannot be solved: {peg.obstacle}" in peg.overview()


def test_the_others_are_not() -> None:
    assert not Peg("diamond41", "e3", "e7").obstacle
    assert not Peg("french37", "d2", "d6").obstacle
    assert Peg("french37", "d4", "d4").obstacle.endswith("(Rule of Three)")
    assert not Peg("french37", "d2", "any").obstacle  # of several goals nothing is known


def test_sums_in_lanes() -> None:
    """What the rules look up says of random positions what the functions say."""
    peg = PegLarge("french37", "d2", "d6")
    tables, random_, board = peg.tables(), random.Random(1), peg.layout
    assert len(peg.pagodas) == MOST_PAGODAS
    for _ in range(20):
        pegs = peg.start_pegs
        while jumps := [
            number for number, (a, b, c) in enumerate(board.jumps) if pegs >> a & pegs >> b & ~pegs >> c & 1
        ]:
            alive = all(
                sum(value for hole, value in enumerate(each.values) if pegs >> hole & 1) >= each.end
                for each in peg.pagodas
            )
            with np.errstate(over="ignore"):
                words = [*sums_of(tables.sums, np.uint64(pegs))]
                jump = random_.choice(jumps)
                a, b, c = board.jumps[jump]
                pegs ^= 1 << a | 1 << b | 1 << c
                if not alive:
                    assert words[0] & words[1] & EVEN != EVEN
                    break
                assert words[0] & words[1] & EVEN == EVEN
                left = [words[word] - tables.losses[word, jump] for word in range(2)]
                after = [*sums_of(tables.sums, np.uint64(pegs))]
                assert left == after
