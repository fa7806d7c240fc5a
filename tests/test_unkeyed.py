"""`parsolve check` holds the way back from a key against the states."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run
from samples import KEY, edited

DEAD = edited('("place", "u4")', '("place", "u4"), ("dead", "u1")') + KEY
DEAD = DEAD.replace("            row.bound = 0\n", "            row.bound, row.dead = 0, 0\n")
DEAD = DEAD.replace("        for step in range(1, 3):", "        for step in range(1, 3 - 2 * here.dead):")
UNKEY = """
    @staticmethod
    def unkey(tables, key, row):
        row.place = key
        row.move = row.dead = 0
"""


def test_a_right_way_back(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(DEAD + UNKEY)
    assert run("check", "my_puzzle.py:Walk").stdout.startswith("0 faults")
    assert '"states": 8' in run("explore", "my_puzzle.py:Walk", "--json").stdout


@pytest.mark.parametrize(
    ("unkey", "says"),
    [
        (UNKEY.replace("= key", "= key + np.uint64(1)"), "whose key is"),
        (UNKEY.replace("row.move = row.dead = 0", "row.move, row.dead = 0, 1"), "which 'unkey' gives for this state"),
        (UNKEY.replace("row.move = row.dead = 0", "row.move = 0"), "unset"),
    ],
)
def test_wrong_ways_back(run: Run, puzzle_file: Callable[..., Path], unkey: str, says: str) -> None:
    puzzle_file(DEAD + unkey)
    done = run("check", "my_puzzle.py:Walk", code=2)
    assert says in done.stdout


def test_a_way_back_needs_a_key(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file((DEAD + UNKEY).replace(KEY, ""))
    assert "'unkey'" in run("check", "my_puzzle.py:Walk", code=2).stderr


def test_a_way_back_needs_a_key_of_one_word(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file((DEAD + UNKEY).replace("return here.place", "return np.uint64(here.place), np.uint64(0)"))
    assert "a key of one word" in run("check", "my_puzzle.py:Walk", code=2).stdout
