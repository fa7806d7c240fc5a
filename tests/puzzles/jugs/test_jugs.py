"""Water jugs: known answers, a plain breadth-first search, and what is refused."""

from collections.abc import Sequence

import pytest
from conftest import Run
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds.families import jug_moves
from worlds.plain import cheapest

from parsolve.errors import BadInput
from parsolve.puzzles import Jugs


def plain(sizes: Sequence[int], target: int) -> tuple[int | None, int]:
    """Return the fewest moves and the number of solutions with as many."""
    answer = cheapest((0,) * len(sizes), jug_moves(sizes), lambda amounts: target in amounts)
    return answer.cost, answer.count


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=3), st.integers(0, 12))
def test_what_cannot_be_measured_is_known(sizes: list[int], target: int) -> None:
    reachable = plain(tuple(sizes), target)[0] is not None
    text = " ".join(map(str, sizes))
    if target > max(sizes):
        with pytest.raises(BadInput, match=f"target {target}"):
            Jugs(text, target)
    else:
        assert bool(Jugs(text, target).unsolvable()) == (not reachable)


def test_the_command_line(run: Run) -> None:
    done = run("solve", "jugs", "--capacities", "5 3", "--boards", "--quiet")
    assert "[·····] 0\n[···] 0\n\n[█████] 5\n[···] 0\n\n" in done.stdout
    assert done.stdout.rstrip().endswith("[████·] 4\n[███] 3")
