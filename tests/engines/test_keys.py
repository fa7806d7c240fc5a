"""Keys of several words: every engine gives the answers of a key of one word that tells the same states apart."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run
from samples import KEY, WALK

import parsolve
from parsolve.check import check
from parsolve.errors import BadPuzzle
from parsolve.problem.registry import load_class

HALVES = "np.uint64(here.place) & np.uint64(1), np.uint64(here.place) >> np.uint64(1)"


def test_check_merges_by_all_words(puzzle_file: Callable[..., Path]) -> None:
    def faults(words: str) -> list[str]:
        source = WALK + KEY.replace("here.place", words)
        return [str(each) for each in check(load_class(f"{puzzle_file(source)}:Walk")()).faults]

    assert faults(HALVES) == []
    first, _ = HALVES.split(", ")
    for words in (f"{first}, {first}", f"np.uint64(3), {first}"):
        (fault,) = faults(words)
        assert "'key' merges this state with place=" in fault


def test_check_compares_each_word(puzzle_file: Callable[..., Path]) -> None:
    """Python's integers have no end, compiled ones wrap around."""
    source = WALK + KEY.replace("here.place", "np.uint64(here.place), np.uint64((tables.size + 2**62) * 4 >> 62)")
    fault, *_ = check(load_class(f"{puzzle_file(source)}:Walk")()).faults
    assert str(fault).startswith("'key' is (0, 4) as Python, (0, 0) compiled at place=0")


PLACE = "np.uint64(here.place)"

REFUSED = {
    "a uint32": (
        f"return here.place, {PLACE}",
        "must return a uint64, or a tuple of at most 13, not Tuple(uint32, uint64)",
    ),
    "too many": (f"return {', '.join([PLACE] * 14)}", "a tuple of at most 13, not UniTuple(uint64 x 14)"),
    "tuples of other lengths": (
        f"if here.place:\n            return {PLACE}, {PLACE}\n        return ({PLACE},)",
        "Can't unify return type from the following types: UniTuple(uint64 x 1), UniTuple(uint64 x 2)",
    ),
}


@pytest.mark.nightly
@pytest.mark.parametrize("mistake", REFUSED)
def test_what_is_no_key(run_here: Run, puzzle_file: Callable[..., Path], mistake: str) -> None:
    body, says = REFUSED[mistake]
    path = puzzle_file(WALK + KEY.replace("return here.place", body))
    said = [run_here("check", "my_puzzle.py:Walk", code=2).stdout.splitlines()[0]]
    for options in ({"engine": "breadth"}, {"transposition": 1 << 12}):
        with pytest.raises(BadPuzzle) as error:
            parsolve.solve(load_class(f"{path}:Walk")(), workers=1, **options)  # type: ignore[arg-type]
        said.append(str(error.value))
    for line in said:
        assert line.startswith("Walk: the rule 'key'")
        assert "(my_puzzle.py, line " in line
        assert says in line
    assert said[0] == said[1] == said[2]
