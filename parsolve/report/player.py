"""Solutions as data for the page's player: shapes are described once, states are what changes.

looks    the markup of each different shape, at the origin: <defs> of the page
parts    [look, layer, name]: the things on the board; a shape without a name has one part for each of its places
places   [x, y]
jobs     root: [part, place, …]; solutions: for each step [part, place, …], place -1 where a part goes; whole: whether
         moves cost nothing, so that a solution is what its last state shows
"""

from collections.abc import Sequence
from itertools import chain, islice
from typing import Any

from parsolve.errors import BadPuzzle
from parsolve.problem.replay import Solution
from parsolve.problem.svg import element, view_of
from parsolve.puzzle.core import SINGLE
from parsolve.puzzle.shapes import TONES, Shape
from parsolve.report.page import as_data
from parsolve.report.reported import ReportedSearch
from parsolve.text import one_line, plural

MOST_SHOWN = 1000
"""Maximum number of solutions of a job in a page."""

ABOUT = 500
"""Maximum bytes of a job's data without its solutions."""

LONGEST = 40
"""Maximum number of characters of a group's name."""

ALIKE = 200
"""Maximum number of solutions that are listed with a picture of their last state, if these differ."""


class Player:
    """Data shared by all players of a page: looks, parts and places."""

    def __init__(self) -> None:
        self._looks: dict[tuple[str, str], int] = {}
        self._parts: dict[tuple[int, str, int], int] = {}
        self._places: dict[tuple[float, float], int] = {}
        self._known: dict[Shape, tuple[int, int, int]] = {}
        self._bytes = 0

    def gallery(self, entry: ReportedSearch, room: int) -> tuple[dict[str, Any], int]:
        """Return a search's solutions as plain data, and their bytes in the page, including new shapes.

        Args:
            entry: the search. Only solutions for which there is room are read.
            room: maximum bytes; one solution is always included.
        """
        kept: list[Solution] = []
        shown: list[dict[str, Any]] = []
        shapes: set[Shape] = set()
        ends: list[frozenset[Shape]] = []
        root: dict[int, int] = {}
        waiting = iter(entry.solutions or ())
        used, bytes_before = ABOUT, self._bytes
        for solution in islice(waiting, MOST_SHOWN):
            before = self._bytes
            drawn = solution.pictures
            states = [self._state(each) for each in drawn]
            root = root or states[0]
            card = _card(solution, root, states)
            size = len(as_data(card).encode()) + self._bytes - before
            if shown and used + size > room:
                waiting = chain([solution], waiting)
                break
            used += size
            kept.append(solution)
            shown.append(card)
            ends.append(frozenset(each._replace(name="") for each in drawn[-1] if each.tone != "mark"))
            shapes.update(*drawn)
        whole = all(not solution.cost for solution in kept)
        labels, numbers = _groups(kept, whole, entry.up_to)
        for card, number in zip(shown, numbers, strict=True):
            card["group"] = number
        heading, note = _words(entry, len(shown), next(waiting, None) is not None)
        data = {
            "name": entry.name,
            "view": [round(value, 3) for value in view_of([[*shapes]])],
            "root": list(chain(*root.items())),
            "heading": heading,
            "note": note,
            "groups": labels,
            "whole": whole,
            "thumbs": len(shown) <= ALIKE and any(each != ends[0] for each in ends),
            "solutions": shown,
        }
        return data, len(as_data(data).encode()) + self._bytes - bytes_before

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
            self._bytes += size
        return known[key]


def _card(solution: Solution, root: dict[int, int], states: Sequence[dict[int, int]]) -> dict[str, Any]:
    """Return a solution as the player has it: its text, and the changes from the root to its first state and on."""
    steps = [_changes(*pair) for pair in zip([root, *states[:-1]], states, strict=True)]
    card = {"text": solution.text, "group": 0, "steps": steps}
    costs = [int(state["cost"]) for state in solution.states]
    return card if costs == list(range(len(costs))) or not costs[-1] else card | {"costs": costs}


def _words(entry: ReportedSearch, shown: int, is_more: bool) -> tuple[str, str]:
    """Return the heading over the solutions shown, and where the others are if there are more."""
    if entry.searched.want in SINGLE:  # the number of solutions is unknown
        found, heading = shown, f"more than {shown:,} solutions" if is_more else plural(shown, "solution")
    else:
        found, heading = entry.found, entry.counted(plural(entry.found, "solution"))
    are = "one is" if shown == 1 else f"{shown:,} are"
    first = are.capitalize() if entry.chosen else f"The first {are}"
    return heading, f"{first} in this page; {entry.about_solutions}." if is_more or found > shown else ""


def _groups(solutions: Sequence[Solution], whole: bool, up_to: str) -> tuple[list[str], list[int]]:
    """Return the names of groups of solutions, and the group of each solution.

    A group is the images of one solution by the puzzle's symmetries, or, without symmetries, the solutions that begin
    with the same move; all of them if moves only put a solution together. Where one of symmetric solutions is taken, it
    is those that stand for as many.
    """
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
