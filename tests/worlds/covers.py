"""Instances of exact cover: random options with colours and bounds, Sudoku, Langford pairs."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from parsolve.puzzles import Cover, Langford, Sudoku
from parsolve.puzzles.cover import dlx
from parsolve.puzzles.exact_cover.instance import Instance as ExactCover
from worlds.packings import assembly, polyominoes
from worlds.plain import Answer, Instance

FEW = 300
"""Solutions of a Sudoku at most."""


@dataclass(frozen=True)
class Problem:
    """A random problem.

    Attributes:
        bounds: by primary item: how often it is covered.
        secondary: the secondary items.
        options: of each its items with their colours; an empty colour for none, and for primary items.
        text: the problem as a file of parsolve's.
    """

    bounds: dict[str, tuple[int, int]]
    secondary: list[str]
    options: list[dict[str, str]]
    text: str

    @cached_property
    def solutions(self) -> list[tuple[int, ...]]:
        """All sets of options that cover each item as often as they should: each is taken or not, in their order."""
        has_items = [bool(self.bounds.keys() & option.keys()) for option in self.options]
        later = [dict.fromkeys(self.bounds, 0)]  # how often the items are in the options from one on
        for option in reversed(self.options):
            later.append({item: number + (item in option) for item, number in later[-1].items()})
        later.reverse()

        def sets(at: int, counts: dict[str, int], colours: dict[str, str]) -> Iterator[tuple[int, ...]]:
            if any(counts[item] + later[at][item] < least for item, (least, _) in self.bounds.items()):
                return
            if at == len(self.options):
                yield ()
                return
            yield from sets(at + 1, counts, colours)
            option = self.options[at]
            if not has_items[at] or any(counts[item] == self.bounds[item][1] for item in counts.keys() & option.keys()):
                return
            more = {item: colour for item, colour in option.items() if item not in self.bounds}
            if any(item in colours and not colours[item] == colour != "" for item, colour in more.items()):
                return
            after = {item: count + (item in option) for item, count in counts.items()}
            for rest in sets(at + 1, after, colours | more):
                yield (at, *rest)

        return list(sets(0, dict.fromkeys(self.bounds, 0), {}))

    @property
    def instance(self) -> ExactCover:
        """The problem as parsolve has it."""
        return dlx.read(self.text)


def random_cover(random_: random.Random, items: int = 8, most: int = 22) -> Problem:
    """Return a random problem with colours and bounds, of up to so many primary items and options."""
    primary = list("abcdefgh")[: random_.randint(1, items)]
    secondary = list("pqr")[: random_.randint(0, 3)]
    bounds = dict.fromkeys(primary, (1, 1))
    if random_.random() < 0.5:
        for name in primary:
            least = random_.choice([0, 1, 1, 1, 2])
            bounds[name] = least, max(1, least + random_.choice([0, 0, 1, 2]))
    words = [*primary, *primary, *(f"{name}{colour}" for name in secondary for colour in ("", ":1", ":2", ":3"))]
    lines, options = [], []
    for _ in range(random_.randint(0, most)):
        option = random_.sample(words, random_.randint(1, min(4, len(words))))
        colours = {word.partition(":")[0]: word.partition(":")[2] for word in option}
        options.append(colours)
        lines.append(" ".join(f"{item}:{colour}" if colour else item for item, colour in colours.items()))
    head = [item if bounds[item] == (1, 1) else written(random_, item, bounds[item]) for item in primary]
    lines.insert(0, " ".join([*head, *(["|", *secondary] if secondary else [])]))
    return Problem(bounds, secondary, options, "".join(f"{line}\n" for line in lines))


def solutions_of(instance: ExactCover) -> list[tuple[int, ...]]:
    """Return the solutions of a problem as parsolve has it; see `Problem.solutions`."""
    names = [*instance.primary, *instance.secondary]
    bounds = dict(zip(instance.primary, instance.bounds or ((1, 1),) * len(instance.primary), strict=True))
    options = [{names[item]: colour for item, colour in option} for option in instance.options]
    return Problem(bounds, [*instance.secondary], options, "").solutions


def written(random_: random.Random, item: str, bounds: tuple[int, int]) -> str:
    """Return how an item with bounds is written."""
    low, high = bounds
    return f"{low}|{item}" if low == high and random_.random() < 0.5 else f"{low}:{high}|{item}"


def cover(random_: random.Random) -> Instance:
    """Return random options."""
    problem = random_cover(random_, 6, 13)
    puzzle = Cover(problem.text)
    return Instance(
        puzzle,
        Answer(None, len(problem.solutions), problem.solutions),
        read=lambda solution: tuple(puzzle.chosen(solution.moves)),
        engines=("deepening", "sharing"),
    )


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
