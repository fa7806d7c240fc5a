"""Random BurrTools files with colours, and their assemblies counted by plain Python.

Nothing of parsolve is used here: shapes are turned, placed and compared by what BurrTools' files mean.
"""

import itertools
import random
from collections import Counter

from worlds import packings
from worlds.packings import Cell, Cells, Coloured, File, Filled, Piece, Problem, maps, solutions


def count(file: File, symmetry: str = "all") -> int:
    """Return the number of assemblies, those that turns and reflections make of each other once; with `symmetry` turns,
    only turns; with none, of all assemblies."""
    looks: list[frozenset[tuple[Cell, int]]] = []
    bounds: list[tuple[int, int]] = []
    for shape, least, most in file.shapes:
        look = look_of(shape)
        if look in looks:
            before = bounds[looks.index(look)]
            bounds[looks.index(look)] = before[0] + least, before[1] + most
        elif most:
            looks.append(look)
            bounds.append((least, most))
    pieces = [Piece(frozenset(places(file, look)), *both) for look, both in zip(looks, bounds, strict=True)]
    problem = Problem(frozenset(file.result), file.optional, tuple(pieces))
    every = solutions(problem)
    if symmetry == "none":
        return len(every)
    made = []
    turns = maps(problem, turns=True)
    for onto in maps(problem):
        if any(file.result[cell] != file.result[to] for cell, to in onto.items()):
            continue
        if onto in turns:
            made.append((onto, [*range(len(looks))]))
        elif symmetry == "all":
            mirrored = [look_of({(-z, y, x): colour for (z, y, x), colour in look}) for look in looks]
            made.append((onto, [looks.index(look) if look in looks else -1 for look in mirrored]))
    groups: set[frozenset[Filled]] = set()
    for filled in every:
        kept = [each for each in made if packings.is_within(problem, Counter(each[1][number] for number, _ in filled))]
        groups.add(
            frozenset(
                frozenset((to[number], packings.image_of_all(place, onto)) for number, place in filled)
                for onto, to in kept
            )
        )
    return len(groups)


def turned(shape: Coloured) -> list[Coloured]:
    """Return the 24 images of a shape."""
    turns = (each for each in packings.MAPS if packings.is_turn(*each))
    return [lowered(dict(zip(packings.image(shape, *each), shape.values(), strict=True))) for each in turns]


def lowered(shape: Coloured) -> Coloured:
    low = [min(numbers) for numbers in zip(*shape, strict=True)]
    return {(z - low[0], y - low[1], x - low[2]): colour for (z, y, x), colour in shape.items()}


def look_of(shape: Coloured) -> frozenset[tuple[Cell, int]]:
    """Return one of the images of a shape, the same for all."""
    return frozenset(min(sorted(laid.items()) for laid in turned(shape)))


def places(file: File, look: frozenset[tuple[Cell, int]]) -> set[Cells]:
    """Return the places of a piece: those where the colour of each of its cells fits."""
    found = set()
    for laid in turned(dict(look)):
        for corner in itertools.product(*(range(-1, 1 + max(numbers)) for numbers in zip(*file.result, strict=True))):
            at = {(z + corner[0], y + corner[1], x + corner[2]): colour for (z, y, x), colour in laid.items()}
            if at.keys() <= file.result.keys() and all(
                not colour or not file.result[cell] or (colour, file.result[cell]) in file.pairs
                for cell, colour in at.items()
            ):
                found.add(frozenset(at))
    return found


SIZES = [(1, 2, 3), (1, 3, 3), (2, 2, 2), (2, 2, 2), (2, 2, 3), (1, 2, 4), (3, 2, 2)]


def random_file(seed: int) -> File:
    """Return a random file, most of which have assemblies: a box with some cells missing, optional and coloured, cut
    into pieces, whose colours mostly fit; some pieces have ranges, and some a mirror image or the same shape beside."""
    chance = random.Random(seed)
    box = [*itertools.product(*map(range, chance.choice(SIZES)))]
    cells = set(box) - set(chance.sample(box, chance.choice((0, 0, 0, 1))))
    colours = chance.choice((1, 2, 2, 3))
    amount = chance.choice((0.0, 0.3, 1.0))
    result = lowered({cell: chance.randint(1, colours) * (chance.random() < amount) for cell in sorted(cells)})
    if chance.random() < 0.5:  # as symmetric as the box
        far = [max(numbers) for numbers in zip(*result, strict=True)]
        result = {c: result.get(min(c, (far[0] - c[0], far[1] - c[1], far[2] - c[2])), result[c]) for c in result}
    optional = frozenset(chance.sample(sorted(result), chance.choice((0, 0, 1, 2))))
    pairs = {(n, n) for n in range(1, colours + 1)}
    pairs |= {(a, b) for a in range(1, colours + 1) for b in range(1, colours + 1) if chance.random() < 0.2}
    shapes: list[tuple[Coloured, int, int]] = []
    left = set(result)
    while left:
        cell = min(left)
        left.discard(cell)
        if cell in optional and chance.random() < 0.5:
            continue
        piece = [cell]
        for _ in range(chance.choice((0, 1, 2, 2, 3))):
            near = [c for c in left if any(sum(abs(a - b) for a, b in zip(c, p, strict=True)) == 1 for p in piece)]
            if near:
                piece.append(chance.choice(sorted(near)))
                left.discard(piece[-1])
        shade = chance.random()
        shape = {c: result[c] if chance.random() < shade else chance.choice((0, 0, 0, colours)) for c in piece}
        laid = lowered(chance.choice(turned(shape)))
        least = chance.choice((0, 1, 1, 1, 1))
        shapes.append((laid, least, max(1, least + chance.choice((0, 0, 0, 1)))))
        if chance.random() < 0.15:
            shapes.append((lowered({(-z, y, x): k for (z, y, x), k in laid.items()}), 0, 1))
    return File(result, optional, shapes, pairs)
