"""Exact cover in stages, for counting: the order of the items, and the bits of a state for what is covered.

An item has bits only while it matters: from the first option that may cover it to the last. So a state is as large as
the border between the covered and the uncovered part, whatever the size of the problem.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from parsolve.compiler.keys import MOST_WORDS
from parsolve.errors import BadInput
from parsolve.puzzles.exact_cover.instance import Instance

LOOK = 8
"""Number of stages ahead in which an item must still have an option."""

FEWER = 2
"""Factor by which an item's options must reach fewer others to be next although no earlier option may cover it."""

WORD = 64

CURSOR = 16
"""The first bits of a state: the number of its stage."""


class Field(NamedTuple):
    """Bits of a state, within one word."""

    first: int
    width: int

    def bits(self, value: int) -> int:
        """Return a value as bits of the state."""
        return value << self.first


class Choice(NamedTuple):
    """An option. Sets of bits are whole numbers."""

    option: int
    blocks: int  # the bits that must not be set
    sets: int  # the bits that it sets
    adds: int  # its increments of counters


ITEM, OPTION, END, START = range(4)
"""Kinds of stages: an option covers an item, unless it is covered already; an option that covers no such item is taken
or not; the end of a problem; the choice of a problem, if there are several."""


@dataclass
class Stage:
    """A stage of an exact cover problem.

    Attributes:
        near: its options; then the options of the previous stage that cover its item too; and so on for the stages of
            the look-ahead.
        done: the bit for its item being covered; 0 if it cannot be covered earlier.
        clear: the bits that no longer matter after it.
        guards: the highest bit, always 0, of each counter, which is of an item that is covered other than once.
        above: added to the counters, this sets that bit of those above their maximum.
        ending: the highest bit of each counter that ends with the stage.
        enough: added to these, this sets that bit unless they are below their minimum.
    """

    kind: int
    near: list[list[Choice]] = field(default_factory=lambda: [[] for _ in range(LOOK)])
    done: int = 0
    clear: int = 0
    guards: int = 0
    above: int = 0
    ending: int = 0
    enough: int = 0


def stages_of(instance: Instance, order: Sequence[int]) -> tuple[list[Stage], int]:
    """Return the stages of a problem, and the number of words of a state.

    Args:
        instance: the problem.
        order: the items that are covered once, in the order of their stages.

    Raises:
        BadInput: a state would be too large.
    """
    bounds = instance.coverings
    chosen = [number for number in range(len(instance.options)) if instance.primary_of(number)]
    place = {item: stage for stage, item in enumerate(order)}
    stages = [Stage(ITEM) for _ in order]
    stages_with: dict[int, list[int]] = {}  # by option: the stages whose item it covers, or its own
    holders: dict[int, list[int]] = {}
    for option in chosen:
        places = [place[item] for item, _ in instance.options[option] if item in place]
        if not places:
            places = [len(stages)]
            stages.append(Stage(OPTION))
        stages_with[option] = places
        for item, _ in instance.options[option]:
            holders.setdefault(item, []).append(option)
    is_short = not stages and any(least for least, _ in bounds)
    stages.append(Stage(ITEM if is_short else END))

    bits = _Bits()
    codes = _codes(instance, chosen)
    fields = {}
    counted = dict.fromkeys(item for item in range(len(bounds)) if item not in place)
    lives = dict.fromkeys(counted, (0, 0))  # they may stay uncovered
    for item, held in holders.items():
        places = [min(stages_with[option]) for option in held]
        lives[item] = min(places), place.get(item, max(places))
    for item, (first, last) in sorted(lives.items(), key=lambda each: each[1][0]):
        if item in counted:
            least, most = bounds[item]
            most = min(most, len(holders.get(item, ())))
            one = bits.field(max(least, most).bit_length() + 1, first, last)
            highest = 1 << one.width - 1
            for stage in stages[first : last + 1]:
                stage.guards |= one.bits(highest)
                stage.above |= one.bits(highest - 1 - most)
            stages[last].ending |= one.bits(highest)
            stages[last].enough |= one.bits(highest - least)
        else:
            width = max((code.bit_length() for pair in codes[item].values() for code in pair), default=0)
            if first == last or not width:
                continue
            one = bits.field(width, first - LOOK + 1, last)
        fields[item] = one
        stages[last].clear |= one.bits((1 << one.width) - 1)

    for stage, item in zip(stages, order, strict=False):
        stage.done = fields[item].bits(1) if item in fields else 0
    for option in chosen:
        blocks = sets = adds = 0
        for item, colour in instance.options[option]:
            if item in counted:
                adds += fields[item].bits(1)
            elif item in fields:
                blocked, code = codes[item][colour]
                blocks |= fields[item].bits(blocked)
                sets |= fields[item].bits(code)
        near = min(stages_with[option])
        for at in stages_with[option]:
            if at - near < LOOK:
                stages[at].near[at - near].append(Choice(option, blocks, sets, adds))
    return stages, bits.words


