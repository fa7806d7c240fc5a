"""A problem of peg solitaire without its moves: the board, the start and the end, their display, and its jumps."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from parsolve.errors import BadInput
from parsolve.puzzle.core import Puzzle, State, Text, parameter
from parsolve.puzzles.peg.boards import BOARDS, Board, in_one_class
from parsolve.puzzles.peg.drawings import drawn_board
from parsolve.puzzles.peg.pagodas import Pagoda, pagodas
from parsolve.puzzles.peg.positions import drawing_of, hole_in, holes_in, is_drawn, pegs_drawn
from parsolve.puzzles.peg.symmetries import Symmetry, symmetries
from parsolve.text import nearest, plural

DEFAULT_HOLE = "6"

WORD = 64
"""The number of jumps in one word."""

# Fixed-width constants: compiled code would turn an int64 beside a uint64 into something signed, or a float.
ZERO, ONE = np.uint64(0), np.uint64(1)
BYTE, EIGHT = np.uint64(255), np.uint64(8)
ALL = np.uint64((1 << 64) - 1)


def agreeing(table: Any, pegs: Any, word: Any) -> Any:
    """Return the patterns of a word that agree with the pegs: a bit each, by a table from `by_byte`."""
    found = ALL
    for byte in range(table.shape[1]):
        found &= table[word, byte, pegs & BYTE]
        pegs >>= EIGHT
    return found


def by_byte(patterns: Sequence[tuple[int, int]], holes: int) -> np.ndarray[Any, Any]:
    """Return the patterns that agree with a byte of the pegs; those that agree with every byte agree with the pegs.

    A pattern is the holes that must hold pegs and those that must not, a bit a hole. The table is uint64[words, bytes,
    256]: for a word of 64 patterns, by byte of the pegs and its value, a bit each.
    """
    words, bytes_ = max(1, -(-len(patterns) // WORD)), -(-holes // 8)
    table = np.zeros((words, bytes_, 256), np.uint64)
    values = np.arange(256)
    for number, (pegs, gaps) in enumerate(patterns):
        for byte in range(bytes_):
            must, must_not = pegs >> 8 * byte & 255, gaps >> 8 * byte & 255
            agree = (values & must == must) & (values & must_not == 0)
            table[number // WORD, byte] |= agree.astype(np.uint64) << np.uint64(number % WORD)
    return table


@dataclass(frozen=True)
class Game(Puzzle):
    """A board, with the pegs at the start and at the end."""

    board: str = parameter(
        "hoppers",
        "the board: " + ", ".join(BOARDS) + ", or the path of a file that draws one",
        text_file=True,
        known=BOARDS,
    )
    vacancy: Text = parameter("", "the hole that is empty at the start, or several, by number or name; 6 if absent")
    target: Text = parameter("", "the hole where the last peg must end, by number or name, or any; 6 if absent")
    first: str = parameter("any", "the first jump, such as 0-6 (from-to), or any")
    position: str = parameter(
        "", "instead of vacancy, the holes in the order of their numbers, o with a peg and . without"
    )
    goal: Text = parameter("", "instead of target, the pegs to end with: a list of holes, or all holes as in position")
    unique: bool = parameter(False, "of solutions that are images of one another by a symmetry, take one")

    def __post_init__(self) -> None:
        """Check the parameters, and put each into its standard form, so that equal puzzles are one job."""
        if self.vacancy and self.position:
            raise BadInput("peg: vacancy and position both give the start: leave out one of them")
        if self.target and self.goal:
            raise BadInput("peg: target and goal both give the end: leave out one of them")
        board = self.layout
        self._keep("board", board_of(self.board)[0])
        if self.position:
            self._keep("position", drawing_of(self.start_pegs, board))
        else:
            self._keep("vacancy", " ".join(map(str, holes_in(self.vacancy or DEFAULT_HOLE, board, "vacancy"))))
        if self.goal:
            self._keep("goal", drawing_of(self.goal_pegs[0], board))
        elif self.target != "any":
            self._keep("target", str(hole_in(self.target or DEFAULT_HOLE, board, "target")))
        if self.start_pegs == 0 or self.goal_pegs == (0,):
            raise BadInput(f"peg: there are no pegs at the {'end: one is always left' if self.start_pegs else 'start'}")
        if self.first_jump >= 0:
            start, _, to = board.jumps[self.first_jump]
            self._keep("first", f"{start}-{to}")

    def _keep(self, name: str, value: str) -> None:
        object.__setattr__(self, name, value)

    @cached_property
    def layout(self) -> Board:
        """The board."""
        return board_of(self.board)[1]

    @cached_property
    def start_pegs(self) -> int:
        """The pegs at the start, a bit a hole."""
        if self.position:
            return pegs_drawn(self.position, self.layout, "position")
        return (1 << self.layout.holes) - 1 - sum(1 << hole for hole in holes_in(self.vacancy, self.layout, "vacancy"))

    @cached_property
    def goal_pegs(self) -> tuple[int, ...]:
        """The goal positions, a bit a hole: one, or all with one peg."""
        if is_drawn(self.goal):
            return (pegs_drawn(self.goal, self.layout, "goal"),)
        if self.goal:
            return (sum(1 << hole for hole in holes_in(self.goal, self.layout, "goal")),)
        if self.target == "any":
            return tuple(1 << hole for hole in range(self.layout.holes))
        return (1 << int(self.target),)

    @cached_property
    def goals_in_class(self) -> tuple[int, ...]:
        """The goals ruled out neither by the number of pegs nor by the position classes."""
        start = self.start_pegs
        fewer = [goal for goal in self.goal_pegs if goal.bit_count() < start.bit_count() or goal == start]
        return tuple(goal for goal in fewer if in_one_class(self.layout, start, goal))

    @property
    def jumps_needed(self) -> int:
        """The number of jumps of every solution: each removes a peg."""
        return max(0, self.start_pegs.bit_count() - self.goal_pegs[0].bit_count())

    @property
    def obstacle(self) -> str:
        """Why there is no solution, if that is known without a search; otherwise empty."""
        if self.goals_in_class:
            return ""
        if self.goal_pegs[0].bit_count() >= self.start_pegs.bit_count():
            return "each jump takes a peg away, and there are no more pegs at the start than at the end"
        return "start and end are in different position classes (Rule of Three)"

    @cached_property
    def first_jump(self) -> int:
        """The number of the required first jump, -1 if any jump may come first."""
        if self.first == "any":
            return -1
        words = self.first.split("-")
        if len(words) != 2 or not all(words):
            raise BadInput(f"peg: first is a jump such as 0-6 (from-to), or any, not {self.first!r}")
        start, to = (hole_in(word, self.layout, "first:") for word in words)
        for number, (a, over, b) in enumerate(self.layout.jumps):
            if (a, b) == (start, to):
                if self.start_pegs >> to & 1:
                    where = "hole of the position" if self.position else f"vacancy {self.vacancy}"
                    raise BadInput(f"peg: first jump {self.first} does not end in the {where}")
                if not self.start_pegs >> start & self.start_pegs >> over & 1:
                    raise BadInput(f"peg: first jump {self.first} needs pegs in {start} and {over}")
                return number
        name = f"board {self.board}" if self.board in BOARDS else "drawn board"
        raise BadInput(f"peg: the {name} has no jump {self.first}")

    @property
    def children(self) -> int:
        return len(self.layout.jumps)

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.pegs & (here.pegs - tables.any) == tables.goal

    @cached_property
    def pagodas(self) -> tuple[Pagoda, ...]:
        """The pagoda functions that may refute a position; none if there are several goals."""
        goals = self.goals_in_class
        return pagodas(self.layout, self.start_pegs, goals[0]) if len(goals) == 1 else ()

    @cached_property
    def symmetries(self) -> tuple[Symmetry, ...]:
        """The symmetries of the board that keep start, goals and first jump, the identity first."""
        return tuple(
            each
            for each in symmetries(self.layout)
            if each.image(self.start_pegs) == self.start_pegs
            and {each.image(goal) for goal in self.goal_pegs} == set(self.goal_pegs)
            and (self.first_jump < 0 or each.jumps[self.first_jump] == self.first_jump)
        )

    def show_state(self, state: State) -> str:
        return f"pegs in {' '.join(str(hole) for hole in range(self.layout.holes) if state['pegs'] >> hole & 1)}"

    def render(self, state: State, moves: Sequence[int]) -> str:
        return "\n".join(row.rstrip() for row in self.layout.draw(state["pegs"]))

    def overview(self) -> str:
        board = self.layout
        rows = [f"the board, {board.holes} holes and {len(board.jumps)} jumps:"]
        rows += [f"  {row.rstrip()}" for row in board.draw_numbers()]
        rows += [f"symmetries of the board: {group_size(symmetries(board))}"]
        rows += [f"symmetries of the problem: {group_size(self.symmetries)}"]
        if self.obstacle:
            rows += [f"this cannot be solved: {self.obstacle}"]
        rows += ["", "boards by name:"]
        for name, each in BOARDS.items():
            rows += [f"  {name}: {each.holes} holes, {len(each.jumps)} jumps, {len(symmetries(each))} symmetries"]
        return "\n".join(rows)


def group_size(group: Sequence[Symmetry]) -> str:
    """Return the numbers of symmetries, turns and reflections in a group."""
    turns = sum(each.turns for each in group)
    return f"{len(group)} ({plural(turns, 'turn')} with the identity, {plural(len(group) - turns, 'reflection')})"


def board_of(name: str) -> tuple[str, Board]:
    """Return a board by its name or drawing, and the name, or the standard form of the drawing.

    Raises:
        BadInput: there is no such board.
    """
    if name in BOARDS:
        return name, BOARDS[name]
    if "\n" in name:
        return drawn_board(name)
    raise BadInput(f"peg: there is no board {name!r}{nearest(name, BOARDS)}")
