"""An engine can be deleted: its folder, what cannot do without it, and the functions that name it; the rest works on.

It is deleted from a copy of the package.
"""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

pytestmark = pytest.mark.processes

MEASURED = "it measures or estimates what this engine does"
PROVEN = "declarations are tested on the first levels"
EXPLORED = "whole spaces, layer by layer"
MANY = "many small searches, in calls of this engine"
DOORS = "the doors at which many searches may be asked for"

NEED: dict[str, dict[str, str]] = {
    "levels": {
        "cli/commands/estimate.py": MEASURED,
        "cli/commands/explore.py": EXPLORED,
        **dict.fromkeys(("check", "cli/commands/check.py"), PROVEN),
    },
    "deepening": {
        **dict.fromkeys(("cli/commands/estimate.py", "bench"), MEASURED),
        **dict.fromkeys(("batch/bulk.py", "batch/group.py"), MANY),
        **dict.fromkeys(("library.py", "cli", "__main__.py"), DOORS),
    },
}
"""By folder of an engine: the files and folders that need it, and why."""

NAMED_IN = ("search/run.py", "tables/databases.py")
"""Where a function takes an engine when it is asked for, and where one has tables built."""

ANSWERS = {
    "levels": "from parsolve.cli import main; main(['count', 'hoppers', '--engine', 'deepening'])",
    "deepening": (
        "from parsolve.search.run import run\n"
        "from parsolve.problem.problem import Problem\n"
        "from parsolve.problem.registry import make\n"
        "from parsolve.search.request import Request\n"
        "print(run(Problem(make('hoppers', {}), 'count'), Request(want='count', engine='breadth')).count)"
    ),
}
"""A program that counts 18 solutions by another engine."""

IMPORT_ALL = "import importlib, sys\nfor name in sys.argv[1:]: importlib.import_module(name)"


def named(code: ast.AST) -> Iterator[str]:
    """Yield the modules that a piece of code imports, in functions and for types too."""
    for node in ast.walk(code):
        if isinstance(node, ast.ImportFrom):
            yield from (node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def module_of(file: Path, copy: Path) -> str:
    return ".".join(file.relative_to(copy).with_suffix("").parts).removesuffix(".__init__")


def cut(file: Path, gone: set[str]) -> None:
    """Delete the functions that import what is gone, and the lines of a table that name it."""
    text = file.read_text()
    lines = text.splitlines(keepends=True)
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef) and gone & set(named(node)):
            del lines[node.lineno - 1 : node.end_lineno]
    file.write_text("".join(line for line in lines if not any(f': "{module}:' in line for module in gone)))


def run(copy: Path, *words: str) -> str:
    """Run a program on a copy, and return what it prints."""
    environment = os.environ | {"PYTHONPATH": str(copy)}
    done = subprocess.run(
        [sys.executable, "-c", *words], capture_output=True, text=True, cwd=copy, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.nightly
@pytest.mark.parametrize("engine", NEED)
def test_an_engine_can_be_deleted(engine: str, tmp_path: Path) -> None:
    package = tmp_path / "parsolve"
    shutil.copytree(ROOT / "parsolve", package, ignore=shutil.ignore_patterns("__pycache__"))
    gone = set()
    for name in (engine, *NEED[engine]):
        place = package / name
        gone |= {module_of(file, tmp_path) for file in ([place] if place.is_file() else place.rglob("*.py"))}
        (os.remove if place.is_file() else shutil.rmtree)(place)
    for name in NAMED_IN:
        cut(package / name, gone)
    left = {module_of(file, tmp_path): file for file in package.rglob("*.py")}
    naming = {module for module, file in left.items() if gone & set(named(ast.parse(file.read_text())))}
    assert naming <= {"parsolve"}  # whose names are loaded when they are asked for
    run(tmp_path, IMPORT_ALL, *sorted(left.keys() - {"parsolve.__main__"}))
    assert run(tmp_path, ANSWERS[engine]).strip() == "18"


@pytest.mark.parametrize("engine", NEED)
def test_only_what_needs_an_engine_is_deleted_with_it(engine: str) -> None:
    """Each file or folder that is listed names the engine, or another that does."""
    package, needs = ROOT / "parsolve", NEED[engine]
    found = {engine}
    while new := {name for name in needs.keys() - found if names_one_of(package / name, found)}:
        found |= new
    assert found == {engine, *needs}


def names_one_of(place: Path, others: set[str]) -> bool:
    prefixes = tuple(f"parsolve.{other.removesuffix('.py').replace('/', '.')}" for other in others)
    files = [place] if place.is_file() else place.rglob("*.py")
    return any(name.startswith(prefixes) for file in files for name in named(ast.parse(file.read_text())))
