"""Where numba is told to compile nothing, everything runs as plain Python, with the same answers."""

import inspect
from pathlib import Path

import numba
import numpy as np
import pytest
from shared import Run
from toys import Coins

import parsolve
from parsolve.compiler.uncompiled import runnable
from parsolve.deepening.kernels import DeepeningKernels
from parsolve.problem.problem import Problem

pytestmark = pytest.mark.plain


def test_kernels_are_plain_functions() -> None:
    rules = Problem(Coins()).compiled_rules
    assert numba.config.DISABLE_JIT
    assert inspect.isfunction(rules.kernels(DeepeningKernels).search)
    assert inspect.isfunction(rules.rules["expand"])


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
