"""Plain packings: random ones, all ways to fill their boards, and what turns and reflections make of these.

It takes boards and pieces from a puzzle, and nothing else: pieces are turned, placed and compared here.
"""

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from parsolve.puzzles import Cover, Polyominoes
from parsolve.puzzles.exact_cover.board import Board
from parsolve.puzzles.exact_cover.packing import Packing
from parsolve.puzzles.exact_cover.pieces import Kind, named
from parsolve.puzzles.exact_cover.places import Stock
from worlds.plain import Answer, Instance

Cell = tuple[int, int, int]
Cells = frozenset[Cell]

MAPS = list(itertools.product(itertools.permutations(range(3)), itertools.product((1, -1), repeat=3)))
"""All 48 turns and reflections of space: the axis that takes the place of each axis, and with which sign."""

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


Coloured = dict[Cell, int]
"""The colour of each cell, 0 for none."""


class File(NamedTuple):
    """What a file says: the shape to fill, shapes with bounds, and the pairs of colours that fit."""

    result: Coloured
    optional: Cells
    shapes: list[tuple[Coloured, int, int]]
    pairs: set[tuple[int, int]]


def problem_of(puzzle: Packing) -> Problem:
    """Return the board and the pieces of a puzzle."""
    cells = frozenset(puzzle.places.layout.cells)
    pieces = [
        Piece(frozenset(places(cells, shape, puzzle.places.kind)), each.least, each.most)
        for shape, each in puzzle.places.stock.items()
    ]
    return Problem(cells, puzzle.places.layout.optional, tuple(pieces))


def count(puzzle: Packing | Cover) -> int:
    """Return the number of a puzzle's solutions: of all, of those that are different, or of symmetric ones."""
    return len(counted(puzzle))


def counted(puzzle: Packing | Cover) -> list[frozenset[Filled]]:
    """Return what a puzzle counts: each solution by itself, or those that are the same together."""
    if isinstance(puzzle, Cover):
        assert puzzle.assembly
        puzzle = puzzle.assembly
    problem, same = problem_of(puzzle), puzzle.places.same
    groups = grouped(problem, solutions(problem), maps(problem, same == "turns", puzzle.places.kind != "free"))
    taken = [group for group, is_symmetric in groups.items() if is_symmetric or not puzzle.symmetric]
    return taken if same != "none" else [frozenset([one]) for group in taken for one in group]


def is_turn(order: Sequence[int], signs: Sequence[int]) -> bool:
    """Return whether a map of space is a turn: its determinant is 1."""
    return (sum(a > b for a, b in itertools.combinations(order, 2)) + signs.count(-1)) % 2 == 0


def lowered(cells: Iterable[Cell]) -> Cells:
    """Return cells moved so that the least of each coordinate is 0."""
    every = list(cells)
    low = [min(numbers) for numbers in zip(*every, strict=True)]
    return frozenset((z - low[0], y - low[1], x - low[2]) for z, y, x in every)


def image(cells: Iterable[Cell], order: Sequence[int], signs: Sequence[int]) -> list[Cell]:
    """Return what a map of space makes of each cell."""
    return [tuple(sign * cell[axis] for axis, sign in zip(order, signs, strict=True)) for cell in cells]  # type: ignore[misc]


def shapes_of(piece: Iterable[Cell], kind: Kind) -> frozenset[Cells]:
    """Return all ways to lay a piece, moved to 0."""
    turns = [each for each in MAPS if is_turn(*each) and (kind == "free" or (each[0][0], each[1][0]) == (0, 1))]
    return frozenset(lowered(image(piece, *each)) for each in (turns if kind != "fixed" else MAPS[:1]))


def text_of(cells: Sequence[Cell], optional: Cells) -> str:
    """Return the drawing of a board."""
    layers, rows, columns = (range(max(numbers) + 1) for numbers in zip(*cells, strict=True))
    letters = {cell: "+" if cell in optional else "o" for cell in cells}
    drawn = ["\n".join("".join(letters.get((z, y, x), ".") for x in columns) for y in rows) for z in layers]
    return "\n\n".join(drawn) + "\n"


def cells_of(text: str) -> frozenset[Cells]:
    """Return the cells of each piece in a solution as it prints."""
    pieces: dict[str, set[Cell]] = {}
    for layer, rows in enumerate(text.split("/")):
        for row, line in enumerate(rows.split(" ")):
            for column, letter in enumerate(line):
                if letter not in ".·":
                    pieces.setdefault(letter, set()).add((layer, row, column))
    return frozenset(map(frozenset, pieces.values()))


