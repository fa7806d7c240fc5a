"""`parsolve check` finds a declaration that is wrong: `index`, `unindex`, `entry`, `size`, `graph` and `goals`."""

from collections.abc import Callable
from pathlib import Path

import pytest
from samples import KEY, WALK, edited
from shared import Run
from variants import Variant

from parsolve.check import check
from parsolve.problem.registry import load_class

pytest_plugins = ["variants"]


BOARD = '''
"""Walk to the last field of a board, from field to field beside it, and never back at once."""
from dataclasses import dataclass
from typing import NamedTuple
import numpy as np
from parsolve import Puzzle, parameter

class Tables(NamedTuple):
    lines: int
    columns: int

@dataclass(frozen=True)
class Board(Puzzle):
    lines: int = parameter(4, "rows of the board")
    columns: int = parameter(5, "columns of the board")
    state = np.dtype([("place", "u4"), ("cost", "u2"), ("move", "u1")])
    children = 8
    graph = "bipartite"

    @property
    def size(self):
        return self.lines * self.columns

    def root(self):
        return {"place": 0}

    def tables(self):
        return Tables(self.lines, self.columns)

    def goals(self):
        return [{"place": self.size - 1}]

    @staticmethod
    def expand(tables, here, limit, rows, top):
        line, column = here.place // tables.columns, here.place % tables.columns
        for way in range(1, 5):  # up, left, right, down
            if way + here.move == 5:
                continue
            far, price = 1, 1
            r = line + far * ((way == 4) - (way == 1))
            c = column + far * ((way == 3) - (way == 2))
            if r < 0 or c < 0 or r >= tables.lines or c >= tables.columns:
                continue
            row = rows[top]
            row.place, row.cost, row.move = r * tables.columns + c, here.cost + price, way
            top += here.cost + price <= limit
        return top

    @staticmethod
    def solved(tables, here):
        return here.place + 1 == tables.lines * tables.columns

    @staticmethod
    def key(tables, here):
        return np.uint64(here.place)

    @staticmethod
    def index(tables, here):
        return np.uint64(here.place)

    @staticmethod
    def unindex(tables, number, row):
        row.place = number
        row.move = 0
'''

ENTRY = """
    @staticmethod
    def entry(tables, number):
        return number >> np.uint64(1)
"""

KEY_RULE = "    @staticmethod\n    def key(tables, here):\n        return np.uint64(here.place)\n\n"

NO_INDEX = (
    BOARD[: BOARD.index("    @staticmethod\n    def index")]
    .replace("    @property\n    def size(self):\n        return self.lines * self.columns\n\n", "")
    .replace("self.size - 1", "self.lines * self.columns - 1")
)
"""The board with a key alone."""

UNKEY = """
    @staticmethod
    def unkey(tables, key, row):
        row.place = key
        row.move = 0
"""

WORDS = edited("return np.uint64(here.place)\n", "return np.uint64(here.place), np.uint64(0)\n", NO_INDEX)
"""The board with a key of two words."""

WRAPPED = edited("r * tables.columns + c", "r * tables.columns + c % tables.columns", BOARD)
WRAPPED = edited(
    "            if r < 0 or c < 0", "            c += tables.columns * (c < 0)\n            if r < 0", WRAPPED
)
WRAPPED = edited(" or c >= tables.columns", "", WRAPPED)
"""The board as a tube: around it there are as many moves as columns."""


def indexed(by: str, source: str = BOARD) -> str:
    """The board with another index."""
    rule = "def index(tables, here):\n        return "
    return edited(f"{rule}np.uint64(here.place)", f"{rule}{by}", source)


def faults_of(variant: Variant, source: str, base: str = BOARD) -> list[str]:
    return [str(fault) for fault in check(variant(source, base)()).faults]


WRAPS = "np.uint64((tables.lines + 2**62) * 4 >> 62)"
"""4 as Python, whose integers have no end, and 0 compiled."""

