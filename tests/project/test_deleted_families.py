"""A family can be deleted: its folder, its line in pyproject.toml, the folder of its tests; and nothing else notices.

Families are deleted from a copy of the project, and what scripts write is written again there. Each is deleted alone
for the commands that list names, and two searches. The plain tests that name no family are run where all are deleted;
each other one is imported where every family is deleted that it does not name.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from conftest import ROOT, is_plain

from parsolve.puzzle.catalogue import families, is_own, names

pytestmark = pytest.mark.nightly

FAMILIES = [name for name, point in families().items() if is_own(point)]

ANSWERS = {"jugs": "1", "permutations": "362880"}
"""The numbers of solutions of two quick searches."""


def words_of(family: str) -> re.Pattern[str]:
    """Return what finds a family in a text: its name, its class's, and its instances'."""
    words = [families()[family].attr, *(name for name, other in names().items() if other == family)]
    return re.compile(rf"\b({'|'.join(words)})\b")


def text_of(file: Path, seen: set[Path]) -> str:
    """Return the text of a test file and of those that it imports."""
    if file in seen or not file.exists():
        return ""
    seen.add(file)
    text = file.read_text()
    modules: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            modules += [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
    names = {f"{module.replace('.', '/')}.py" for module in modules}
    return text + "".join(text_of(folder / name, seen) for name in names for folder in (ROOT / "tests", file.parent))


@cache
def plain_tests() -> dict[frozenset[str], list[str]]:
    """Return the files of plain tests by the families that they do not name, but for those that name all."""
    found = defaultdict(list)
    for file in filter(is_plain, sorted((ROOT / "tests").rglob("test_*.py"))):
        text = text_of(file, set())
        if others := frozenset(family for family in FAMILIES if not words_of(family).search(text)):
            found[others].append(str(file.relative_to(ROOT)))
    return found


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
    for name in gone:
        assert f"there is no puzzle '{name}'" in run(copy, "-m", "parsolve", "count", name, code=2).stderr
    for other in ANSWERS.keys() - {family}:
        assert run(copy, "-m", "parsolve", "count", other).stdout.strip() == ANSWERS[other]
    if family == "queens":
        assert "there is no puzzle 'queens'" in run(copy, "-m", "parsolve", "bench", "queens", code=2).stderr


@pytest.mark.parametrize("deleted", plain_tests(), ids=lambda deleted: f"without {' '.join(sorted(deleted))}")
def test_no_plain_test_needs_a_family_that_it_does_not_name(copy: Path, deleted: frozenset[str]) -> None:
    """Those that name some families are imported only: who needs another one imports it."""
    delete(deleted, copy)
    words = [] if deleted == frozenset(FAMILIES) else ["--collect-only"]
    run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "plain", *words, *plain_tests()[deleted])
