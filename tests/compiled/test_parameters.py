"""Parameters are coerced and checked in one place, whoever gives them."""

import json
import os
from pathlib import Path

import pytest
from conftest import Run
from samples import WALK


def test_puzzles_of_installed_packages(
    run: Run, run_process: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A package that offers one as an entry point."""
    (tmp_path / "their_package.py").write_text(WALK)
    about = tmp_path / "their_package-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[parsolve.puzzles]\nwalk = their_package:Walk\nqueens = their_package:Walk\nlost = no_such_module:Walk\n"
    )
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])}
    assert run_process("count", "walk", "--size", "6", "--workers", "2", env=env).stdout == "2\n"
    monkeypatch.syspath_prepend(tmp_path)
    listed = run("list")
    assert "(of the package their-package)" in listed.stdout
    assert "parsolve: the puzzle lost of the package their-package cannot be used: the module" in listed.stderr
    assert json.loads(run("list", "--json").stdout)["walk"]["package"] == "their-package"
    assert run("count", "queens", "--n", "6").stdout == "4\n"  # built-in names are the built-in ones
    solved = run("solve", "walk", "--size", "6", "--journal", "it.sqlite").stdout
    assert run("show", "it.sqlite", "--solutions").stdout == solved  # its user has installed that code
    assert "no_such_module" in run("count", "lost", code=2).stderr
    assert "did you mean walk" in run("count", "wallk", code=2).stderr
