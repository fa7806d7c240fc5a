"""The engine sharing: against plain counts, the other engines and what others have published."""

import random
from pathlib import Path

import numpy as np
import pytest
from cases import some
from conftest import Run
from worlds.covers import random_cover
from worlds.known_covers import DOMINOES, TROMINOES, grid, matrix, orders, permanent

import parsolve
from parsolve.check import check
from parsolve.compiler.cache import cached
from parsolve.errors import BadInput, BadPuzzle, Disagreement
from parsolve.levels.kernels import PLAIN, brief
from parsolve.levels.templates.below import finish_sums
from parsolve.puzzle.core import Puzzle
from parsolve.puzzles import Cover, Langford, Polyominoes
from parsolve.puzzles.exact_cover.counted import Counted
from parsolve.puzzles.exact_cover.instance import Instance

pytest_plugins = ["small_kernel"]


def counted(puzzle: Puzzle, workers: int = 1) -> int | None:
    return parsolve.solve(puzzle, want="count", engine="sharing", workers=workers).count


@pytest.mark.nightly
def test_random_covers() -> None:
    for seed in range(400):
        problem = random_cover(random.Random(seed))
        instance, expected = problem.instance, len(problem.solutions)
        assert counted(Counted.of(instance)) == expected, seed
        for order in orders(instance, seed):
            assert counted(Counted.of(instance, order)) == expected, (seed, order)
        found = parsolve.solve(Cover(problem.text), want="count", workers=1)
        assert found.count == expected, seed


@pytest.mark.parametrize("seed", some(range(60), 20))
def test_permanents(seed: int) -> None:
    random_ = random.Random(seed)
    size, share = random_.randint(1, 8), random_.uniform(0.3, 1)
    rows = [[int(random_.random() < share) for _ in range(size)] for _ in range(size)]
    assert counted(Counted.of(matrix(rows))) == permanent(rows)


A004003 = (2, 36, 6728, 12988816, 258584046368, 53060477521960000, 112202208776036178000000)
A004003_LATER = {16: 2444888770250892795802079170816, 18: 548943583215388338077567813208427340288}


@pytest.mark.parametrize(("size", "tilings"), [*zip(range(2, 16, 2), A004003, strict=True), *A004003_LATER.items()])
def test_dominoes_on_a_square(size: int, tilings: int) -> None:
    """A004003 of the On-Line Encyclopedia of Integer Sequences."""
    puzzle = Polyominoes(board=f"{size}x{size}", pieces=f"{size * size // 2}*I2")
    assert parsolve.solve(puzzle, want="count", engine="sharing", workers=1).count == tilings


def test_an_item_with_bounds_is_forgotten_after_its_last_option() -> None:
    """Else each state would tell how often every item before was covered, 6^40 of them at the end."""
    items = [f"0:5|i{item}" for item in range(40)]
    places = [[f"x{item}.{option}" for option in range(5)] for item in range(40)]
    lines = [f"i{item} {place}" for item, each in enumerate(places) for place in each]
    puzzle = Cover("\n".join([f"{' '.join(items)} | {' '.join(map(' '.join, places))}", *lines, ""]))
    found = parsolve.solve(puzzle, want="count", engine="sharing", workers=1)
    assert (found.count, found.nodes) == (32**40, 600)


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
def test_any_number_of_threads_counts_the_same(workers: int) -> None:
    assert counted(Counted.of(grid(8, 8, DOMINOES)), workers) == 12_988_816
    found = parsolve.solve(Counted.of(grid(12, 9, TROMINOES)), want="count", engine="sharing", workers=workers)
    assert (found.count, found.nodes) == (20_574_308_184_277_971, 179_890)


@pytest.mark.nightly
@pytest.mark.parametrize("words", [2, 13])
def test_states_of_several_words(words: int) -> None:
    puzzle = pairs_of(words)
    assert puzzle.words == words
    assert counted(puzzle) == 4


@pytest.mark.nightly
def test_states_of_two_words_by_breadth_first_search() -> None:
    assert parsolve.solve(pairs_of(2), want="count", engine="breadth", workers=1).count == 4
    assert not check(pairs_of(2)).faults


