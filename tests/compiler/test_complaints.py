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


SEEN = {1, 2}


def seen(tables: tuple[int, ...]) -> bool:
    return tables[0] in SEEN


PLACE = f'File "{__file__}", line {seen.__code__.co_firstlineno + 1}:'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "The use of a reflected set(int64) type, assigned to variable 'SEEN' in globals, is not supported",
            "the global 'SEEN' is a set, which compiled code cannot read: what rules look up belongs in 'tables'",
        ),
        (
            "Unknown attribute 'append' of type unaligned array(Record(a[type=uint8;offset=0];3;False), 1d, C)",
            "the rows have no 'append': a child is written into rows[top], and then 'top' is raised by 1",
        ),
        (
            "Unknown attribute 'cross' of type UniTuple(readonly array(uint64, 1d, C) x 1)",
            "'tables' returns a plain tuple, whose items have no names such as 'cross': return a NamedTuple",
        ),
        (
            "Type of variable '$22compare_op.3' cannot be determined, operation: $6load_attr.1 == $const20.2.1",
            "compiled code cannot find the type of a value: use one statement after another in: return tables[0]",
        ),
        (
            "Unknown attribute 'bit_count' of type uint64",
            "uint64 has no 'bit_count' in compiled code: call bit_count of parsolve.compiler.bits",
        ),
        ("name 'self' is not defined", "name 'self' is not defined: what a rule reads of the parameters belongs in"),
    ],
)
def test_further_complaints(text: str, says: str) -> None:
    kind = NameError if text.startswith("name") else errors.TypingError
    assert why(seen, kind(f"{text}\n{PLACE}"), (1, 2), ()).text.startswith(says)
