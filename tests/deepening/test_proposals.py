"""Rules in two steps, `propose` and `admit`, search as `expand` does: the same slices, counts and lists."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import Run
from samples import WALK, edited
from test_subtree import outcomes
from toys import Coins, ProposedCoins

import parsolve
from parsolve.check import check
from parsolve.compiler.marks import with_globals
from parsolve.deepening.searcher import Searcher
from parsolve.deepening.templates.proposals import AHEAD
from parsolve.errors import BadPuzzle
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.problem.templates import steps
from parsolve.puzzle import Puzzle
from parsolve.puzzles import Sliding
from parsolve.puzzles.sliding.geometry import neighbours
from parsolve.puzzles.sliding.wide_patterns import WidePatterns
from parsolve.tables.databases import supply


@dataclass(frozen=True)
class Expanded(WidePatterns):
    """The same in one step."""

    propose = admit = None
    rules = {"propose": WidePatterns.propose, "admit": WidePatterns.admit}  # noqa: RUF012
    expand = staticmethod(with_globals(steps.expand, rules))


def walked(moves: int, seed: int, rows: int = 3, columns: int = 3) -> str:
    """Return a position some random moves from the goal, with the blank first."""
    random_, tiles = random.Random(seed), list(range(rows * columns))
    for _ in range(moves):
        blank = tiles.index(0)
        near = random_.choice(neighbours(blank, rows, columns))
        tiles[blank], tiles[near] = tiles[near], 0
    return " ".join(map(str, tiles))


NINE = ("3x3", "blank-first", "4-4")

PAIRS: list[tuple[Puzzle, Puzzle]] = [
    (Coins(18, "weak"), ProposedCoins(18, "weak")),
    *((Expanded(start, *NINE), WidePatterns(start, *NINE)) for start in (walked(200, seed) for seed in range(6))),
]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("plain", "in_two_steps", "largest"),
    [(*pair, most) for most in (2, 65, 4096) for pair in PAIRS],
    ids=repr,
)
def test_slices_are_the_same(plain: Puzzle, in_two_steps: Puzzle, largest: int) -> None:
    limit = parsolve.solve(plain, want="first", workers=1).cost or 0
    random_ = random.Random(largest)
    one, other = Searcher(supply(Problem(plain)), largest), Searcher(supply(Problem(in_two_steps)), largest)
    for listing in (False, True):
        for budgets in ([1 << 40], [random_.randint(1, 3000) for _ in range(50)]):
            for each in (limit - 2, limit, limit):  # the third time by what was learned
                buffer = random_.choice([1, 3, None])
                assert outcomes(other, each, budgets, listing, buffer) == outcomes(one, each, budgets, listing, buffer)


@pytest.mark.nightly
def test_subtrees_are_counted_with_many_proposals() -> None:
    """What the test above compares."""
    searcher = Searcher(Problem(ProposedCoins(30, "none")))
    for _ in range(2):
        outcome = searcher.run(searcher.whole(), 16, 1 << 40, False, None)
    assert outcome.nodes > 1000 * AHEAD
    assert searcher._runs["shallowest"].any()


@pytest.mark.nightly
def test_solutions_of_sliding_tiles_are_listed_in_order() -> None:
    for seed in range(4):
        start = walked(40, seed)
        plain = parsolve.solve(Sliding(start, goal="blank-first", bound="manhattan"), workers=1)
        found = parsolve.solve(WidePatterns(start, *NINE), workers=1)
        assert (found.cost, found.paths) == (plain.cost, plain.paths)
        assert found.nodes <= plain.nodes


def test_check_is_clean() -> None:
    report = check(ProposedCoins(), states=200)
    assert report.faults == []
    assert report.on_solved_paths > 0


IN_TWO_STEPS = edited("def expand(", "def propose(", WALK)
IN_TWO_STEPS = edited("here.cost + 1 <= limit", "True", IN_TWO_STEPS)
ADMIT = """
    @staticmethod
    def admit(tables, row, limit):
        return row.cost + row.bound <= limit
"""


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (IN_TWO_STEPS, "'propose' needs 'admit', which of the children can meet the limit"),
        (WALK + ADMIT, "'admit' needs 'propose', the children that it chooses from"),
        (IN_TWO_STEPS + ADMIT + "\n    expand = propose\n", "'expand' and 'propose' are both given"),
        (IN_TWO_STEPS + ADMIT.replace("return ", ""), "the rule 'admit' (my_puzzle.py, line"),
        (IN_TWO_STEPS + ADMIT.replace("row.bound", "row.bond"), "the rule 'admit' does not compile (my_puzzle.py"),
        (edited("        return top\n", "", IN_TWO_STEPS) + ADMIT, "the rule 'propose' (my_puzzle.py, line"),
    ],
)
def test_what_is_wrong_is_said(puzzle_file: Callable[..., Path], source: str, says: str) -> None:
    with pytest.raises(BadPuzzle) as raised:
        parsolve.solve(load_class(f"{puzzle_file(source)}:Walk")(), workers=1)
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (IN_TWO_STEPS + ADMIT.replace("row.cost + row.bound <= limit", "True"), "at limit"),
        (edited("            row.cost = here.cost + 1\n", "", IN_TWO_STEPS) + ADMIT, "before it is set"),
        (IN_TWO_STEPS + ADMIT.replace("row.cost + row.bound <= limit", "'no'"), "'admit' must return True or False"),
    ],
)
def test_check_finds_it(run: Run, puzzle_file: Callable[..., Path], source: str, says: str) -> None:
    puzzle_file(source)
    assert says in run("check", "my_puzzle.py:Walk", "--states", "50", code=2).stdout
