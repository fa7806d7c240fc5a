"""Plain packings: random ones, all ways to fill their boards, and what turns and reflections make of these.

It takes boards and pieces from a puzzle, and nothing else: pieces are turned, placed and compared here.
"""

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from parsolve.puzzles import Cover, Polyominoes
from parsolve.puzzles.cover import xmpuzzle
from parsolve.puzzles.exact_cover.board import Board
from parsolve.puzzles.exact_cover.packing import Packing
from parsolve.puzzles.exact_cover.pieces import Kind, canonical, drawn, named
from parsolve.puzzles.exact_cover.placed import Stock
from worlds.polyominoes import Cell, Cells, lowered, shapes_of, text_of

Filled = frozenset[tuple[int, Cells]]
"""A solution: the number of each piece that is used, and the cells it lies in."""


class Piece(NamedTuple):
    """A piece: where it may lie on the board, and how often it is used."""

    places: frozenset[Cells]
    least: int
    most: int


class Problem(NamedTuple):
    """A board and its pieces."""

    cells: Cells
    optional: Cells
    pieces: tuple[Piece, ...]


def problem_of(puzzle: Packing) -> Problem:
    """Return the board and the pieces of a puzzle."""
    cells = frozenset(puzzle.layout.cells)
    pieces = [
        Piece(frozenset(places(cells, shape, puzzle.kind)), each.least, each.most)
        for shape, each in puzzle.stock.items()
    ]
    return Problem(cells, puzzle.layout.optional, tuple(pieces))


def count(puzzle: Packing | Cover) -> int:
    """Return the number of a puzzle's solutions: of all, of those that are different, or of symmetric ones."""
    if isinstance(puzzle, Cover):
        assert puzzle.assembly
        puzzle = puzzle.assembly
    problem = problem_of(puzzle)
    every = solutions(problem)
    if puzzle.same == "none" and not puzzle.symmetric:
        return len(every)
    groups = grouped(problem, every, maps(problem, puzzle.same == "turns", puzzle.kind != "free"))
    return sum(
        1 if puzzle.same != "none" else len(group)
        for group, is_symmetric in groups.items()
        if is_symmetric or not puzzle.symmetric
    )


def places(cells: Cells, shape: Iterable[Cell], kind: Kind) -> set[Cells]:
    """Return all places of a piece on a board."""
    found = set()
    for image in shapes_of(lowered(shape), kind):
        z, y, x = min(image)
        for corner in cells:
            place = frozenset((corner[0] + a - z, corner[1] + b - y, corner[2] + c - x) for a, b, c in image)
            if place <= cells:
                found.add(place)
    return found


def solutions(problem: Problem) -> list[Filled]:
    """Return all ways to fill the board: cell by cell, each piece tried in each place there."""

    def fill(free: Cells, used: tuple[int, ...]) -> Iterator[Filled]:
        if not free:
            if all(number >= piece.least for number, piece in zip(used, problem.pieces, strict=True)):
                yield frozenset()
            return
        cell = min(free)
        if cell in problem.optional:
            yield from fill(free - {cell}, used)
        for number, piece in enumerate(problem.pieces):
            if used[number] < piece.most:
                for place in piece.places:
                    if cell in place and place <= free:
                        after = (*used[:number], used[number] + 1, *used[number + 1 :])
                        for rest in fill(free - place, after):
                            yield rest | {(number, place)}

    return list(fill(problem.cells, (0,) * len(problem.pieces)))


def grouped(
    problem: Problem, every: Sequence[Filled], images: Sequence[dict[Cell, Cell]] = ()
) -> dict[frozenset[Filled], bool]:
    """Return the solutions grouped by what turns and reflections of the board make of them, by default all, and whether
    one leaves them as they are. Of each solution those count whose image is a solution, too."""
    piece_in = {place: number for number, piece in enumerate(problem.pieces) for place in piece.places}
    made = [(image, pieces_made(problem, image)) for image in images or maps(problem)]
    groups: dict[frozenset[Filled], bool] = {}
    grown: set[Filled] = set()
    for filled in every:
        if filled not in grown:
            kept = [image for image, to in made if is_within(problem, Counter(to[number] for number, _ in filled))]
            moved = [[image_of_all(place, image) for _, place in filled] for image in kept]
            group = frozenset(frozenset((piece_in[place], place) for place in each) for each in moved)
            groups[group] = len(group) < len(kept)
            grown |= group
    assert grown == set(every)
    return groups


