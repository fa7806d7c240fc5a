"""Exact cover problems, at random and known ones, and their solutions counted by plain Python."""

import itertools
import random
from collections.abc import Iterator, Sequence

from parsolve.puzzles.exact_cover.instance import Builder, Instance


def random_cover(seed: int) -> Instance:
    """Return a random problem with colours and bounds, of up to 8 primary items and 22 options."""
    random_ = random.Random(seed)
    primary = list("abcdefgh")[: random_.randint(1, 8)]
    secondary = list("pqr")[: random_.randint(0, 3)]
    bounds = dict.fromkeys(primary, (1, 1))
    if random_.random() < 0.5:
        for name in primary:
            least = random_.choice([0, 1, 1, 1, 2])
            bounds[name] = least, max(1, least + random_.choice([0, 0, 1, 2]))
    words = [*primary, *primary, *(f"{name}{colour}" for name in secondary for colour in ("", ":1", ":2", ":3"))]
    options = []
    for _ in range(random_.randint(0, 22)):
        option = random_.sample(words, random_.randint(1, min(4, len(words))))
        options.append([*{word.split(":")[0]: word for word in option}.values()])
    return problem_of(bounds, secondary, options)


def problem_of(
    bounds: dict[str, tuple[int, int]], secondary: Sequence[str], options: Sequence[Sequence[str]]
) -> Instance:
    """Return a problem by how often each primary item is covered."""
    builder = Builder(
        [name if both == (1, 1) else f"{both[0]}:{both[1]}|{name}" for name, both in bounds.items()], secondary
    )
    for option in options:
        builder.add(option)
    return builder.finish()


def plain_count(instance: Instance) -> int:
    """Return the number of solutions: each option is taken or not, in their order."""
    primary = len(instance.primary)
    bounds = instance.bounds or ((1, 1),) * primary
    options = [option for number, option in enumerate(instance.options) if instance.primary_of(number)]
    later = [[0] * primary]
    for option in reversed(options):
        later.append([number + (item in dict(option)) for item, number in enumerate(later[-1])])
    later.reverse()

    def count(at: int, times: list[int], colours: dict[int, str]) -> int:
        if any(number + more < least for number, more, (least, _) in zip(times, later[at], bounds, strict=True)):
            return 0
        if at == len(options):
            return 1
        found = count(at + 1, times, colours)
        after, mixed = list(times), dict(colours)
        for item, colour in options[at]:
            if item < primary:
                after[item] += 1
                if after[item] > bounds[item][1]:
                    return found
            elif item in colours and (not colour or colours[item] != colour):
                return found
            else:
                mixed[item] = colour
        return found + count(at + 1, after, mixed)

    return count(0, [0] * primary, {})


def grid(rows: int, columns: int, shapes: Sequence[Sequence[tuple[int, int]]]) -> Instance:
    """Return the tilings of a rectangle by as many of each shape as it takes; shapes are not turned."""
    builder = Builder([f"{row}.{column}" for row in range(rows) for column in range(columns)])
    for shape, row, column in itertools.product(shapes, range(rows), range(columns)):
        cells = [(row + down, column + right) for down, right in shape]
        if all(0 <= down < rows and 0 <= right < columns for down, right in cells):
            builder.add([f"{down}.{right}" for down, right in cells])
    return builder.finish()


DOMINOES = ([(0, 0), (0, 1)], [(0, 0), (1, 0)])
TROMINOES = (
    [(0, 0), (0, 1), (0, 2)],
    [(0, 0), (1, 0), (2, 0)],
    [(0, 0), (0, 1), (1, 0)],
    [(0, 0), (0, 1), (1, 1)],
    [(0, 0), (1, 0), (1, 1)],
    [(0, 0), (1, -1), (1, 0)],
)


def matrix(rows: Sequence[Sequence[int]]) -> Instance:
    """Return the problem whose solutions a permanent counts: each row takes a column of its own where it has a 1."""
    builder = Builder([f"{kind}{number}" for kind in ("r", "c") for number in range(len(rows))])
    for row, column in itertools.product(range(len(rows)), repeat=2):
        if rows[row][column]:
            builder.add([f"r{row}", f"c{column}"])
    return builder.finish()


def permanent(rows: Sequence[Sequence[int]]) -> int:
    """Return the permanent of a square matrix, column by column of the first row."""
    if not rows:
        return 1
    below = rows[1:]
    return sum(
        value * permanent([[*row[:column], *row[column + 1 :]] for row in below])
        for column, value in enumerate(rows[0])
        if value
    )


def matching(edges: Sequence[tuple[int, int]], vertices: int) -> Instance:
    """Return the problem whose solutions are the perfect matchings of a graph."""
    builder = Builder([f"v{vertex}" for vertex in range(vertices)])
    for one, other in edges:
        builder.add([f"v{one}", f"v{other}"])
    return builder.finish()


def matchings(edges: Sequence[tuple[int, int]], vertices: frozenset[int]) -> int:
    """Return the number of perfect matchings of the part of a graph that some vertices span."""
    if not vertices:
        return 1
    least = min(vertices)
    partners = [one + other - least for one, other in edges if least in (one, other)]
    return sum(matchings(edges, vertices - {least, each}) for each in partners if each in vertices)


def queens(number: int) -> Instance:
    """Return the problem of as many queens on a board: rows and columns are primary items, diagonals secondary ones."""
    every = range(number)
    diagonals = [f"{kind}{place}" for kind in ("u", "d") for place in range(2 * number - 1)]
    builder = Builder([f"{kind}{place}" for kind in ("r", "c") for place in every], diagonals)
    for row, column in itertools.product(every, repeat=2):
        builder.add([f"r{row}", f"c{column}", f"u{row + column}", f"d{row - column + number - 1}"])
    return builder.finish()


def orders(instance: Instance, seed: int) -> Iterator[list[int]]:
    """Yield some orders of the items that are covered once: as they are, backwards, and at random."""
    bounds = instance.bounds or ((1, 1),) * len(instance.primary)
    once = [item for item, bound in enumerate(bounds) if bound == (1, 1)]
    yield once
    yield once[::-1]
    yield random.Random(seed).sample(once, len(once))
