"""What a rule cannot have is said with its place and what to write instead, and the rest in numba's words."""

from types import FunctionType
from typing import Any

import pytest

from parsolve.compiler.unsupported import first_line, reason, unsupported_in

pytestmark = pytest.mark.plain

MISTAKES = {
    "found = []": "a list: use numbers, the bits of a number, or an array in 'tables'",
    "found = [each for each in range(3)]": "a list: ",
    "found = sorted((1, here))": "a list: ",
    "found = {1: here}": "a dict: use an array in 'tables', looked up by a number",
    "found = {1, here}": "a set: use the bits of a number",
    "found = set()": "a set: ",
    "found = f'{here}'": "a text: 'show' and 'render' make texts, uncompiled",
    "print(here)": "print: to look for a bug, run the rules as plain Python, which prints: NUMBA_DISABLE_JIT=1",
    "found = all(each == 0 for each in range(3))": "a generator expression: use a loop",
    "found = lambda: here": "a function inside the rule: write it outside of the class, and call it by its name",
    "class Found: pass": "a class: define it outside of the rule",
    "with open('log') as log: pass": "a 'try' or a 'with': a rule opens nothing, and asks beforehand whether",
    "try: found = 1\n    except KeyError: pass": "a 'try' or a 'with': ",
}


def function_of(text: str) -> FunctionType:
    names: dict[str, Any] = {}
    exec(compile(text, "/somewhere/my_puzzle.py", "exec"), names)
    found: FunctionType = names["rule"]
    return found


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_a_rule_cannot_have(mistake: str) -> None:
    rule = function_of(f"def rule(tables, here):\n    here += 1\n    {mistake}\n    return here\n")
    assert unsupported_in(rule).startswith(f" (my_puzzle.py, line 3) has {MISTAKES[mistake]}")


def test_what_a_helper_cannot_have() -> None:
    rule = function_of("def helper():\n    return [1]\ndef rule(tables, here):\n    yield helper()\n")
    assert unsupported_in(rule).startswith(" (my_puzzle.py, line 3) has 'yield': write the children into 'rows'")
    rule = function_of("def helper():\n    return [1]\ndef rule(tables, here):\n    return helper()\n")
    assert unsupported_in(rule).startswith(" (my_puzzle.py, line 2) has a list: ")
    assert not unsupported_in(function_of("def rule(tables, here):\n    return here.lights == 0\n"))


NUMBAS = """Failed in nopython mode pipeline (step: nopython frontend)
No implementation of function Function(<built-in function iadd>) found for signature:

 >>> iadd(int64, none)

There are 18 candidate implementations:

During: typing of intrinsic-call at {file} (3)

File "{file}", line 3:
"""


def test_the_rest_is_in_numbas_words() -> None:
    rule = function_of("def rule(tables, here):\n    if here.light:\n        here += None\n    return rang(here)\n")
    iadd = "No implementation of function Function(<built-in function iadd>) found for signature: >>> iadd(int64, none)"
    for error, line, says in (
        (ValueError(NUMBAS.format(file="../my_puzzle.py")), 3, iadd),
        (KeyError("light"), 2, "'state' has no field 'light'"),
        (NameError("name 'rang' is not defined"), 4, "name 'rang' is not defined"),
        (NotImplementedError("float16"), 1, "float16"),
    ):
        assert reason(rule, error) == f" does not compile (my_puzzle.py, line {line}): {says}"
    assert first_line("") == "unknown reason"