def is_within(problem: Problem, used: Counter[int]) -> bool:
    """Return whether pieces may be used that often, by their numbers."""
    return -1 not in used and all(piece.least <= used[n] <= piece.most for n, piece in enumerate(problem.pieces))


def pieces_made(problem: Problem, image: dict[Cell, Cell]) -> list[int]:
    """Return the piece that a map of the board makes of each piece, -1 where the images of its places are not all
    places of one piece."""
    number = {piece.places: number for number, piece in enumerate(problem.pieces) if piece.places}
    made = [frozenset(image_of_all(place, image) for place in piece.places) for piece in problem.pieces]
    return [number.get(places, -1) for places in made]


def maps(problem: Problem, turns: bool = False, upright: bool = False) -> list[dict[Cell, Cell]]:
    """Return what the turns and reflections that map a board onto itself make of its cells.

    Args:
        problem: the board.
        turns: whether only turns.
        upright: of these, whether only those that keep layers as they are.
    """
    found: list[dict[Cell, Cell]] = []
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            odd = sum(a > b for a, b in itertools.combinations(order, 2)) + signs.count(-1)
            if turns and (odd % 2 or (upright and (order[0] != 0 or signs[0] != 1))):
                continue
            turned = {
                cell: tuple(s * cell[axis] for axis, s in zip(order, signs, strict=True)) for cell in problem.cells
            }
            low = [min(numbers) for numbers in zip(*turned.values(), strict=True)]
            image = {cell: (z - low[0], y - low[1], x - low[2]) for cell, (z, y, x) in turned.items()}
            is_same = set(image.values()) == problem.cells and image_of_all(problem.optional, image) == problem.optional
            if is_same and image not in found:
                found.append(image)
    return found


def image_of_all(cells: Cells, image: dict[Cell, Cell]) -> Cells:
    """Return the image of some cells."""
    return frozenset(image[cell] for cell in cells)


SIZES: list[Cell] = [
    *((1, 1, 6), (1, 2, 3), (1, 2, 4), (1, 3, 3), (1, 3, 4), (1, 4, 3), (1, 4, 4), (6, 1, 1), (3, 1, 3), (4, 3, 1)),
    *((2, 2, 2), (2, 2, 2), (2, 2, 3), (2, 3, 2), (3, 2, 2), (2, 2, 4), (3, 3, 3)),
]
"""Layers, rows and columns of random boards."""

SOLID: list[Cell] = [(2, 2, 2), (2, 2, 3), (3, 2, 2), (2, 2, 4), (2, 3, 3), (3, 3, 2), (3, 3, 3), (1, 3, 4)]
"""Of boards for solid pieces, most of them."""

MOST_CELLS = 16
"""Of a random board."""

NAMES = [
    *("I1", "I2", "I2", "I2", "I2", "I3", "I3", "V3", "V3", "L4", "L4'", "O4", "S4", "S4'", "T4", "I4"),
    *("A4", "B4", "P4", "P", "F", "N'", "X"),
]
"""Pieces of random packings."""

CHIRAL = {"A4": "B4", "B4": "A4", "C5": "C5'", "C5'": "C5"}
"""Solid pieces and their mirror images."""

DRAWN = {"C5": "ooo/o//  o", "C5'": "ooo/  o//o"}
"""Pieces without a name of parsolve's."""


def random_packings(seed: int, number: int) -> Iterator[Packing | Cover]:
    """Yield random packings of small boards, most of which have solutions: of named pieces of every kind, with
    and without `unique` and `symmetric`, and BurrTools' files with bounds.

    Args:
        seed: the same one gives the same packings.
        number: of packings.
    """
    chance = random.Random(seed)
    for _ in range(number):
        board = _random_board(chance, SIZES, (0, 0, 0, 1))
        kind: Kind = chance.choice(("free", "free", "one-sided", "one-sided", "fixed"))
        is_file = chance.random() < 0.25
        names = _random_names(chance, board, "free" if is_file else kind, [*chance.sample(NAMES, 4), "I2"])
        if is_file:
            extra = chance.sample(NAMES, chance.choice((0, 0, 1)))
            text = xmpuzzle.write(board, _random_stock(chance, names, extra))
            yield Cover(text, symmetry=chance.choice(("all", "all", "turns", "none")))
        else:
            symmetry, symmetric = chance.choice((("all", False), ("turns", False), ("all", True), ("none", True)))
            unique = chance.random() < 0.2
            yield Polyominoes(
                text_of(list(board.cells), board.optional),
                _with_ranges(chance, names),
                kind,
                unique,
                symmetric,
                symmetry=symmetry,
            )


