"""Colours in BurrTools' files against plain Python, and equal shapes that are listed apart."""

import pytest
from cases import some
from coloured import File, count, random_file, written

import parsolve
from parsolve.check import check
from parsolve.puzzle.core import EngineName
from parsolve.puzzles import Cover
from parsolve.puzzles.exact_cover.placed import Same


@pytest.mark.parametrize("first", some(range(0, 500, 40), 13))
def test_random_files_with_colours(first: int) -> None:
    engines: tuple[EngineName, ...] = ("deepening", "sharing")
    meanings: tuple[Same, ...] = ("all", "turns", "none")
    for seed in range(first, first + 5):
        file = random_file(seed)
        for symmetry in meanings:
            puzzle, number = Cover(written(file), symmetry=symmetry), count(file, symmetry)
            for engine in engines:
                assert parsolve.solve(puzzle, want="count", workers=1, engine=engine).count == number, (seed, symmetry)
            assert Cover(puzzle.file, symmetry=symmetry) == puzzle


DOMINO = {(0, 0, 0): 1, (0, 0, 1): 2}


def solved(file: File) -> int:
    number = parsolve.solve(Cover(written(file)), want="count", workers=1).count
    assert number == count(file)
    assert number is not None
    return number


def test_a_colour_only_restricts_places() -> None:
    row = {(0, 0, column): 0 for column in range(4)}
    ends = row | {(0, 0, 0): 1, (0, 0, 3): 2}
    both = [(DOMINO, 2, 2)]
    assert solved(File(row, frozenset(), both, set())) == 1  # the board has no colours
    assert solved(File(ends, frozenset(), both, set())) == 0  # no colours fit
    assert solved(File(ends, frozenset(), both, {(1, 1), (2, 2)})) == 1
    assert solved(File(ends, frozenset(), both, {(1, 1), (1, 2)})) == 1
    assert solved(File(ends, frozenset(), [({(0, 0, 0): 0, (0, 0, 1): 0}, 2, 2)], set())) == 1


def test_equal_shapes_of_different_colours_are_different_pieces() -> None:
    square = {(0, row, column): 0 for row in range(2) for column in range(3)}
    plain = {(0, 0, 0): 0, (0, 0, 1): 0}
    assert solved(File(square, frozenset(), [(plain, 3, 3)], set())) == 2
    assert solved(File(square, frozenset(), [(plain, 1, 1), (DOMINO, 2, 2)], set())) == 4
    assert solved(File(square, frozenset(), [(plain, 2, 2), (DOMINO, 1, 1)], set())) == 4


def test_pairs_of_colours_that_do_not_occur() -> None:
    square = {(0, 0, 0): 1, (0, 0, 1): 1}
    text = written(File(square, frozenset(), [(DOMINO, 1, 1)], {(1, 1), (2, 1)}))
    more = text.replace("<bitmap>", '<bitmap><pair piece="999999998" result="0"/><pair piece="0" result="999999998"/>')
    assert more != text
    assert Cover(more) == Cover(text)


@pytest.mark.nightly
def test_the_contract_is_kept() -> None:
    puzzle = Cover(written(random_file(5)))
    assert check(puzzle, states=100, samples=20).faults == []


def test_equal_shapes_that_are_listed_apart() -> None:
    row = {(0, 0, column): 0 for column in range(6)}
    domino, turned = {(0, 0, 0): 0, (0, 0, 1): 0}, {(0, 0, 0): 0, (1, 0, 0): 0}
    puzzle = Cover(written(File(row, frozenset(), [(domino, 1, 1), (turned, 2, 2)], set())))
    assert puzzle.hint() == (
        "2 shapes are listed apart but equal to others, and count as 1 piece: told apart, each solution without"
        " symmetry would count 3 times"
    )
    assert Cover(puzzle.file) == puzzle
    assert parsolve.solve(puzzle, want="count", workers=1).count == 1
    ranges = Cover(written(File(row, frozenset(), [(domino, 0, 1), (turned, 2, 2)], set())))
    assert ranges.hint().endswith("would count several times")
    assert not Cover(written(File(row, frozenset(), [(domino, 3, 3)], set()))).hint()
