"""Items covered several times, by secondary items: copies are taken in a fixed order, so that solutions do not repeat.

Copies are numbered, and so are the places of each copy; a copy that is left out is in the place after the last.
"""

import itertools
import math
from collections.abc import Sequence

from parsolve.errors import BadInput
from parsolve.puzzles.exact_cover.instance import MOST_ENTRIES, MOST_ITEMS, MOST_OPTIONS, Instance

MOST_UNFOLDED = 4 * MOST_ENTRIES
"""Maximum number of items of all options together, with those that put copies in order."""


def order(copy: int, copies: int, place: int, places: int) -> list[tuple[int, int, int]]:
    """Return the items that a copy in a place covers at most once, so that no copy is in an earlier place than the one
    before.

    In the binary tree of places, a copy takes the nodes in whose right half it is, and the next copy those in whose
    left half it is: they share a node if the next copy is in an earlier place. A copy that is left out is in the place
    `places`. A node is given by the number of the first of two copies, the level, and the number of the node there.
    """
    levels = range(places.bit_length())
    nodes = []
    if copy + 1 < copies:
        nodes += [(copy, level, place >> level + 1) for level in levels if place >> level & 1]
    if copy:
        nodes += [(copy - 1, level, place >> level + 1) for level in levels if not place >> level & 1]
    return nodes


def unfolded(instance: Instance) -> tuple[Instance, list[int]]:
    """Return a problem whose items are all covered once, and the original option of each of its options.

    An item that is covered several times becomes several copies, and an option with it an option for each copy. Copies
    are taken in the order of the options. A copy beyond the minimum number has one more option, -1, which leaves it
    out.

    Raises:
        BadInput: there are too many items or options.
    """
    if not instance.bounds:
        return instance, list(range(len(instance.options)))
    # The options of each item; none for an item that must be covered more often than it has options.
    holders: list[list[int]] = [[] for _ in instance.primary]
    for number, option in enumerate(instance.options):
        for item, _ in option:
            if item < len(instance.primary):
                holders[item].append(number)
    copies = [min(most, max(1, len(held))) for (_, most), held in zip(instance.bounds, holders, strict=True)]
    first = list(itertools.accumulate(copies, initial=0))
    if first[-1] > MOST_ITEMS:
        raise BadInput(
            f"{first[-1]:,} primary items, each as often as it is covered, are too many: {MOST_ITEMS:,} at most"
        )
    nodes: dict[object, int] = {}
    place_of = [{option: place for place, option in enumerate(held)} for held in holders]

    def covered(item: int, copy: int, place: int) -> list[tuple[int, str]]:
        own = order(copy, copies[item], place, len(holders[item]))
        return [(first[item] + copy, ""), *((node((item, *each)), "") for each in own)]

    def node(key: object) -> int:
        return first[-1] + len(instance.secondary) + nodes.setdefault(key, len(nodes))

    options: list[tuple[tuple[int, str], ...]] = []
    origins: list[int] = []
    entries = 0

    def require_few(more: int) -> None:
        if len(options) + more > MOST_OPTIONS or entries > MOST_UNFOLDED:
            raise BadInput(
                f"these are too many options, each for all copies of its items: {MOST_OPTIONS:,} at most, with"
                f" {MOST_UNFOLDED:,} items in all"
            )

    def add(option: tuple[tuple[int, str], ...], origin: int) -> None:
        nonlocal entries
        entries += len(option)
        require_few(1)
        options.append(option)
        origins.append(origin)

    for number, option in enumerate(instance.options):
        fitting = []
        for item in instance.primary_of(number):
            place, least, held = place_of[item][number], instance.bounds[item][0], len(holders[item])
            # Each copy leaves places for earlier copies, and for later ones that are required.
            fitting.append((item, place, range(max(0, place - held + least), min(copies[item], place + 1))))
        if not fitting or not all(fit for _, _, fit in fitting):
            continue
        require_few(math.prod(len(fit) for _, _, fit in fitting))
        choices = [[covered(item, copy, place) for copy in fit] for item, place, fit in fitting]
        rest = [(first[-1] + item - len(instance.primary), colour) for item, colour in option if item >= len(copies)]
        several = [(node(number), "")] if any(len(each) > 1 for each in choices) else []
        for chosen in itertools.product(*choices):
            add((*itertools.chain.from_iterable(chosen), *rest, *several), number)
    for item, (least, _) in enumerate(instance.bounds):
        for copy in range(least, copies[item]):
            add(tuple(covered(item, copy, len(holders[item]))), -1)
    primary = [
        copy_name(name, copy) for name, number in zip(instance.primary, copies, strict=True) for copy in range(number)
    ]
    secondary = (*instance.secondary, *(f"#{number}" for number in range(len(nodes))))
    return Instance(tuple(primary), secondary, tuple(options)), origins


class Copies:
    """Translates solutions of a problem into solutions of the problem made by `unfolded`.

    Args:
        instance: the problem, with bounds.
        unfolded: the problem made from it.
        origins: by its options, the original ones.
    """

    def __init__(self, instance: Instance, unfolded: Instance, origins: Sequence[int]) -> None:
        self._instance = instance
        self._number = {name: number for number, name in enumerate(unfolded.primary)}
        self._option = {
            (origin, frozenset(unfolded.primary_of(option))): option for option, origin in enumerate(origins)
        }

    def taken(self, options: Sequence[int]) -> list[int]:
        """Return the unfolded problem's options, from the ascending options of a solution of the problem."""
        times = [0] * len(self._instance.primary)
        found = []
        for option in options:
            items = self._instance.primary_of(option)
            found.append(self._option[option, frozenset(self._copy(item, times[item]) for item in items)])
            for item in items:
                times[item] += 1
        for item, time in enumerate(times):
            while (copy := self._copy(item, time)) >= 0:
                found.append(self._option[-1, frozenset({copy})])
                time += 1
        return found

    def _copy(self, item: int, copy: int) -> int:
        """Return the number of a copy of an item; -1 if there are fewer."""
        return self._number.get(copy_name(self._instance.primary[item], copy), -1)


def copy_name(name: str, copy: int) -> str:
    """Return the name of a copy of an item."""
    return f"{name}#{copy}"
