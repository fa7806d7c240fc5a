"""What `python -m build` makes holds every file that it should, and works in an environment of its own."""

import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from environments import environment

import parsolve

pytestmark = pytest.mark.nightly

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

RELEASE = f"parsolve-{parsolve.__version__}"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source distribution and the wheel that is made from it."""
    folder = tmp_path_factory.mktemp("dist")
    # A clean copy: setuptools takes every file that an earlier build has listed in parsolve.egg-info.
    tree = tmp_path_factory.mktemp("tree")
    untracked = shutil.ignore_patterns(".git", ".venv*", ".*_cache", ".hypothesis", "*.egg-info", "build", "dist")
    shutil.copytree(ROOT, tree, ignore=untracked, dirs_exist_ok=True)
    subprocess.run([sys.executable, "-m", "build", "--outdir", folder, tree], check=True, capture_output=True)
    assert sorted(file.name for file in folder.iterdir()) == [f"{RELEASE}-py3-none-any.whl", f"{RELEASE}.tar.gz"]
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Iterator[zipfile.ZipFile]:
    with zipfile.ZipFile(built / f"{RELEASE}-py3-none-any.whl") as archive:
        yield archive


def files_of(*folders: str) -> set[str]:
    """Return the files below folders of the project, but not what Python writes there."""
    found = (file for folder in folders for file in (ROOT / folder).rglob("*") if file.is_file())
    return {str(file.relative_to(ROOT)) for file in found if "__pycache__" not in file.parts}


def test_the_wheel_holds_the_package(wheel: zipfile.ZipFile) -> None:
    names = {name for name in wheel.namelist() if not name.startswith(f"{RELEASE}.dist-info/")}
    assert names == files_of("parsolve")
    assert all(f"parsolve/cli/commands/completion.{shell}" in names for shell in ("bash", "fish"))
    assert "parsolve/py.typed" in names


def test_the_source_distribution_holds_what_the_readme_needs(built: Path) -> None:
    with tarfile.open(built / f"{RELEASE}.tar.gz") as archive:
        names = {name.removeprefix(f"{RELEASE}/") for name in archive.getnames()}
    wanted = files_of("parsolve", "docs", "results", "scripts", "tests", ".github") - files_of("docs/reference")
    wanted |= {
        "LICENSE",
        "CITATION.cff",
        "Containerfile",
        ".containerignore",
        ".pre-commit-config.yaml",
        *(file.name for file in ROOT.glob("*.md")),
    }
    assert wanted - names == set()


def test_it_works_where_it_is_installed(built: Path, tmp_path: Path) -> None:
    """The wheel, which is made from the source distribution."""
    python = environment(tmp_path / "environment", built / f"{RELEASE}-py3-none-any.whl")

    def printed(*words: str | Path) -> str:
        return subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=True).stdout

    command = python.parent / "parsolve"
    assert str(tmp_path) in printed(python, "-c", "import parsolve; print(parsolve.__file__)")
    assert printed(command, "--version").startswith(f"parsolve {parsolve.__version__} ")
    assert len(printed(command, "solve", "hoppers").splitlines()) == 18
    assert "complete -o bashdefault" in printed(command, "completion", "bash")
