"""Pictures of states: the shapes say what the text says, and symmetric solutions are known as such."""

import doctest
import itertools
import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest
from cases import nightly
from shared import ROOT
from shown import tutorial

import parsolve
from parsolve.errors import BadPuzzle
from parsolve.problem.hooks import images_from, picture_from
from parsolve.problem.problem import Problem
from parsolve.problem.registry import load_class
from parsolve.problem.replay import Solution
from parsolve.problem.svg import animation, picture, view_of
from parsolve.puzzle.core import Puzzle, Shape
from parsolve.puzzle.parameters import values_of
from parsolve.puzzle.shapes import extent, text_shapes
from parsolve.puzzles import (
    Crossing,
    FlipIt,
    Jugs,
    Peg,
    Permutations,
    Polyominoes,
    Queens,
    Sliding,
    Sudoku,
)
from parsolve.puzzles.peg.boards import BOARDS

pytestmark = pytest.mark.plain

SVG = "{http://www.w3.org/2000/svg}"


@cache
def first_of(puzzle: Puzzle) -> Solution:
    """The first solution of a puzzle."""
    return parsolve.solve(puzzle, want="first", workers=1).solutions[0]


def named(shapes: Sequence[Shape]) -> dict[str, tuple[float, float]]:
    """The middle of each shape with a name."""
    found = {shape.name: (shape.x, shape.y) for shape in shapes if shape.name}
    assert len(found) == sum(bool(shape.name) for shape in shapes)
    return found


@pytest.mark.parametrize("name", [*BOARDS])
def test_a_peg_stands_where_the_text_has_one(name: str) -> None:
    game = Peg(board=name, vacancy="2", target="any")
    board = game.layout
    for pegs in (game.start_pegs, 1, 0b1011):
        shapes = game.picture({"pegs": pegs}, ())
        holes = [(shape.x, shape.y) for shape in shapes if shape.tone == "hole"]
        assert sum(shape.tone == "piece" for shape in shapes) == pegs.bit_count()
        assert {(shape.x, shape.y) for shape in shapes if shape.tone == "piece"} == {
            place for hole, place in enumerate(holes) if pegs >> hole & 1
        }
        # By rows from the top and from left to right, as the text has them.
        by_place = sorted((round(y, 6), x, hole) for hole, (x, y) in enumerate(holes))
        drawn = "".join(board.draw(pegs)).replace(" ", "")
        assert drawn == "".join("●" if pegs >> hole & 1 else "·" for _, _, hole in by_place)
    lengths = {
        round(math.dist((a.x, a.y), (b.x, b.y)), 6)
        for a, b in itertools.combinations([shape for shape in shapes if shape.tone == "hole"], 2)
    }
    assert min(lengths) >= 1  # no hole lies over another


def test_a_peg_keeps_its_name_and_a_jump_takes_one_away() -> None:
    solution = first_of(Peg(first="0-6"))
    pictures = solution.pictures
    assert len(pictures) == len(solution.moves) + 1 == len(solution.states)
    for before, after in itertools.pairwise(map(named, pictures)):
        assert len(before.keys() - after.keys()) == 1
        assert len(after.keys() - before.keys()) == 0
        assert sum(before[name] != after[name] for name in after) == 1
    assert sum(shape.tone == "piece" for shape in pictures[-1]) == 1
    # What a run points out ends where its peg stands.
    (last,) = (shape for shape in pictures[-1] if shape.tone == "piece")
    line = [shape for shape in pictures[-1] if shape.kind == "line"][-1]
    assert (line.x + line.width, line.y + line.height) == (last.x, last.y)


@pytest.mark.parametrize("puzzle", [Sliding(start="1 2 3 4 0 5 7 8 6"), Sliding(shape="5x5")], ids=repr)
def test_tiles_read_as_the_text_does(puzzle: Sliding) -> None:
    solution = first_of(puzzle)
    for shapes, board in zip(solution.pictures, solution.boards, strict=True):
        tiles = {(shape.x, shape.y): shape.text for shape in shapes if shape.tone == "piece"}
        lines = [line.split() for line in board.splitlines()]
        assert tiles == {(x, y): word for y, line in enumerate(lines) for x, word in enumerate(line) if word != "·"}


