"""Permutations: against itertools, and what is refused."""

import itertools
import math

import pytest
from cases import some
from hypothesis import given, settings
from hypothesis import strategies as st

import parsolve
from parsolve.puzzles import Permutations

METHODS = ("lists", "bits")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", some([9, 10, 11], 3))
def test_counts(n: int, method: str) -> None:
    assert parsolve.solve(Permutations(n, method), want="count", workers=1).count == math.factorial(n)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 7), st.sampled_from(METHODS), st.integers(1, 500), st.sampled_from([None, 1, 3]))
def test_however_it_is_cut(n: int, method: str, budget: int, buffer: int | None) -> None:
    budget = max(budget, math.factorial(n) // 50)
    result = parsolve.solve(Permutations(n, method), workers=1, budget=budget, buffer=buffer if n < 6 else None)
    assert result.paths == list(itertools.permutations(range(n)))
