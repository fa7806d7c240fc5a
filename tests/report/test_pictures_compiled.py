"""Pictures of states: the shapes say what the text says, and symmetric solutions are known as such."""

import xml.etree.ElementTree as ElementTree

import pytest

import parsolve
from parsolve.problem.replay import Solution
from parsolve.problem.svg import picture
from parsolve.puzzle import Puzzle
from parsolve.puzzles import (
    Crossing,
    FlipIt,
    Jugs,
    Peg,
    Permutations,
    Queens,
    Sliding,
)
from parsolve.shapes import extent

SVG = "{http://www.w3.org/2000/svg}"

PUZZLES = [
    Peg(first="0-6"),
    Sliding(start="4 5 0 1 2 3"),
    Queens(6),
    FlipIt("BB_BBB"),
    Jugs(),
    Crossing(),
    Permutations(4),
]


def first_of(puzzle: Puzzle) -> Solution:
    """The first solution of a puzzle."""
    return parsolve.solve(puzzle, want="first", workers=1).solutions[0]


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: type(puzzle).__name__)
def test_pictures_and_animations_are_svg_that_fetches_nothing(puzzle: Puzzle) -> None:
    solution = first_of(puzzle)
    alone = ElementTree.fromstring(picture(solution.pictures[-1], "a < b & c"))
    moving = ElementTree.fromstring(solution.svg)
    for root in (alone, moving):
        assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
            *("svg", "title", "style", "rect", "ellipse", "line", "text", "g", "animate"),
        }
        assert all("href" not in name and not name.startswith("on") for each in root.iter() for name in each.attrib)
    assert alone[0].text == "a < b & c"
    x, y, width, height = map(float, moving.get("viewBox", "").split())
    for shapes in solution.pictures:
        left, top, across, down = extent(shapes)
        assert x <= left
        assert y <= top
        assert x + width >= left + across
        assert y + height >= top + down
