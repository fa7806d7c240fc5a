"""River crossings: the largest, what is refused, and the command."""

import pytest

import parsolve
from parsolve.errors import BadInput
from parsolve.puzzles import Crossing

pytestmark = pytest.mark.nightly


def test_the_largest_are_made_and_end_at_once_where_nothing_is_kept_apart() -> None:
    for puzzle in (Crossing(couples=8, boat=16), Crossing(kind="missionaries", each=63, boat=126)):
        assert parsolve.solve(puzzle, want="first", workers=1).cost == 1


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"couples": 9}, "couples is 1 to 8, not 9"),
        ({"kind": "missionaries", "each": 64}, "each is 1 to 63, not 64"),
        ({"kind": "missionaries", "couples": 4}, "couples has no meaning for kind missionaries"),
        ({"kind": "wolf", "each": 4}, "each has no meaning for kind wolf"),
        ({"boat": 1}, "it must hold at least 2"),
    ],
)
def test_bad_input(parameters: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says) as raised:
        Crossing(**parameters)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)
