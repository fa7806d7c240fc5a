"""Copies of a piece by secondary items: they are taken in a fixed order, so that solutions do not repeat.

Copies are numbered, and so are the places of each copy; a copy that is left out is in the place after the last.
"""


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
