"""Mistakes in the README's puzzle, and what is said of each: a plain sentence with file, line and what to do."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from samples import edited
from shared import ROOT
from shown import tutorial

from parsolve.cli import main
from parsolve.compiler import complaints
from parsolve.errors import BadPuzzle
from parsolve.problem import explain
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.puzzle import Puzzle

LIGHTS = tutorial()
RETURNS = "        return here.lights == 0\n"
CLASS = "@dataclass(frozen=True)\n"
BOUND = "row.cost, row.bound, row.move = here.cost + 1, 4 * (row.lights != 0), button + 1"

EXPAND = "        for button in range"


def with_helper(helper: str, call: str) -> str:
    """The puzzle with a function before its class that `solved` calls."""
    return edited(RETURNS, f"        return {call}\n", edited(CLASS, f"{helper}\n\n{CLASS}", LIGHTS))


def with_field(values: str) -> str:
    """The puzzle with an array field of 3 in its root."""
    source = edited('("lights", "u8")', '("lights", "u8"), ("more", "u1", (3,))', LIGHTS)
    return edited("**2) - 1}", f'**2) - 1, "more": {values}}}', source)


def line_of(source: str, text: str) -> str:
    """`my_puzzle.py, line N` of the first line that holds a text."""
    return f"my_puzzle.py, line {next(i for i, line in enumerate(source.splitlines(), 1) if text in line)}"


RULES = {
    "return top is forgotten": (
        edited("        return top\n", "", LIGHTS),
        "@staticmethod",
        "the rule 'expand' ({}) returns nothing: end it with 'return top'",
    ),
    "a bare return": (
        edited(EXPAND, f"        if here.lights == 0:\n            return\n{EXPAND}", LIGHTS),
        "",
        "returns nothing in some cases: every 'return' must give top",
    ),
    "solved without return": (
        edited("return here.lights == 0", "here.lights == 0", LIGHTS),
        "",
        "returns nothing: write 'return' before what says whether a state is solved",
    ),
    "a field read": (
        edited("return here.lights", "return here.light", LIGHTS),
        "here.light ==",
        "the rule 'solved' does not compile ({}): 'light' is not a field of 'state', which has lights, cost, move",
    ),
    "a field written": (
        edited("row.lights =", "row.light =", LIGHTS),
        "row.light =",
        "the rule 'expand' does not compile ({}): 'light' is not a field of 'state', which has lights, cost, move",
    ),
    "a field read in a helper": (
        with_helper("def dark(here):\n    return here.light == 0\n", "dark(here)"),
        "here.light ==",
        "the rule 'solved' does not compile ({}, in 'dark'): 'light' is not a field of 'state', which has lights,",
    ),
    "a table": (
        edited("tables.cross[button]", "tables.crosses[button]", LIGHTS),
        "tables.crosses",
        "the rule 'expand' does not compile ({}): the tables have no 'crosses', they have cross",
    ),
    "a helper with what numba does not know": (
        with_helper("def dark(lights):\n    return bin(lights) == '0b0'\n", "dark(here.lights)"),
        "bin(lights)",
        "the rule 'solved' does not compile ({}, in 'dark'): compiled code does not know Python's 'bin'",
    ),
    "a recursive helper": (
        with_helper("def ones(x):\n    return ones(x & (x - 1)) + 1 if x else 0\n", "ones(here.lights) == 0"),
        "return ones(x",
        "the rule 'solved' does not compile ({}, in 'ones'): 'ones' calls itself, which compiled code cannot",
    ),
    "helpers in a circle": (
        with_helper("def a(x):\n    return b(x)\n\n\ndef b(x):\n    return a(x)\n", "a(here.lights)"),
        "def b",
        "'b' and 'a' call each other in a circle ({}), which compiled code cannot: use a loop",
    ),
    "a helper in the class": (
        edited(RETURNS, "        return LightsOut.dark(here.lights)\n", LIGHTS)
        + "\n    @staticmethod\n    def dark(lights):\n        return lights == 0\n",
        "LightsOut.dark",
        "({}): 'LightsOut' is a class: a helper is a plain function outside of any class, called by its name",
    ),
    "a helper with too many arguments": (
        with_helper("def dark(lights):\n    return lights == 0\n", "dark(here.lights, 0)"),
        "dark(here.lights, 0)",
        "({}): a function is called with other arguments than it takes in: return dark(here.lights, 0)",
    ),
    "a global array": (
        edited(RETURNS, f"        SEEN[0] += 1\n{RETURNS}", edited(CLASS, f"SEEN = np.zeros(3)\n\n\n{CLASS}", LIGHTS)),
        "SEEN[0]",
        "({}): it writes into the global array 'SEEN', which rules may only read: what changes belongs in a",
    ),
    "a dict": (
        edited(
            RETURNS, "        return DARK[here.lights]\n", edited(CLASS, f"DARK = {{0: True}}\n\n\n{CLASS}", LIGHTS)
        ),
        "return DARK",
        "({}): the global 'DARK' is a dict, which compiled code cannot read",
    ),
    "a name that is not there": (
        edited("in range(here", "in rang(here", LIGHTS),
        "in rang(here",
        "the rule 'expand' does not compile ({}): name 'rang' is not defined",
    ),
    "two types": (
        edited(
            RETURNS, "        x = 0\n        if here.lights:\n            x = 'on'\n        return x == 0\n", LIGHTS
        ),
        "",
        "the variable 'x' is int in one place and str in another: use one type",
    ),
    "a text in a field": (
        edited("row.lights = here.lights ^ tables.cross[button]", "row.lights = 'on'", LIGHTS),
        "'on'",
        "({}): str is given where uint64 belongs in: row.lights = 'on'",
    ),
    "None in a sum": (
        edited("top += here", "top += None; top += here", LIGHTS),
        "None",
        "({}): compiled code cannot do this with int64, none in: top += None",
    ),
}
"""By what is wrong: the source, a text in the line that is named, and the message, `{}` for file and line."""

METHODS = {
    "arguments in another order": (
        edited("def expand(tables, here, limit, rows, top)", "def expand(here, tables, limit, rows, top)", LIGHTS),
        "@staticmethod",
        "the rule 'expand' ({}) must take its arguments in this order: tables, here, limit, rows, top",
    ),
    "the root is not returned": (
        edited('return {"lights"', '{"lights"', LIGHTS),
        "def root",
        "'root' ({}) must return a dict of fields, not None: is a 'return' missing?",
    ),
    "the tables are not returned": (
        edited("return Tables(np", "Tables(np", LIGHTS),
        "def tables",
        "'tables' ({}) must return a NamedTuple, not None: is a 'return' missing?",
    ),
    "a field of the root": (
        edited('{"lights": (1', '{"light": (1', LIGHTS),
        "def root",
        "the root ({}) names 'light', which is not a field of 'state'; its fields are lights, cost, move",
    ),
    "a number of the root that is not whole": (
        edited("(1 << self.size**2) - 1", "self.size / 2", LIGHTS),
        "def root",
        "the root's 'lights' ({}) = 1.5 does not fit the field, uint64",
    ),
    "a text in the root": (
        edited("(1 << self.size**2) - 1", "'511'", LIGHTS),
        "def root",
        "the root's 'lights' ({}) = '511' does not fit the field, uint64",
    ),
    "None in the tables": (
        edited("return Tables(np", "return Tables(None and np", LIGHTS),
        "",
        "'tables' holds None, but compiled code reads only numbers of up to 8 bytes and arrays of them",
    ),
    "numbers in the tables that are too long": (
        edited("np.uint64)", "np.longdouble)", LIGHTS),
        "",
        "'tables' holds an array of float128, but compiled code reads only numbers of up to 8 bytes and arrays of them",
    ),
    "an array too short": (
        with_field("[1, 2]"),
        "def root",
        "the root's 'more' ({}) = [1, 2] does not fit the field, an array of 3 uint8",
    ),
    "an array of another shape": (
        with_field("[[1, 2, 3]]"),
        "def root",
        "[[1, 2, 3]] does not fit the field, an array",
    ),
    "an array of one": (with_field("[1]"), "def root", "[1] does not fit the field, an array of 3 uint8"),
    "an array with too large a number": (with_field("[1, 2, 300]"), "def root", "[1, 2, 300] does not fit the field"),
    "show prints": (
        LIGHTS + "\n    def show(self, moves):\n        self.size\n",
        "def show",
        "'show' ({}) must return a text, not None: is a 'return' missing?",
    ),
}

TEXTS = ROOT / "tests" / "numba_texts.json"
"""What numba raised for the mistakes that it finds, and the versions: a nightly test records it again."""


def complaint_of(cls: type[Puzzle]) -> dict[str, str] | None:
    """Return the rule of a class that numba cannot compile, and what it raises, without folders and addresses; None
    where it raises nothing."""
    found: dict[str, str] = {}

    def why(rule: Any, error: Exception, *more: Any) -> complaints.Why:
        text = error.args[0] if isinstance(error, KeyError) else str(error)
        text = re.sub(r" at 0x[0-9a-f]+", "", text)
        text = re.sub(r"[^\s\"'(]*/(?=[\w<])", "", text)
        found.update(rule=rule.__name__, kind=type(error).__name__, text=text)
        return complaints.Why("")

    problem = Problem(cls())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(explain, "why", why)
        explain.explain(problem.puzzle, problem.tables, problem.root, BadPuzzle(""))
    return found or None


def recorded() -> dict[str, Any]:
    """Return numba's complaints by mistake, and the versions of numba and Python."""
    return json.loads(TEXTS.read_text())  # type: ignore[no-any-return]


def load(path: Path) -> type[Puzzle]:
    """Return the class of a file with a mistake."""
    return load_class(f"{path}:LightsOut")


FOREIGN = ("Traceback", "numba", "nopython", "Dispatcher", "Literal", "array(", "Function(")
"""What no message has."""

Said = Callable[[str, str], str]


@pytest.fixture
def said(
    tmp_path: Path,
    puzzle_file: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    alone: None,
) -> Said:
    """What a command says of a source on either stream, but for the progress of a search; it must end with code 2."""
    monkeypatch.chdir(tmp_path)

    def run(command: str, source: str) -> str:
        puzzle_file(source)
        assert main([command, "my_puzzle.py:LightsOut"]) == 2
        out, err = capsys.readouterr()
        text = f"{out}{err}"
        assert not [foreign for foreign in FOREIGN if foreign in text]
        return "\n".join(line for line in text.splitlines() if not re.match(r"limit|compiling|\d+ fault", line))

    return run
