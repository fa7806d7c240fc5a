"""Domination of chessboards: published numbers, symmetric solutions, boards with holes, and what is refused."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from cases import nightly

import parsolve
from parsolve.errors import BadInput
from parsolve.puzzles import Domination

pytestmark = pytest.mark.plain

KNOWN: list[tuple[Any, dict[str, bool], list[int], int]] = [
    ("queen", {}, [1, 4, 1, 12, 186, 4, 86, 4860, 114, 8, 2, 8], 9),  # A002564
    ("knight", {}, [1, 1, 8, 9, 47, 127, 10, 2, 2, 4], 8),  # A103315
    ("queen", {"total": True}, [0, 6, 20, 12, 70, 960, 22, 352, 10, 216], 0),  # A002566, each attacks another
    ("knight", {"unique": True}, [1, 1, 2, 3, 8, 23, 3, 1, 1, 2], 6),  # A006076, up to turns and reflections
]
"""A piece, what is asked for, the numbers of the OEIS from n = 1 on, and the last n that is tried by day."""


def cases() -> Iterator[Any]:
    for piece, asked, numbers, last in KNOWN:
        for n, number in enumerate(numbers, 1):
            case = piece, asked, n, number
            yield case if n <= last else nightly(case)


@pytest.mark.parametrize(("piece", "asked", "n", "number"), [*cases()])
def test_known_numbers(piece: Any, asked: dict[str, bool], n: int, number: int, compiled: None) -> None:
    assert parsolve.solve(Domination(piece, n, **asked), want="count").count == number


@pytest.mark.parametrize("piece", ["queen", "rook", "bishop", "king", "knight"])
@pytest.mark.parametrize("more", [{}, {"independent": True}, {"total": True}])
def test_all_sets_of_squares(piece: Any, more: dict[str, bool]) -> None:
    puzzle = Domination(piece, board="oo.\nooo\n.oo\n", **more)
    squares, attacked = range(len(puzzle.layout.cells)), puzzle.attacked
    found: list[tuple[int, ...]] = []
    for number in range(len(squares) + 1):
        for taken in itertools.combinations(squares, number) if not found else ():
            reached = {*itertools.chain.from_iterable(attacked[square] for square in taken)}
            if more.get("independent") and reached & {*taken}:
                continue
            if {*squares} <= (reached if more.get("total") else reached | {*taken}):
                found.append(taken)
    result = parsolve.solve(puzzle, workers=1)
    assert sorted(tuple(sorted(puzzle.squares(each.moves))) for each in result.solutions) == found
    assert result.cost == (len(found[0]) if found else None)


def test_one_of_all_images() -> None:
    every, unique = (parsolve.solve(Domination("knight", 3, unique=unique), workers=1) for unique in (False, True))
    puzzle = Domination("knight", 3)
    images = [{tuple(image) for image in puzzle.images_of(each.moves)} for each in unique.solutions]
    assert sum(map(len, images)) == every.count == 8
    assert set.union(*images) == {each.moves for each in every.solutions}


def test_it_is_drawn() -> None:
    (solution,) = parsolve.solve(Domination("queen", 3)).solutions
    assert solution.text == ".../.Q./..."
    puzzle = Domination("queen", 3)
    assert puzzle.render({}, solution.moves) == "· · ·\n· Q ·\n· · ·"
    assert [shape.name for shape in puzzle.picture({}, solution.moves) if shape.kind == "disc"] == ["queen 2 2"]


def test_sharing_compares_no_images() -> None:
    with pytest.raises(BadInput, match="the engine sharing does not compare covers with their images"):
        parsolve.solve(Domination("queen", 3, unique=True), want="count", engine="sharing")
