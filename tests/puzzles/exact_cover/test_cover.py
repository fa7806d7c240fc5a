"""Exact cover: a plain backtracker, known counts, Knuth's text format, and what is refused."""

import hashlib
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import some
from conftest import Run
from hypothesis import given, settings
from hypothesis import strategies as st
from journals import EVERY_OUTCOME, run_through
from samples import texts

import parsolve
from parsolve.compiler.functions import cached
from parsolve.errors import BadInput
from parsolve.puzzles import Cover, Langford, Polyominoes, Sudoku
from parsolve.puzzles.cover import dlx
from parsolve.puzzles.cover.cover import KNUTH
from parsolve.puzzles.exact_cover.bounded import COVERED
from parsolve.puzzles.exact_cover.instance import MOST_OPTIONS
from parsolve.puzzles.exact_cover.rules import fewest
from parsolve.search.request import Request

MANY = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5........."
"""Without its last three digits a Sudoku has many solutions."""


def backtrack(
    primary: Sequence[str], options: Sequence[Sequence[str]], taken: tuple[int, ...] = ()
) -> Iterator[tuple[int, ...]]:
    """Yield all solutions: the item with the fewest open options first, its options in order."""
    colours = dict(word.split(":") for each in taken for word in options[each] if ":" in word)
    used = {word.split(":")[0] for each in taken for word in options[each]}

    def is_open(option: Sequence[str]) -> bool:
        parts = [word.partition(":") for word in option]
        return all(name not in used or (colour and colours.get(name) == colour) for name, _, colour in parts)

    left = [item for item in primary if item not in used]
    if not left:
        yield taken
        return
    ways = [[k for k, option in enumerate(options) if item in option and is_open(option)] for item in left]
    for option in min(ways, key=len):
        yield from backtrack(primary, options, (*taken, option))


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[str], list[str], list[list[str]]]:
    primary, secondary = list("abcdefg")[: draw(st.integers(1, 7))], list("pqr")[: draw(st.integers(0, 3))]
    words = st.sampled_from(
        [*primary, *primary, *(f"{name}{c}" for name in secondary for c in ("", ":1", ":2"))] or ["-"]
    )
    option = st.lists(words, min_size=1, max_size=3, unique_by=lambda word: word.split(":")[0])
    return primary, secondary, draw(st.lists(option, max_size=40))


def visited(primary: Sequence[str], options: Sequence[Sequence[str]], taken: tuple[int, ...] = ()) -> int:
    """Return how many states a search visits: the first one, and those of which each item left has open options."""
    used = {word.split(":")[0] for each in taken for word in options[each]}
    colours = dict(word.split(":") for each in taken for word in options[each] if ":" in word)

    def is_open(option: Sequence[str]) -> bool:
        parts = [word.partition(":") for word in option]
        return all(name not in used or (colour and colours.get(name) == colour) for name, _, colour in parts)

    left = [item for item in primary if item not in used]
    ways = [[k for k, option in enumerate(options) if item in option and is_open(option)] for item in left]
    if taken and not all(ways):
        return 0
    return 1 + sum(visited(primary, options, (*taken, option)) for option in (min(ways, key=len) if ways else ()))


@settings(max_examples=60, deadline=None)
@given(problems())
def test_a_search_visits_what_a_plain_one_does(problem: tuple[list[str], list[str], list[list[str]]]) -> None:
    primary, secondary, options = problem
    result = parsolve.solve(Cover(items=primary, options=options, secondary=secondary), want="count", workers=1)
    assert result.nodes == visited(primary, options)


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


@settings(max_examples=150, deadline=None)
@given(problems())
def test_random_problems(problem: tuple[list[str], list[str], list[list[str]]]) -> None:
    primary, secondary, options = problem
    puzzle = Cover(items=primary, options=options, secondary=secondary)
    expected = list(backtrack(primary, options))
    result = parsolve.solve(puzzle, workers=1)
    assert [solution.moves for solution in result.solutions] == expected
    assert parsolve.solve(puzzle, want="count", workers=1).count == len(expected)


@dataclass(frozen=True, init=False)
class Keyed(Cover):
    """Exact cover for breadth-first search: of up to 256 options, those that are open tell what is covered."""

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.options[0], here.options[1], here.options[2], here.options[3]


@pytest.mark.nightly
@settings(max_examples=40, deadline=None)
@given(problems())
def test_random_problems_breadth_first(problem: tuple[list[str], list[str], list[list[str]]]) -> None:
    primary, secondary, options = problem
    expected = [moves for moves in backtrack(primary, options) if moves]
    result = parsolve.solve(Keyed(items=primary, options=options, secondary=secondary), engine="breadth", workers=1)
    assert sorted(solution.moves for solution in result.solutions) == sorted(expected)


@settings(max_examples=40, deadline=None)
@given(problems(), st.integers(1, 5))
def test_random_problems_in_slices(problem: tuple[list[str], list[str], list[list[str]]], budget: int) -> None:
    primary, secondary, options = problem
    puzzle = Cover(items=primary, options=options, secondary=secondary)
    result = parsolve.solve(puzzle, workers=1, budget=budget, buffer=1)
    assert [solution.moves for solution in result.solutions] == list(backtrack(primary, options))


