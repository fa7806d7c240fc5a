"""docs/packages.md is true: its package is installed into a fresh environment, and its commands are run."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

from conftest import ROOT
from shown import runs

DOC = ROOT / "docs" / "packages.md"


def test_the_package(tmp_path: Path) -> None:
    text = DOC.read_text()
    package = tmp_path / "package"
    package.mkdir()
    for name, code in re.findall(r"^`([\w.]+)`:\n\n```\w+\n(.*?)^```", text, re.M | re.S):
        (package / name).write_text(code)
    # It sees the packages of this one, so that only its own are installed.
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = environment / "bin" / "python"
    where = subprocess.run(
        [python, "-c", "import site; print(site.getsitepackages()[0])"], capture_output=True, text=True, check=True
    ).stdout.strip()
    (Path(where) / "here.pth").write_text("\n".join(each for each in sys.path if each.endswith("site-packages")))
    (Path(where) / "parsolve.pth").write_text(str(DOC.parents[1]))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--target", where, package], check=True, capture_output=True)

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
