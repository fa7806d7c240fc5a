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
from worlds.declared.wrong import CASES

import parsolve
from parsolve.deepening.searcher import Searcher
from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.explore import explore
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.search.branch import Branch

DEPTHS = [1, 4, 9, 15, 20, 22, 20, 15, 9, 4, 1]
"""Permutations of five tiles by how many exchanges of neighbours sort them."""


def case(base: str, **rules: str) -> Case:
    """Return the case of the attack that has this."""
    return next(each for each in CASES if each.base == base and each.rules == rules)


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


TOLD: dict[str, tuple[str, dict[str, str], str]] = {
    "index merges states": (
        "Swaps",
        {
            "index": "return number_of(tables, here) // np.uint64(2)",
            "unindex": "word_of(tables, number * np.uint64(2), row)",
        },
        "'index' is .* their keys differ",
    ),
    "unindex is constant": ("Swaps", {"unindex": "word_of(tables, np.uint64(0), row)"}, "'unindex' of 119 gives"),
    "unindex is off by one": (
        "Swaps",
        {"unindex": "word_of(tables, number - np.uint64(1), row)"},
        "'unindex' of 119 gives .* whose 'index' is 118",
    ),
    "size is too small": ("Swaps", {"size": "100"}, "'index' gives 119, 'size' says below 100"),
    "the key holds the cost": (
        "Keyed",
        {"key": "return np.uint64(here.word) | np.uint64(here.cost) << np.uint64(32)"},
        "'unkey' of .* whose 'key' is",
    ),
    "unkey is off by one": ("Keyed", {"unkey": "row.word, row.move = key + np.uint64(1), 0"}, "'unkey' of"),
    "graded": ("Keyed", {"graph": "'graded'"}, "'graph' says graded, but .* was reached again at 2"),
    "not bipartite": ("Turning", {"graph": "'bipartite'"}, "'graph' says bipartite, but .* was reached again"),
    "not reversible": ("OneWayByNumber", {"graph": "'reversible'"}, "'graph' says reversible, but no move leads from"),
    "a key of whole states": ("Plain", {"key": "return np.uint64(here.word) & np.uint64(0xFFF)"}, "'key' merges word="),
}


@pytest.mark.parametrize("which", some(TOLD, 5))
def test_what_a_search_by_layers_tells(puzzle_file: Callable[..., Path], which: str) -> None:
    base, rules, says = TOLD[which]
    puzzle = load(puzzle_file, case(base, **rules))
    with pytest.raises(BadPuzzle, match=says):
        parsolve.solve(puzzle, engine="breadth", want="count")
    with pytest.raises(BadPuzzle, match=says.split(" ")[0]):
        explore(puzzle, origin="start")


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


@pytest.mark.parametrize(
    ("body", "says"),
    some(
        [
            ("return [{'word': 0x43201}]", "'goals' gives word=274945, which is not solved"),
            ("return [{'word': 0x43210}, {'word': 0x43201}]", "'goals' gives word=274945, which is not solved"),
        ],
        2,
    ),
)
def test_goals_that_are_none(puzzle_file: Callable[..., Path], body: str, says: str) -> None:
    with pytest.raises(BadPuzzle, match=says):
        explore(load(puzzle_file, case("Swaps", goals=body)))


@pytest.mark.parametrize("base", some(["Swaps", "Keyed", "Plain"], 3))
def test_a_goal_that_is_missing(puzzle_file: Callable[..., Path], base: str) -> None:
    wrong = next(each for each in CASES if each.base == base and "solved" in each.rules)
    with pytest.raises(BadPuzzle, match="'goals' lacks a solved state, 1 away from those that it gives"):
        explore(load(puzzle_file, wrong))


@pytest.mark.parametrize(
    ("base", "rules", "says"),
    some(
        [
            ("Pair", {"entries": "25"}, "'entry' of .* is beyond the table, 'entries' says below 25"),
            ("Pair", {"goals": "return [{'first': 9}]"}, "'index' gives 45, .* of a state that 'goals' gives"),
            ("Boards", {"graph": "'any'"}, "does not number its states .*, nor is its 'graph', any, graded"),
            ("Pair", {"entry": "return np.int64(number) - 25"}, "'entry' of .* is beyond the table"),
            (
                "Pair",
                {"goals": "return [{'first': 1, 'second': 0}]"},
                "'goals' gives first=1 second=0, which is not solved",
            ),
            ("Boards", {"goals": "return [{'pegs': 1, 'last': NONE}]"}, "'goals' gives a state that is not solved"),
            (
                "Boards",
                {"reverse": "row.pegs, row.last, row.cost, row.move = here.pegs, NONE, 0, 0"},
                "'reverse' does not turn around all moves from",
            ),
        ],
        4,
    ),
)
def test_an_abstraction(puzzle_file: Callable[..., Path], base: str, rules: dict[str, str], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        parsolve.solve(load(puzzle_file, case(base, **rules)), want="count", workers=1)


def test_a_goal_beyond_the_size_of_what_is_explored(puzzle_file: Callable[..., Path]) -> None:
    file = write(puzzle_file, case("Pair", goals="return [{'first': 9}]"))
    with pytest.raises(BadPuzzle, match=r"'index' gives 45, .* of a state that 'goals' gives"):
        explore(load_class(f"{file}:Wrong")())


def test_a_key_in_the_transposition_table(puzzle_file: Callable[..., Path]) -> None:
    """Once 730 of the 768 solutions were counted."""
    puzzle = load(puzzle_file, case("Plain", key="return np.uint64(here.word) % np.uint64(97)"))
    with pytest.raises(BadPuzzle, match="'key' merges states with different numbers of solutions below them"):
        parsolve.solve(puzzle, want="count", workers=1, transposition=1 << 20)


@pytest.mark.parametrize("which", some(["2 * (row.word == 0x34210)", "9 * (row.word == 0x43201)"], 2))
def test_a_bound_that_hides_solutions(puzzle_file: Callable[..., Path], which: str) -> None:
    """The first is found near a later solution, the second near the first one."""
    wrong = next(each for each in CASES if which in each.rules.get("expand", ""))
    with pytest.raises(BadPuzzle, match="the bound of a state exceeds its distance from a solved one"):
        parsolve.solve(load(puzzle_file, wrong), want="count", workers=1)


def test_a_bound_that_hides_solutions_from_short_runs(puzzle_file: Callable[..., Path]) -> None:
    """Each run once counted from zero, so it never reached the one at which it would look."""
    wrong = next(each for each in CASES if "2 * (row.word == 0x34210)" in each.rules.get("expand", ""))
    searcher = Searcher(Problem(load(puzzle_file, wrong)))

    def search(branch: Branch) -> None:
        while True:
            (branch,) = searcher.run(branch, 10, 40, False, None).rest

    with pytest.raises(BadPuzzle, match="the bound of a state exceeds its distance from a solved one"):
        search(searcher.whole())


def test_the_command_tells_it_in_one_line(run: Run, puzzle_file: Callable[..., Path]) -> None:
    write(puzzle_file, case("Swaps", size="100"), "my_puzzle.py")
    for words in (("explore",), ("count", "--engine", "breadth"), ("solve", "--engine", "both")):
        done = run(words[0], "my_puzzle.py:Wrong", *words[1:], code=2)
        (line,) = [line for line in done.stderr.splitlines() if line.startswith("parsolve: ")]
        assert re.fullmatch("parsolve: Wrong: 'index' gives 1.., 'size' says below 100 .*", line)
