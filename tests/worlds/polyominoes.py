"""Instances of polyominoes and of BurrTools' files: random boards and pieces, by filling cells one after another."""

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from parsolve.puzzles import Cover, Polyominoes
from worlds.plain import Answer, Instance

Cell = tuple[int, int, int]
Cells = frozenset[Cell]
Kind = Literal["free", "one-sided", "fixed"]

Axes = tuple[tuple[int, int], ...]
"""A turn or reflection of space: for each axis, which one it is taken from and with which sign."""

DRAWN = {
    "I1": "o",
    "I2": "oo",
    "I3": "ooo",
    "V3": "oo/o",
    "I4": "oooo",
    "L4": "ooo/o",
    "O4": "oo/oo",
    "S4": " oo/oo",
    "T4": "ooo/ o",
    "P": "ooo/oo",
    "U": "o o/ooo",
    "A4": "oo/o// /o",
    "B4": "oo/o// o",
    "P4": "oo/o//o",
}
"""Pieces by name: an o for each cell, slashes between rows, two between layers."""

MAPS: list[Axes] = [
    tuple(zip(order, signs, strict=True))
    for order in itertools.permutations(range(3))
    for signs in itertools.product((1, -1), repeat=3)
]
"""All 48 turns and reflections."""

MOST = 2000
"""Ways to fill a board at most."""


def is_turn(axes: Axes) -> bool:
    """Return whether a map is a turn: its determinant is 1."""
    order, sign = [axis for axis, _ in axes], 1
    for one, other in itertools.combinations(range(3), 2):
        sign *= -1 if order[one] > order[other] else 1
    for _, each in axes:
        sign *= each
    return sign == 1


def lowered(cells: Iterable[Cell]) -> Cells:
    """Return cells moved so that the least of each coordinate is 0."""
    every = list(cells)
    low = [min(numbers) for numbers in zip(*every, strict=True)]
    return frozenset((z - low[0], y - low[1], x - low[2]) for z, y, x in every)


def image(cells: Iterable[Cell], axes: Axes) -> list[Cell]:
    """Return what a map makes of each cell."""
    found = [tuple(sign * cell[axis] for axis, sign in axes) for cell in cells]
    return [(z, y, x) for z, y, x in found]


def piece_of(name: str) -> Cells:
    """Return the cells of a piece by its name."""
    layers = DRAWN[name.rstrip("'")].split("//")
    cells = [
        (z, y, -x if name.endswith("'") else x)
        for z, rows in enumerate(layers)
        for y, row in enumerate(rows.split("/"))
        for x, letter in enumerate(row)
        if letter == "o"
    ]
    return lowered(cells)


def shapes_of(piece: Cells, kind: Kind) -> frozenset[Cells]:
    """Return all ways to lay a piece, moved to 0."""
    turns = [axes for axes in MAPS if is_turn(axes) and (kind == "free" or axes[0] == (0, 1))]
    return frozenset(lowered(image(piece, axes)) for axes in (turns if kind != "fixed" else MAPS[:1]))


def fillings(
    cells: list[Cell], optional: Cells, pieces: Mapping[frozenset[Cells], tuple[int, int]]
) -> Iterator[frozenset[Cells]]:
    """Yield all ways to lay each piece as often as it may be used, and to fill all cells but optional ones."""

    def fill(
        number: int, taken: Cells, used: Counter[frozenset[Cells]], laid: tuple[Cells, ...]
    ) -> Iterator[frozenset[Cells]]:
        while number < len(cells) and cells[number] in taken:
            number += 1
        if number == len(cells):
            if all(used[shapes] >= least for shapes, (least, _) in pieces.items()):
                yield frozenset(laid)
            return
        z, y, x = first = cells[number]
        if first in optional:
            yield from fill(number + 1, taken, used, laid)
        for shapes in [each for each, (_, most) in pieces.items() if used[each] < most]:
            for shape in shapes:
                corner = min(shape)
                moved = frozenset((z + a - corner[0], y + b - corner[1], x + c - corner[2]) for a, b, c in shape)
                if moved <= free and not moved & taken:
                    yield from fill(number, taken | moved, used + Counter([shapes]), (*laid, moved))

    free = frozenset(cells)
    yield from fill(0, frozenset(), Counter(), ())


