"""What one reads after a mistake in the README's puzzle, in a rule or another method: one line, with its place."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import nightly
from samples import edited
from shown import tutorial

from parsolve.cli import main

LIGHTS = tutorial()
RETURNS = "        return here.lights == 0\n"
CLASS = "@dataclass(frozen=True)\n"


def with_helper(helper: str, call: str) -> str:
    """The puzzle with functions before its class, one of which `solved` calls."""
    return edited(RETURNS, f"        return {call}\n", edited(CLASS, f"{helper}\n\n{CLASS}", LIGHTS))


def with_field(values: str) -> str:
    """The puzzle with an array field of 3 in its root."""
    source = edited('("lights", "u8")', '("lights", "u8"), ("more", "u1", (3,))', LIGHTS)
    return edited("**2) - 1}", f'**2) - 1, "more": {values}}}', source)


def line_of(source: str, text: str) -> str:
    """`my_puzzle.py, line N` of the first line that holds a text."""
    return f"my_puzzle.py, line {next(i for i, line in enumerate(source.splitlines(), 1) if text in line)}"


RULES = {
    "a field read in a helper": (
        with_helper("def dark(here):\n    return here.light == 0\n", "dark(here)"),
        "here.light ==",
        "the rule 'solved' does not compile ({}): 'state' has no field 'light'",
    ),
    "a set in a helper": (
        with_helper("def dark(lights):\n    return len({lights, 0}) == 1\n", "dark(here.lights)"),
        "len(",
        "the rule 'solved' ({}) has a set: use the bits of a number",
    ),
    "a table": (
        edited("tables.cross[button]", "tables.crosses[button]", LIGHTS),
        "tables.crosses",
        "the rule 'expand' does not compile ({}): Unknown attribute 'crosses' of type Tables(",
    ),
    "a bare return": (
        edited(
            "        for button in", "        if here.lights == 0:\n            return\n        for button in", LIGHTS
        ),
        "@staticmethod",
        "the rule 'expand' ({}) must return top, a whole number, not OptionalType(int64)",
    ),
}
"""Mistakes that numba finds: the source, a text in the line that is named, and the message, `{}` for file and line."""

METHODS = {
    "return top is forgotten": (
        edited("        return top\n", "", LIGHTS),
        "@staticmethod",
        "the rule 'expand' ({}) returns nothing: end it with 'return top'",
    ),
    "helpers in a circle": (
        with_helper("def a(x):\n    return b(x)\n\n\ndef b(x):\n    return a(x)\n", "a(here.lights)"),
        "def b",
        "'b' calls 'a' in a circle ({}), which compiled code cannot: use a loop",
    ),
    "arguments in another order": (
        edited("def expand(tables, here, limit, rows, top)", "def expand(here, tables, limit, rows, top)", LIGHTS),
        "@staticmethod",
        "the rule 'expand' ({}) must take its arguments in this order: tables, here, limit, rows, top",
    ),
    "a number of the root that is not whole": (
        edited("(1 << self.size**2) - 1", "self.size / 2", LIGHTS),
        "def root",
        "the root's 'lights' ({}) = 1.5 does not fit the field, uint64",
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
    "a typo in a property": (
        edited("    children = 64\n", "    @property\n    def children(self):\n        return self.sise**2\n", LIGHTS),
        "self.sise",
        "'children' raises AttributeError: 'LightsOut' object has no attribute 'sise' ({})",
    ),
}

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
        assert "Traceback" not in text
        return "\n".join(line for line in text.splitlines() if not re.match(r"limit|compiling|\d+ fault", line))

    return run


@pytest.mark.parametrize(
    ("mistake", "command"),
    [
        *((mistake, command) for mistake in METHODS for command in ("check", "solve")),
        *((mistake, "solve") for mistake in RULES),
        *(nightly((mistake, "check")) for mistake in RULES),
        ("a field read in a helper", "count"),
    ],
)
def test_mistakes(said: Said, mistake: str, command: str) -> None:
    source, place, says = (METHODS | RULES)[mistake]
    (line,) = said(command, source).splitlines()
    assert says.format(line_of(source, place) if place else "") in line
