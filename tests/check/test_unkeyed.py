"""`parsolve check` holds the way back from a key against the states."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run
from samples import KEY, edited
from variants import Variant

from parsolve.check import check

pytest_plugins = ["variants"]

DEAD = edited('("place", "u4")', '("place", "u4"), ("dead", "u1")') + KEY
DEAD = DEAD.replace("            row.bound = 0\n", "            row.bound, row.dead = 0, 0\n")
DEAD = DEAD.replace("        for step in range(1, 3):", "        for step in range(1, 3 - 2 * here.dead):")
UNKEY = """
    @staticmethod
    def unkey(tables, key, row):
        row.place = key
        row.move = row.dead = 0
"""


@pytest.mark.nightly
def test_a_right_way_back(run: Run, variant: Variant, puzzle_file: Callable[..., Path]) -> None:
    assert check(variant(DEAD + UNKEY, base=DEAD)()).faults == []
    puzzle_file(DEAD + UNKEY)
    assert '"states": 8' in run("explore", "my_puzzle.py:Walk", "--json").stdout


@pytest.mark.parametrize(
    ("unkey", "says"),
    [
        (UNKEY.replace("= key", "= key + np.uint64(1)"), "whose 'key' is"),
        (UNKEY.replace("row.move = row.dead = 0", "row.move, row.dead = 0, 1"), "which 'unkey' gives for this state"),
        (UNKEY.replace("row.move = row.dead = 0", "row.move = 0"), "unset"),
    ],
)
def test_wrong_ways_back(variant: Variant, unkey: str, says: str) -> None:
    assert any(says in str(fault) for fault in check(variant(DEAD + unkey, base=DEAD)()).faults)


def test_a_way_back_needs_a_key(run: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file((DEAD + UNKEY).replace(KEY, ""))
    assert "'unkey'" in run("check", "my_puzzle.py:Walk", code=2).stderr


def test_a_way_back_from_a_key_of_several_words(variant: Variant) -> None:
    source = (DEAD + UNKEY).replace("return here.place\n", "return np.uint64(here.place), np.uint64(0)\n")
    assert check(variant(source.replace("= key", "= key[0]"), base=DEAD)()).faults == []
    assert any("'unkey'" in str(fault) for fault in check(variant(source, base=DEAD)()).faults)