def symmetries(cells: list[Cell], optional: Cells) -> list[tuple[Axes, dict[Cell, Cell]]]:
    """Return the maps of space that map a board onto itself, each with its effect on the cells."""
    found = []
    for axes in MAPS:
        moved = image(cells, axes)
        low = [min(numbers) for numbers in zip(*moved, strict=True)]
        onto = dict(zip(cells, ((z - low[0], y - low[1], x - low[2]) for z, y, x in moved), strict=True))
        if set(onto.values()) == set(cells) and {onto[cell] for cell in optional} == optional:
            found.append((axes, onto))
    return found


def kept(maps: list[tuple[Axes, dict[Cell, Cell]]], pieces: Counter[frozenset[Cells]]) -> list[dict[Cell, Cell]]:
    """Return the effects of those maps that make the same pieces of some pieces; the identity is one of them."""
    found = {}
    for axes, onto in maps:
        made = Counter({frozenset(lowered(image(each, axes)) for each in shapes): n for shapes, n in pieces.items()})
        if made == pieces:
            found[tuple(onto.values())] = onto
    return list(found.values())


def images(solution: frozenset[Cells], effects: list[dict[Cell, Cell]]) -> list[frozenset[Cells]]:
    """Return what maps of the board make of a solution."""
    return [frozenset(frozenset(map(onto.__getitem__, piece)) for piece in solution) for onto in effects]


def polyominoes(random_: random.Random) -> Instance:
    """Return a random board and pieces with as many cells."""
    while True:
        instance = tried(random_)
        if instance is not None:
            return instance


FLAT = [(1, 3, 4), (1, 4, 4), (1, 3, 5), (1, 1, 6), (1, 2, 7)]
SOLID = [(2, 2, 2), (2, 2, 3), (2, 3, 2), (3, 2, 2), (2, 1, 5), (2, 2, 4), (2, 3, 3)]
"""Layers, rows and columns of boards."""


def board(random_: random.Random, sizes: list[Cell]) -> list[Cell]:
    """Return a random board: a box, some of them with a few cells missing."""
    layers, rows, columns = random_.choice(sizes)
    box = list(itertools.product(range(layers), range(rows), range(columns)))
    cells = box
    if random_.random() < 0.4:
        gone = random_.sample(box, random_.randint(1, 3))
        cells = sorted(lowered(cell for cell in box if cell not in gone))
        if len({z for z, _, _ in cells}) <= max(z for z, _, _ in cells):
            return box
    return cells


def tried(random_: random.Random) -> Instance | None:
    """Return an instance, or None where there are too many solutions, or mostly none."""
    kind: Kind = random_.choice(("free", "one-sided", "fixed"))
    cells = board(random_, FLAT + SOLID[:5])
    optional = frozenset(random_.sample(cells, min(len(cells), random_.choice((0, 0, 0, 1, 2, 4)))))
    names = []
    area, wanted = 0, random_.randint(max(1, len(cells) - len(optional)), len(cells))
    while area < wanted:
        name = random_.choice((*DRAWN, *DRAWN, "L4'", "S4'", "I2", "I2", "V3"))
        names.append(name)
        area += len(piece_of(name))
    if area > wanted:
        return None
    pieces = Counter(shapes_of(piece_of(name), kind) for name in names)
    exactly = {shapes: (number, number) for shapes, number in pieces.items()}
    every = list(itertools.islice(fillings(cells, optional, exactly), MOST + 1))
    if len(every) > MOST or (not every and random_.random() < 0.8):
        return None
    unique, symmetric = random_.random() < 0.5, random_.random() < 0.25
    effects = kept(symmetries(cells, optional), pieces)

    def stands_for(solution: frozenset[Cells]) -> frozenset[frozenset[Cells]]:
        return frozenset(images(solution, effects) if unique else [solution])

    if symmetric:
        every = [solution for solution in every if images(solution, effects).count(solution) > 1]
    orbits = list({stands_for(solution) for solution in every})
    puzzle = Polyominoes(text_of(cells, optional), " ".join(names), kind, unique, symmetric)
    return Instance(
        puzzle,
        Answer(None, len(orbits), orbits),
        read=lambda solution: stands_for(cells_of(solution.text)),
        engines=("deepening",) if unique or symmetric else ("deepening", "sharing"),
        counted_by=("sharing",) if unique and not symmetric else (),
    )


