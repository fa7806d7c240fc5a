"""Wrong declarations are told while a search runs, or do no harm: a few cases of `scripts/attack_declarations.py`."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import some
from conftest import Run
from worlds.declared.cases import HELPERS, Case
from worlds.declared.hops import HOPS
from worlds.declared.puzzles import PUZZLES
from worlds.declared.told import TOLD, Told, case, having

import parsolve
from parsolve.deepening.searcher import Searcher, Sought
from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.explore import explore
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.search.branch import Branch

DEPTHS = [1, 4, 9, 15, 20, 22, 20, 15, 9, 4, 1]
"""Permutations of five tiles by how many exchanges of neighbours sort them."""


TRUE = PUZZLES + HOPS + HELPERS

BESIDE = """
import sys
from parsolve.problem.registry import load_class
true = sys.modules[load_class("{true}:Swaps").__module__]
globals().update({{name: value for name, value in vars(true).items() if not name.startswith("__")}})
"""
"""How a file begins that has all that the file of the true puzzles has."""


def write(puzzle_file: Callable[..., Path], wrong: Case, name: str = "puzzles.py") -> Path:
    """Write the puzzle of a case beside the true ones, so that only what is wrong is compiled for it."""
    assert wrong.source.startswith(TRUE)
    true = puzzle_file(TRUE, "true.py").resolve()
    return puzzle_file(BESIDE.format(true=true) + wrong.source.removeprefix(TRUE), name)


def load(puzzle_file: Callable[..., Path], wrong: Case) -> Any:
    name = "User" if "class User" in wrong.source else "Wrong"
    return load_class(f"{write(puzzle_file, wrong)}:{name}")()


@pytest.mark.nightly
@pytest.mark.parametrize("told", TOLD, ids=str)
def test_what_is_told(puzzle_file: Callable[..., Path], told: Told) -> None:
    puzzle = load_class(f"{write(puzzle_file, told.case)}:{told.cls}")()
    says = told.says
    for search in told.finds(puzzle):
        with pytest.raises(BadInput, match=says):
            search()
        says = told.says.split(" ")[0]  # another engine meets another state


@pytest.mark.parametrize(
    ("base", "rules"),
    some(
        [
            ("Swaps", {"size": "121"}),
            ("Swaps", {"unindex": "word_of(tables, number, row)\nrow.cost = 1"}),
            ("Keyed", {"graph": "'any'"}),
            ("Plain", {"key": "return np.uint64(here.word) & np.uint64(0xFFFF)"}),
        ],
        4,
    ),
)
def test_what_is_harmless(puzzle_file: Callable[..., Path], base: str, rules: dict[str, str]) -> None:
    puzzle = load(puzzle_file, case(base, **rules))
    assert [states for _, states in explore(puzzle).depths] == DEPTHS
    assert parsolve.solve(puzzle, engine="breadth", want="count").count == 768


@pytest.mark.nightly
def test_a_bound_that_hides_solutions_from_short_runs(puzzle_file: Callable[..., Path]) -> None:
    """Each run once counted from zero, so it never reached the one at which it would look."""
    wrong = having("expand", "2 * (row.word == 0x34210)")
    searcher = Searcher(Problem(load(puzzle_file, wrong)))

    def search(branch: Branch) -> None:
        while True:
            (branch,) = searcher.run(branch, Sought(10), 40).rest

    with pytest.raises(BadPuzzle, match="the bound of a state exceeds its distance from a solved one"):
        search(searcher.whole())


def test_the_command_tells_it_in_one_line(run: Run, puzzle_file: Callable[..., Path]) -> None:
    write(puzzle_file, case("Swaps", size="100"), "my_puzzle.py")
    done = run("explore", "my_puzzle.py:Wrong", code=2)
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("parsolve: ")]
    assert re.fullmatch("parsolve: Wrong: 'index' gives 1.., 'size' says below 100 .*", line)
