"""Parameters are coerced and checked in one place, whoever gives them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Run
from samples import WALK


@pytest.fixture
def run_with(run_process: Run, tmp_path: Path) -> Run:
    """Run the command where a package of puzzles is installed, whose files are in `tmp_path`."""
    about = tmp_path / "their_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])}

    def run(*words: str, points: str, code: int = 0) -> "subprocess.CompletedProcess[str]":
        (about / "entry_points.txt").write_text(f"[parsolve.puzzles]\n{points}")
        return run_process(*words, code=code, env=env)

    return run


def test_puzzles_of_installed_packages(run_with: Run, tmp_path: Path) -> None:
    """A package that offers one as an entry point."""
    (tmp_path / "their_package.py").write_text(WALK)
    points = "walk = their_package:Walk\nqueens = their_package:Walk\nlost = no_such_module:Walk\n"

    def run(*words: str, code: int = 0) -> "subprocess.CompletedProcess[str]":
        return run_with(*words, points=points, code=code)

    assert run("count", "walk", "--size", "6", "--workers", "2").stdout == "2\n"
    listed = run("list")
    assert "(of the package their-package)" in listed.stdout
    assert "parsolve: the puzzle lost of the package their-package cannot be used: the module" in listed.stderr
    assert json.loads(run("list", "--json").stdout)["walk"]["package"] == "their-package"
    assert run("count", "queens", "--n", "6").stdout == "4\n"  # built-in names are the built-in ones
    solved = run("solve", "walk", "--size", "6", "--journal", "it.sqlite").stdout
    assert run("show", "it.sqlite", "--solutions").stdout == solved  # its user has installed that code
    assert "no_such_module" in run("count", "lost", code=2).stderr
    assert "did you mean walk" in run("count", "wallk", code=2).stderr


@pytest.mark.nightly
def test_a_package_says_what_its_puzzle_is_without_loading_it(run_with: Run, tmp_path: Path) -> None:
    folder = tmp_path / "their_package"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        '"""walk to the end"""\nfrom parsolve import Instance\n'
        'INSTANCES = {"short": Instance({"size": 4}, "of 4", "it is short"), "eight": Instance({"size": 8})}\n'
    )
    (folder / "walk.py").write_text("raise ImportError('it was loaded')\n")
    points = "walk = their_package.walk:Walk\n"
    listed = run_with("list", points=points)
    assert "walk            walk to the end (of the package their-package)\n  short         of 4\n" in listed.stdout
    assert "  walk:eight    size 8\n" in listed.stdout  # eight alone is another family's
    assert listed.stderr == ""
    own = "\n    @classmethod\n    def instances(cls):\n        return their_package.INSTANCES\n"
    (folder / "walk.py").write_text(f"import their_package\n{WALK}{own}")
    for name in ("short", "walk:short"):
        counted = run_with("count", name, points=points)
        assert counted.stdout == run_with("count", "walk", "--size", "4", points=points).stdout
        assert "it is short" in counted.stderr
    assert "it is short" not in run_with("count", "short", "--size", "6", points=points).stderr
    assert "walk:eight" in run_with("describe", "walk", points=points).stdout


@pytest.mark.processes
@pytest.mark.parametrize("command", [["list"], ["--help"], ["completion", "bash"]])
def test_names_need_no_numpy(command: list[str]) -> None:
    words = f"import sys; from parsolve.cli import main; main({command}); sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", words], check=True, stdout=subprocess.DEVNULL)
