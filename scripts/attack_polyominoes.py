"""Instances of polyominoes: random boards and pieces, by filling cells one after another."""

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from attack_plain import Answer, Instance

from parsolve.puzzles import Polyominoes

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


def fillings(cells: list[Cell], optional: Cells, pieces: Counter[frozenset[Cells]]) -> Iterator[frozenset[Cells]]:
    """Yield all ways to lay each piece as often as it is there, and to fill all cells but optional ones."""

    def fill(
        number: int, taken: Cells, left: Counter[frozenset[Cells]], laid: tuple[Cells, ...]
    ) -> Iterator[frozenset[Cells]]:
        while number < len(cells) and cells[number] in taken:
            number += 1
        if number == len(cells):
            if not left.total():
                yield frozenset(laid)
            return
        z, y, x = first = cells[number]
        if first in optional:
            yield from fill(number + 1, taken, left, laid)
        for shapes in [each for each, count in left.items() if count]:
            for shape in shapes:
                corner = min(shape)
                moved = frozenset((z + a - corner[0], y + b - corner[1], x + c - corner[2]) for a, b, c in shape)
                if moved <= board and not moved & taken:
                    yield from fill(number, taken | moved, left - Counter([shapes]), (*laid, moved))

    board = frozenset(cells)
    yield from fill(0, frozenset(), pieces, ())


def symmetries(cells: list[Cell], optional: Cells, pieces: Counter[frozenset[Cells]]) -> list[dict[Cell, Cell]]:
    """Return the maps of a board onto itself, by cell, that make the same set of pieces of the pieces; the identity
    is one of them."""
    found: dict[tuple[Cell, ...], dict[Cell, Cell]] = {}
    for axes in MAPS:
        made = Counter({frozenset(lowered(image(each, axes)) for each in shapes): n for shapes, n in pieces.items()})
        moved = image(cells, axes)
        low = [min(numbers) for numbers in zip(*moved, strict=True)]
        onto = dict(zip(cells, ((z - low[0], y - low[1], x - low[2]) for z, y, x in moved), strict=True))
        if set(onto.values()) == set(cells) and {onto[cell] for cell in optional} == optional and made == pieces:
            found[tuple(onto.values())] = onto
    return list(found.values())


def polyominoes(random_: random.Random) -> Instance:
    """Return a random board and pieces with as many cells."""
    while True:
        instance = tried(random_)
        if instance is not None:
            return instance


def tried(random_: random.Random) -> Instance | None:
    """Return an instance, or None where there are too many solutions, or mostly none."""
    kind: Kind = random_.choice(("free", "one-sided", "fixed"))
    layers, rows, columns = random_.choice(
        ((1, 3, 4), (1, 4, 4), (1, 3, 5), (1, 1, 6), (1, 2, 7), (2, 2, 2), (2, 2, 3), (2, 3, 2), (3, 2, 2), (2, 1, 5))
    )
    box = list(itertools.product(range(layers), range(rows), range(columns)))
    cells = box
    if random_.random() < 0.4:
        gone = random_.sample(box, random_.randint(1, 3))
        cells = sorted(lowered(cell for cell in box if cell not in gone))
        if len({z for z, _, _ in cells}) <= max(z for z, _, _ in cells):
            return None
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
    every = list(itertools.islice(fillings(cells, optional, pieces), MOST + 1))
    if len(every) > MOST or (not every and random_.random() < 0.8):
        return None
    unique, symmetric = random_.random() < 0.5, random_.random() < 0.25
    maps = symmetries(cells, optional, pieces)

    def images(solution: frozenset[Cells]) -> list[frozenset[Cells]]:
        return [frozenset(frozenset(map(onto.__getitem__, piece)) for piece in solution) for onto in maps]

    def stands_for(solution: frozenset[Cells]) -> frozenset[frozenset[Cells]]:
        return frozenset(images(solution) if unique else [solution])

    if symmetric:
        every = [solution for solution in every if images(solution).count(solution) > 1]
    orbits = list({stands_for(solution) for solution in every})
    puzzle = Polyominoes(text_of(cells, optional), " ".join(names), kind, unique, symmetric)
    return Instance(
        puzzle,
        Answer(None, len(orbits), orbits),
        read=lambda solution: stands_for(cells_of(solution.text)),
        engines=("deepening",) if unique or symmetric else ("deepening", "sharing"),
        counted_by=("sharing",) if unique and not symmetric else (),
    )


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
