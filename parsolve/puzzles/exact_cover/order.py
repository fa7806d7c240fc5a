"""The order in which counting covers the items of an exact cover problem: it determines the number of states."""

from collections.abc import Iterator, Sequence

from parsolve.puzzles.exact_cover.instance import Instance

FEWER = 2
"""Factor by which an item's options must reach fewer others to be next although no earlier option may cover it."""


def computed_order(instance: Instance, first: Sequence[int] = ()) -> list[int]:
    """Return the items that are covered once in the order of their stages.

    Next among the items that an earlier option may cover is the one whose options reach the fewest others; among equals
    the one with the fewest options in its stage, then the one that has waited longest. An item one step farther off is
    next if it reaches far fewer: in a matrix another row, instead of a column, once all columns are reached.

    Args:
        instance: the problem.
        first: the items to begin with.
    """
    bounds = instance.bounds or ((1, 1),) * len(instance.primary)
    near = {item: 1 << item for item, bound in enumerate(bounds) if bound == (1, 1)}
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