def test_queens_stand_where_the_text_has_them() -> None:
    solution = first_of(Queens(6))
    queens = {(shape.x, shape.y) for shape in solution.pictures[-1] if shape.tone == "piece"}
    lines = [line.split() for line in solution.boards[-1].splitlines()]
    assert queens == {(x, y) for y, line in enumerate(lines) for x, letter in enumerate(line) if letter == "Q"}
    assert sum(shape.tone in ("cell", "shade") for shape in solution.pictures[-1]) == 36


def test_covered_cells_read_as_the_text_does() -> None:
    for puzzle in (Polyominoes(), Polyominoes(board="ooo.\n.ooo", pieces="I3 I3")):
        solution = first_of(puzzle)
        letters = {(shape.x, shape.y): shape.text for shape in solution.pictures[-1] if shape.tone != "cell"}
        lines = solution.boards[-1].splitlines()
        assert letters == {
            (x, y): letter for y, line in enumerate(lines) for x, letter in enumerate(line) if letter != " "
        }
    grid = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
    last = first_of(Sudoku(grid)).pictures[-1]
    assert "".join(shape.text for shape in sorted(last, key=lambda each: (each.y, each.x))) == (
        "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
    )
    assert sum(shape.tone == "other" for shape in last) == grid.count(".")


def test_pieces_of_flip_it_turn() -> None:
    solution = first_of(FlipIt("BB_BBB"))
    for shapes, state in zip(solution.pictures, solution.text.split(), strict=True):
        discs = {shape.x: shape.tone for shape in shapes if shape.tone in ("piece", "other")}
        assert "".join({"piece": "B", "other": "W"}.get(discs.get(x, ""), "_") for x in range(6)) == state
        assert {int(shape.name.split()[1]) for shape in shapes if shape.name} == {1, 2, 4, 5, 6}


def test_jugs_are_labelled_and_filled_in_proportion() -> None:
    for shapes, state in zip(first_of(Jugs()).pictures, first_of(Jugs()).text.split(), strict=True):
        labels = [shape.text.split(" of ") for shape in shapes if shape.tone == "label"]
        assert f"({','.join(amount for amount, _ in labels)})" == state
        heights = {shape.x: shape.height for shape in shapes if shape.tone == "water"}
        for x, (amount, _) in zip((0, 1.6), labels, strict=True):
            assert heights.get(x, 0) == pytest.approx(int(amount) / 2)


@pytest.mark.parametrize("kind", ["couples", "missionaries", "wolf"])
def test_people_stand_on_the_bank_that_the_text_says(kind: str) -> None:
    solution = first_of(Crossing(kind=kind))  # type: ignore[arg-type]
    for shapes, board in zip(solution.pictures, solution.boards, strict=True):
        (water,) = (shape for shape in shapes if shape.tone == "water")
        (boat,) = (shape for shape in shapes if shape.name == "boat")
        sides = ["", ""]
        for shape in shapes:
            sides[shape.x > water.x] += shape.text
        near, far = board.replace("\\_/", "~").split("~")[0], board.replace("\\_/", "~").rsplit("~")[-1]
        assert [sorted(side) for side in sides] == [sorted(near.strip()), sorted(far.strip())]
        assert (boat.x > water.x) == ("~\\_/" in board)


PUZZLES = [
    Peg(first="0-6"),
    Sliding(start="4 5 0 1 2 3"),
    Queens(6),
    FlipIt("BB_BBB"),
    Jugs(),
    Crossing(),
    Permutations(4),
]


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


def test_an_animation_shows_each_shape_while_it_is_there() -> None:
    pictures = first_of(Sliding(start="4 5 0 1 2 3")).pictures
    root = ElementTree.fromstring(animation(pictures, ""))
    total = 0.7 * len(pictures) + 2
    for number, shapes in enumerate(pictures):
        shown = 0
        for group in root.findall(f"{SVG}g"):
            animate = group.find(f"{SVG}animate")
            assert animate is not None
            times = [float(time) * total for time in animate.attrib["keyTimes"].split(";")]
            values = animate.attrib["values"].split(";")
            now = max(index for index, time in enumerate(times) if time <= 0.7 * number + 0.1)
            shown += values[now] == "visible"
        always = sum(each.tag == f"{SVG}rect" for each in root)
        assert shown + always == len(shapes)


