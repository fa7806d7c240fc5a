"""The README's examples are true."""

import doctest
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Run

README = ROOT / "README.md"
TEXT = README.read_text()


def test_the_python_examples() -> None:
    failed, tried = doctest.testfile(str(README), module_relative=False)
    assert (failed, tried) == (0, 4)


@pytest.mark.nightly
def test_the_library_page() -> None:
    failed, tried = doctest.testfile(str(README.parent / "docs" / "library.md"), module_relative=False)
    assert failed == 0
    assert tried > 10


def test_the_tutorial(run: Run, puzzle_file: Callable[..., Path]) -> None:
    source = next(block for block in re.findall(r"```python\n(.*?)```", TEXT, re.S) if "class LightsOut" in block)
    assert len(source.splitlines()) <= 40
    puzzle_file(source)
    examples = re.findall(r"\$ parsolve (\w+) (my_puzzle\.py:LightsOut) --size (\d)\n    (.*)\n", TEXT)
    assert len(examples) == 2
    for command, name, size, answer in examples:
        assert run(command, name, "--size", size).stdout == answer + "\n"
    # The four solutions on 5 × 5 are known: M. Anderson and T. Feil, Turning lights out with linear algebra, 1998.
    assert run("count", "my_puzzle.py:LightsOut", "--size", "5").stdout == "4\n"
    assert run("check", "my_puzzle.py:LightsOut").stdout.startswith("0 faults")


def test_the_quick_start_is_two_commands() -> None:
    start = TEXT.split("## Quick start")[1].split("\n\n")[1]
    assert [line.strip() for line in start.splitlines()] == ["./scripts/try", "./scripts/test"]
