"""The commands that README and docs/ show, run where they are soon done."""

import re
import shlex
from pathlib import Path

import pytest
from conftest import Run
from shown import prepare, shown

pytestmark = pytest.mark.nightly

ENDLESS = ("count queens --n 21", "count queens --n 20", "count queens --n 22", "estimate queens --n 21")
LONG = ("bench queens", "count polyominoes --board 6x10", "--board english33 --vacancy", "count queens --n 18")
ELSE = (
    "--dask",
    "completion",
    " & ",
    "my_generator",
    "pentominoes.dlx",
    "xmpuzzle",
    "check my_puzzle.py",
    "bench compare",
    "merge ",
)
"""What only its parser is asked about: it takes long, or a cluster, a file that is not shown; or another
test runs it."""


def test_they_run(tmp_path: Path, run: Run) -> None:
    prepare(tmp_path)
    run("run", "jobs.toml", "--journal", "night.sqlite")
    ran = 0
    for command, comment in shown():
        if any(part in command for part in (*LONG, *ELSE)) or (not comment and "peg" in command):
            continue
        if any(command.startswith(part) for part in ENDLESS):
            run(*shlex.split(command), *([] if "estimate" in command else ["--timeout", "0.1"]), code=None)
            continue
        done = run(*shlex.split(command))
        ran += 1
        page = re.search(r" -o (\S+\.html)", command)
        assert (tmp_path / page[1]).stat().st_size if page else done.stdout, command
        number = re.match(r"([\d,]+)(?: solutions? of (\d+) moves)?", comment)
        if number and number[2]:
            assert f"{number[1]} solutions of cost {number[2]}:" in done.stderr
        elif number:
            assert done.stdout == f"{number[1]}\n", command
    assert ran > 20
