"""What messages suggest."""

import pytest

from parsolve.text import nearest

pytestmark = pytest.mark.plain

JOBS = [f"b{number:03}" for number in range(900)]


@pytest.mark.parametrize(
    ("word", "known", "says"),
    [
        ("b00", JOBS, "; did you mean b000 or b001 or b002?"),
        ("q-7", ["q-4", "q-6"], "; did you mean q-4 or q-6?"),
        ("eigth", ["five", "eight"], "; did you mean eight?"),
        ("peg2", ["peg", "peg21"], "; did you mean peg21 or peg?"),
        ("tri", ["triangle10", "star"], "; did you mean triangle10?"),
        ("--goal", ["--transposition", "--boards"], "; there are --transposition, --boards"),
        ("LightsOut", ["eight"], "; there are eight"),
        ("EIGHT", ["five", "eight"], "; did you mean eight?"),
        ("x", [], ""),
        ("x", ["five", "eight"], "; there are five, eight"),
        ("", ["five", "eight"], "; there are five, eight"),
    ],
)
def test_nearest_names(word: str, known: list[str], says: str) -> None:
    assert nearest(word, known) == says
