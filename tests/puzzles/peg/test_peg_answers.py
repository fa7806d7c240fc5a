"""Every known answer of peg solitaire but those of the English board, by both engines."""

import pytest
from peg_answers import SMALL, assert_known

pytestmark = pytest.mark.nightly


@pytest.mark.parametrize("problem", SMALL, ids=lambda each: "-".join(each[:3]))
def test_all_known_answers(problem: tuple[str, str, str, tuple[int, int], int]) -> None:
    assert_known(problem)
