"""The report of a puzzle whose texts are markup, for tests of what becomes of them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run

EVIL = """
from dataclasses import dataclass
import numpy as np
from parsolve import Puzzle

@dataclass(frozen=True)
class Evil(Puzzle):
    state = np.dtype([("place", "u1"), ("cost", "u1"), ("move", "u1")])
    children = 1

    def root(self):
        return {"place": 0}

    @staticmethod
    def expand(tables, here, limit, rows, top):
        rows[top].place = here.place + 1
        rows[top].cost = here.cost + 1
        rows[top].move = 0
        return top + (here.cost + 1 <= limit)

    @staticmethod
    def solved(tables, here):
        return here.place == 2

    def show(self, solution):
        return "</script><script>window.hurt = 1</script>"

    def render(self, state, moves):
        return "<img src=x onerror='window.hurt = 1'>" + str(state["place"])
"""


@pytest.fixture
def evil_page(run: Run, puzzle_file: Callable[..., Path], tmp_path: Path) -> Path:
    """The report of a puzzle whose texts are markup."""
    puzzle_file(EVIL)
    run("solve", "my_puzzle.py:Evil", "--journal", "evil.sqlite", "--workers", "1")
    run("report", "evil.sqlite", "-o", "evil.html", "--puzzle", "my_puzzle.py:Evil")
    return tmp_path / "evil.html"
