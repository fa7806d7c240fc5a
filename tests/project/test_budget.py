"""No folder has more lines than budget.toml allows."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from shared import ROOT

pytestmark = pytest.mark.plain


BUDGET = tomllib.loads((ROOT / "budget.toml").read_text())


def lines(files: Iterator[Path]) -> int:
    """Return how many lines files have together, as `wc -l` counts them."""
    return sum(file.read_bytes().count(b"\n") for file in files if "__pycache__" not in file.parts)


def counts() -> dict[str, int]:
    """Return the lines of each entry of budget.toml."""
    package = ROOT / "parsolve"
    found = {folder.name: lines(folder.rglob("*.py")) for folder in package.iterdir() if any(folder.rglob("*.py"))}
    found = {name: found[name] for name in sorted(found)} | {"top": lines(package.glob("*.py"))}
    return found | {
        "without-puzzles": sum(found.values()) - found["puzzles"],
        "tests": lines((ROOT / "tests").rglob("*.py")),
        "goldens": lines(file for file in (ROOT / "tests" / "goldens").iterdir()),
        "scripts": lines(file for file in (ROOT / "scripts").rglob("*") if file.is_file()),
    }


def test_no_folder_is_over_its_budget() -> None:
    found = counts()
    assert found.keys() == BUDGET.keys()
    assert {name: f"{each} of {BUDGET[name]}" for name, each in found.items() if each > BUDGET[name]} == {}


# What is compiled into kernels is small enough to be read.


MOST = 10
"""Parameters of a function: what travels together is a record."""

FILES = sorted((ROOT / "parsolve").glob("*/templates/*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}/{file.stem}")
def test_no_template_has_many_parameters(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.FunctionDef):
            given = node.args
            names = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            assert len(names) - names.count(None) <= MOST, node.name


def test_there_are_templates() -> None:
    """What the test above reads."""
    assert {"deepening", "levels", "problem"} <= {file.parts[-3] for file in FILES}
