"""The order in which counting covers items."""

import itertools

import pytest

from parsolve.puzzles.exact_cover.instance import Builder, Instance
from parsolve.puzzles.exact_cover.stages import computed_order

pytestmark = pytest.mark.plain


def matrix(size: int) -> Instance:
    """A full matrix: rows are the first items, columns the others."""
    builder = Builder([f"{kind}{place}" for kind in "rc" for place in range(size)])
    for row, column in itertools.product(range(size), repeat=2):
        builder.add([f"r{row}", f"c{column}"])
    return builder.finish()


def test_rows_of_a_matrix_before_its_columns() -> None:
    order = computed_order(matrix(6))
    assert order[:5] == [*range(5)]
    assert sorted(order) == [*range(12)]


def test_a_strip_from_end_to_end() -> None:
    builder = Builder([str(cell) for cell in range(12)])
    for cell in range(11):
        builder.add([str(cell), str(cell + 1)])
    assert computed_order(builder.finish()) == [*range(12)]


def test_items_that_are_asked_for_come_first() -> None:
    order = computed_order(matrix(4), [5, 2])
    assert order[:2] == [5, 2]
    assert sorted(order) == [*range(8)]