def places(cells: Cells, shape: Iterable[Cell], kind: Kind) -> set[Cells]:
    """Return all places of a piece on a board."""
    found = set()
    for laid in shapes_of(shape, kind):
        z, y, x = min(laid)
        for corner in cells:
            place = frozenset((corner[0] + a - z, corner[1] + b - y, corner[2] + c - x) for a, b, c in laid)
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
    problem: Problem, every: Sequence[Filled], images: Sequence[dict[Cell, Cell]]
) -> dict[frozenset[Filled], bool]:
    """Return the solutions grouped by what turns and reflections of the board make of them, and whether one leaves them
    as they are. Of each solution those count whose image is a solution, too."""
    piece_in = {place: number for number, piece in enumerate(problem.pieces) for place in piece.places}
    made = [(image, pieces_made(problem, image)) for image in images]
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
    for order, signs in MAPS:
        if turns and (not is_turn(order, signs) or (upright and (order[0], signs[0]) != (0, 1))):
            continue
        turned = image(problem.cells, order, signs)
        low = [min(numbers) for numbers in zip(*turned, strict=True)]
        moved = [(z - low[0], y - low[1], x - low[2]) for z, y, x in turned]
        onto = dict(zip(problem.cells, moved, strict=True))
        is_same = {*moved} == problem.cells and image_of_all(problem.optional, onto) == problem.optional
        if is_same and onto not in found:
            found.append(onto)
    return found


def image_of_all(cells: Cells, image: dict[Cell, Cell]) -> Cells:
    """Return the image of some cells."""
    return frozenset(image[cell] for cell in cells)


SIZES: list[Cell] = [
    *((1, 1, 6), (1, 2, 3), (1, 2, 4), (1, 3, 3), (1, 3, 4), (1, 4, 3), (1, 4, 4), (6, 1, 1), (3, 1, 3), (4, 3, 1)),
    *((2, 2, 2), (2, 2, 2), (2, 2, 3), (2, 3, 2), (3, 2, 2), (2, 2, 4), (3, 3, 3)),
]
"""Layers, rows and columns of random boards."""

MOST_CELLS = 16
"""Of a random board."""

NAMES = [
    *("I1", "I2", "I2", "I2", "I2", "I3", "I3", "V3", "V3", "L4", "L4'", "O4", "S4", "S4'", "T4", "I4"),
    *("A4", "B4", "P4", "P", "F", "N'", "X"),
]
"""Pieces of random packings."""


def random_packing(chance: random.Random, is_file: bool) -> Polyominoes | Cover:
    """Return a random packing, of named pieces or in a BurrTools file."""
    board = _random_board(chance)
    kind: Kind = "free" if is_file else chance.choice(("free", "free", "one-sided", "one-sided", "fixed"))
    names = _random_names(chance, board, kind, [*chance.sample(NAMES, 4), "I2"])
    if is_file:
        extra = chance.sample(NAMES, chance.choice((0, 0, 1)))
        text = written(uncoloured(board, _random_stock(chance, names, extra)))
        return Cover(text, symmetry=chance.choice(("all", "all", "turns", "none")))
    symmetry, symmetric = chance.choice(
        (("all", False), ("turns", False), ("all", True), ("none", True), ("none", False))
    )
    return Polyominoes(
        text_of(board.cells, board.optional),  # type: ignore[arg-type]
        _with_ranges(chance, names),
        kind,
        chance.random() < 0.2 and symmetry != "turns",
        symmetric,
        symmetry=symmetry,
    )


def polyominoes(random_: random.Random) -> Instance:
    """Return a random packing of named pieces."""
    return _instance(random_packing(random_, False))


def assembly(random_: random.Random) -> Instance:
    """Return a random BurrTools file."""
    return _instance(random_packing(random_, True))


def _instance(puzzle: Polyominoes | Cover) -> Instance:
    """Return a puzzle with the cells of the pieces of what it counts."""
    groups = [frozenset(frozenset(cells for _, cells in filled) for filled in group) for group in counted(puzzle)]
    group_of = {one: group for group in groups for one in group}
    packing = puzzle.assembly if isinstance(puzzle, Cover) else puzzle
    assert packing
    lists, counts = packing.places.same == "none" and not packing.symmetric, not packing.symmetric
    return Instance(
        puzzle,
        Answer(None, len(groups), groups),
        read=lambda solution: group_of.get(cells_of(solution.text), solution.text),
        engines=("deepening", "sharing") if lists else ("deepening",),
        counted_by=("sharing",) if counts else (),
    )


