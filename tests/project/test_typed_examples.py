"""The Python examples of README and docs/ satisfy a strict type checker."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest
from shared import ROOT
from shown import PAGES, tutorial

pytestmark = [pytest.mark.processes, pytest.mark.nightly]


OWN = """
from dataclasses import dataclass
from typing import Any

import numpy as np
from parsolve.puzzle.core import Puzzle, Text, parameter

@dataclass(frozen=True)
class Walk(Puzzle):
    size: int = parameter(8, "how many")
    first: Text = parameter("0", "where it starts")

    @property
    def children(self) -> int:
        return self.size

    @property
    def state(self) -> np.dtype[Any]:
        return np.dtype([("place", "u1", (self.size,)), ("move", "u1")])

    def root(self, *distances: Any) -> dict[str, Any]:
        return {"place": self.first.split()}

Walk(size=9, first=[1, 2])
"""
"""What an author may write."""


def typed_tutorial() -> str:
    """The tutorial's puzzle, with the types and the methods that it says."""
    page = (ROOT / "docs" / "your-own-puzzle.md").read_text()
    shown = page.split("\n## What it prints\n")[1].split("```python\n")[1].split("```")[0]
    imports = "from collections.abc import Sequence\nfrom typing import Any\nfrom parsolve import Solution, State\n"
    source = f"{imports}{tutorial()}\n{shown}"
    for line in page.split("\n## Types\n")[1].split("```")[1].strip().splitlines():
        untyped = re.search(rf"{line.partition('(')[0]}\(.*:\n", source)
        assert untyped
        source = source.replace(untyped[0], line.replace("...", "\n"))
    return source


def test_the_examples_have_the_right_types(tmp_path: Path) -> None:
    """The package is found as it is installed."""
    for page in PAGES:
        examples = doctest.DocTestParser().get_examples(page.read_text())
        source = "".join(each.source for each in examples if each.exc_msg is None)
        if source:
            (tmp_path / page.name.replace("-", "_")).with_suffix(".py").write_text(source)
    assert {"README.py", "library.py", "seeing.py"} <= {path.name for path in tmp_path.iterdir()}
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "tutorial.py").write_text(typed_tutorial())
    command = [sys.executable, "-m", "mypy", "--strict", *sorted(path.name for path in tmp_path.iterdir())]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
