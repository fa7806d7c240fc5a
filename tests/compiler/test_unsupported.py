"""What a rule cannot have: the sentence about it names the rule, the line, and what to write instead."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cases import some
from samples import WALK, edited

from parsolve.errors import BadPuzzle
from parsolve.library import solve
from parsolve.problem.registry import make

MEMORY = "compiled rules have no memory of their own"

MISTAKES = {
    "found = []; found.append(step)": f"a list: {MEMORY}; use numbers, the bits of a number, or an array in 'tables'",
    "found = [each for each in range(3)]": f"a list: {MEMORY}",
    "found = sorted([1, step])": f"a list: {MEMORY}",
    "found = {1: step}": f"a dict: {MEMORY}; use an array in 'tables', looked up by a number",
    "found = {1, step}": f"a set: {MEMORY}; use the bits of a number",
    "found = set(); found.add(step)": f"a set: {MEMORY}",
    "found = f'{step}'": f"a text: {MEMORY}; 'show' and 'render' make texts, uncompiled",
    "print(step)": "print: to look for a bug, run the rules as plain Python, which prints: NUMBA_DISABLE_JIT=1",
    "found = np.diff(np.arange(3))": f"np.diff, which makes an array: {MEMORY}; write a loop, or calculate it once in",
    "found = np.unique(np.arange(3))": f"np.unique, which makes an array: {MEMORY}",
    "found = np.random.random()": "random numbers: a rule must give the same each time; what is drawn once belongs in",
    "import math": "an import: write it at the top of the file",
    "import random; found = random.random()": "an import: write it at the top of the file",
    "global Q; Q = step": "a global that is written: a rule only reads; what a move changes belongs in 'state'",
    "del rows": "'del': leave it out",
    "found = all(each == 0 for each in range(3))": "a generator expression: use a loop",
    "with open('log') as log: pass": "'with': a rule opens nothing; what it looks up belongs in 'tables'",
    "yield step": "'yield': write the children into 'rows', and return 'top'",
}


def complaint(puzzle_file: Callable[..., Path], source: str) -> str:
    path = puzzle_file(source)
    with pytest.raises(BadPuzzle) as raised:
        solve(make(f"{path}:Walk", {}), workers=1)
    assert "\n" not in str(raised.value)
    return str(raised.value)


@pytest.mark.parametrize("mistake", some(MISTAKES, 12))
def test_the_sentence_says_what_to_write_instead(puzzle_file: Callable[..., Path], mistake: str) -> None:
    source = edited("            row = rows[top]\n", f"            {mistake}\n            row = rows[top]\n", WALK)
    line = 23 if mistake.startswith("yield") else 1 + source.split("\n").index(f"            {mistake}")
    said = complaint(puzzle_file, source)
    assert said.startswith("Walk: the rule 'expand' (")
    assert f"has {MISTAKES[mistake]}" in said
    if not mistake.startswith("yield"):
        assert f", line {line}) has" in said


@pytest.mark.nightly
def test_what_a_helper_has_is_found_in_the_helper(puzzle_file: Callable[..., Path]) -> None:
    helper = "def near(place):\n    return len({place, place + 1})\n\n@dataclass(frozen=True)\nclass Walk"
    source = edited("@dataclass(frozen=True)\nclass Walk", helper, WALK)
    source = edited("here.place * 2 == tables.size", "here.place * 2 == tables.size * near(0) // 2", source)
    said = complaint(puzzle_file, source)
    line = 1 + source.split("\n").index("    return len({place, place + 1})")
    assert f"line {line})" in said
    assert f"has a set: {MEMORY}" in said


def test_what_rules_only_read(puzzle_file: Callable[..., Path]) -> None:
    source = edited("            row = rows[top]\n", "            tables.size = 3\n            row = rows[top]\n", WALK)
    assert "it writes 'size' of Tables, which is only read" in complaint(puzzle_file, source)


def test_values_of_different_types(puzzle_file: Callable[..., Path]) -> None:
    source = edited(
        "        return top\n", "        if top > 5:\n            return [1, 2]\n        return top\n", WALK
    )
    assert "it returns values of different types" in complaint(puzzle_file, source)
    assert "a list of int64" in complaint(puzzle_file, source)
