"""Every hash spreads the keys that it gets as chance would: those of families, and those that differ in few bits."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from cases import nightly, some

from parsolve.catalogue import families
from parsolve.compiler.keys import entry_place, entry_size, hash_words, mixed
from parsolve.compiler.rows import rows_to_overrun
from parsolve.deepening.engine import Deepening
from parsolve.levels.templates.blocks import bucket_of
from parsolve.problem.problem import Problem
from parsolve.problem.registry import make
from parsolve.problem.states import NO_LIMIT
from parsolve.search.request import Request

pytestmark = pytest.mark.plain

Key = tuple[int, ...]

STATES = 1000
"""How many states of a puzzle are looked at."""

PUZZLES: dict[str, list[dict[str, Any]]] = {
    "cover": [{}],
    "crossing": [{}, {"kind": "missionaries", "each": 9, "boat": 4}],
    "flipit": [{}, {"row": "BBBBB_BBBB"}],
    "jugs": [{}, {"capacities": "101 19", "target": 85}],
    "langford": [{"n": 8}],
    "peg": [{}, {"board": "triangle21"}, {"board": "english33", "bound": "none"}],
    "permutations": [{}],
    "polyominoes": [{"board": "5x12", "pieces": "pentominoes"}],
    "sliding": [
        {"bound": "manhattan"},
        {"start": "14 13 15 7 11 12 9 5 6 0 2 1 4 8 10 3", "goal": "blank-first", "bound": "manhattan"},
    ],
    "sudoku": [{}],
}
"""Parameters, by family."""


def test_every_family_is_looked_at() -> None:
    """Queens have no key."""
    assert {*PUZZLES, "queens"} == {*families()}


@pytest.mark.parametrize(
    ("name", "values"), some(((name, values) for name, each in PUZZLES.items() for values in each), 3), ids=str
)
def test_keys_of_families_at_several_depths(name: str, values: dict[str, Any]) -> None:
    """As the transposition table gets them in one iteration after the other: each with the room that is left."""
    problem = Deepening().problem(Problem(make(name, values), "count"), Request(want="count", transposition=1 << 20))
    found = costs_of(problem)
    last = max(found.values())
    for limits in (1, 8):
        pairs = {(each, last + more - cost) for each, cost in found.items() for more in range(limits)}
        for room in (1, 16):
            places = 1 << (room * len(pairs) - 1).bit_length()

            def place(pair: tuple[Key, int], places: int = places) -> int:
                words = tuple(map(np.uint64, pair[0]))
                mask = np.uint64(places * entry_size(words) - 1)
                return int(entry_place(words, mixed(words), np.uint64(pair[1] + 1) << np.uint64(1), mask))

            assert_spread(pairs, place, places)


def costs_of(problem: Problem) -> dict[Key, int]:
    """The keys of some states near the root, and what it costs to reach them."""
    expand, key = problem.compiled_rules.single["expand"], problem.compiled_rules.single["key"]
    rows = rows_to_overrun(2 + 2 * problem.children, problem.state)
    words = np.zeros(16, np.uint64)

    def key_of(state: Any) -> Key:
        rows[0] = state
        return tuple(words[: key(problem.tables, rows, words)].tolist())

    layer = [problem.root[0].copy()]
    found = {key_of(layer[0]): int(layer[0]["cost"])}
    while layer and len(found) < STATES:
        after = []
        for state in layer:
            rows[0] = state
            for child in rows[1 : expand(problem.tables, rows, NO_LIMIT, 1)].copy():
                if (known := key_of(child)) not in found:
                    found[known] = int(child["cost"])
                    after.append(child)
            if len(found) >= STATES:
                break
        layer = after
    return found


def place_in_table(words: Sequence[int], places: int) -> int:
    key = tuple(map(np.uint64, words))
    mask = np.uint64(places * entry_size(key) - 1)
    return int(entry_place(key, mixed(key), np.uint64(6), mask)) // entry_size(key)


def place_in_chains(words: Sequence[int], places: int) -> int:
    """The highest bits of this hash are the bucket, those below the place in its table."""
    return int(bucket_of(hash_words(tuple(map(np.uint64, words))), places.bit_length() - 1))


def keys_of_all_kinds() -> Iterator[tuple[int, list[Key]]]:
    """Keys that differ in 12 bits, wherever these are, or in the numbers of two words, each small."""
    for words in (1, 2, 3):
        for word, low in itertools.product(range(words), range(0, 53, 8)):
            others = [7] * words
            made = [(*others[:word], number << low, *others[word + 1 :]) for number in range(1 << 12)]
            yield words, made
        if words > 1:
            grid = itertools.product(range(64), range(64))
            yield words, [(*[0] * (words - 2), *each) for each in grid]


@pytest.mark.parametrize(
    ("place", "most", "part"),
    [
        nightly((place_in_table, 3, 1.0)),
        (place_in_chains, 3, 0.65),  # one multiplication, so that an entry of 4 bytes tells its key
    ],
)
def test_keys_that_differ_in_few_bits(place: Callable[[Sequence[int], int], int], most: int, part: float) -> None:
    for words, keys in keys_of_all_kinds():
        if words <= most:
            for places in (1 << 12, 1 << 16):
                assert_spread(keys, lambda each, places=places: place(each, places), places, part)


def assert_spread(keys: Any, place: Callable[[Any], int], places: int, part: float = 1.0) -> None:
    """The keys take hardly fewer places than they would by chance, or than this part of them."""
    with np.errstate(over="ignore"):
        taken = len({place(each) for each in keys})
    load = len(keys) / places
    free = math.exp(-load)
    deviation = math.sqrt(places * free * (1 - (1 + load) * free))
    least = part * places * (1 - free) - 5 * deviation - 1
    assert taken > least, f"{len(keys)} keys take {taken} of {places} places"
