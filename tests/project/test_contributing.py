"""CONTRIBUTING.md is true: its changes are made in a copy of parsolve, and its commands are run there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cases import nightly
from conftest import ROOT
from shown import changed, runs

pytestmark = pytest.mark.processes

TEXT = (ROOT / "CONTRIBUTING.md").read_text()

SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, re.M | re.S))

BLOCK = re.compile(r"^`([\w./]+)`:\n\n```(\w+)\n(.*?)^```", re.M | re.S)
"""The name of a file, and its text or how it changes."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a copy of the package."""
    folder = tmp_path / "copy"
    shutil.copytree(ROOT / "parsolve", folder / "parsolve")
    return folder


def install(folder: Path, added: str) -> None:
    """Write what tells Python of a package's entry points: those of pyproject.toml, and those that are added."""
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"].get("entry-points", {})
    for group, more in tomllib.loads(added)["project"]["entry-points"].items():
        points[group] = points.get(group, {}) | more
    about = folder / "parsolve-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: parsolve\nVersion: 0\n")
    lines = (
        f"[{group}]\n" + "".join(f"{name} = {it}\n" for name, it in each.items()) for group, each in points.items()
    )
    (about / "entry_points.txt").write_text("\n".join(lines))


@pytest.mark.parametrize("title", ["Add a command", nightly("Add a family of puzzles"), nightly("Add an engine")])
def test_the_example(copy: Path, title: str) -> None:
    for name, kind, text in BLOCK.findall(SECTIONS[title]):
        file = copy / name
        if kind == "python":
            assert not file.exists()
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        elif kind == "diff":
            file.write_text(changed(file.read_text(), text))
        else:
            install(copy, text)
    ran = 0
    for command, output in runs(SECTIONS[title]):
        *settings, words = command.rpartition("parsolve ")
        environment = dict(each.split("=") for each in settings[0].split())
        done = subprocess.run(
            [sys.executable, "-m", "parsolve", *shlex.split(words)],
            cwd=copy,
            env=os.environ | {"PYTHONPATH": str(copy)} | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.stdout == f"{output.splitlines()[0]}\n", done.stderr
        ran += 1
    assert ran


def test_what_it_names_exists() -> None:
    names = re.findall(r"(?<![\w./])(?:\./)?((?:scripts|tests|docs|parsolve)/[\w./-]*\w|[A-Z]+\.md)", TEXT)
    made = {name for name, kind, _ in BLOCK.findall(TEXT) if kind == "python"}
    assert {name for name in names if not (ROOT / name).exists()} <= made
