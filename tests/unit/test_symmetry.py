"""For which solutions a symmetry counts, by how often they use each piece."""

import itertools
import random

from parsolve.puzzles.exact_cover.space import Motion
from parsolve.puzzles.exact_cover.symmetry import NONE, Symmetry, Uses, parted

HERE = Motion((0, 1, 2), (False, False, False))


def symmetry(*pieces: int) -> Symmetry:
    return Symmetry(HERE, pieces, ())


def counts(pieces: tuple[int, ...], used: tuple[int, ...]) -> bool:
    """Return whether a symmetry makes the same pieces of those that are used."""
    made = sorted(image for piece, image in enumerate(pieces) for _ in range(used[piece]))
    return made == sorted(piece for piece, number in enumerate(used) for _ in range(number))


def test_what_a_solution_must_use_equally_often() -> None:
    mirror = symmetry(1, 0, 2, NONE)
    assert mirror.compared(((1, 1), (1, 1), (0, 5), (0, 0))) == []
    assert mirror.compared(((0, 1), (1, 1), (0, 5), (0, 2))) == [(0, 1), (NONE, 3)]
    assert mirror.compared(((1, 1), (2, 3), (0, 5), (0, 0))) is None
    assert mirror.compared(((1, 1), (1, 1), (0, 5), (1, 2))) is None
    assert symmetry(0, 2, NONE).compared(((0, 1), (0, 1), (0, 1))) == [(1, 2), (NONE, 2), (NONE, 1)]


def test_parts_against_all_ways_to_use_the_pieces() -> None:
    chance = random.Random(4)
    for _ in range(200):
        number = chance.randint(1, 4)
        uses: Uses = tuple((least := chance.randint(0, 2), least + chance.choice((0, 1, 3))) for _ in range(number))
        maps = [tuple(chance.sample(range(number), number)) for _ in range(chance.randint(1, 3))]
        maps = [tuple(NONE if chance.random() < 0.2 else piece for piece in each) for each in maps]
        symmetries = [symmetry(*each) for each in maps]
        parts = list(parted(symmetries, uses, lambda each: True))
        met = []
        for part in parts:
            inside = list(itertools.product(*(range(least, most + 1) for least, most in part)))
            for each, pieces in zip(symmetries, maps, strict=True):
                found = each.compared(part)
                assert not found  # none, or no pairs
                assert all(counts(pieces, used) == (found is not None) for used in inside)
            met += inside
        assert sorted(met) == sorted(itertools.product(*(range(least, most + 1) for least, most in uses)))


def test_parts_without_solutions_are_left_out() -> None:
    uses = ((4, 4), (0, 1), (0, 1))
    assert list(parted([symmetry(0, 2, 1)], uses, lambda each: each[1][0] + each[2][0] == 0)) == [
        ((4, 4), (0, 0), (0, 0))
    ]
