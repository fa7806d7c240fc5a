"""Instances of exact cover: random options with colours and bounds, Sudoku, Langford pairs."""

import random
from collections.abc import Callable, Iterator

from parsolve.puzzles import Cover, Langford, Sudoku
from worlds.plain import Answer, Instance
from worlds.polyominoes import assembly, polyominoes

Option = tuple[list[str], dict[str, str]]
"""Primary items, and secondary ones with their colours; an empty colour for none."""

FEW = 300
"""Solutions of a Sudoku at most."""


def cover(random_: random.Random) -> Instance:
    """Return random options."""
    primary, secondary = "abcdef"[: random_.randint(1, 6)], "xyz"[: random_.randint(0, 3)]
    bounds = dict.fromkeys(primary, (1, 1))
    for item in primary:
        if random_.random() < 0.25:
            most = random_.randint(1, 3)
            bounds[item] = (random_.randint(0, most), most)
    options: list[Option] = []
    for _ in range(random_.randint(1, 13)):
        colours = {item: random_.choice(("", "A", "B", "C")) for item in secondary if random_.random() < 0.4}
        options.append((sorted(random_.sample(primary, min(len(primary), random_.randint(1, 3)))), colours))
    head = [item if bounds[item] == (1, 1) else written(random_, item, bounds[item]) for item in primary]
    lines = [" ".join([*head, *(["|", *secondary] if secondary else [])])]
    for items, colours in options:
        words = [*items, *(f"{item}:{colour}" if colour else item for item, colour in colours.items())]
        lines.append(" ".join(random_.sample(words, len(words))))
    every = list(chosen(options, bounds))
    puzzle = Cover("".join(f"{line}\n" for line in lines))
    return Instance(
        puzzle,
        Answer(None, len(every), every),
        read=lambda solution: tuple(puzzle.chosen(solution.moves)),
        engines=("deepening", "sharing"),
    )


def written(random_: random.Random, item: str, bounds: tuple[int, int]) -> str:
    """Return how an item with bounds is written."""
    low, high = bounds
    return f"{low}|{item}" if low == high and random_.random() < 0.5 else f"{low}:{high}|{item}"


def chosen(options: list[Option], bounds: dict[str, tuple[int, int]]) -> Iterator[tuple[int, ...]]:
    """Yield all sets of options that cover each item as often as they should, by trying each set."""

    def sets(number: int, counts: dict[str, int], colours: dict[str, str]) -> Iterator[tuple[int, ...]]:
        if number == len(options):
            if all(low <= counts[item] for item, (low, _) in bounds.items()):
                yield ()
            return
        yield from sets(number + 1, counts, colours)
        items, more = options[number]
        if any(counts[item] == bounds[item][1] for item in items):
            return
        if any(item in colours and not colours[item] == colour != "" for item, colour in more.items()):
            return
        after = {item: count + (item in items) for item, count in counts.items()}
        for rest in sets(number + 1, after, colours | more):
            yield (number, *rest)

    yield from sets(0, dict.fromkeys(bounds, 0), {})


def langford(random_: random.Random) -> Instance:
    """Return a small number of pairs."""
    number = random_.randint(1, 8)

    def rows(row: list[int], left: int) -> Iterator[tuple[int, ...]]:
        if left == 0:
            yield tuple(row)
            return
        for place in range(2 * number - left - 1):
            if not row[place] and not row[place + left + 1]:
                row[place] = row[place + left + 1] = left
                yield from rows(row, left - 1)
                row[place] = row[place + left + 1] = 0

    every = sorted({min(row, row[::-1]) for row in rows([0] * 2 * number, number)})

    def read(text: str) -> tuple[int, ...]:
        row = tuple(map(int, text.split()))
        return min(row, row[::-1])

    return Instance(
        Langford(number),
        Answer(None, len(every), list(every)),
        read=lambda solution: read(solution.text),
        engines=("deepening", "sharing"),
    )


def sudoku(random_: random.Random) -> Instance:
    """Return a grid with a few solutions, or none."""
    rows, columns, digits = shuffled(random_), shuffled(random_), random_.sample("123456789", 9)
    full = [digits[(3 * (row % 3) + row // 3 + column) % 9] for row in rows for column in columns]
    grid = list(full)
    for place in random_.sample(range(81), random_.randint(10, 60)):
        grid[place] = "."
    if random_.random() < 0.2:  # most likely none is left
        grid[random_.randrange(81)] = random_.choice("123456789")
    every = filled(grid)
    while len(every) > FEW:
        place = random_.choice([place for place in range(81) if grid[place] == "."])
        grid[place] = full[place]
        every = filled(grid)
    return Instance(Sudoku("".join(grid)), Answer(None, len(every), list(every)), engines=("deepening", "sharing"))


def shuffled(random_: random.Random) -> list[int]:
    """Return the lines of a grid in another order: bands, and the lines of each."""
    return [3 * band + line for band in random_.sample(range(3), 3) for line in random_.sample(range(3), 3)]


def filled(grid: list[str]) -> list[str]:
    """Return all ways to fill a grid, up to a few more than FEW."""
    sees = [{other for other in range(81) if other != place and sees_other(place, other)} for place in range(81)]
    if any(grid[place] != "." and grid[place] == grid[other] for place in range(81) for other in sees[place]):
        return []
    found: list[str] = []

    def fill(cells: list[str]) -> None:
        if len(found) > FEW:
            return
        free = {
            place: sorted(set("123456789") - {cells[other] for other in sees[place]})
            for place in range(81)
            if cells[place] == "."
        }
        if not free:
            found.append("".join(cells))
            return
        place = min(free, key=lambda each: len(free[each]))
        for digit in free[place]:
            fill([*cells[:place], digit, *cells[place + 1 :]])

    fill(grid)
    return found


def sees_other(one: int, other: int) -> bool:
    """Return whether two cells are in one row, column or box."""
    (row, column), (row2, column2) = divmod(one, 9), divmod(other, 9)
    return row == row2 or column == column2 or (row // 3, column // 3) == (row2 // 3, column2 // 3)


FAMILIES: dict[str, tuple[Callable[[random.Random], Instance], float]] = {
    "cover": (cover, 10.0),
    "polyominoes": (polyominoes, 8.0),
    "assembly": (assembly, 3.0),
    "langford": (langford, 1.0),
    "sudoku": (sudoku, 1.0),
}
"""What makes random instances of each family, and its share."""
