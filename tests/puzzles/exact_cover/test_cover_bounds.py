"""Items that are covered as often as their bounds allow: see `worlds.covers`, too."""

import pytest
from cases import nightly

import parsolve
from parsolve.check import check
from parsolve.puzzles import Cover
from parsolve.puzzles.cover import dlx


@pytest.mark.nightly
def test_bounds_that_leave_all_options_free() -> None:
    puzzle = Cover("0:4096|a\n" + 12 * "a\n")
    assert parsolve.solve(puzzle, want="count", workers=1, engine="deepening").count == 1 << 12
    two = parsolve.solve(Cover("0:4096|a\n" + 2 * "a\n"), workers=1)
    assert two.paths == [(0, 1), (0, 2), (2, 1), (2, 2)]  # 2 leaves one out
    large = parsolve.solve(Cover("0:4096|a\n" + 30 * "a\n"), want="count", workers=1)
    assert large.count == 1 << 30


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2|a\na\n", 0),
        ("0:3|a\n", 1),
        ("0:3|a b\nb\n", 1),
        ("0:1|a\na\n", 2),
        nightly(("9:9|a\n" + "a\n" * 5000, None)),
        ("3:999999999|a\na\na\na\na\n", 5),
        ("1:2|a | x\na x:1\na x:2\na x:1\n", 4),
    ],
)
def test_bounds_at_their_limits(text: str, number: int | None) -> None:
    puzzle = Cover(text)
    assert dlx.read(dlx.write(puzzle.instance)) == puzzle.instance
    if number is None:
        assert parsolve.solve(puzzle, want="first", workers=1).solutions[0].moves == tuple(range(9))
        return
    assert parsolve.solve(puzzle, want="count", workers=1).count == number
    assert parsolve.solve(puzzle, want="count", workers=1, engine="sharing").count == number


@pytest.mark.nightly
def test_many_options() -> None:
    """More than 16,384 share their sets of conflicts."""
    colours = range(9_000)
    once = "a b | x\n" + "".join(f"a x:{n}\nb x:{n}\n" for n in colours)
    assert parsolve.solve(Cover(once), want="count", workers=1, engine="deepening").count == len(colours)
    last = parsolve.solve(Cover(once.replace("a x:0", "a x:new")), want="first", workers=1).solutions[0]
    assert last.text == "a x:1, b x:1"
    twice = "2|a b | x\n" + "".join(2 * f"a x:{n}\n" + f"b x:{n}\n" for n in range(6_000))
    assert parsolve.solve(Cover(twice), want="count", workers=1, engine="deepening").count == 6_000


def test_the_contract_is_kept() -> None:
    text = "1:2|a 2:3|b c | x\na b x:1\nb x:1\na c\nb x:2\na b\nc x:2\nb c\n"
    assert check(Cover(text), states=200, samples=20).faults == []