def test_a_strip_has_every_state_in_colours_that_all_programs_know() -> None:
    solution = first_of(Peg(first="0-6"))
    text = solution.strip
    assert "var(" not in text
    assert "@media" not in text
    root = ElementTree.fromstring(text)
    states = root.findall(f"{SVG}g")
    assert [len(state.findall(f"{SVG}ellipse[@class='ps-piece']")) for state in states] == [*range(12, 0, -1)]
    assert len({state.attrib["transform"] for state in states}) == 12
    width = float(root.attrib["viewBox"].split()[2])
    x, y = map(float, states[5].attrib["transform"].removeprefix("translate(").rstrip(")").split())
    assert (y, x + view_of(solution.pictures)[2]) == (0, pytest.approx(width))  # six are in a row


@pytest.mark.parametrize(
    ("puzzle", "classes"),
    [(Queens(6), 1), (Queens(7), 6), (Queens(8), 12), nightly((Peg(), None))],
)
def test_solutions_fall_into_as_many_classes_as_are_unique(puzzle: Queens | Peg, classes: int | None) -> None:
    every = parsolve.solve(puzzle, workers=1).solutions
    unique = parsolve.solve(type(puzzle)(**(values_of(puzzle) | {"unique": True})), workers=1).count
    assert classes in (None, unique)
    found = {solution.representative for solution in every}
    assert found <= {solution.moves for solution in every}
    assert len(found) == unique
    assert len(found) < len(every)
    for solution in every:
        images = images_from(puzzle, solution.moves)
        assert solution.moves in images
        assert set(images) <= {other.moves for other in every}


def test_without_a_picture_the_text_is_drawn() -> None:
    shapes = text_shapes("a\n\nb <c>")
    texts = ElementTree.fromstring(picture(shapes, "")).findall(f"{SVG}text")
    assert [each.text for each in texts] == ["a", "b <c>"]
    assert picture_from(Sliding(), Problem(Sliding()).state_of(Problem(Sliding()).root[0]), ())
    odd = ElementTree.fromstring(picture(text_shapes("\x1b[31m\x00"), "\x07"))
    assert "�[31m�" in [each.text for each in odd.iter()]


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        ("disc", "must return a list of shapes, not 'disc'"),
        ([Shape("star", 0, 0, "piece")], "of a kind"),  # type: ignore[arg-type]
        ([Shape("disc", 0, 0, "piece", text=[])], "must return shapes such as"),  # type: ignore[arg-type]
        ([Shape("disc", float("nan"), 0, "piece")], "gives nan where a shape has a number"),
        ([Shape("disc", 1e308, 0, "piece")], r"gives 1e\+308 where a shape has a number below 1e9"),
        ([Shape("box", 0, 0, "piece", -0.2)], "gives a shape of width -0.2 and height 1.0: let neither be below 0"),
        ([Shape("disc", 0, 0, "piece", name="\ud800")], "half a character"),
    ],
)
def test_shapes_that_cannot_be_are_one_line(shapes: object, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sliding, "picture", lambda self, state, moves: shapes)
    with pytest.raises(BadPuzzle, match=says):
        picture_from(Sliding(), {}, ())


def test_the_page_about_seeing() -> None:
    page = ROOT / "docs" / "seeing.md"
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert (failed, tried) == (0, 6)


def test_the_picture_of_lights_out(puzzle_file: Callable[..., Path]) -> None:
    text = (ROOT / "docs" / "seeing.md").read_text()
    method = text.split("from parsolve import Shape\n")[1].split("```")[0]
    source = f"from parsolve import Shape\n{tutorial()}{method}"
    puzzle = load_class(f"{puzzle_file(source)}:LightsOut")()
    drawn = picture_from(puzzle, {"lights": 0b101}, ())
    assert [shape.tone for shape in drawn[:4]] == ["piece", "cell", "piece", "cell"]