def _with_ranges(chance: random.Random, names: Sequence[str]) -> str:
    """Return pieces as text, some with bounds that they are within, and some that need not be used."""
    words = []
    for name, used in Counter(names).items():
        if chance.random() < 0.7:
            words += [name] * used
        else:
            words.append(f"{max(0, used - chance.choice((0, 1, 2)))}:{used + chance.choice((0, 1))}*{name}")
    return " ".join([*words, *(f"0:1*{name}" for name in chance.sample(NAMES, chance.choice((0, 0, 1))))])


def _random_board(chance: random.Random) -> Board:
    """Return a box, with some cells missing or optional; mostly so that a symmetry of the box is left."""
    box = frozenset(itertools.product(*map(range, chance.choice(SIZES))))
    onto = chance.choice(maps(Problem(box, frozenset(), ())))

    def closed(some: Iterable[Cell]) -> set[Cell]:
        cells = set(some)
        while chance.random() < 0.95 and not {onto[cell] for cell in cells} <= cells:
            cells |= {onto[cell] for cell in cells}
        return cells

    cells = set(box)
    missing = chance.choice((0, 0, 1, 2))
    while missing or len(cells) > MOST_CELLS:
        cells -= closed(chance.sample(sorted(cells), 1))
        missing = max(0, missing - 1)
        if not cells:
            cells, missing = set(box), 1
    optional = closed(chance.sample(sorted(cells), chance.choice((0, 0, 0, 1)))) & cells
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
            shape = named(name, kind)[0].cells
            fitting += [(name, place) for place in places(free, shape, kind) if cell in place]
        name, place = chance.choice(fitting or [("I1", frozenset({cell}))])
        names.append(name)
        free -= place
    names = names or ["I1"]
    if chance.random() < 0.1:
        sizes = {name: len(named(name, kind)[0].cells) for name in (*NAMES, *names)}
        one = chance.randrange(len(names))
        names = [*names[:one], *chance.choices([n for n in NAMES if sizes[n] == sizes[names[one]]]), *names[one + 1 :]]
    return names


def _random_stock(chance: random.Random, names: Sequence[str], extra: Sequence[str]) -> dict[Cells, Stock]:
    """Return pieces with bounds that some names are within, and pieces that need not be used."""
    stock: dict[Cells, Stock] = {}
    for name, used in [*Counter(names).items(), *((name, 0) for name in extra)]:
        piece = named(name, "free")[0].cells
        before = stock.get(piece, Stock("A", 0, 0))
        least = max(0, used - chance.choice((0, 0, 1)))
        stock[piece] = Stock("A", before.least + least, before.most + used + chance.choice((0, 0, 1)))
    return {piece: each for piece, each in stock.items() if each.most} or {
        named("I1", "free")[0].cells: Stock("A", 0, 1)
    }


def uncoloured(board: Board, stock: Mapping[Cells, Stock]) -> File:
    """Return a file without colours."""
    shapes = [(dict.fromkeys(piece, 0), each.least, each.most) for piece, each in stock.items()]
    return File(dict.fromkeys(board.cells, 0), board.optional, shapes, set())  # type: ignore[arg-type]


def written(file: File) -> str:
    """Return a file as text."""
    colours = max([*file.result.values(), *(c for shape, _, _ in file.shapes for c in shape.values()), 1])
    colours = max([colours, *itertools.chain.from_iterable(file.pairs)])
    lines = ['<?xml version="1.0"?>', '<puzzle version="2"><gridType type="0"/><colors>']
    lines += ['<color red="1" green="2" blue="3"/>'] * colours
    lines += ["</colors><shapes>", *(voxel(shape, frozenset()) for shape, _, _ in file.shapes)]
    lines += [voxel(file.result, file.optional), "</shapes><problems><problem><shapes>"]
    for number, (_, least, most) in enumerate(file.shapes):
        lines.append(f'<shape id="{number}" min="{least}" max="{most}"/>')
    lines += [f'</shapes><result id="{len(file.shapes)}"/><bitmap>']
    lines += [f'<pair piece="{a - 1}" result="{b - 1}"/>' for a, b in sorted(file.pairs)]
    return "\n".join([*lines, "</bitmap></problem></problems></puzzle>\n"])


def voxel(shape: Coloured, optional: Cells) -> str:
    """Return a shape as text."""
    layers, rows, columns = (1 + max(numbers) for numbers in zip(*shape, strict=True))
    text = ""
    for cell in itertools.product(range(layers), range(rows), range(columns)):
        text += f"{'+' if cell in optional else '#'}{shape[cell] or ''}" if cell in shape else "_"
    return f'<voxel x="{columns}" y="{rows}" z="{layers}" type="0">{text}</voxel>'