@settings(max_examples=100, deadline=None)
@given(problems())
def test_the_text_format_is_read_as_it_was_written(problem: tuple[list[str], list[str], list[list[str]]]) -> None:
    primary, secondary, options = problem
    instance = Cover(items=primary, options=options, secondary=secondary).instance
    assert (instance.primary, instance.secondary) == (tuple(primary), tuple(secondary))
    assert [instance.words(number) for number in range(len(options))] == options
    assert dlx.read(dlx.write(instance, ["a comment"])) == instance


@pytest.mark.nightly
def test_the_example_of_dlx3() -> None:
    text = "| A simple example of color controls\nA B 2:3|C | X Y\nA B X:0 Y:0\nA C X:1 Y:1\nC X:0\nB X:1\nC Y:1\n"
    assert texts(parsolve.solve(Cover(text), workers=1)) == ["A C X:1 Y:1, B X:1, C Y:1"]
    assert "C  A C X:1 Y:1, C Y:1" in Cover(text).render({}, parsolve.solve(Cover(text), workers=1).solutions[0].moves)


@st.composite
def bounded_problems(draw: st.DrawFn) -> tuple[list[str], dict[str, tuple[int, int]], list[str], list[list[str]]]:
    primary, secondary, options = draw(problems())
    bounds = {}
    for name in primary:
        least = draw(st.sampled_from([0, 1, 1, 1, 2]))
        bounds[name] = least, max(1, least + draw(st.integers(0, 2)))
    return primary, bounds, secondary, options[:9]


@settings(max_examples=150, deadline=None)
@given(bounded_problems())
def test_bounds_against_all_sets_of_options(
    problem: tuple[list[str], dict[str, tuple[int, int]], list[str], list[list[str]]],
) -> None:
    primary, bounds, secondary, options = problem
    expected = []
    usable = [number for number, option in enumerate(options) if set(option) & set(primary)]
    for size in range(len(usable) + 1):
        for chosen in itertools.combinations(usable, size):
            words = [word for number in chosen for word in options[number]]
            colours = [word for word in words if word.split(":")[0] in secondary]
            names = [word.split(":")[0] for word in set(colours)]
            is_clear = len(names) == len(set(names)) and all(":" in w or colours.count(w) == 1 for w in colours)
            if is_clear and all(low <= words.count(name) <= high for name, (low, high) in bounds.items()):
                expected.append(", ".join(" ".join(options[number]) for number in chosen))
    items = [name if bound == (1, 1) else f"{bound[0]}:{bound[1]}|{name}" for name, bound in bounds.items()]
    puzzle = Cover(items=items, options=options, secondary=secondary)
    assert sorted(texts(parsolve.solve(puzzle, workers=1))) == sorted(expected)
    assert dlx.read(dlx.write(puzzle.instance)) == puzzle.instance


def test_the_example_of_the_book() -> None:
    assert texts(parsolve.solve(Cover(), workers=1)) == ["p r x:A y, q x:A"]


@pytest.mark.parametrize(("n", "count"), [(1, 0), (2, 0), (3, 1), (4, 1), (5, 0), (7, 26), (8, 150)])
def test_langford_pairs(n: int, count: int) -> None:
    result = parsolve.solve(Langford(n), workers=1)
    assert result.count == count == len(set(texts(result)))
    for text in texts(result):
        row = text.split()
        places = [[place for place, each in enumerate(row) if each == str(number)] for number in range(1, n + 1)]
        assert [second - first - 1 for first, second in places] == list(range(1, n + 1))
        assert " ".join(reversed(row)) not in texts(result)


def test_more_options_than_a_few_words_hold() -> None:
    assert parsolve.solve(Langford(11), want="count", workers=1).count == 17792


def test_a_sudoku_with_one_solution() -> None:
    text = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
    assert texts(parsolve.solve(Sudoku(), workers=1)) == [text]


def test_a_sudoku_with_many_solutions() -> None:
    found = texts(parsolve.solve(Sudoku(MANY), workers=1))
    assert len(found) == len(set(found)) > 1
    for text in found:
        assert all(given in (".", cell) for given, cell in zip(MANY, text, strict=True))
        rows = [text[9 * row : 9 * row + 9] for row in range(9)]
        columns = [text[column::9] for column in range(9)]
        boxes = ["".join(row[c : c + 3] for row in rows[r : r + 3]) for r in (0, 3, 6) for c in (0, 3, 6)]
        assert {"".join(sorted(unit)) for unit in (*rows, *columns, *boxes)} == {"123456789"}
    solution = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
    assert solution in found


SEVERAL = "53..7....6..195....98......8...6...34..8.3..17...2...6.6....28....4...........00."


def test_solutions_of_a_sudoku_come_in_the_order_of_the_first_version() -> None:
    """When each grid had options of its own, and its given digits were the first moves."""
    found = texts(parsolve.solve(Sudoku(SEVERAL), workers=1))
    assert len(found) == len(set(found)) == 38
    assert hashlib.sha256("\n".join(found).encode()).hexdigest().startswith("a9abb0f7d2e72911")