WRONG = {
    "two states of one number": (
        indexed("np.uint64(here.place // 2)", edited("= number\n", "= number * np.uint64(2)\n", BOARD)),
        "'index' is 0 for this state and for place=0, which 'unindex' gives for this state, but their keys differ: at"
        " place=1 ",
    ),
    "and there is no key": (
        indexed("np.uint64(here.place // 2)", edited(KEY_RULE, "", BOARD)),
        "'index' merges this state with place=",
    ),
    "two numbers of one state": (
        indexed(
            "np.uint64(here.place * 8 + here.move)",
            edited("columns\n\n    def root", "columns * 8\n\n    def root", BOARD),
        ),
        ", which has the same key: at place=",
    ),
    "a number beyond the size": (
        indexed("np.uint64(here.place + 1)"),
        "'index' is 20, 'size' says below 20: at place=19 ",
    ),
    "a negative number": (
        indexed("np.int64(here.place) - 1"),
        "'index' is -1, 'size' says below 20: at place=0 ",
    ),
    "another number compiled": (
        indexed("(here.place + 2**62) * 4 >> 2"),
        f"'index' is {2**62} as Python, 0 compiled at place=0 ",
    ),
    "the way back leads elsewhere": (
        edited("row.place = number\n", "row.place = number ^ np.uint64(1)\n", BOARD),
        "'unindex' of 0 gives place=1, whose 'index' is 1: at place=0 ",
    ),
    "a field is not written": (
        edited("        row.place = number\n", "", BOARD),
        "'unindex' leaves the field 'place' of a state unset at place=0 ",
    ),
    "the move is not written": (
        edited("        row.move = 0\n", "", BOARD),
        "'unindex' leaves the field 'move' of a state unset at place=0 ",
    ),
    "another state compiled": (
        edited(
            "row.place = number\n",
            f"row.place = number + {WRAPS} - np.uint64(4)\n",
            BOARD,
        ),
        "'unindex' of 0, the number of this state, gives {'place': 0, 'cost': 0, 'move': 0} as Python, {'place': 42949",
    ),
    "a move is closed": (
        edited("row.move = 0\n", "row.move = 1\n", BOARD),
        "which 'unindex' gives for this state, with every move open: at place=0 ",
    ),
    "a move too many": (
        edited(
            "far, price = 1, 1",
            "far, price = 1 + (way > 4), 1\n            way -= 4 * (way > 4)",
            edited(
                "range(1, 5)", "range(1, 9 if here.move == 9 else 5)", edited("row.move = 0\n", "row.move = 9\n", BOARD)
            ),
        ),
        "which no move from this state leads to: at place=0 ",
    ),
    "an entry beyond the table": (
        BOARD + ENTRY.replace(">>", "<<"),
        "'entry' is 20 for the number 10, 'entries' says below 20 at place=10 ",
    ),
    "entries too few": (
        edited('    graph = "bip', '    entries = 9\n    graph = "bip', BOARD) + ENTRY,
        "'entry' is 9 for the number 18, 'entries' says below 9 at place=18 ",
    ),
    "another entry compiled": (
        BOARD + ENTRY.replace("number >> np.uint64(1)", f"number + {WRAPS}"),
        "'entry' of 0 is 4 as Python, 0 compiled at place=0 ",
    ),
    "a goal that is none": (
        edited("self.size - 1", "self.size - 2", BOARD),
        "'goals' gives this state, which is not solved: at place=18 ",
    ),
    "not graded": (
        edited('"bipartite"', '"graded"', BOARD),
        "'graph' is graded, but 0 moves lead to this state, and 2 as well: at place=0 ",
    ),
    "not bipartite": (WRAPPED, "'graph' is bipartite, but 2 moves lead to this state, and 3 as well: at place="),
    "not reversible": (
        edited("way + here.move == 5", "way == 1", BOARD),
        "'graph' is bipartite, but no move of cost 1 leads back from place=5, or 'index' merges states: at place=0 ",
    ),
    "dearer back": (
        edited("far, price = 1, 1", "far, price = 1, 1 + (way == 1)", edited('"bipartite"', '"reversible"', BOARD)),
        "'graph' is reversible, but no move of cost 1 leads back from place=5, or 'index' merges states: at place=0 ",
    ),
    "by key, the way back leads away": (
        NO_INDEX + UNKEY.replace("= key", "= key ^ np.uint64(6)"),
        "'unkey' of 0 gives place=6, whose 'key' is 6",
    ),
    "by key, the way back closes a move": (
        NO_INDEX + UNKEY.replace("row.move = 0", "row.move = 1"),
        "which 'unkey' gives for this state",
    ),
    "by key, the way back leaves a field": (NO_INDEX + UNKEY.replace("        row.move = 0\n", ""), "unset"),
    "by key of two words, the way back takes both": (WORDS + UNKEY, "'unkey'"),
    "by key, there is none": (edited("np.uint64(here.place)", "1 // here.place", NO_INDEX) + UNKEY, "Zero"),
    "by key, no move is taken back": (
        edited("way + here.move == 5", "way < 3 or way > 4", NO_INDEX),
        "'graph' is bipartite, but no move is ever taken back, such as one from here to place=",
    ),
}


@pytest.mark.parametrize("which", WRONG)
def test_what_is_wrong_is_found(variant: Variant, which: str) -> None:
    source, says = WRONG[which]
    faults = faults_of(variant, source, NO_INDEX if "by key" in which else BOARD)
    assert any(says in fault for fault in faults), faults