def assembly(random_: random.Random) -> Instance:
    """Return a random BurrTools file: a board with holes, shapes with ranges, mirror images of shapes."""
    while True:
        cells = board(random_, FLAT[:2] + SOLID * 2)
        optional = frozenset(
            random_.sample(cells, random_.choice((0, 0, len(cells) // 4, len(cells) // 2, len(cells))))
        )
        shapes = []
        for name in random_.sample(("I1", "I2", "I3", "V3", "L4", "O4", "S4", "T4", "P4", "A4", "A4", "B4", "B4"), 4):
            least = random_.choice((0, 0, 1, 2))
            shapes.append((name, least, least + random_.choice((0, 1, 1, 2, 4))))
        pieces: dict[frozenset[Cells], tuple[int, int]] = {}
        for name, least, most in shapes:
            before = pieces.get(shapes_of(piece_of(name), "free"), (0, 0))
            pieces[shapes_of(piece_of(name), "free")] = before[0] + least, before[1] + most
        if not any(most for _, most in pieces.values()):
            continue
        every = list(itertools.islice(fillings(cells, optional, pieces), MOST + 1))
        if len(every) <= MOST and (every or random_.random() < 0.1):
            break
    maps, solutions = symmetries(cells, optional), {*every}

    def stands_for(solution: frozenset[Cells]) -> frozenset[frozenset[Cells]]:
        effects = [effect for _, effect in maps]
        return frozenset(image for image in images(solution, effects) if image in solutions)

    orbits = list({stands_for(solution) for solution in every})
    return Instance(
        Cover(file_of(cells, optional, shapes)),
        Answer(None, len(orbits), orbits),
        read=lambda solution: stands_for(cells_of(solution.text)),
        engines=("deepening",),
        counted_by=("sharing",),
    )


def file_of(cells: list[Cell], optional: Cells, shapes: list[tuple[str, int, int]]) -> str:
    """Return a BurrTools file of a board and of shapes by name, each with how often it may be used."""
    voxels = [voxel(sorted(piece_of(name)), frozenset()) for name, _, _ in shapes]
    stock = [f'<shape id="{number}" min="{low}" max="{high}"/>' for number, (_, low, high) in enumerate(shapes)]
    return f"""<?xml version="1.0"?><puzzle version="2"><gridType type="0"/><shapes>
{"".join(voxels)}{voxel(cells, optional)}</shapes><problems><problem><shapes>
{"".join(stock)}</shapes><result id="{len(shapes)}"/></problem></problems></puzzle>"""


def voxel(cells: list[Cell], optional: Cells) -> str:
    """Return a shape as BurrTools writes it: layer by layer, row by row."""
    layers, rows, columns = (1 + max(numbers) for numbers in zip(*cells, strict=True))
    letters = {cell: "+" if cell in optional else "#" for cell in cells}
    box = itertools.product(range(layers), range(rows), range(columns))
    text = "".join(letters.get(cell, "_") for cell in box)
    return f'<voxel x="{columns}" y="{rows}" z="{layers}" type="0">{text}</voxel>\n'


def text_of(cells: list[Cell], optional: Cells) -> str:
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
