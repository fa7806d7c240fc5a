"""Solutions listed by the engine sharing: toy puzzles, as plain Python."""

import math
import random
from collections.abc import Sequence

import pytest
from test_sharing import Paid
from toys import Grid

import parsolve
from parsolve import Puzzle
from parsolve.errors import BadInput, BadPuzzle
from parsolve.levels.backward import Below, Walk
from parsolve.levels.search import LIST, Search
from parsolve.levels.threads import Threads
from parsolve.problem.problem import Problem
from parsolve.search.progress import Progress
from parsolve.search.watch import UNWATCHED, Listener

pytestmark = pytest.mark.plain

PLAIN = Grid(3)


def listed(puzzle: Puzzle, **more: object) -> list[tuple[int, ...]]:
    """The solutions that the engine lists."""
    return parsolve.solve(puzzle, engine="sharing", **{"workers": 1} | more).paths  # type: ignore[arg-type]


def every(walk: Grid, right: int = 0, down: int = 0) -> list[tuple[int, ...]]:
    """All walks from a place on, in order."""
    if right == down == walk.size:
        return [()]
    if max(right, down) > walk.size:
        return []
    steps = [(1, 0), (0, 1), (1, 1)][: 2 + walk.diagonal]
    return [
        (move, *rest) for move, (more, deeper) in enumerate(steps) for rest in every(walk, right + more, down + deeper)
    ]


def walked(puzzle: Puzzle) -> Walk:
    """Count to and fro."""
    with Threads(1, UNWATCHED) as threads:
        layers = Search(Problem(puzzle), threads, aim=LIST)
        below = Below(layers)
        assert sum(layers.expand()) == sum(below.count())
        return Walk(below)


@pytest.mark.parametrize("size", [6, 34])
def test_the_solution_of_a_number(size: int) -> None:
    """By the number of ways on from each place, which is a binomial coefficient."""

    def path(number: int) -> tuple[int, ...]:
        right, down, moves = size, size, []
        while right or down:
            below = math.comb(right + down - 1, down) if right else 0  # after a step to the right, which is move 0
            moves.append(int(number >= below))
            number -= below * moves[-1]
            right, down = right - (not moves[-1]), down - moves[-1]
        return tuple(moves)

    number = random.Random(size)
    walk, count = walked(Grid(size)), math.comb(2 * size, size)
    for skip in (0, 1, count - 1, *(number.randrange(count) for _ in range(20))):
        assert next(walk.paths(skip)) == path(skip)
    assert [*walk.paths(count)] == []


def test_some_solutions() -> None:
    puzzle, paths = Grid(4), every(Grid(4))
    for skip, take in ((0, 1), (0, 70), (69, 5), (70, 5), (33, 3), (5, 100)):
        assert listed(puzzle, skip=skip, take=take) == paths[skip : skip + take]
    found = parsolve.solve(puzzle, engine="sharing", workers=1, skip=60)
    assert (found.paths, found.count, found.status) == (paths[60:], 70, "solved")
    assert listed(puzzle, want="first") == paths[:1]
    assert listed(puzzle, want="first", skip=44) == listed(puzzle, want="any", skip=44) == paths[44:45]
    assert listed(puzzle, at_most=2) == paths[:3]
    assert parsolve.solve(puzzle, engine="sharing", workers=1, want="first", skip=70).status == "none"


def test_solutions_come_one_by_one() -> None:
    """An endless list is ended by whoever reads it."""
    solutions = parsolve.iter_solutions(Grid(20), engine="sharing", workers=1)
    assert [next(solutions).moves[:18] for _ in range(3)] == [(0,) * 18] * 3
    solutions.close()


