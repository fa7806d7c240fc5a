"""A search in parts as one would run it: in a shell, as an array of jobs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, Run

pytestmark = pytest.mark.nightly

PAGE = (ROOT / "docs" / "long-jobs.md").read_text()

N, COUNT = "12", "14200\n"


def scripts() -> list[str]:
    """The loop and the array of jobs, as the page shows them, for fewer queens and parts."""
    section = PAGE.split("## A search in parts")[1]
    blocks = re.findall(r"(?:^    .*\n)+", section, re.M)
    texts = [re.sub(r"^    ", "", block, flags=re.M) for block in blocks]
    found = [text for text in texts if "seq" in text or "SLURM" in text]
    assert len(found) == 2
    return [text.replace("--n 22", f"--n {N}").replace("100", "4") for text in found]


def shell(folder: Path, script: str, **environment: str) -> None:
    """Run a script with this parsolve, and a stand-in for the scheduler."""
    tools = folder / "tools"
    tools.mkdir(exist_ok=True)
    for name, text in (
        ("parsolve", f'exec {sys.executable} -m parsolve "$@"'),
        ("scontrol", 'echo "$@" >> requeued'),
    ):
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["bash", "-c", script], cwd=folder, env=os.environ | {"PATH": path} | environment, timeout=200)


def test_a_loop(tmp_path: Path, run: Run) -> None:
    loop, _ = scripts()
    shell(tmp_path, loop)
    journals = [str(path) for path in tmp_path.glob("*.sqlite")]
    assert len(journals) == 4
    assert run("merge", *journals).stdout == COUNT


def test_an_array_of_jobs(tmp_path: Path, run: Run) -> None:
    _, job = scripts()
    for part in (3, 1, 4):
        shell(tmp_path, job, SLURM_ARRAY_TASK_ID=str(part), SLURM_ARRAY_JOB_ID="7")
    journals = [str(path) for path in tmp_path.glob("*.sqlite")]
    missing = run("merge", *journals, code=3).stdout
    assert missing == f"parsolve count queens --n {N} --part 2/4 --journal part-2.sqlite  # missing\n"
    shell(tmp_path, missing)
    assert run("merge", *journals, str(tmp_path / "part-2.sqlite")).stdout == COUNT
    assert "requeued" not in os.listdir(tmp_path)
