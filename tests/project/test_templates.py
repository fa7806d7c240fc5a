"""What is compiled into kernels is small enough to be read."""

import ast
from pathlib import Path

import pytest
from shared import ROOT

pytestmark = pytest.mark.plain

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