def random_files(seed: int, number: int) -> Iterator[Cover]:
    """Yield random BurrTools files, most of which have solutions: solid boards with and without holes, shapes with
    ranges, and mirror images of shapes.

    Args:
        seed: the same one gives the same files.
        number: of files.
    """
    chance = random.Random(seed)
    for _ in range(number):
        board = _random_board(chance, SOLID, (0, 1, 1))
        names = _random_names(chance, board, "free", [*chance.sample([*CHIRAL], 3), *chance.sample(NAMES[:16], 2)])
        extra = [CHIRAL[name] for name in {*names} & CHIRAL.keys() if chance.random() < 0.6]
        yield Cover(xmpuzzle.write(board, _random_stock(chance, names, extra)))


def _with_ranges(chance: random.Random, names: Sequence[str]) -> str:
    """Return pieces as text, some with bounds that they are within, and some that need not be used."""
    words = []
    for name, used in Counter(names).items():
        if chance.random() < 0.7:
            words += [name] * used
        else:
            words.append(f"{max(0, used - chance.choice((0, 1, 2)))}:{used + chance.choice((0, 1))}*{name}")
    return " ".join([*words, *(f"0:1*{name}" for name in chance.sample(NAMES, chance.choice((0, 0, 1))))])


def _random_board(chance: random.Random, sizes: Sequence[Cell], holes: Sequence[int]) -> Board:
    """Return a box, with some cells missing or optional; mostly so that a symmetry of the box is left."""
    box = frozenset(itertools.product(*map(range, chance.choice(sizes))))
    image = chance.choice(maps(Problem(box, frozenset(), ())))

    def closed(some: Iterable[Cell]) -> set[Cell]:
        cells = set(some)
        while chance.random() < 0.95 and not {image[cell] for cell in cells} <= cells:
            cells |= {image[cell] for cell in cells}
        return cells

    cells = set(box)
    missing = chance.choice((0, 0, 1, 2))
    while missing or len(cells) > MOST_CELLS:
        cells -= closed(chance.sample(sorted(cells), 1))
        missing = max(0, missing - 1)
        if not cells:
            cells, missing = set(box), 1
    optional = closed(chance.sample(sorted(cells), chance.choice(holes))) & cells
    low = [min(numbers) for numbers in zip(*cells, strict=True)]
    return Board(tuple(sorted(lowered(cells))), frozenset((z - low[0], y - low[1], x - low[2]) for z, y, x in optional))


def _random_names(chance: random.Random, board: Board, kind: Kind, favourites: Sequence[str]) -> list[str]:
    """Return pieces that fill a board, or in one of ten cases perhaps not."""
    free, names = frozenset(board.cells), []
    while free:
        cell = min(free)
        if cell in board.optional and chance.random() < 0.5:
            free -= {cell}
            continue
        fitting = []
        for name in favourites:
            shape = _shape(name, kind)
            fitting += [(name, place) for place in places(free, shape, kind) if cell in place]
        name, place = chance.choice(fitting or [("I1", frozenset({cell}))])
        names.append(name)
        free -= place
    names = names or ["I1"]
    if chance.random() < 0.1:
        sizes = {name: len(_shape(name, kind)) for name in (*NAMES, *names)}
        one = chance.randrange(len(names))
        names = [*names[:one], *chance.choices([n for n in NAMES if sizes[n] == sizes[names[one]]]), *names[one + 1 :]]
    return names


def _shape(name: str, kind: Kind) -> Cells:
    """Return the cells of a piece by its name."""
    return canonical(drawn(DRAWN[name]), kind) if name in DRAWN else named(name, kind)[0][1]


def _random_stock(chance: random.Random, names: Sequence[str], extra: Sequence[str]) -> dict[Cells, Stock]:
    """Return pieces with bounds that some names are within, and pieces that need not be used."""
    stock: dict[Cells, Stock] = {}
    for name, used in [*Counter(names).items(), *((name, 0) for name in extra)]:
        piece = _shape(name, "free")
        before = stock.get(piece, Stock("A", 0, 0))
        least = max(0, used - chance.choice((0, 0, 1)))
        stock[piece] = Stock("A", before.least + least, before.most + used + chance.choice((0, 0, 1)))
    return {piece: each for piece, each in stock.items() if each.most} or {
        canonical(named("I1", "free")[0][1], "free"): Stock("A", 0, 1)
    }