@pytest.mark.parametrize("grid", ["55" + 79 * ".", "12345678" + "." + 8 * "." + "9" + 63 * "0"])
def test_a_sudoku_without_solutions(grid: str) -> None:
    assert parsolve.solve(Sudoku(grid), workers=1).status == "none"


PACKING = Polyominoes("4x6", "I2 I2 I2 I2 I2 I2 L4 L4 T4", unique=True)


@pytest.mark.processes
@pytest.mark.parametrize("puzzle", some([Langford(8), PACKING], 2), ids=["Langford", "Polyominoes"])
def test_two_workers_find_the_same_list(puzzle: parsolve.Puzzle) -> None:
    alone = parsolve.solve(puzzle, workers=1)
    together = parsolve.solve(puzzle, workers=2, budget=100)
    assert texts(alone) == texts(together)


@pytest.mark.parametrize("puzzle", some([Langford(8), PACKING], 2), ids=["Langford", "Polyominoes"])
def test_a_killed_search_is_resumed(tmp_path: Path, puzzle: parsolve.Puzzle) -> None:
    """What the last checkpoint does not hold is lost, as by SIGKILL."""
    plain = parsolve.solve(puzzle, workers=1)
    request, pulls = Request(workers=1, budget=50, buffer=3), [0, 1, 2, 3, 5, 8, 20]
    found, given = run_through(tmp_path / "it.sqlite", puzzle, request, pulls, make_store=EVERY_OUTCOME)
    assert (found.status, found.count, found.nodes, given) == (plain.status, plain.count, plain.nodes, plain.paths)


def test_a_journal_goes_on(tmp_path: Path) -> None:
    journal, asked = tmp_path / "it.sqlite", itertools.count()
    part = parsolve.solve(Langford(11), workers=1, journal=journal, cancel=lambda: next(asked) > 1)
    assert part.status == "stopped"
    whole = parsolve.solve(Langford(11), workers=1, journal=journal)
    assert (part.nodes > 0, whole.count) == (True, 17792)
    assert texts(whole) == texts(parsolve.solve(Langford(11), workers=1))


def test_the_command_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "it.dlx").write_text(f"| a comment\n{KNUTH}")
    assert run("count", "cover", "--file", "it.dlx").stdout == "1\n"
    assert "p  p r x:A y\n" in run("solve", "cover", "--file", "it.dlx", "--boards", "--quiet").stdout
    assert "3 primary items, 2 secondary ones, 5 options" in run("describe", "cover").stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no items"),
        ("| a comment\n\n", "no items"),
        (" | a\n", "no items"),
        ("a b\n\na c\n", r"line 3: there is no item 'c'"),
        ("a b a\n", "line 1: the item 'a' occurs twice"),
        ("a | b | c\n", r"line 1: a second \|"),
        ("a b:1\n", "line 1: the item 'b:1' is not a name"),
        ("a | b\na b b:1\n", "line 2: an option has one item twice"),
        ("a | b\na:1 b\n", "line 2: the item 'a' has a colour, but is primary"),
        ("a | b\na b:\n", "line 2: 'b:' has no colour after the colon"),
        ("a | b\na b:x:y\n", "line 2: 'b:x:y' has no colour"),
        (" ".join(f"i{number}" for number in range(5000)) + "\n", "line 1: 5,000 primary items are too many"),
        ("3:2|a\n", "line 1: the item '3:2|a' is covered at least 3 and at most 2 times".replace("|", r"\|")),
        ("0|a\n", "at least 0 and at most 0 times"),
        ("2|a a\n", "line 1: the item 'a' occurs twice"),
        ("a | 2|b\n", r"line 1: the item '2\|b' is not a name"),
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


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"items": "abc"}, "items is a list, not 'abc'"),
        ({"items": ["a"], "options": ["a"]}, "a list of names of items, not the text 'a'"),
        ({"items": ["a"], "options": [[]]}, "an option without items"),
        ({"items": ["a"], "options": [[1]]}, "there is no item '1'"),
        ({"items": ["a b"]}, "'a b' is not a name"),
        ({"items": []}, "no primary items"),
        ({"items": [1.5]}, "a text or a whole number, not 1.5"),
    ],
)
def test_bad_items(given: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        Cover(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("cover", "--file", "not.dlx"), "there is no file 'not.dlx'"),
        (("cover", "--file", "pentominoes"), "there is no file 'pentominoes'"),
        (("cover", "--file", "-"), "it has no items"),
        (("cover", "--problem", "2"), "problem is for an .xmpuzzle file"),
        (("sudoku", "--grid", "12"), "the grid has 81 cells, not 2"),
        (("sudoku", "--grid", 81 * "?"), "the grid has '?'"),
        (("langford", "--n", "65"), "n is 1 to 64, not 65"),
    ],
)
def test_what_is_refused(run: Run, words: tuple[str, ...], says: str) -> None:
    done = run("count", *words, code=2)
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
