"""Solutions as data for the page's player: shapes are described once, states are what changes.

looks    the markup of each different shape, at the origin: <defs> of the page
parts    [look, layer, name]: the things on the board; a shape without a name has one part for each of its places
places   [x, y]
jobs     root: [part, place, …]; solutions: for each step [part, place, …], place -1 where a part goes; whole: whether
         moves cost nothing, so that a solution is what its last state shows
"""

from collections.abc import Sequence
from itertools import chain, islice, pairwise
from typing import Any

from parsolve.errors import BadPuzzle
from parsolve.problem.replay import Solution
from parsolve.problem.svg import element, view_of
from parsolve.puzzle.shapes import TONES, Shape
from parsolve.report.page import as_data
from parsolve.report.reported import ReportedSearch
from parsolve.text import one_line

MOST_SHOWN = 1000
"""Maximum number of solutions of a job in a page."""

ABOUT = 500
"""Maximum bytes of a job's data without its solutions."""

LONGEST = 40
"""Maximum number of characters of a group's name."""

ALIKE = 200
"""Maximum number of solutions that are listed with a picture of their last state, if these differ."""


class Player:
    """Data shared by all players of a page: looks, parts and places.

    Attributes:
        bytes: how many bytes of the page the players take so far.
    """

    def __init__(self) -> None:
        self._looks: dict[tuple[str, str], int] = {}
        self._parts: dict[tuple[int, str, int], int] = {}
        self._places: dict[tuple[float, float], int] = {}
        self._known: dict[Shape, tuple[int, int, int]] = {}
        self.bytes = 0

    def gallery(self, entry: ReportedSearch, room: int) -> dict[str, Any] | None:
        """Return a search's solutions as plain data; None if it has none.

        Args:
            entry: the search. Only solutions for which there is room are read.
            room: maximum bytes, new shapes included; one solution is always in the page.
        """
        kept, cards = list[Solution](), list[dict[str, Any]]()
        shapes, ends = set[Shape](), set[frozenset[Shape]]()
        solutions, end = iter(entry.solutions or ()), self.bytes + room - ABOUT
        for solution in islice(solutions, MOST_SHOWN):
            drawn = solution.pictures
            states = [self._state(each) for each in drawn]
            card = _card(solution, states)
            end -= len(as_data(card).encode())
            if cards and self.bytes > end:
                is_more = True
                break
            kept.append(solution)
            cards.append(card)
            shapes.update(*drawn)
            ends.add(frozenset(each._replace(name="") for each in drawn[-1] if each.tone != "mark"))
        else:
            is_more = next(solutions, None) is not None
        if not cards:
            return None
        whole = all(not solution.cost for solution in kept)
        labels, numbers = _groups(kept, whole, entry.up_to)
        data = {
            "name": entry.name,
            "view": [round(value, 3) for value in view_of([[*shapes]])],
            "root": list(chain(*states[0].items())),
            "heading": entry.counted("solution"),
            "note": _note(entry, len(cards), is_more),
            "groups": labels,
            "whole": whole,
            "thumbs": len(cards) <= ALIKE and len(ends) > 1,
            "solutions": [card | {"group": group} for card, group in zip(cards, numbers, strict=True)],
        }
        self.bytes += len(as_data(data).encode())
        return data

    def definitions(self) -> str:
        """Return the markup of all looks, for the page's SVG definitions."""
        return "".join(f'<g id="look{number}">{markup}</g>' for (markup, _), number in self._looks.items())

    def data(self, jobs: Sequence[dict[str, Any] | None]) -> dict[str, Any]:
        """Return the data of the page's players, None for a search without one."""
        tones = {number: TONES.index(tone) for (_, tone), number in self._looks.items()}
        parts = [[look, tones[look], name] for look, name, _ in self._parts]
        return {"tones": TONES, "parts": parts, "places": list(self._places), "jobs": jobs}

    def _state(self, shapes: Sequence[Shape]) -> dict[int, int]:
        state: dict[int, int] = {}
        for shape in shapes:
            if shape not in self._known:
                self._known[shape] = self._numbered(shape)
            look, place, part = self._known[shape]
            if part in state:  # a name that occurs twice in a state is two parts
                part = self._number(self._parts, (look, shape.name, place), 8 + len(shape.name))
            state[part] = place
        return state

    def _numbered(self, shape: Shape) -> tuple[int, int, int]:
        """Return the numbers of a shape's look, place and part."""
        markup = element(shape)
        look = self._number(self._looks, (markup, shape.tone), len(markup) + 25)
        place = self._number(self._places, (round(shape.x, 3), round(shape.y, 3)), 12)
        part = self._number(self._parts, (look, shape.name, -1 if shape.name else place), 8 + len(shape.name))
        return look, place, part

    def _number(self, known: dict[Any, int], key: Any, size: int) -> int:
        if key not in known:
            known[key] = len(known)
            self.bytes += size
        return known[key]


def _card(solution: Solution, states: Sequence[dict[int, int]]) -> dict[str, Any]:
    """Return a solution as the player has it: its text, and the changes from state to state, none at first."""
    steps = [[], *(_changes(*pair) for pair in pairwise(states))]
    card = {"text": solution.text, "group": 0, "steps": steps}
    costs = [int(state["cost"]) for state in solution.states]
    return card if costs == list(range(len(costs))) or not costs[-1] else card | {"costs": costs}


def _note(entry: ReportedSearch, shown: int, is_more: bool) -> str:
    """Return where the other solutions are, if there are more than are shown."""
    are = "one is" if shown == 1 else f"{shown:,} are"
    first = are.capitalize() if entry.chosen else f"The first {are}"
    return f"{first} in this page; {entry.rest}." if is_more or entry.found > shown else ""


def _groups(solutions: Sequence[Solution], whole: bool, up_to: str) -> tuple[list[str], list[int]]:
    """Return the names of groups of solutions, and the group of each: by symmetry, or by first move if moves cost."""
    images = [solution.stands_for for solution in solutions]
    if max(images, default=1) > 1:
        sizes = sorted({*images}, reverse=True)
        return [f"each one of {size}, up to {up_to}" for size in sizes], [sizes.index(each) for each in images]
    keys = [solution.representative for solution in solutions]
    symmetric = len(set(keys)) < len(keys)
    if whole and not symmetric:
        return ["all"], [0] * len(solutions)
    if not symmetric:
        keys = [solution.moves[:1] for solution in solutions]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    if symmetric:
        labels = [f"symmetry class {1 + number}" for number in numbers.values()]
    else:
        labels = [_first_move(solutions[keys.index(key)]) for key in numbers]
    return labels, [numbers[key] for key in keys]


def _first_move(solution: Solution) -> str:
    """Return the name of the group of solutions with the same first move."""
    if not solution.moves:
        return "no move"
    try:
        return f"first {one_line(solution.beginning(1).text, LONGEST)}"
    except BadPuzzle:  # it cannot show a part of a solution
        return f"first move {solution.moves[0]}"


def _changes(before: dict[int, int], after: dict[int, int]) -> list[int]:
    """Return the changes from one state to the next: [part, place, …]."""
    gone = [(part, -1) for part in before if part not in after]
    put = [(part, place) for part, place in after.items() if before.get(part) != place]
    return list(chain(*gone, *put))
