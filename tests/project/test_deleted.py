"""An engine or a family can be deleted, and the rest works on. Each is deleted from a copy.

An engine: its folder, what cannot do without it, and the functions that name it. A family: its folder, its line in
pyproject.toml, the folder of its tests; what scripts write is written again, and nothing else notices.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from shared import ROOT

from parsolve.puzzle.catalogue import families, is_own, names

pytestmark = pytest.mark.processes


NEED = {
    "levels": ("check", "cli/commands/check.py", "cli/commands/explore.py", "search/both.py"),
    "deepening": (
        *("bench", "search/both.py"),  # what measures this engine, and what compares another one with it
        *("batch/bulk.py", "batch/group.py", "batch/job_search.py"),  # many small searches, in calls of this engine
        *("library.py", "cli", "__main__.py"),  # the doors at which many searches may be asked for
    ),
}
"""By folder of an engine: the files and folders that need it."""

NAMED_IN = ("search/engine.py", "tables/databases.py")
"""Where a function takes an engine when it is asked for, and where one has tables built."""

PROGRAMS = {
    "levels": (
        "import parsolve\n"
        "from parsolve.problem.registry import make\n"
        "eager = parsolve.Tuning(choice_after=0.0, choice_least=0.0, first_budget=50)\n"
        "print(parsolve.solve(make('hoppers', {}), want='count', tuning=eager).count)"
    ),
    "deepening": (
        "from parsolve.search.run import run\n"
        "from parsolve.problem.problem import Problem\n"
        "from parsolve.problem.registry import make\n"
        "from parsolve.search.request import Request\n"
        "print(run(Problem(make('hoppers', {}), 'count'), Request(want='count', engine='breadth')).count)"
    ),
}
"""A program that counts 18 solutions by another engine: without levels, where the choice is left to the search."""

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
    run(tmp_path, "-c", IMPORT_ALL, *sorted(left.keys() - {"parsolve.__main__"}))
    assert run(tmp_path, "-c", PROGRAMS[engine]).stdout.strip() == "18"


# Families.

FAMILIES = [name for name, point in families().items() if is_own(point.module)]

ANSWERS = {"jugs": "1", "permutations": "362880"}
"""The numbers of solutions of two quick searches."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the project."""
    left_out = shutil.ignore_patterns(".git", ".[!g]*", "__pycache__", "*.egg-info")
    return shutil.copytree(ROOT, tmp_path / "copy", ignore=left_out)


def delete(deleted: Iterable[str], copy: Path) -> None:
    """Delete families from a copy, and install it: its metadata stand beside it."""
    project = (copy / "pyproject.toml").read_text()
    for family in deleted:
        folder = families()[family].module.rpartition(".")[0]
        shutil.rmtree(copy / folder.replace(".", "/"))
        shutil.rmtree(copy / "tests" / folder.replace(".", "/").removeprefix("parsolve/"), ignore_errors=True)
        project, lines = re.subn(rf'^{family} = "{re.escape(folder)}\..*\n', "", project, flags=re.M)
        assert lines == 1
    (copy / "pyproject.toml").write_text(project)
    points = tomllib.loads(project)["project"]["entry-points"]["parsolve.puzzles"]
    metadata = copy / "parsolve.egg-info"
    metadata.mkdir()
    (metadata / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: parsolve\nVersion: 0\n")
    named = "".join(f"{name} = {place}\n" for name, place in points.items())
    (metadata / "entry_points.txt").write_text(f"[parsolve.puzzles]\n{named}")
    run(copy, "scripts/completion.py")


def run(copy: Path, *words: str, code: int = 0) -> "subprocess.CompletedProcess[str]":
    """Run Python on a copy."""
    environment = os.environ | {"PYTHONPATH": str(copy)}
    done = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, cwd=copy, env=environment, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


@pytest.mark.nightly
@pytest.mark.parametrize("family", FAMILIES)
def test_no_command_notices(copy: Path, family: str) -> None:
    delete([family], copy)
    gone = [name for name, other in names().items() if other == family]
    listed = run(copy, "-m", "parsolve", "list").stdout
    assert [line.split()[0] for line in listed.splitlines()] == [name for name in names() if name not in gone]
    run(copy, "-m", "parsolve", "--help")
    completed = run(copy, "-m", "parsolve", "completion", "fish").stdout
    for name in names():
        assert (f"__fish_seen_subcommand_from {name}'" in completed) == (name not in gone)
    assert f"there is no puzzle '{gone[0]}'" in run(copy, "-m", "parsolve", "count", gone[0], code=2).stderr
    other = "permutations" if family == "jugs" else "jugs"
    assert run(copy, "-m", "parsolve", "count", other).stdout.strip() == ANSWERS[other]
    if family == "queens":
        assert "there is no puzzle 'queens'" in run(copy, "-m", "parsolve", "bench", "queens", code=2).stderr
