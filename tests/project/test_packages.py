"""docs/packages.md is true: its package is installed into a fresh environment, and its commands are run."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT
from environments import environment
from shown import runs

pytestmark = pytest.mark.nightly

DOC = ROOT / "docs" / "packages.md"


def test_the_package(tmp_path: Path) -> None:
    text = DOC.read_text()
    package = tmp_path / "package"
    package.mkdir()
    for name, code in re.findall(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```", text, re.M | re.S):
        (package / name).write_text(code)
    python = environment(tmp_path / "environment", package, ROOT)

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [python, "-m", "parsolve", *words], capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False
        )

    ran = 0
    for block in re.findall(r"(?:^    [^\n]*\n)+", text, re.M):
        for command, output in runs(block):
            if command.startswith("parsolve"):
                done = run(*shlex.split(command)[1:])
                assert done.stdout == output, done.stderr
                ran += 1
    assert ran == 3
    assert "Walk around a ring to the opposite place, in steps of 1 and 2 (of the package ring-puzzles)" in (
        run("list").stdout
    )
    assert "ring:large" in run("list").stdout
