"""Instances of the built-in families of moves: sliding tiles, jugs, crossings, Flip-It, queens, permutations."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, get_args

from parsolve.puzzle.core import EngineName, Want
from parsolve.puzzles import Crossing, FlipIt, Jugs, Permutations, Queens, Sliding
from parsolve.puzzles.queens.queens import UNIQUE, Method
from parsolve.puzzles.sliding.sliding import Bound
from worlds.plain import Answer, Instance, Moves, cheapest, distances, tree_size
from worlds.queens import all_queens, images

LARGEST = 20_000
"""Nodes of a search without a bound, at the cheapest limit."""

ALL: tuple[EngineName, ...] = ("deepening", "breadth", "both")
BREADTH: tuple[EngineName, ...] = ("breadth",)


def engines(
    answer: Answer, root: Any, moves: Callable[[Any], Any], solved: Callable[[Any], bool]
) -> Sequence[EngineName]:
    """Return which engines end soon."""
    if answer.cost is None:
        return BREADTH
    return ALL if tree_size(root, moves, solved, answer.cost) <= LARGEST else BREADTH


# Sliding tiles.

SHAPES = ((1, 2), (1, 4), (2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3))


Numbers = tuple[int, ...]


def sliding_moves(columns: int) -> Moves[Numbers]:
    """Return the moves of tiles, those of lower cells first; a move shows its tile."""

    def moves(tiles: Numbers) -> Iterator[tuple[int, Numbers, int]]:
        blank = tiles.index(0)
        row, column = divmod(blank, columns)
        for r, c in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)):
            if 0 <= r < len(tiles) // columns and 0 <= c < columns:
                other = list(tiles)
                other[blank], other[r * columns + c] = other[r * columns + c], 0
                yield tiles[r * columns + c], tuple(other), 1

    return moves


def slid(tiles: Iterable[int], columns: int, steps: int, random_: random.Random) -> Numbers:
    """Return tiles after some random moves, none of which takes the last one back."""
    board, last = tuple(tiles), 0
    for _ in range(steps):
        ways = [(tile, after) for tile, after, _ in sliding_moves(columns)(board) if tile != last]
        if ways:
            last, board = random_.choice(ways)
    return board


def sliding_solutions(start: Sequence[int], goal: Sequence[int], columns: int) -> tuple[int | None, list[str]]:
    """Return the length and all of the shortest solutions, as the tiles moved, in depth-first order."""
    goal = tuple(goal)
    answer = cheapest(tuple(start), sliding_moves(columns), lambda tiles: tiles == goal, math.inf)
    return answer.cost, [" ".join(map(str, path)) for path in answer.solutions or ()]


def sliding(random_: random.Random) -> Instance:
    """Return tiles some moves away from a goal."""
    rows, columns = random_.choice(SHAPES)
    cells = rows * columns
    goal = random_.choice(((*range(1, cells), 0), tuple(range(cells))))
    is_named = random_.random() < 0.8  # the tables of a bound are of one goal
    if not is_named and cells < 7:
        goal = tuple(random_.sample(range(cells), cells))

    moves, start = sliding_moves(columns), goal
    for _ in range(random_.randint(0, 16)):
        start = random_.choice([*moves(start)])[1]
    answer = cheapest(start, moves, lambda tiles: tiles == goal)
    bounds = [bound for bound in get_args(Bound) if bound != "patterns" or cells > 3]
    puzzle = Sliding(
        " ".join(map(str, start)),
        f"{rows}x{columns}",
        {(*range(1, cells), 0): "blank-last", (*range(cells),): "blank-first"}.get(goal, " ".join(map(str, goal))),
        random_.choice(bounds),
    )
    spaces = {}
    if cells <= 6:
        spaces = {
            "goal": Counter(distances([goal], moves).values()),
            "root": Counter(distances([start], moves).values()),
        }
    return Instance(
        puzzle,
        answer,
        read=lambda solution: tuple(map(int, solution.text.split())),
        is_ordered=True,
        spaces=spaces,
    )


# Jugs.


def jug_moves(sizes: Sequence[int]) -> Moves[Numbers]:
    """Return the moves of jugs: fill one, empty it, or pour it into another, unless nothing changes."""

    def moves(held: Numbers) -> Iterator[tuple[Numbers, Numbers, int]]:
        every = range(len(sizes))
        after = [(*held[:jug], sizes[jug], *held[jug + 1 :]) for jug in every]
        after += [(*held[:jug], 0, *held[jug + 1 :]) for jug in every]
        for one, other in itertools.permutations(every, 2):
            poured = min(held[one], sizes[other] - held[other])
            after.append(tuple(each + poured * ((jug == other) - (jug == one)) for jug, each in enumerate(held)))
        yield from ((each, each, 1) for each in after if each != held)

    return moves


def jugs(random_: random.Random) -> Instance:
    """Return two to four jugs and an amount."""
    sizes = [random_.randint(1, 11) for _ in range(random_.randint(2, 4))]
    target = random_.randrange(max(sizes) + 1) // math.gcd(*sizes) * math.gcd(*sizes)

    moves = jug_moves(sizes)

    def solved(held: tuple[int, ...]) -> bool:
        return target in held

    root = (0,) * len(sizes)
    answer = cheapest(root, moves, solved)
    return Instance(
        Jugs(" ".join(map(str, sizes)), target),
        answer,
        read=lambda solution: tuple(
            tuple(map(int, state.strip("()").split(","))) for state in solution.text.split()[1:]
        ),
        engines=engines(answer, root, moves, solved),
        spaces={"root": Counter(distances([root], moves).values())} if math.prod(sizes) < 500 else {},
    )


# Crossings.

Kind = Literal["couples", "missionaries", "wolf"]


Banks = tuple[Numbers, bool]
"""How many of each kind are on the near bank, and whether the boat is on the far one."""


def crossing_of(kind: Kind, number: int, boat: int) -> tuple[Banks, Moves[Banks], Callable[[Banks], bool]]:
    """Return the start of a crossing, its moves, and what is solved; `number` is of couples, or on each side."""
    letters = {"couples": "ABCDEFGH"[:number] + "abcdefgh"[:number], "missionaries": "MC", "wolf": "FWGC"}[kind]
    each = number if kind == "missionaries" else 1

    def safe(group: Numbers) -> bool:
        there = dict(zip(letters, group, strict=True))
        if kind == "couples":
            men = [letter for letter in letters if letter.isupper() and there[letter]]
            return not men or all(letter.upper() in men for letter in letters if letter.islower() and there[letter])
        if kind == "missionaries":
            return not there["M"] or there["M"] >= there["C"]
        return bool(there["F"]) or not there["G"] or not (there["W"] or there["C"])

    loads = [group for group in itertools.product(range(each + 1), repeat=len(letters)) if 1 <= sum(group) <= boat]
    loads = [load for load in loads if safe(load) and (kind != "wolf" or load[0])]

    def moves(state: Banks) -> Iterator[tuple[str, Banks, int]]:
        near, is_far = state
        here = tuple(each - other for other in near) if is_far else near
        for load in loads:
            stay = tuple(map(int.__sub__, here, load))
            there = tuple(each - other for other in stay)
            if min(stay) >= 0 and safe(stay) and safe(there):
                name = "".join(letter * count for letter, count in zip(letters, load, strict=True))
                yield name + "><"[is_far], ((there if is_far else stay), not is_far), 1

    return ((each,) * len(letters), False), moves, lambda state: state == ((0,) * len(letters), True)


def crossing(random_: random.Random) -> Instance:
    """Return couples, missionaries or the wolf and his friends, and a boat."""
    kind: Kind = random_.choice(("couples", "couples", "missionaries", "missionaries", "wolf"))
    number, boat = random_.randint(1, 3 if kind == "couples" else 5), random_.randint(2, 5)
    root, moves, solved = crossing_of(kind, number, boat)
    answer = cheapest(root, moves, solved)
    if kind == "couples":
        puzzle = Crossing("couples", couples=number, boat=boat)
    else:
        puzzle = Crossing(kind, each=number, boat=boat) if kind == "missionaries" else Crossing("wolf", boat=boat)
    return Instance(
        puzzle,
        answer,
        read=lambda solution: tuple(solution.text.split()),
        engines=engines(answer, root, moves, solved),
    )


# Flip-It.


def flips(pieces: str) -> Iterator[tuple[str, str, int]]:
    """Yield the rows that follow a row, the leftmost piece first."""
    gap = pieces.index("_")
    for cell in range(len(pieces)):
        low, high = min(cell, gap), max(cell, gap)
        if high - low >= 2:
            over = pieces[low + 1 : high].translate(str.maketrans("BW", "WB"))
            ends = (pieces[cell], "_") if gap < cell else ("_", pieces[cell])
            after = pieces[:low] + ends[0] + over + ends[1] + pieces[high + 1 :]
            yield after, after, 1


def flipit(random_: random.Random) -> Instance:
    """Return a row of pieces, and what it is to become."""
    length = random_.randint(2, 8)

    def row() -> str:
        pieces = [random_.choice("BW") for _ in range(length)]
        pieces[random_.randrange(length)] = "_"
        return "".join(pieces)

    start, goal = row(), random_.choice(("white", row()))

    def solved(pieces: str) -> bool:
        return "B" not in pieces if goal == "white" else pieces == goal

    answer = cheapest(start, flips, solved)
    ends = ["".join("_" if cell == gap else "W" for cell in range(length)) for gap in range(length)]
    goals = ends if goal == "white" else [goal]
    return Instance(
        FlipIt(start, goal),
        answer,
        read=lambda solution: tuple(solution.text.split()[1:]),
        is_ordered=True,
        engines=engines(answer, start, flips, solved),
        spaces={
            "root": Counter(distances([start], flips).values()),
            "goal": Counter(distances(goals, flips).values()),
        },
    )


# Queens and permutations.


def queens(random_: random.Random) -> Instance:
    """Return a small board."""
    number = random_.randint(0, 8)
    every = all_queens(number)
    unique = random_.random() < 0.4
    method = random_.choice(UNIQUE if unique else get_args(Method))
    read: Callable[[Any], Any] = lambda solution: tuple(map(int, solution.text.split()))  # noqa: E731
    if unique:
        every = sorted({min(images(rows)) for rows in every})
        read = lambda solution: min(images(tuple(map(int, solution.text.split()))))  # noqa: E731
    listing: tuple[Want, ...] = ("all", "all", "count", "first", "any")
    return Instance(
        Queens(number, method, unique),
        Answer(None, len(every), list(every)),
        read=read,
        engines=("deepening",),
        wants=("count",) if method in ("mirror", "quadrants") else listing,
    )


def permutations(random_: random.Random) -> Instance:
    """Return all orders of a few things."""
    number = random_.randint(0, 6)
    every = list(itertools.permutations(range(1, number + 1)))
    return Instance(
        Permutations(number, random_.choice(("lists", "bits"))),
        Answer(None, len(every), list(every)),
        read=lambda solution: tuple(map(int, solution.text.split())),
        is_ordered=True,
        engines=("deepening",),
    )


FAMILIES: dict[str, tuple[Callable[[random.Random], Instance], float]] = {
    "sliding": (sliding, 10.0),
    "jugs": (jugs, 4.0),
    "crossing": (crossing, 2.0),
    "flipit": (flipit, 5.0),
    "queens": (queens, 2.0),
    "permutations": (permutations, 1.0),
}
"""What makes random instances of each family, and its share."""
