"""River crossings: jealous husbands; missionaries and cannibals; wolf, goat and cabbage."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from parsolve.errors import BadInput
from parsolve.puzzle.core import EngineName, Puzzle, Shape, State, parameter

Group = tuple[int, ...]
"""A group of people: the number of each sort."""

SIZES = {"couples": 8, "each": 63}
"""The parameters for the number of people, and their maximum values."""

RIVER = (r"\_/~~~~~", r"~~~~~\_/")
"""The drawing of the river, by whether the boat is on the far bank."""

RIVER_WIDTH = 3.0
"""Its width in a picture, in people."""


class Tables(NamedTuple):
    """The lookups of the rules. Groups are packed: for each sort, as many bits as its number needs."""

    loads: np.ndarray[Any, Any]  # int64[loads]: the groups that may be in the boat
    size: np.ndarray[Any, Any]  # int64[loads]: the number of people in each
    safe: np.ndarray[Any, Any]  # uint8[groups]: 1 if a group may be on a bank
    needed: np.ndarray[Any, Any]  # uint8[2, people + 1]: the bound by the boat's bank and the people there
    lowest: np.int64  # the lowest bit of each sort, and the bit above the last
    everyone: np.int64  # the group of all people


@dataclass(frozen=True)
class Crossing(Puzzle):
    """Bring everyone across a river in a small boat. A solution prints as the loads, > there and < back.

    couples: no wife is with another man, on a bank or in the boat, unless her husband is there. Husbands are
    A B C …, wives a b c …, and everybody is a person of their own. missionaries: where there are
    missionaries, there are not fewer of them than cannibals; who of them rows makes no difference. wolf: only the
    farmer rows, and keeps the wolf from the goat and the goat from the cabbage.
    """

    kind: Literal["couples", "missionaries", "wolf"] = parameter(
        "couples", "who crosses: couples, missionaries and cannibals, or wolf, goat and cabbage"
    )
    couples: int = parameter(3, f"how many couples, for kind couples; up to {SIZES['couples']}")
    each: int = parameter(3, f"how many missionaries, and cannibals, for kind missionaries; up to {SIZES['each']}")
    boat: int = parameter(2, "how many the boat holds, who rows included")

    # `bank` is the group on the boat's bank before it leaves, `people` their number, `far` 1 on the far bank.
    state = np.dtype([("bank", "u4"), ("far", "u1"), ("people", "u1"), ("cost", "u2"), ("bound", "u1"), ("move", "u2")])

    default_engine: ClassVar[EngineName] = "breadth"

    def __post_init__(self) -> None:
        own = {"couples": "couples", "missionaries": "each"}.get(self.kind)
        defaults = {field.name: field.default for field in fields(self)}
        for name, most in SIZES.items():
            value = getattr(self, name)
            if name == own and value not in range(1, most + 1):
                raise BadInput(f"crossing: {name} is 1 to {most}, not {value}")
            if name != own and value != defaults[name]:
                raise BadInput(f"crossing: {name} has no meaning for kind {self.kind}")
        if self.boat < 2:
            raise BadInput(f"crossing: a boat for {self.boat} brings nobody across: it must hold at least 2")

    @cached_property
    def sorts(self) -> list[tuple[str, int]]:
        """The sorts of people, a letter and a number each. Each person who must be distinguished is a sort."""
        if self.kind == "couples":
            letters = "ABCDEFGH"[: self.couples]
            return [(letter, 1) for letter in letters + letters.lower()]
        if self.kind == "missionaries":
            return [("M", self.each), ("C", self.each)]
        return [(letter, 1) for letter in "FWGC"]

    @property
    def people(self) -> int:
        """The number of people."""
        return sum(number for _, number in self.sorts)

    @cached_property
    def groups(self) -> list[Group]:
        """All groups: small ones first, then in the order of sorts."""
        every = itertools.product(*(range(number + 1) for _, number in self.sorts))
        return sorted(every, key=lambda group: (sum(group), [-number for number in group]))

    @cached_property
    def loads(self) -> list[Group]:
        """The groups that may be in the boat."""
        rowed = (group for group in self.groups if self.kind != "wolf" or group[0])
        return [group for group in rowed if 1 <= sum(group) <= self.boat and self.is_safe(group)]

    @property
    def children(self) -> int:
        return len(self.loads)

    def is_safe(self, group: Group) -> bool:
        """Return whether a group may be together without others."""
        if self.kind == "couples":
            husbands, wives = group[: self.couples], group[self.couples :]
            return not any(husbands) or all(map(int.__ge__, husbands, wives))
        if self.kind == "missionaries":
            missionaries, cannibals = group
            return missionaries == 0 or missionaries >= cannibals
        farmer, wolf, goat, cabbage = group
        return farmer == 1 or goat == 0 or wolf == cabbage == 0

    @cached_property
    def places(self) -> list[int]:
        """The lowest bit of each sort in a packed group, and the bit above the last."""
        widths = (number.bit_length() for _, number in self.sorts)
        return [1 << shift for shift in itertools.accumulate(widths, initial=0)]

    def packed(self, group: Group) -> int:
        """Return a group as one number."""
        return sum(number * place for number, place in zip(group, self.places, strict=False))

    def unpacked(self, number: int) -> Group:
        """Return the group that is packed as a number."""
        return tuple(number % above // place for place, above in itertools.pairwise(self.places))

    def needed(self, far: bool, people: int) -> int:
        """Return a lower bound on the crossings left, by the boat's bank and the number of people there.

        All crossings to the far bank but the last are followed by one back with a rower, so each pair brings boat - 1.
        """
        pair = min(self.boat, self.people) - 1
        if far:
            return 2 * -(-(self.people - people) // pair)
        return max(1, 2 * -(-(people - 1) // pair) - 1)

    def root(self) -> dict[str, Any]:
        everyone = self.packed(tuple(number for _, number in self.sorts))
        return {"bank": everyone, "people": self.people, "bound": self.needed(False, self.people)}

    def tables(self) -> Tables:
        safe = np.zeros(self.places[-1], np.uint8)
        safe[[self.packed(group) for group in self.groups]] = [self.is_safe(group) for group in self.groups]
        return Tables(
            np.array([self.packed(load) for load in self.loads], np.int64),
            np.array([sum(load) for load in self.loads], np.int64),
            safe,
            np.array([[self.needed(far, n) for n in range(self.people + 1)] for far in (False, True)], np.uint8),
            np.int64(sum(self.places)),
            np.int64(self.root()["bank"]),
        )

    @staticmethod
    def expand(tables: Any, here: Any, limit: Any, rows: Any, top: Any) -> Any:
        bank, people = np.int64(here.bank), np.int64(here.people)
        everyone, cost, far = tables.everyone, np.int64(here.cost) + 1, 1 - np.int64(here.far)
        total = tables.needed.shape[1] - 1
        for load in range(tables.loads.size):
            stay = bank - tables.loads[load]
            # A borrow into the lowest bit of a sort: this bank has fewer of it.
            if (bank ^ tables.loads[load] ^ stay) & tables.lowest:
                continue
            if tables.safe[stay] and tables.safe[everyone - stay]:
                there = total - people + tables.size[load]
                bound = tables.needed[far, there]
                row = rows[top]
                row.bank = everyone - stay
                row.far = far
                row.people = there
                row.cost = cost
                row.bound = bound
                row.move = load
                top += cost + bound <= limit
        return top

    @staticmethod
    def solved(tables: Any, here: Any) -> Any:
        return here.far == 1 and here.bank == tables.everyone

    @staticmethod
    def key(tables: Any, here: Any) -> Any:
        return np.uint64(2 * np.int64(here.bank) + np.int64(here.far))

    def goals(self) -> list[dict[str, Any]]:
        return [{"bank": self.root()["bank"], "people": self.people, "far": 1}]

    def banks(self, state: State) -> tuple[Group, Group]:
        """Return the groups on the near bank and on the far one."""
        here, there = self.unpacked(state["bank"]), self.unpacked(self.root()["bank"] - state["bank"])
        return (there, here) if state["far"] else (here, there)

    def show_state(self, state: State) -> str:
        near, far = map(self.letters, self.banks(state))
        return f"{near} <> {far}|" if state["far"] else f"|{near} <> {far}"

    def limits(self) -> Iterable[int]:
        # The boat changes banks with each crossing, and a cheapest solution meets no state twice.
        everyone = [number for _, number in self.sorts]
        banks = sum(
            self.is_safe(group) and self.is_safe(tuple(map(int.__sub__, everyone, group))) for group in self.groups
        )
        return range(1, 2 * banks, 2)

    def letters(self, group: Group) -> str:
        """Return a group as letters."""
        return "".join(letter * number for (letter, _), number in zip(self.sorts, group, strict=True))

    def show(self, solution: Any) -> str:
        loads = (self.letters(self.loads[move]) for move in solution.moves)
        return " ".join(load + "<>"[number % 2 == 0] for number, load in enumerate(loads))

    def render(self, state: State, moves: Sequence[int]) -> str:
        near, across = map(self.letters, self.banks(state))
        return f"{near:<{self.people}} {RIVER[state['far']]} {across}".rstrip()

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        near, _ = self.banks(state)
        lines: tuple[list[tuple[str, str, bool]], ...] = ([], [])  # letter, name, whether still on the near bank
        for sort, (letter, number) in enumerate(self.sorts):
            line = lines[sort >= (1 if self.kind == "wolf" else len(self.sorts) // 2)]
            names = [letter] if number == 1 else [f"{letter} {1 + person}" for person in range(number)]
            line += [(letter, name, person < near[sort]) for person, name in enumerate(names)]
        width = max(map(len, lines))
        across = width + RIVER_WIDTH
        middle = (across + width - 1) / 2
        shapes = [Shape("box", x + (width - 1) / 2, 0.5, "board", width + 0.2, 2.2) for x in (0, across)]
        shapes += [
            Shape("box", middle, 0.5, "water", RIVER_WIDTH - 0.2, 2.2),
            Shape("box", middle + (0.7 if state["far"] else -0.7), 0.5, "mark", 1.2, 0.6, name="boat"),
        ]
        for y, line in enumerate(lines):
            shapes += [
                Shape("disc", x if is_near else across + x, y, "other" if y else "piece", 0.84, 0.84, letter, name)
                for x, (letter, name, is_near) in enumerate(line)
            ]
        return shapes
