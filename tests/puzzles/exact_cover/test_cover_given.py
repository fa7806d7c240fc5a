"""Exact cover problems as Python programs and other packages have them, and texts that begin with <."""

from typing import Any

import numpy as np
import pytest
from worlds.covers import solutions_of
from worlds.known_covers import matrix

from parsolve.errors import BadInput
from parsolve.puzzles import Cover
from parsolve.puzzles.cover import dlx, xmpuzzle
from parsolve.puzzles.exact_cover.instance import Builder
from parsolve.puzzles.exact_cover.stages import computed_order

pytestmark = pytest.mark.plain


MATRIX = np.array(
    [
        [0, 0, 1, 0, 1, 0, 0],
        [1, 0, 0, 1, 0, 0, 1],
        [0, 1, 1, 0, 0, 1, 0],
        [1, 0, 0, 1, 0, 1, 0],
        [0, 1, 0, 0, 0, 0, 1],
        [0, 0, 0, 1, 1, 0, 1],
    ]
)
"""The example of Knuth's paper Dancing Links."""

SETS = [set(np.flatnonzero(row)) for row in MATRIX]


@pytest.mark.parametrize(
    "given",
    [
        {"options": MATRIX},
        {"options": MATRIX.astype(bool)},
        {"options": MATRIX.astype(float)},
        {"items": range(7), "options": MATRIX},
        {"items": np.arange(7), "options": SETS},
        {"items": {*range(7)}, "options": dict(zip("ABCDEF", SETS, strict=True))},
        {"items": range(7), "options": [np.flatnonzero(row) for row in MATRIX]},
        {"items": list("0123456"), "options": [[str(item) for item in sorted(each)] for each in SETS]},
    ],
)
def test_one_problem_in_all_forms(given: dict[str, Any]) -> None:
    puzzle = Cover(**given)
    lines = [" ".join(map(str, sorted(each))) for each in SETS]
    assert puzzle.instance == dlx.read("\n".join(["0 1 2 3 4 5 6", *lines]) + "\n")
    assert len(solutions_of(puzzle.instance)) == 1


def test_items_of_the_options() -> None:
    assert Cover(options=[["b", "x:1"], {"c", "a"}], secondary=["x"]).instance == dlx.read("b a c | x\nb x:1\na c\n")
    assert Cover(options=MATRIX, secondary=["x", "y"]).instance.primary == ("0", "1", "2", "3", "4")
    assert Cover(items=["2|a", "b"], options=np.array([[1, 1], [1, 0]])).instance == dlx.read("2|a b\na b\na\n")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"options": 2 * MATRIX}, r"options\[0\]: column 2 has 2, not 0 or 1"),
        ({"options": np.array([[1, np.nan]])}, r"options\[0\]: column 1 has nan"),
        ({"options": MATRIX[0]}, "an array of 1 dimension: give two"),
        ({"options": np.array(1)}, "an array of 0 dimensions: give two"),
        ({"items": range(8), "options": MATRIX}, "a matrix of 7 columns, for 8 items"),
        (
            {"items": range(7), "options": MATRIX.tolist()},
            r"options\[0\]: .* give a matrix of 0 and 1 as a numpy array",
        ),
        ({"options": [[1], [1, 1.5]]}, r"options\[1\]: a name of an item is a text or a whole number, not 1.5"),
        ({"options": [[1], [True]]}, r"options\[1\]: .* not True"),
        ({"items": range(2), "options": [[0], [1, 2]]}, r"options\[1\]: there is no item '2'"),
        ({"options": [[1], "ab"]}, r"options\[1\]: an option is a list of names of items, not the text 'ab'"),
        ({"options": [[1], 5]}, r"options\[1\] is a list, not 5"),
        ({"options": [[1], set()]}, r"options\[1\]: an option without items"),
        ({"items": 5}, "items is a list, not 5"),
        ({"items": "abc"}, "items is a list, not 'abc'"),
        ({"items": ["a b"]}, "'a b' is not a name"),
        ({"options": []}, "no primary items"),
        ({"options": [[1], [2], [3]], "costs": [3, 1]}, "costs are 2 for 3 options: give one for each"),
        ({"options": [[1], [2], [3]], "costs": [3, 1, 1.5]}, r"costs\[2\] is a whole number, not 1.5"),
        ({"options": [[1], [2], [3]], "costs": [3, 1, True]}, r"costs\[2\] is a whole number, not True"),
        ({"options": [[1], [2], [3]], "costs": {7: 1}}, "costs: there is no option 7"),
        ({"options": [[1], [2], [3]], "costs": 5}, "costs is a list, not 5"),
        ({"options": [[1], [2], [3]], "costs": [3, 1, -1]}, r"options\[2\]: the cost -1 is not possible"),
    ],
)
def test_refusals_name_the_option(given: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says) as raised:
        Cover(**given)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("items", [["<a", "b"], ["<a>", "</a>"], ["<a/>"], ["<puzzle>"], ["<?xml"], ["<!--"]])
def test_an_item_may_begin_as_xml_does(items: list[str]) -> None:
    puzzle = Cover(items=items, options=[items])
    assert not puzzle.assembly
    assert Cover(puzzle.file) == puzzle
    assert puzzle.instance.primary == tuple(items)


@pytest.mark.parametrize("text", ["<a b\n<a\nb\n", "<a> b\n<a> b\n"])
def test_a_text_that_is_no_xml_is_in_knuths_format(text: str) -> None:
    assert Cover(text).instance == dlx.read(text)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<puzzle>\n<a\n", "line 2: "),
        ('<?xml version="1.0"?>\n<puzzle>\n', "no element found"),
        ("<shapes><voxel></shapes>\n", "line 1: mismatched tag"),
        ("<a>b</a>\n", "a BurrTools file begins with <puzzle>, not with <a>"),
    ],
)
def test_wrong_xml_is_refused_as_such(text: str, says: str) -> None:
    assert xmpuzzle.is_xml(text)
    with pytest.raises(BadInput, match=says):
        Cover(text)


# The order in which counting covers items.


def test_rows_of_a_matrix_before_its_columns() -> None:
    order = computed_order(matrix([[1] * 6] * 6))
    assert order[:5] == [*range(5)]
    assert sorted(order) == [*range(12)]


def test_a_strip_from_end_to_end() -> None:
    builder = Builder([str(cell) for cell in range(12)])
    for cell in range(11):
        builder.add([str(cell), str(cell + 1)])
    assert computed_order(builder.finish()) == [*range(12)]


def test_items_that_are_asked_for_come_first() -> None:
    order = computed_order(matrix([[1] * 4] * 4), [5, 2])
    assert order[:2] == [5, 2]
    assert sorted(order) == [*range(8)]