def test_moves_in_no_order() -> None:
    class Sum(Grid):
        """One way only, whose moves number its steps."""

        @staticmethod
        def expand(tables, here, limit, rows, top):
            row = rows[top]
            row.x, row.y, row.move = here.x + 1, here.y + 1, here.x
            return top + (row.x <= tables.size // 2)

        def unshared(self, moves: Sequence[int]) -> Sequence[int]:
            return [2, 0, 3, 1]

    assert listed(Sum(4)) == [(0, 1, 2, 3)]


@pytest.mark.parametrize(
    ("moves", "text"),
    [
        ([0, 1, 0], "'unshared' gives [0, 1, 0], which is not a solution of this puzzle"),
        ([0, 0, 1, 1, 1], "gives [0, 0, 1, 1, 1], which is no"),
        ([0, 5, 1, 1], "gives [0, 5, 1, 1], which is no"),
        (3, "'unshared' must return moves, not 3"),
        (["a"], "'unshared' must return moves, not ['a']"),
    ],
)
def test_what_is_no_solution_is_refused(moves: object, text: str) -> None:
    class Wrong(Grid):
        def unshared(self, given: Sequence[int]) -> Sequence[int]:
            return moves  # type: ignore[return-value]

    with pytest.raises(BadPuzzle) as raised:
        listed(Wrong(2))
    assert text in str(raised.value)


def test_a_solution_of_another_cost_is_refused() -> None:
    class Dear(Paid):
        def unshared(self, moves: Sequence[int]) -> Sequence[int]:
            return [1, 1, 1]

    with pytest.raises(BadPuzzle, match="which is not a solution of this puzzle"):
        listed(Dear(3))


def test_numbers_from_both_ends_are_compared() -> None:
    with Threads(1, UNWATCHED) as threads:
        layers = Search(Problem(Grid(3)), threads, aim=LIST)
        assert sum(layers.expand())
        layers.count += 1
        with pytest.raises(BadPuzzle, match="from the root on 21 solutions are counted, back 20"):
            list(Below(layers).count())


def test_all_memory_is_given_back_but_that_of_the_numbers() -> None:
    walk = walked(Grid(20))
    tables = walk._below._tables.values()
    assert walk._below._budget.taken == sum(table.entries.nbytes for table in tables)


def test_progress_goes_there_and_back() -> None:
    seen: list[tuple[float, int]] = []

    class Watching(Listener):
        def progress_made(self, progress: Progress) -> None:
            seen.append((progress.share, progress.nodes))

    found = parsolve.solve(Grid(3), engine="sharing", workers=1, listener=Watching())
    assert [nodes for _, nodes in seen] == [1, 3, 6, 10, 13, 15, 17, 20, 24, 27, 29, 30]
    assert seen[-1] == (1.0, found.nodes)


def test_a_list_can_be_stopped() -> None:
    seen: list[tuple[int, ...]] = []
    puzzle = Grid(12)
    found = parsolve.solve(puzzle, engine="sharing", workers=1, on_solution=seen.append, cancel=lambda: len(seen) >= 5)
    assert (found.status, found.count, found.found_so_far) == ("stopped", None, math.comb(24, 12))
    assert len(seen) == 5


def test_refusals() -> None:
    def refused(text: str, puzzle: Puzzle = PLAIN, **more: object) -> None:
        with pytest.raises(BadInput, match=text):
            parsolve.solve(puzzle, **{"workers": 1, "engine": "sharing"} | more)  # type: ignore[arg-type]

    for engine in ("deepening", "breadth", "both"):
        for choice in ({"skip": 1}, {"take": 1}, {"sample": 1}):
            refused("take the engine sharing", engine=engine, **choice)
    refused("skip is for solutions that are listed", want="count", skip=1)
    refused("take says how many solutions are listed, and want first does", want="first", take=2)
    refused("sample says how many solutions are listed, and want count does", want="count", sample=2)
    refused("leave out skip and take", sample=2, skip=1)
    refused("leave out skip and take", sample=2, take=1)
    refused("at_most ends the search early", at_most=2, skip=1)
    refused("any solution up to a limit is for iterative deepening", Paid(5), want="any")
    refused("slack", Paid(5), slack=1)
