"""Keys of several words: every engine gives the answers of a key of one word that tells the same states apart."""

from collections.abc import Callable
from pathlib import Path

from samples import KEY, WALK

from parsolve.check import check
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
