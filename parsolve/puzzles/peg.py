"""Peg solitaire on any board: jump pegs over pegs until one is left, in as few moves as can be."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from parsolve.errors import BadInput
from parsolve.kernel.bits import trailing_zeros
from parsolve.puzzle import Counting, Puzzle, State, Want, parameter
from parsolve.puzzles.boards import BOARDS, Board
from parsolve.puzzles.drawings import drawn_board
from parsolve.puzzles.peg_bounds import BITS, CLASS_BOARD, CLASS_TARGET, CLASS_VACANCY, FILLED, Bound, make_bound
from parsolve.puzzles.peg_positions import drawing_of, hole_in, holes_in, is_drawn, pegs_drawn
from parsolve.puzzles.position_classes import in_one_class
from parsolve.puzzles.symmetries import Symmetry, symmetries
from parsolve.text import nearest, plural

if TYPE_CHECKING:
    from parsolve.replay import Solution


class Tables(NamedTuple):
    """What the rules look up, by jump in table order unless said otherwise; without jumps that are ruled out."""

    can: np.ndarray[Any, Any]  # uint64[words, bytes, 256]: which jumps can be made, see `by_byte`
    full: np.ndarray[Any, Any]  # uint64[1, bytes, 256]: which sets of the bound are full, see `by_byte`
    holes: np.ndarray[Any, Any]  # uint64[jumps]: the bits of the three holes
    start: np.ndarray[Any, Any]  # uint8[jumps]: the hole jumped from
    to: np.ndarray[Any, Any]  # uint8[jumps]: the hole jumped to
    move: np.ndarray[Any, Any]  # uint8[jumps], as in the state: the number of the jump on the board
    away: np.ndarray[Any, Any]  # uint64[jumps]: which sets of the bound have neither the hole from nor the one over
    table: np.ndarray[Any, Any]  # uint64[jumps]: where in `packings` the table that holds after the jump begins
    packings: np.ndarray[Any, Any]  # uint64[2 * parts << BITS]: of `Bound`, in one row
    parts: np.int64  # how many parts each of the two tables has
    keep: np.uint64  # the holes of which one must always hold a peg
    first: np.ndarray[Any, Any]  # uint64[words]: which jumps may come first
    goal: np.uint64  # the pegs to end with; 0 where one peg in any hole will do
    any: np.uint64  # 1 where one peg in any hole will do
    size: np.uint64  # how many holes the board has
    # For `PegWide`, by the number of the jump on the board: which symmetries map it onto an earlier one, and itself.
    earlier: np.ndarray[Any, Any]  # uint16[jumps]
    same: np.ndarray[Any, Any]  # uint16[jumps]


WORD = 64
"""How many jumps stand in one word of `can`."""

MOST_HOLES = 58
"""The most holes that fit into a key of one word, with the hole of the peg moved last."""

DEFAULT_HOLE = "6"

# Fixed-width constants: compiled code would turn an int64 beside a uint64 into something signed, or a float.
ZERO, ONE = np.uint64(0), np.uint64(1)
BYTE, EIGHT, FILL = np.uint64(255), np.uint64(8), np.uint64(FILLED)
PART, IN_PART, ENTRIES = np.uint64(BITS), np.uint64((1 << BITS) - 1), np.uint64(1 << BITS)
ALL = np.uint64((1 << 64) - 1)


@dataclass(frozen=True)
class Peg(Puzzle):
    """Jump pegs over pegs until one is left. A run of jumps by one peg is one move, in one bracket."""

    board: str = parameter(
        "hoppers", "the board: " + ", ".join(BOARDS) + ", or the path of a file that draws one", text_file=True
    )
    vacancy: str = parameter("", "the hole that is empty at the start, or several, by number or name; 6 if absent")
    target: str = parameter("", "the hole where the last peg must end, by number or name, or any; 6 if absent")
    first: str = parameter("any", "the first jump, such as 0-6 (from-to), or any")
    bound: Literal["none", "corners", "classes", "triples", "regions"] = parameter(
        "regions",
        "lower bound: corners counts pegs that nothing can jump over, regions full sets of holes that a move must"
        " start in, and what the others know; classes and triples: the page's, for"
        f" {CLASS_BOARD} with {CLASS_VACANCY} to {CLASS_TARGET}",
    )
    position: str = parameter(
        "", "instead of vacancy, the holes in the order of their numbers, o with a peg and . without"
    )
    goal: str = parameter("", "instead of target, the pegs to end with: a list of holes, or all holes as in position")
    unique: bool = parameter(False, "of solutions that are images of one another by a symmetry, take one")

    # `last` is the hole of the peg moved last, which may go on at no cost; the number of holes at the start.
    state = np.dtype([("pegs", "u8"), ("cost", "u1"), ("bound", "u1"), ("move", "u1"), ("last", "u1")])

    def __new__(cls, *_: Any, board: str = "hoppers", unique: bool = False, **__: Any) -> "Peg":
        if cls is Peg and (unique or board_of(board)[1].holes > MOST_HOLES):
            from parsolve.puzzles.peg_wide import PegWide

            return object.__new__(PegWide)
        return object.__new__(cls)

    def __post_init__(self) -> None:
        """Check the parameters, and keep each as it is written here, so that one puzzle is one job."""
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
        _ = self.bounding

    def _keep(self, name: str, value: str) -> None:
        object.__setattr__(self, name, value)

    @cached_property
    def layout(self) -> Board:
        """The board."""
        return board_of(self.board)[1]

    @property
    def children(self) -> int:
        return len(self.layout.jumps)

    @property
    def default_table(self) -> int:
        # Measured: 4 MB on 21 holes, near enough to the processor; what is larger must hold more.
        return 1 << min(28, self.layout.holes + 1)

    @cached_property
    def start_pegs(self) -> int:
        """The pegs at the start, a bit a hole."""
        if self.position:
            return pegs_drawn(self.position, self.layout, "position")
        return (1 << self.layout.holes) - 1 - sum(1 << hole for hole in holes_in(self.vacancy, self.layout, "vacancy"))

    @cached_property
    def goal_pegs(self) -> tuple[int, ...]:
        """The positions to end in, a bit a hole: one, or those with one peg in any hole."""
        if is_drawn(self.goal):
            return (pegs_drawn(self.goal, self.layout, "goal"),)
        if self.goal:
            return (sum(1 << hole for hole in holes_in(self.goal, self.layout, "goal")),)
        if self.target == "any":
            return tuple(1 << hole for hole in range(self.layout.holes))
        return (1 << int(self.target),)

    @cached_property
    def goals_in_class(self) -> tuple[int, ...]:
        """The goals that neither the number of pegs nor the position classes rule out."""
        start = self.start_pegs
        fewer = [goal for goal in self.goal_pegs if goal.bit_count() < start.bit_count() or goal == start]
        return tuple(goal for goal in fewer if in_one_class(self.layout, start, goal))

    @property
    def jumps_needed(self) -> int:
        """How many jumps every solution has: each takes a peg away."""
        return max(0, self.start_pegs.bit_count() - self.goal_pegs[0].bit_count())

    @property
    def obstacle(self) -> str:
        """Why there is no solution, where that is known without a search; empty elsewhere."""
        if self.goals_in_class:
            return "" if self.bounding.keep else "a class of holes has fewer pegs to give than its corners need"
        if self.goal_pegs[0].bit_count() >= self.start_pegs.bit_count():
            return "each jump takes a peg away, and there are no more pegs at the start than at the end"
        return "start and end are in different position classes (Rule of Three)"

    @cached_property
    def first_jump(self) -> int:
        """The number of the jump that must come first, -1 if any may."""
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

    @cached_property
    def bounding(self) -> Bound:
        """The bound."""
        return make_bound(self.bound, self.board, self.layout, self.start_pegs, self.goals_in_class)

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

    def counting(self, want: Want) -> Counting | None:
        if self.obstacle:
            return Counting(self, warning=lambda _: f"peg: this cannot be solved: {self.obstacle}")
        return None

    def root(self) -> dict[str, Any]:
        return {"pegs": self.start_pegs, "bound": self.bounding.moves(self.start_pegs), "last": self.layout.holes}

    def tables(self) -> Tables:
        bound = self.bounding
        jumps = [self.layout.jumps[number] for number in bound.jumps]
        here = [1 << a | 1 << b for a, b, _ in jumps]
        first = [self.first_jump in (-1, number) for number in bound.jumps]
        return Tables(
            can=by_byte([(pegs, 1 << c) for pegs, (_, _, c) in zip(here, jumps, strict=True)], self.layout.holes),
            full=by_byte([(holes, 0) for holes in bound.sets], self.layout.holes),
            holes=np.array([1 << a | 1 << b | 1 << c for a, b, c in jumps], np.uint64),
            start=np.array([a for a, _, _ in jumps], np.uint8),
            to=np.array([c for _, _, c in jumps], np.uint8),
            move=np.array(bound.jumps, self.state["move"]),
            away=np.array([bound.without(pegs) for pegs in here], np.uint64),
            table=np.array([0 if c in bound.near else bound.packings[0].size for _, _, c in jumps], np.uint64),
            packings=bound.packings.ravel(),
            parts=np.int64(bound.packings.shape[1]),
            keep=np.uint64(bound.keep),
            first=np.array([bits(first[at : at + WORD]) for at in range(0, len(jumps), WORD)], np.uint64),
            goal=np.uint64(0 if len(self.goal_pegs) > 1 else self.goal_pegs[0]),
            any=np.uint64(len(self.goal_pegs) > 1),
            size=np.uint64(self.layout.holes),
            earlier=np.zeros(0, np.uint16),
            same=np.zeros(0, np.uint16),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        pegs, last, cost = here.pegs, here.last, here.cost
        full = agreeing(tables.full, pegs, 0)
        for word in range(tables.first.size):
            can = agreeing(tables.can, pegs, word)
            if cost == 0:
                can &= tables.first[word]
            while can != ZERO:
                jump = np.uint64(word * WORD + trailing_zeros(can))
                can &= can - ONE
                # Which sets the jump leaves full, without the peg that it moves: that one may go on at no cost.
                left = full & tables.away[jump]
                at = tables.table[jump]
                entry = tables.packings[at + (left & IN_PART)]
                bound, filled = np.int64(entry & BYTE), np.int64(entry >> FILL)
                for _ in range(1, tables.parts):
                    at += ENTRIES
                    left = (left >> PART) & (entry >> EIGHT)
                    entry = tables.packings[at + (left & IN_PART)]
                    bound += np.int64(entry & BYTE)
                bound = max(bound, filled)
                spent = cost + (tables.start[jump] != last)
                row = rows[top]
                row.pegs = pegs ^ tables.holes[jump]
                row.move = tables.move[jump]
                row.last = tables.to[jump]
                row.cost = spent
                row.bound = bound
                top += (spent + bound <= limit) & (row.pegs & tables.keep != ZERO)
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.pegs & (here.pegs - tables.any) == tables.goal

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return here.pegs | (np.uint64(here.last) << tables.size)

    def limits(self) -> Iterable[int]:
        if self.obstacle:
            return range(1)
        return range(min(1, self.jumps_needed), self.jumps_needed + 1)

    def steps(self, limit: int) -> int:
        return self.jumps_needed

    def show(self, solution: "Solution") -> str:
        runs: list[list[int]] = []
        for jump in solution.moves:
            start, _, to = self.layout.jumps[jump]
            if runs and runs[-1][-1] == start:
                runs[-1].append(to)
            else:
                runs.append([start, to])
        return "".join(f"[{','.join(map(str, holes))}]" for holes in runs)

    def show_state(self, state: State) -> str:
        return f"pegs in {' '.join(str(hole) for hole in range(self.layout.holes) if state['pegs'] >> hole & 1)}"

    def render(self, state: State, moves: Sequence[int]) -> str:
        return "\n".join(row.rstrip() for row in self.layout.draw(state["pegs"]))

    def overview(self) -> str:
        board = self.layout
        rows = [f"the board, {board.holes} holes and {len(board.jumps)} jumps:"]
        rows += [f"  {row.rstrip()}" for row in board.draw_numbers()]
        rows += [f"its symmetries: {in_words(symmetries(board))}"]
        rows += [f"those that keep start and end: {in_words(self.symmetries)}"]
        if self.obstacle:
            rows += [f"this cannot be solved: {self.obstacle}"]
        rows += ["", "boards by name:"]
        for name, each in BOARDS.items():
            rows += [f"  {name}: {each.holes} holes, {len(each.jumps)} jumps, {len(symmetries(each))} symmetries"]
        return "\n".join(rows)


def in_words(group: Sequence[Symmetry]) -> str:
    """What a group of symmetries is, in words."""
    turns = sum(each.turns for each in group)
    return f"{len(group)} ({plural(turns, 'turn')} with the identity, {plural(len(group) - turns, 'reflection')})"


def board_of(name: str) -> tuple[str, Board]:
    """Return a board by its name or drawing, and the name, or the one drawing that is kept of it.

    Raises:
        BadInput: there is no such board.
    """
    if name in BOARDS:
        return name, BOARDS[name]
    if "\n" in name:
        return drawn_board(name)
    raise BadInput(f"peg: there is no board {name!r}{nearest(name, BOARDS)}")


def agreeing(table: Any, pegs: Any, word: Any) -> Any:
    """Which patterns of a word agree with the pegs: a bit each, as told by a table of `by_byte`."""
    found = ALL
    for byte in range(table.shape[1]):
        found &= table[word, byte, pegs & BYTE]
        pegs >>= EIGHT
    return found


def by_byte(patterns: Sequence[tuple[int, int]], holes: int) -> np.ndarray[Any, Any]:
    """Which patterns agree with a byte of the pegs: those that agree with every byte agree with the pegs.

    Args:
        patterns: the holes that must hold pegs and those that must not, a bit a hole.
        holes: how many there are on the board.

    Returns:
        uint64[words, bytes, 256]: for a word of 64 patterns, by byte of the pegs and its value, a bit each.
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


def bits(flags: Sequence[bool]) -> int:
    """Flags as bits, the first lowest."""
    return sum(1 << number for number, flag in enumerate(flags) if flag)
