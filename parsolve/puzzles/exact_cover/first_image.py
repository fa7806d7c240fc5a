"""What is known of the first image of a solution before all is covered, so that fewer of the others are searched."""

from typing import NamedTuple

from parsolve.puzzles.exact_cover.places import Places
from parsolve.puzzles.exact_cover.space import Cells


class FirstImage(NamedTuple):
    """The places of the first of a solution's images. Either one piece is restricted, or some places are marked."""

    piece: Cells | None = None
    """The restricted piece."""

    least: frozenset[int] = frozenset()
    """The places to which it is restricted, as numbers of its own."""

    is_sufficient: bool = False
    """Whether no other image of a solution has it there."""

    groups: tuple[list[int], ...] = ()
    """The places that cover one of some cells, by their images: the image has the first place of one of these groups,
    and no place of an earlier group."""


def first_image(places: Places) -> FirstImage:
    """Return what is known of the first image of each solution."""
    if places.same == "none":
        return FirstImage()
    return _restricted(places) or (FirstImage(groups=tuple(_marked(places))) if places.always else FirstImage())


def _restricted(places: Places) -> FirstImage | None:
    """Return the restriction of the piece that is restricted most; None if none is used just once."""
    # The symmetries that map the piece onto itself map its places onto places; a least solution has it in the least
    # of these. That is sufficient if all symmetries are of this kind, and none leaves it in its place.
    found: list[tuple[bool, float, int, FirstImage]] = []
    for number, (piece, own) in enumerate(places.by_piece.items()):
        if places.uses[number] != (1, 1):
            continue
        first = places.number_of[piece, own[0]] if own else 0
        same = [each for each in places.always if each.pieces[number] == number]
        images = [[each.places[first + place] - first for each in same] for place in range(len(own))]
        least = frozenset(place for place, others in enumerate(images) if place <= min(others, default=place))
        is_all = len(same) == len(places.symmetries) - 1
        is_all &= all(place not in others for place, others in enumerate(images))
        found.append((not is_all, len(least) / max(1, len(own)), len(own), FirstImage(piece, least, is_all)))
    return min(found, key=lambda each: each[:3])[3] if found else None


def _marked(places: Places) -> list[list[int]]:
    """Return the groups of places that cover one of some cells."""
    # The symmetries map these cells onto one another, and each is filled. So one image of a solution has the first
    # place of the first of its groups; it is marked by that place, and has no place of an earlier group.
    layout = places.layout
    images = [dict(zip(layout.cells, each.motion.images(layout.cells), strict=True)) for each in places.always]
    alike = {frozenset([cell, *(image[cell] for image in images)]) for cell in layout.cells}
    filled = (cells for cells in alike if not cells & layout.optional)
    some = [[number for number, (_, cells) in enumerate(places.every) if cells & each] for each in filled]
    groups: dict[int, list[int]] = {}
    for number in min(some, key=lambda numbers: (len(numbers), numbers), default=[]):
        groups.setdefault(min(number, *(each.places[number] for each in places.always)), []).append(number)
    return [*groups.values()]
