"""The command line refuses bad words and bad puzzles in one clear line."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run
from samples import TUNED, WALK, edited, tuned
from variants import Variant

pytest_plugins = ["variants"]


BAD = {
    "unknown puzzle": (("solve", "hopers"), "did you mean hoppers"),
    "unknown command": (("sovle", "hoppers"), "did you mean solve?"),
    "a puzzle for a command": (("hoppers",), "is a puzzle, not a command: try parsolve solve hoppers"),
    "no puzzle": (("solve",), "name the puzzle first"),
    "option first": (("solve", "--json", "hoppers"), "name the puzzle first"),
    "unknown option": (
        ("solve", "hoppers", "--bond", "none"),
        "unrecognized arguments: --bond none; did you mean --bound",
    ),
    "tile missing": (("solve", "eight", "--start", "8 6 7 2 5 4 3 9 1"), "out of range: 9, missing: 0"),
    "no number": (("solve", "eight", "--start", "8 6 y"), "whole numbers"),
    "too few cells": (("solve", "eight", "--start", "0"), "2 to 25"),
    "shape does not fit": (("solve", "eight", "--shape", "4x4"), "does not fit the 9 cells"),
    "shape is no shape": (("solve", "eight", "--shape", "three"), "rows x columns"),
    "goal does not fit": (("solve", "eight", "--goal", "1 2 0"), "goal has 3 cells, start has 9"),
    "goal is no goal": (("solve", "eight", "--goal", "spiral"), "blank-last, blank-first or a list"),
    "one row": (("explore", "sliding", "--start", "2 1 0", "--shape", "1x3"), "in one row tiles keep their order"),
    "first not into vacancy": (
        ("solve", "hoppers", "--vacancy", "3"),
        "does not end in the vacancy 3 (--vacancy 3 was given; --board hoppers --target 6 --first 0-6 is what hoppers sets: override it)",
    ),
    "no file": (("solve", "nothing.py:Nothing"), "there is no file 'nothing.py'"),
    "no module": (("solve", "nothing.at.all:Nothing"), "cannot be imported"),
    "no states": (("check", "five", "--states", "0"), "at least 1, not 0"),
    "no quotes": (
        ("solve", "eight", "--start", "1", "2", "3"),
        "unrecognized arguments: 2 3; a value follows its option, one of several words in quotes",
    ),
    "one file twice": (("solve", "hoppers", "--log", "a", "--html", "./a"), "--html and --log are both a: name two"),
    "no folder": (("explore", "five", "--spill", ""), "spill is a folder's path, not ''"),
    "short option": (("solve", "eight", "-j"), "unrecognized arguments: -j; --help lists the options"),
    "word behind an option": (("-V", "extra"), "unrecognized arguments: extra"),
    "nothing but an end of options": (("--",), "unrecognized arguments: --"),
    "negative value": (("solve", "eight", "-3"), "unrecognized arguments: -3; a value follows its option"),
}


@pytest.mark.parametrize(("words", "says"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_one_clear_line(run_here: Run, words: tuple[str, ...], says: str) -> None:
    done = run_here(*words, code=2)
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if not line.startswith(("usage:", " "))]
    assert len(lines) == 1, done.stderr
    assert says in lines[0]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (edited("    def expand", "    def expnd"), "the rule 'expand' is missing"),
        (edited("    def solved", "    def slved"), "the rule 'solved' is missing"),
        (edited("    def root", "    def rot"), "'root' is missing"),
        (edited("    @staticmethod\n    def solved", "    def solved"), "the rule 'solved' (my_puzzle.py, line 34) must be a staticmethod"),
        (edited("def solved(tables, here)", "def solved(here)"), "the rule 'solved' (my_puzzle.py, line 34) must take 2 arguments: tables, here"),
        (edited("tables, here, limit, rows, top)", "here, rows, top)"), "the rule 'expand' (my_puzzle.py, line 23) must take 5 arguments: tables, here, limit, rows, top"),
        (edited("    @staticmethod\n    def solved(tables, here):\n        return here.place * 2 == tables.size", "    solved = staticmethod(True)"), "the rule 'solved' must be a function, not True"),
        (edited("return here.place * 2", "return here.plaice * 2"), "the rule 'solved' does not compile (my_puzzle.py, line 36)"),
        (edited("size: int = parameter", "size: list = parameter"), "must be int, float, str, bool or Literal"),
        (edited('size: int = parameter(8, "places")', "size: int"), "parameter 'size' has no default"),
        (edited("(frozen=True)", ""), "dataclass(frozen=True)"),
        (edited("class Walk(Puzzle)", "class Walk"), "not a subclass"),
        (edited('("move", "u1")', '("moves", "u1")'), "'state' lacks the field 'move'; its fields are place, cost, bound, moves"),
        (edited("np.dtype([", "list(["), "'state' must be a structured numpy.dtype, not [('place', 'u4'), "),
        (edited("state = ", "states = "), "'state' is missing"),
        (edited("    children = 2", "    def children(self): return 2"), "'children' (my_puzzle.py, line 15) is a method: put @property before it"),
        (edited("    children = 2\n", ""), "'children' is missing: the greatest number of children"),
        (edited("root(self)", "root()"), "takes 0 positional arguments but 1 was given (my_puzzle.py, line 17)"),
        (edited('parameter(8, "places")', 'parameter("8 places", "places")'), "Walk: the default of a parameter is wrong: Walk: size is a whole number, not '8 places'"),
        (edited('parameter(8, "places")', 'parameter(8, "places", least=9)'), "Walk: size is at least 9, not 8"),
        (edited('("cost", "u2")', '("cost", "f8")'), "must be an unsigned integer"),
        (edited("children = 2", "children = 0"), "'children'"),
        (edited('{"place": 0}', '{"plaice": 0}'), "not a field of 'state'"),
        (edited('{"place": 0}', '{"place": -1}'), "does not fit"),
        (edited("return Tables(self.size)", "return 1 // 0"), "'tables' raises ZeroDivisionError"),
        (edited("return Tables(self.size)", "return 5"), "'tables' (my_puzzle.py, line 20) must return a NamedTuple, not 5"),
        (edited("import numpy as np", "import nump as np"), "cannot be loaded: ModuleNotFoundError"),
        (edited('return {"place": 0}', "return None"), "must return a dict of fields, not None: is a 'return' missing?"),
        (edited("    def tables", "    def steps(self, limit):\n        return None\n\n    def tables"), "'steps' must return a whole number"),
        (edited("size: int =", "size: 'itn' ="), "a parameter's type is unknown"),
        (edited('("place", "u4")', '("place", "S4")'), "must be of unsigned integers"),
        (edited('("place", "u4")', '("place", ">u4")'), "Walk: the field 'place' of 'state' has its bytes in an order that compiled code does not read: write 'u4'"),
        (edited("    size: int = ", "    x: bool = False\n    no_x: int = 3\n    size: int = "), "'no_x' is the option against 'x'"),
    ],
)  # fmt: skip
def test_bad_puzzles_of_the_users_own(run_here: Run, puzzle_file: Callable[..., Path], source: str, says: str) -> None:
    puzzle_file(source)
    refused(run_here, says)


BY_LEVELS = """
    default_engine = "breadth"
    key = staticmethod(lambda tables, row: np.uint64(row.place))
    unkey = staticmethod(lambda tables, key, row: 1 // key)
"""


def with_method(text: str, source: str = TUNED) -> str:
    return source + f"\n    def {text}\n"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (tuned("2, 0, 2"), "a rule raises ZeroDivisionError"),
        (TUNED + BY_LEVELS, "a rule raises an exception"),
        (tuned("2, 3, -1"), "its bound is too high somewhere (parsolve check looks for that)"),
        (tuned("1, 0, -1", 7), "the search has reached costs above 254, each of which overflows"),
        (with_method("steps(self, limit): return -90", tuned("39, 0, -1", 2000)), "more rows than"),
        (with_method("limits(self): return [0, 3, 6]"), "its limits skip a value"),
        (with_method("limits(self): return None"), "'limits' must return whole numbers, not None"),
    ],
)
def test_bad_puzzles_of_the_users_own_in_a_search(run_here: Run, variant: Variant, source: str, says: str) -> None:
    variant(source, TUNED)
    refused(run_here, says)


def refused(run: Run, says: str) -> None:
    """See that a search of the puzzle is refused in one line."""
    done = run("solve", "my_puzzle.py:Walk", code=2)
    lines = [line for line in done.stderr.splitlines() if not line.startswith(("compiling", "limit"))]
    assert len(lines) == 1, done.stderr
    assert says in lines[0]


def test_a_module_that_is_a_file_here(
    run_here: Run, puzzle_file: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.path", [*filter(None, sys.path)])  # as the command has it: without the present folder
    puzzle_file(WALK, "lies_here.py", own=True)
    (tmp_path / "more").mkdir()
    puzzle_file(WALK, "more/walks.py", own=True)
    for words in (("solve", "lies_here:Walk"), ("describe", "lies_here:Walk"), ("check", "lies_here:Walk")):
        assert "No module named 'lies_here'; did you mean lies_here.py:Walk?" in run_here(*words, code=2).stderr
    assert "did you mean more/walks.py:Walk?" in run_here("solve", "more.walks:Walk", code=2).stderr
    says = "there is no puzzle 'lies_here'; did you mean lies_here.py:CLASS?"
    assert says in run_here("solve", "lies_here", code=2).stderr


def test_which_class_of_a_file(run_here: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(WALK)
    assert "'my_puzzle.py' is a puzzle, not a command: try parsolve solve my_puzzle.py" in (
        run_here("my_puzzle.py", code=2).stderr
    )
    assert "one of Walk" in run_here("solve", "my_puzzle.py", code=2).stderr
    assert "one of Walk" in run_here("solve", "my_puzzle.py:", code=2).stderr
    assert "did you mean Walk?" in run_here("solve", "my_puzzle.py:Wlk", code=2).stderr
