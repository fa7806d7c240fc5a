"""Combinations by pairs leave no pair out."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pairs import pairs

pytestmark = pytest.mark.plain


@settings(deadline=None)
@given(st.lists(st.integers(1, 4), min_size=2, max_size=4))
def test_each_pair_is_there_and_each_combination_has_a_new_one(lengths: list[int]) -> None:
    factors = [[(factor, value) for value in range(length)] for factor, length in enumerate(lengths)]
    found = pairs(*factors)
    assert found == pairs(*factors)
    seen: set[frozenset[tuple[int, int]]] = set()
    for row in found:
        new = {frozenset(pair) for pair in itertools.combinations(row, 2)}
        assert new - seen
        seen |= new
    assert seen == {
        frozenset((one, other)) for a, b in itertools.combinations(factors, 2) for one, other in itertools.product(a, b)
    }


def test_there_are_few() -> None:
    assert len(pairs("abc", "de", "fg", "hij")) == 9
    assert pairs("ab", "c") == [("a", "c"), ("b", "c")]
