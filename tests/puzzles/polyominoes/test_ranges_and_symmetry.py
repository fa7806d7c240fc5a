"""How often pieces are used, and which solutions are the same."""

import pytest

import parsolve
from parsolve.errors import BadInput
from parsolve.puzzles import Cover, Polyominoes
from parsolve.puzzles.exact_cover.placed import Same


def count(*words: object, **named: object) -> list[int | None]:
    """Return the number of solutions by each engine that counts."""
    puzzle = Polyominoes(*words, **named)  # type: ignore[arg-type]
    return [
        parsolve.solve(puzzle, want="count", workers=1, engine="deepening").count,
        parsolve.solve(puzzle, want="count", workers=1, engine="sharing").count,
    ]


@pytest.mark.nightly
@pytest.mark.parametrize(("symmetry", "number"), [("all", 240), ("turns", 480), ("none", 11520)])
def test_the_soma_cube(symmetry: Same, number: int) -> None:
    assert count("3x3x3", "soma", symmetry=symmetry) == [number, number]
    assert count("3x3x3", "soma", symmetry=symmetry, unique=True) == 2 * [240 if symmetry == "none" else number]


def test_a_board_and_any_tetrominoes() -> None:
    assert count("4x4", "0:4*I4 0:4*L4 0:4*O4 0:4*S4 0:4*T4") == [117, 117]


def test_cells_that_may_stay_empty_are_pieces_of_one_cell() -> None:
    """Of 3x3 with a domino in each of 12 places, and the rest empty."""
    assert count("3x3", "I2 7:7*I1") == [12, 12]
    assert count("3x3", "1:4*I2 0:9*I1") == [130, 130]  # the matchings of the grid graph but the empty one


def test_flat_boards_are_turned_over_only_with_their_pieces() -> None:
    assert count("2x4", "L4 L4'", "one-sided", symmetry="turns") == count("2x4", "L4 L4'", "one-sided", symmetry="all")
    assert count("4x4", "8*I2", symmetry="turns") == count("4x4", "8*I2", symmetry="all") == [9, 9]
    turned = count("4x4", "8*I2", "one-sided", symmetry="turns")
    assert turned == [12, 12]  # by Burnside's lemma (36 + 8 + 2 + 2) / 4
    assert count("4x4", "8*I2", "one-sided", symmetry="all") == [9, 9]


@pytest.mark.parametrize(
    ("pieces", "says"),
    [
        ("3:2*I2", "'I2' is used at least 3 and at most 2 times"),
        ("0:0*I2", "name the pieces"),
        ("0:0*a:\no\n", "the pieces are used 0 times"),
        ("2000:3000*I2", "more than 1,024 pieces"),
        ("2:*I2", "there is no piece '2:\\*I2'"),
        ("5:3*a:\no\n", "'a' is used at least 5 and at most 3 times"),
    ],
)
def test_ranges_that_are_refused(pieces: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        Polyominoes("4x4", pieces)


def test_no_more_copies_than_there_is_room_for() -> None:
    assert Polyominoes("4x4", "0:999999999*I2 O4").stock == Polyominoes("4x4", "0:8*I2 O4").stock


def test_symmetry_is_for_burrtools_files() -> None:
    with pytest.raises(BadInput, match="symmetry is for an"):
        Cover("a\na\n", symmetry="turns")
