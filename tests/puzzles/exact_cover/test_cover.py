"""Exact cover: a plain backtracker, known counts, Knuth's text format, and what is refused."""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from cases import nightly
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import Run

import parsolve
from parsolve.compiler.cache import cached
from parsolve.errors import BadInput
from parsolve.puzzles import Cover
from parsolve.puzzles.cover import dlx
from parsolve.puzzles.cover.cover import KNUTH
from parsolve.puzzles.exact_cover.bounded import COVERED
from parsolve.puzzles.exact_cover.covering import fewest
from parsolve.puzzles.exact_cover.instance import MOST_OPTIONS


def backtrack(
    primary: Sequence[str], options: Sequence[Sequence[str]], taken: tuple[int, ...] = ()
) -> tuple[list[tuple[int, ...]], int]:
    """Return all solutions, and how many states a search visits: the item with the fewest open options first, its
    options in order; a state of which an item has no open option is not visited."""
    colours = dict(word.split(":") for each in taken for word in options[each] if ":" in word)
    used = {word.split(":")[0] for each in taken for word in options[each]}

    def is_open(option: Sequence[str]) -> bool:
        parts = [word.partition(":") for word in option]
        return all(name not in used or (colour and colours.get(name) == colour) for name, _, colour in parts)

    left = [item for item in primary if item not in used]
    ways = [[k for k, option in enumerate(options) if item in option and is_open(option)] for item in left]
    if taken and not all(ways):
        return [], 0
    found, nodes = [] if left else [taken], 1
    for option in min(ways, key=len) if ways else ():
        more, visited = backtrack(primary, options, (*taken, option))
        found, nodes = found + more, nodes + visited
    return found, nodes


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[str], list[str], list[list[str]]]:
    primary, secondary = list("abcdefg")[: draw(st.integers(1, 7))], list("pqr")[: draw(st.integers(0, 3))]
    words = st.sampled_from(
        [*primary, *primary, *(f"{name}{c}" for name in secondary for c in ("", ":1", ":2"))] or ["-"]
    )
    option = st.lists(words, min_size=1, max_size=3, unique_by=lambda word: word.split(":")[0])
    return primary, secondary, draw(st.lists(option, max_size=40))


@settings(max_examples=150, deadline=None)
@given(problems(), st.sampled_from([None, 1, 2, 5]))
def test_random_problems(problem: tuple[list[str], list[str], list[list[str]]], budget: int | None) -> None:
    """The same solutions in the same order, by as many nodes."""
    primary, secondary, options = problem
    puzzle = Cover(items=primary, options=options, secondary=secondary)
    expected, nodes = backtrack(primary, options)
    result = parsolve.solve(puzzle, workers=1, budget=budget, buffer=1 if budget else None)
    assert ([solution.moves for solution in result.solutions], result.nodes) == (expected, nodes)
    assert parsolve.solve(puzzle, want="count", workers=1).count == len(expected)


compiled_fewest = cached(fewest)


@pytest.mark.parametrize("size", [64, 128, 384])
def test_the_item_with_the_fewest_options_is_chosen(size: int) -> None:
    chance = random.Random(size)
    for most in (1, 2, 9, MOST_OPTIONS):
        for covered in (0, 1, size // 2, size - 1):
            counts = [chance.randint(0, most) for _ in range(size)]
            for item in chance.sample(range(size), covered):
                counts[item] = COVERED - chance.randint(0, MOST_OPTIONS - most)
            array = np.array(counts, np.uint16)
            assert fewest(array) == compiled_fewest(array) == counts.index(min(counts))


@settings(max_examples=100, deadline=None)
@given(problems())
def test_the_text_format_is_read_as_it_was_written(problem: tuple[list[str], list[str], list[list[str]]]) -> None:
    primary, secondary, options = problem
    instance = Cover(items=primary, options=options, secondary=secondary).instance
    assert (instance.primary, instance.secondary) == (tuple(primary), tuple(secondary))
    assert [instance.words(number) for number in range(len(options))] == options
    assert dlx.read(dlx.write(instance, ["a comment"])) == instance


def test_the_command_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "it.dlx").write_text(f"| a comment\n{KNUTH}")
    assert run("count", "cover", "--file", "it.dlx").stdout == "1\n"
    assert "p  p r x:A y\n" in run("solve", "cover", "--file", "it.dlx", "--boards", "--quiet").stdout
    assert "3 primary items, 2 secondary ones, 5 options" in run("describe", "cover").stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no items"),
        ("a b\n\na c\n", r"line 3: there is no item 'c'"),
        ("a b a\n", "line 1: the item 'a' occurs twice"),
        ("a | b | c\n", r"line 1: a second \|"),
        ("a b:1\n", "line 1: the item 'b:1' is not a name"),
        ("a | b\na b b:1\n", "line 2: an option has one item twice"),
        ("a | b\na:1 b\n", "line 2: the item 'a' has a colour, but is primary"),
        ("a | b\na b:\n", "line 2: 'b:' has no colour after the colon"),
        ("3:2|a\n", "line 1: the item '3:2|a' is covered at least 3 and at most 2 times".replace("|", r"\|")),
        ("0|a\n", "at least 0 and at most 0 times"),
        ("a | 2|b\n", r"line 1: the item '2\|b' is not a name"),
        ("a\na |\n", r"line 2: '\|' is not a cost: a whole number follows the \|"),
        ("a\na |-1\n", r"line 2: '\|-1' is not a cost"),
        ("a\na |1.5\n", r"line 2: '\|1.5' is not a cost"),
        ("a\na |2147483648\n", "line 2: the cost 2,147,483,648 is not possible: costs are whole numbers from 0 to"),
        ("a\n" + "a\n" * 65535, "line 65536: these are too many options: at most 65,534"),
    ],
)
def test_bad_problems(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says) as raised:
        Cover(text)
    assert "\n" not in str(raised.value)
    assert str(raised.value).startswith("cover: file")
    assert str(raised.value).count("cover: ") == 1


@pytest.mark.parametrize("character", ["\v", "\f", "\r", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_only_newlines_end_a_line(character: str, end: str) -> None:
    text = f"| a comment{character}x y\na b | c{character}d\na{character}b\na c:1\nb c:1\n"
    assert dlx.read(text.replace("\n", end)) == dlx.read("a b | c d\na b\na c:1\nb c:1\n")


# Items that are covered as often as their bounds allow: see `worlds.covers`, too.


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
