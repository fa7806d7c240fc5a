"""Where numba is told to compile nothing, everything runs as plain Python, with the same answers."""

import inspect
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np
import pytest
from shared import Run
from toys import Coins

import parsolve
from parsolve.compiler.uncompiled import runnable
from parsolve.compiler.unsupported import first_line, reason, unsupported_in
from parsolve.deepening.kernels import DeepeningKernels
from parsolve.problem.problem import Problem

pytestmark = pytest.mark.plain


def test_kernels_are_plain_functions() -> None:
    rules = Problem(Coins()).compiled_rules
    assert numba.config.DISABLE_JIT
    assert inspect.isfunction(rules.kernels(DeepeningKernels).walk(remembers=False))
    assert inspect.isfunction(rules.names["expand"])


def test_the_command_keeps_no_kernel(run: Run, kernel_folder: Path) -> None:
    assert run("count", "eight", "--start", "1 2 0 4 5 3 7 8 6", "--workers", "1", "--quiet").stdout == "1\n"
    assert not list(kernel_folder.glob("*.kernel"))


def test_a_rule_that_raises_says_where(run: Run) -> None:
    class Broken(Coins):
        @staticmethod
        def solved(tables, here):  # type: ignore[no-untyped-def]
            return tables.prices[here.left] == 0

    with pytest.raises(parsolve.errors.RuleRaised, match="IndexError: index 8 is out of bounds") as caught:
        parsolve.solve(Broken(), workers=1)
    assert caught.value.__cause__ is not None


STATE = np.dtype([("word", "u8"), ("cells", "u1", (3,)), ("cost", "u1")], align=True)


def test_rows_are_as_compiled_code_has_them() -> None:
    """Fields are attributes of a view; small numbers widen when they are read and are cut when they are written."""
    rows = np.zeros(2, STATE)

    def work(rows, lookups, words):  # type: ignore[no-untyped-def]
        here = rows[1]
        here.cost, here.word, here.cells[2] = 255, -1, 300
        assert here.cost + here.cost == 510
        assert here.word + np.uint64(2) == 1
        assert type(here.word) is np.uint64
        assert here.cells[2] << 10 == 44 << 10
        assert [cell + 255 for cell in lookups[0]] == [510, 255]
        assert words[0] * words[0] == 1
        assert repr(here).endswith("cost=255")
        here.cells = lookups[1]
        rows[0] = here

    runnable(work)(rows, (np.array([255, 0], np.uint8), np.array([1, 2, 259])), np.array([-1], np.int64).view("u8"))
    assert rows["word"].tolist() == 2 * [(1 << 64) - 1]
    assert rows["cells"].tolist() == 2 * [[1, 2, 3]]


# What a rule cannot have is said with its place and what to write instead, and the rest in numba's words.


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
    "with open('log') as log: pass": "a 'try' or a 'with': a rule opens nothing, and tests in advance for",
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
