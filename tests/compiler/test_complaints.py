"""What numba says of a rule becomes a plain sentence: from recorded texts, because each takes a compiler to get."""

from collections.abc import Callable
from pathlib import Path

import pytest
from mistakes import FOREIGN, RULES, line_of, load, recorded
from numba.core import errors

from parsolve.compiler.complaints import why
from parsolve.puzzles import Permutations

pytestmark = pytest.mark.plain

ERRORS = {"KeyError": KeyError, "NameError": NameError}


@pytest.mark.parametrize("mistake", recorded()["complaints"])
def test_a_complaint(puzzle_file: Callable[..., Path], mistake: str) -> None:
    source, place, says = RULES[mistake]
    cls, complaint = load(puzzle_file(source)), recorded()["complaints"][mistake]
    kind = ERRORS.get(complaint["kind"]) or getattr(errors, complaint["kind"])
    rule = getattr(cls, complaint["rule"])
    reason = why(rule, kind(complaint["text"]), cls().tables(), cls.state.names)
    text = f"the rule {complaint['rule']!r} does not compile{reason.place(rule)}: {reason.text}"
    assert says.format(line_of(source, place) if place else "") in text
    assert not [foreign for foreign in FOREIGN if foreign in text]


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (ImportError("scipy 0.16+ is required for linear algebra"), "compiled rules have no linear algebra"),
        (NotImplementedError("float16"), "compiled code has no float16; see docs/your-own-puzzle.md"),
    ],
)
def test_errors_that_are_no_complaint_of_numbas(error: Exception, says: str) -> None:
    assert why(Permutations.expand, error, (), ()).text.startswith(says)
