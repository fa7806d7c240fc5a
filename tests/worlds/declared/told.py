"""Wrong declarations, and the sentence that must follow: by world, what is wrong, and who finds it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import parsolve
from parsolve.levels.explore import explore
from parsolve.puzzle.core import Puzzle
from worlds.declared.cases import Case
from worlds.declared.wrong import CASES


def by_levels(puzzle: Puzzle) -> Iterator[Any]:
    """Count breadth-first, and explore from the start: both find it."""
    yield lambda: parsolve.solve(puzzle, engine="breadth", want="count")
    yield lambda: explore(puzzle, origin="start")


def by_exploring(puzzle: Puzzle) -> Iterator[Any]:
    """Explore from the goals."""
    yield lambda: explore(puzzle)


def by_exploring_from_the_start(puzzle: Puzzle) -> Iterator[Any]:
    """Explore from the start: breadth-first search takes the key instead of a number."""
    yield lambda: explore(puzzle, origin="start")


def by_deepening(puzzle: Puzzle) -> Iterator[Any]:
    """Count on one worker."""
    yield lambda: parsolve.solve(puzzle, want="count", workers=1)


def by_table(puzzle: Puzzle) -> Iterator[Any]:
    """Count with a transposition table."""
    yield lambda: parsolve.solve(puzzle, want="count", workers=1, transposition=1 << 20)


@dataclass(frozen=True)
class Told:
    """A wrong declaration that is told.

    Attributes:
        case: the case.
        finds: yields the searches that find it.
        says: what they say, as a pattern.
        cls: the class that is searched; of an abstraction what looks it up, or the abstraction itself.
    """

    case: Case
    finds: Any
    says: str
    cls: str

    def __str__(self) -> str:
        return self.case.name


def case(base: str, **rules: str) -> Case:
    """Return the case of the attack that has this."""
    return next(each for each in CASES if each.base == base and each.rules == rules)


def having(rule: str, text: str, base: str = "") -> Case:
    """Return the first case with a text in a rule, of a puzzle if one is given."""
    return next(each for each in CASES if rule in each.rules and text in each.rules[rule] and base in ("", each.base))


def _told(finds: Any, case: Case, says: str, cls: str = "") -> Told:
    return Told(case, finds, says, cls or ("User" if "class User" in case.source else "Wrong"))


_HALVES = {
    "index": "return number_of(tables, here) // np.uint64(2)",
    "unindex": "word_of(tables, number * np.uint64(2), row)",
}
_WITH_COST = "return np.uint64(here.word) | np.uint64(here.cost) << np.uint64(32)"
_BEYOND = "'index' gives 45, .* of a state that 'goals' gives"
_UNSOLVED = "'goals' gives word=274945, which is not solved"
_MISSING = "'goals' lacks a solved state, 1 away from those that it gives"
_HIDES = "the bound of a state exceeds its distance from a solved one"

LEVELS = [
    (case("Swaps", **_HALVES), "'index' is .* their keys differ: at word="),
    (case("Swaps", unindex="word_of(tables, np.uint64(0), row)"), "'unindex' of 119 gives"),
    (
        case("Swaps", unindex="word_of(tables, number - np.uint64(1), row)"),
        "'unindex' of 119 gives .* whose 'index' is 118",
    ),
    (case("Swaps", size="100"), "'index' gives 119, 'size' says below 100"),
    (case("Keyed", key=_WITH_COST), "'unkey' of .* whose 'key' is"),
    (case("Keyed", unkey="row.word, row.move = key + np.uint64(1), 0"), "'unkey' of"),
    (case("Keyed", graph="'graded'"), "'key' merges states with different ways on, or 'level' or 'graph' is wrong"),
    (case("Turning", graph="'bipartite'"), "'graph' is bipartite, but a state of depth .* was reached again"),
    (case("OneWayByNumber", graph="'reversible'"), "'graph' is reversible, but no move of cost 1 leads back from"),
    (case("Plain", key="return np.uint64(here.word) & np.uint64(0xFFF)"), "'key' merges this state with word="),
]

EXPLORED = [
    (case("Swaps", goals="return [{'word': 0x43201}]"), _UNSOLVED),
    (case("Swaps", goals="return [{'word': 0x43210}, {'word': 0x43201}]"), _UNSOLVED),
    *((having("solved", "", base), _MISSING) for base in ("Swaps", "Keyed", "Plain")),
]

ABSTRACTIONS = [
    (case("Pair", entries="25"), "'entry' of .* is beyond the table, 'entries' says below 25"),
    (case("Pair", goals="return [{'first': 9}]"), _BEYOND),
    (case("Boards", graph="'any'"), "does not number its states .*, nor is its 'graph', any, graded"),
    (case("Pair", entry="return np.int64(number) - 25"), "'entry' of .* is beyond the table"),
    (
        case("Pair", goals="return [{'first': 1, 'second': 0}]"),
        "'goals' gives first=1 second=0, which is not solved",
    ),
    (case("Boards", goals="return [{'pegs': 1, 'last': NONE}]"), "'goals' lacks this solved state"),
    (
        case("Boards", inverse_puzzle="return self"),
        "'inverse_puzzle' gives Wrong, without a way back of a move from this state: at",
    ),
]

BOUNDS = [  # one hides a solution near a later one, the other near the first one
    (having("expand", text), _HIDES) for text in ("2 * (row.word == 0x34210)", "9 * (row.word == 0x43201)")
]

TOLD = [
    *(_told(by_exploring_from_the_start if each[0].base == "Swaps" else by_levels, *each) for each in LEVELS),
    *(_told(by_exploring, *each) for each in EXPLORED),
    _told(by_exploring, case("Pair", goals="return [{'first': 9}]"), _BEYOND, "Wrong"),
    *(_told(by_deepening, *each) for each in (*ABSTRACTIONS, *BOUNDS)),
    _told(
        by_table,  # once 730 of the 768 solutions were counted
        case("Plain", key="return np.uint64(here.word) % np.uint64(97)"),
        "'key' merges states with different numbers of solutions below them",
    ),
]