def test_a_ring_in_one_direction(variant: Variant) -> None:
    """Its first state is reached again at a cost that no way back could have."""
    source = edited("here.place * 2 == tables.size", "here.place > 99", WALK)
    for word, says in (
        ("graded", "'graph' is graded, but 1 moves lead to this state, and 2 as well: at place=2 "),
        ("bipartite", "'graph' is bipartite, but 1 moves lead to this state, and 2 as well: at place=2 "),
        (
            "reversible",
            "'graph' is reversible, but a move of cost 1 leads to place=0, which is reached at cost 0, and"
            " this state only at 3: at place=6 ",
        ),
    ):
        declared = edited("children = 2", f'children = 2\n    graph = "{word}"', source)
        assert any(fault.startswith(says) for fault in faults_of(variant, declared + KEY, WALK))


def test_a_state_that_is_met_first_by_a_dear_move(variant: Variant) -> None:
    """Once it kept its first cost, and a graph that is reversible was said not to be."""
    moved = edited("+ price, way\n", "+ price, r * tables.columns + c\n", NO_INDEX)
    source = edited("far, price = 1, 1", "far, price = 1, 1 + 4 * (line == 0 and 1 < way < 4)", moved)
    assert faults_of(variant, edited("way + here.move == 5", "way > 4", source), NO_INDEX) == []


def test_a_goal_that_is_reached_from_both_sides(variant: Variant) -> None:
    """Once it showed that no move is ever taken back, though nothing goes on from it."""
    assert check(variant(NO_INDEX, NO_INDEX)(lines=2, columns=2)).faults == []  # type: ignore[call-arg]


def test_without_key_and_index_nobody_asks(variant: Variant) -> None:
    source = edited("children = 2", 'children = 2\n    graph = "graded"', WALK)
    assert faults_of(variant, source, WALK) == []


REFUSED = {
    "index alone": (BOARD[: BOARD.index("    @staticmethod\n    def unindex")], "'index' needs 'unindex'"),
    "unkey alone": (NO_INDEX.replace(KEY_RULE.rstrip(), "") + UNKEY, "'unkey'"),
    "entries alone": (
        edited('    graph = "bip', '    entries = 9\n    graph = "bip', BOARD),
        "'entries' needs 'entry'",
    ),
    "no such graph": (
        edited('"bipartite"', '"tree"', BOARD),
        "'graph' must be graded, bipartite, reversible or any, not 'tree'",
    ),
    "a size that is none": (
        edited("return self.lines * self.columns\n", "return self.lines / 2\n", BOARD),
        "'size' must be an int, at least 1, below 2^63, not 2.0",
    ),
    "no room": (
        edited('    graph = "bip', '    entries = 0\n    graph = "bip', BOARD) + ENTRY,
        "'entries' must be an int, at least 1, below 2^63, not 0",
    ),
    "index returns nothing": (
        edited("        return np.uint64(here.place)", "        here.place", BOARD.replace(KEY_RULE, "")),
        "the rule 'index' (my_puzzle.py, line 53) returns nothing: end it with 'return' and the number of the state",
    ),
    "unindex does not compile": (
        edited("row.place = number\n", "row.field = number\n", BOARD),
        "the rule 'unindex' does not compile (my_puzzle.py, line 63): 'state' has no field 'field'",
    ),
}


@pytest.mark.parametrize("which", REFUSED)
@pytest.mark.usefixtures("alone")
def test_what_does_not_fit_together(run_here: Run, puzzle_file: Callable[..., Path], which: str) -> None:
    source, says = REFUSED[which]
    puzzle_file(source)
    done = run_here("check", "my_puzzle.py:Board", code=2)
    assert says in (done.stderr or done.stdout).splitlines()[0]


@pytest.mark.usefixtures("alone")
def test_it_is_told_what_was_looked_at(run_here: Run, puzzle_file: Callable[..., Path]) -> None:
    puzzle_file(BOARD)
    assert run_here("check", "my_puzzle.py:Board").stdout.endswith("; the numbers of 20\n")


def test_an_index_beyond_a_table_is_found(puzzle_file: Callable[..., Path]) -> None:
    """By `unindex`, and by what it writes, before anything compiled reads what is not its own."""
    source = edited("    columns: int\n\n", "    columns: int\n    fields: np.ndarray\n\n", BOARD)
    source = edited("Tables(self.lines, self.columns)", "Tables(self.lines, self.columns, np.arange(9))", source)
    for old, new in (
        ("row.place = number\n", "row.place = tables.fields[number]\n"),
        ("row.move = 0\n", "row.move = 20\n"),
    ):
        beyond = edited(old, new, source)
        if "20" in new:
            beyond = edited(
                "            far, price = 1, 1", "            far, price = 1, 1 + 0 * tables.fields[here.move]", beyond
            )
        report = check(load_class(f"{puzzle_file(beyond)}:Board")())
        assert report.stopped
        assert any("a rule reads a table of shape (9,) at " in str(fault) for fault in report.faults)
