"""For which solutions a symmetry counts, by how often they use each piece."""

import itertools
import random
from collections.abc import Iterator

import pytest

from parsolve.puzzles.exact_cover.space import Motion
from parsolve.puzzles.exact_cover.symmetry import NONE, Symmetry, Uses, parted

pytestmark = pytest.mark.plain

HERE = Motion((0, 1, 2), (False, False, False))


def symmetry(uses: Uses, *pieces: int) -> Symmetry | None:
    return Symmetry.of(HERE, pieces, (), uses)


def image(pieces: tuple[int, ...], used: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return how often the image of a solution uses each piece; None if a used piece has no image."""
    made = [0] * len(pieces)
    for piece, number in zip(pieces, used, strict=True):
        if piece == NONE and number:
            return None
        if piece != NONE:
            made[piece] = number
    return tuple(made)


def inside(uses: Uses) -> Iterator[tuple[int, ...]]:
    return itertools.product(*(range(least, most + 1) for least, most in uses))


def test_how_often_a_solution_must_use_a_piece() -> None:
    uses = ((1, 2), (0, 1), (0, 5), (0, 2))
    mirror = symmetry(uses, 1, 0, 2, NONE)
    assert mirror
    assert mirror.allowed == ((0, 1), (1, 2), (0, 5), (0, 0))
    assert mirror.required(uses) == [(0, 0, 1), (1, 1, 2), (3, 0, 0)]
    assert mirror.required(((1, 1), (1, 1), (0, 5), (0, 0))) == []
    assert mirror.required(((2, 2), (1, 1), (0, 5), (0, 0))) is None
    assert mirror.of_fixed(uses) == ((1, 1), (1, 1), (0, 5), (0, 0))
    assert not mirror.keeps(uses)
    assert mirror.keeps(((1, 1), (1, 1), (0, 5), (0, 0)))
    assert symmetry(((1, 1), (2, 2)), 1, 0) is None
    assert symmetry(((1, 1), (0, 1)), NONE, 1) is None
    assert symmetry(((0, 1), (1, 1)), 1, NONE) is None


def test_parts_against_all_ways_to_use_the_pieces() -> None:
    chance = random.Random(4)
    for _ in range(300):
        number = chance.randint(1, 4)
        uses: Uses = tuple(
            (least := chance.choice((0, 0, 1, 2)), least + chance.choice((0, 1, 3))) for _ in range(number)
        )
        maps = [tuple(chance.sample(range(number), number)) for _ in range(chance.randint(1, 3))]
        maps = [tuple(NONE if chance.random() < 0.2 else piece for piece in each) for each in maps]
        made = [(each, found) for each in maps if (found := symmetry(uses, *each))]
        every = {*inside(uses)}
        assert all(image(each, used) not in every for each in maps if not symmetry(uses, *each) for used in every)
        met = []
        for part in parted([each for _, each in made], uses, lambda each: True):
            here = [*inside(part)]
            for pieces, each in made:
                found = each.required(part)
                assert not found  # none, or nothing is required
                assert all((image(pieces, used) in every) == (found is not None) for used in here)
                if found is not None:
                    narrowed = each.of_fixed(part)
                    same = [used for used in here if image(pieces, used) == used]
                    assert {*same} <= {*(inside(narrowed) if narrowed else ())} <= {*here}
                    assert not each.keeps(part) or {image(pieces, used) for used in here} == {*here}
            met += here
        assert sorted(met) == sorted(every)


def test_parts_without_solutions_are_left_out() -> None:
    uses = ((4, 4), (0, 1), (0, 2))
    mirror = symmetry(uses, 0, 2, 1)
    assert mirror
    assert list(parted([mirror], uses, lambda each: each[2][0] < 2)) == [((4, 4), (0, 1), (0, 1))]
