"""Exact cover problems whose solutions are counted together, and their text."""

from collections.abc import Sequence
from typing import NamedTuple

from parsolve.puzzles.exact_cover.instance import Instance

SEPARATOR = "\n-\n"
"""The separator of problems in a text."""


class Part(NamedTuple):
    """A problem whose solutions are counted, each several times."""

    times: int
    instance: Instance
    order: Sequence[int]  # see `Stages.of`


def write(parts: Sequence[Part], multiplicity: int) -> str:
    """Return problems as text: for each how often it is counted, the order, the bounds of its primary items, the number
    of secondary ones, the options."""
    return SEPARATOR.join([str(multiplicity), *map(_written_part, parts)])


def _written_part(part: Part) -> str:
    instance = part.instance
    bounds = instance.bounds or ((1, 1),) * len(instance.primary)
    lines = [str(part.times), " ".join(map(str, part.order))]
    lines += [" ".join(f"{least}:{most}" for least, most in bounds), str(len(instance.secondary))]
    colours: dict[str, int] = {"": 0}
    for option in instance.options:
        numbers = [(item, colours.setdefault(colour, len(colours))) for item, colour in option]
        lines.append(" ".join(f"{item}:{colour}" for item, colour in numbers))
    return "\n".join(lines)


def read(text: str) -> tuple[list[Part], int]:
    """Return the problems in a text, with numbers for names, and their multiplicity."""
    multiplicity, *parts = text.split(SEPARATOR)
    return [_read_part(part) for part in parts], int(multiplicity)


def _read_part(text: str) -> Part:
    times, order, *lines = text.split("\n")
    bounds, secondary, *options = [[tuple(map(int, each.split(":"))) for each in line.split()] for line in lines]
    instance = Instance(
        tuple(map(str, range(len(bounds)))),
        tuple(map(str, range(secondary[0][0]))),
        tuple(tuple((item, str(colour) if colour else "") for item, colour in option) for option in options),
        tuple((least, most) for least, most in bounds),
    )
    return Part(int(times), instance, tuple(map(int, order.split())))