def pairs_of(words: int) -> Counted:
    """Return pairs of which each may take one of two items; that of any other pair is open until the end."""
    pairs = 60 * words - 40
    names = [f"{kind}{pair}" for pair in range(pairs) for kind in ("a", "b")]
    order = [*range(0, 2 * pairs, 2), *range(1, 2 * pairs, 2)]
    options = [(2 * pair, 2 * pair + 1) for pair in range(pairs)]
    options += [(2 * pair + kind,) for pair in range(2) for kind in (0, 1)]
    instance = Instance(tuple(names), (), tuple(tuple((item, "") for item in option) for option in options))
    return Counted.of(instance, order)


@pytest.mark.nightly
def test_more_children_than_are_declared() -> None:
    class Crowded(Counted):
        children = 1

    with pytest.raises(BadPuzzle, match="a state has more than 1 children"):
        counted(Crowded(Counted.of(grid(4, 4, DOMINOES)).problem))


def test_too_many_items_at_once() -> None:
    options = [(item, 900 + item) for item in range(900)]
    instance = Instance(tuple(map(str, range(1800))), (), tuple(tuple((item, "") for item in each) for each in options))
    assert counted(Counted.of(instance)) == 1
    with pytest.raises(BadInput, match="whose states have 832 bits at most: take the engine deepening"):
        Counted.of(instance, range(1800))


def test_what_has_no_key_is_counted_by_sharing_and_compared(run: Run) -> None:
    done = run("count", "langford", "--n", "8", "--engine", "both", "--workers", "1")
    assert (done.stdout, done.stderr.endswith("; both engines agree\n")) == ("150\n", True)

    class Shorter(Langford):
        def sharing(self) -> Puzzle:
            return Langford(7).sharing()

    with pytest.raises(Disagreement, match="count 150 by deepening, 26 by sharing"):
        parsolve.solve(Shorter(8), want="count", engine="both", workers=1)
    with pytest.raises(BadInput, match="gives no key, which breadth-first search needs"):
        parsolve.solve(Langford(8), engine="both", workers=1)


def test_refusals(run: Run) -> None:
    for arguments, text in (
        ("count queens --n 6", "gives no way back from a key to its state (unkey), which the engine sharing needs"),
        ("count langford --transposition 1M", "the transposition table is not for the engine sharing: take the engine"),
        ("count polyominoes --symmetric", "the engine sharing does not compare solutions with their images"),
        ("solve polyominoes --unique", "several solutions for each one of Polyominoes, and so lists none"),
    ):
        ended = run(*arguments.split(), "--engine", "sharing", "--workers", "1", code=2)
        assert text in ended.stderr
        assert len(ended.stderr.splitlines()) == 1, ended.stderr


@pytest.mark.parametrize(
    ("word", "more"), [("count", ""), ("solve", "; a list takes all levels at once, a count does not")]
)
def test_memory_is_limited(run: Run, word: str, more: str) -> None:
    puzzle = ("polyominoes", "--board", "30x30", "--pieces", "450*I2")
    ended = run(word, *puzzle, "--engine", "sharing", "--max-memory", "1M", "--workers", "1", code=3)
    assert ended.stderr == (
        "stopped before the end: no solution found yet; with --journal FILE it could be resumed\n"
        "parsolve: Polyominoes: the next states with their counts take more than the 0 MB that are left for them:"
        f" give them more (--max-memory), or a folder for files (--spill){more}\n"
    )


def test_few_entries_take_no_kernel(kernel_folder: Path) -> None:
    """A kernel without rules is compiled once it has had many entries; its plain function gives the same before."""
    kernel, found = cached(finish_sums), []
    for entries in (1, PLAIN):
        sums = np.array([5, 0, 2**62 - 1, 1], np.uint64)
        kept = brief(kernel, entries)(sums, 2, np.array([3, 2**31], np.uint32), 62)
        found.append((sums.tolist(), kept))
        assert len([*kernel_folder.glob("finish_sums-*.kernel")]) == entries // PLAIN
    assert found[0] == found[1] == ([8, 0, 2**31 - 1, 2], (2, 2))