class _Bits:
    """Allocates the bits of a state to fields for ranges of stages."""

    def __init__(self) -> None:
        self._free: list[int] = [1 << 30] * CURSOR  # by bit: the stage after which it is free

    @property
    def words(self) -> int:
        return -(-len(self._free) // WORD)

    def field(self, width: int, first: int, last: int) -> Field:
        """Return bits of one word that are free from the stage `first` on, and allocate them up to `last`."""
        at = 0
        while True:
            end = at + width
            if end > MOST_WORDS * WORD:
                raise BadInput(
                    "too many items matter at once for the engine sharing, whose states have"
                    f" {MOST_WORDS * WORD} bits at most: take the engine deepening"
                )
            if at // WORD != (end - 1) // WORD:
                at = (end - 1) // WORD * WORD
                continue
            taken = next(
                (bit for bit in range(min(end, len(self._free)) - 1, at - 1, -1) if self._free[bit] >= first), -1
            )
            if taken < 0:
                break
            at = taken + 1
        self._free += [-LOOK - 1] * (end - len(self._free))
        self._free[at:end] = [last] * width
        return Field(at, width)


def _codes(instance: Instance, chosen: Sequence[int]) -> list[dict[str, tuple[int, int]]]:
    """Return, by item and colour, the bits that must be free and those that are set."""
    # Two colours of an item exclude each other, and so do two options without a colour. Each bit of a colour's number
    # is two bits: one of them is set, and the other must be free.
    colours: list[dict[str, None]] = [{} for _ in range(len(instance.primary) + len(instance.secondary))]
    for option in chosen:
        for item, colour in instance.options[option]:
            colours[item][colour] = None
    found: list[dict[str, tuple[int, int]]] = []
    for each in colours:
        width = (len(each) - 1).bit_length() if each else 0
        codes = {}
        for number, colour in enumerate(sorted(each)):
            code = sum(1 << 2 * bit + (number >> bit & 1) for bit in range(width))
            every = (1 << 2 * width) - 1
            codes[colour] = (every ^ code, code) if colour else (every | 1, code | 1)
        found.append(codes)
    return found


def computed_order(instance: Instance, first: Sequence[int] = ()) -> list[int]:
    """Return the items that are covered once in the order of their stages.

    Next among the items that an earlier option may cover is the one whose options reach the fewest others; among equals
    the one with the fewest options in its stage, then the one that has waited longest. An item one step farther off is
    next if it reaches far fewer: in a matrix another row, instead of a column, once all columns are reached.

    Args:
        instance: the problem.
        first: the items to begin with.
    """
    near = {item: 1 << item for item, covering in enumerate(instance.coverings) if covering == (1, 1)}
    own: dict[int, dict[int, None]] = {item: {} for item in near}
    for option in range(len(instance.options)):
        items = {item for item, _ in instance.options[option]}
        every = sum(1 << item for item in items)
        for item in items & near.keys():
            near[item] |= every
            own[item][option] = None
    order: list[int] = []
    left, reached = dict.fromkeys(near), dict[int, None]()
    known = beyond = 0

    def rank(item: int) -> tuple[int, int]:
        return (near[item] & ~known).bit_count(), len(own[item])

    while left:
        if len(order) < len(first):
            item = first[len(order)]
        else:
            item = min(reached or left, key=rank)
            if rank(item)[0] >= FEWER:  # it reaches itself unless an earlier one does
                farther = min((each for each in _bits_of(beyond & ~known) if each in left), key=rank, default=item)
                item = farther if FEWER * rank(farther)[0] <= rank(item)[0] else item
        order.append(item)
        del left[item]
        reached.pop(item, None)
        for option in list(own[item]):
            for other, _ in instance.options[option]:
                if other in own:
                    own[other].pop(option, None)
        new = near[item] & ~known
        known |= new
        reached |= {other: None for other in _bits_of(new) if other in left}
        for other in _bits_of(new):
            beyond |= near.get(other, 0)
    return order


def _bits_of(bits: int) -> Iterator[int]:
    """Yield the numbers of some bits, rising."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
