"""What one reads after a mistake in the README's puzzle, in a rule or another method."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cases import nightly
from mistakes import BOUND, LIGHTS, METHODS, RULES, Said, line_of, recorded
from samples import edited

pytest_plugins = ["mistakes"]


COMPILED = (
    "a field read in a helper",
    "a table",
    "a helper with what numba does not know",
    "two types",
    "a bare return",
)
"""Mistakes that are compiled here; of the others numba's texts are recorded (`numba_texts.json`)."""

UNCOMPILED = ("return top is forgotten", "solved without return", "helpers in a circle", *METHODS)


def test_each_mistake_is_tried() -> None:
    assert {*COMPILED, *UNCOMPILED, *recorded()["complaints"]} == {*RULES, *METHODS}


@pytest.mark.parametrize(
    ("mistake", "command"),
    [
        *((mistake, "check") for mistake in (*COMPILED, *UNCOMPILED)),
        *((mistake, "solve") for mistake in (COMPILED[0], *UNCOMPILED) if mistake != "show prints"),
        # What a search says is found by the same compiling of single rules, and what `show` returns by the same call.
        *(nightly((mistake, "solve")) for mistake in (*COMPILED[1:], "show prints")),
    ],
)
def test_mistakes(said: Said, mistake: str, command: str) -> None:
    source, place, says = (RULES | METHODS)[mistake]
    (line,) = said(command, source).splitlines()
    named = line_of(source, place) if place else ""
    assert says.format(named) in line


@pytest.mark.parametrize("mistake", ["a field of the root", "return top is forgotten", "a table"])
def test_mistakes_when_counted(said: Said, mistake: str) -> None:
    source, _, says = (RULES | METHODS)[mistake]
    (line,) = said("count", source).splitlines()
    assert says.rpartition("({}")[2] in line or says.rpartition("}")[2] in line


def test_draw_without_a_text(tmp_path: Path, said: Callable[[str, str], str]) -> None:
    source = LIGHTS + "\n    def render(self, state, moves):\n        pass\n"
    says = f"LightsOut: 'render' ({line_of(source, 'def render')}) must return a text, not None: is a 'return' missing?"
    assert says in said("check", source)


def test_a_bound_that_is_too_high(said: Callable[[str, str], str]) -> None:
    source = edited("row.cost, row.move = here.cost + 1, button + 1", BOUND, LIGHTS)
    source = edited('("move", "u1")', '("bound", "u1"), ("move", "u1")', source)
    source = edited("top += here.cost + 1 <= limit", "top += row.cost + row.bound <= limit", source)
    assert "the bound 4 exceeds the distance 1 to a solved state at lights=416 cost=4" in said("check", source)
