"""Packings: fill a board or box with pieces, optionally counted up to its symmetries."""

import itertools
import math
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from parsolve.errors import BadInput
from parsolve.puzzle import Counting, Puzzle, Shape, State, Want
from parsolve.puzzles.exact_cover.board import GAP
from parsolve.puzzles.exact_cover.copies import order
from parsolve.puzzles.exact_cover.counted import Counted
from parsolve.puzzles.exact_cover.distinct import NOTHING, Symmetries
from parsolve.puzzles.exact_cover.instance import MOST_OPTIONS, Builder, Instance
from parsolve.puzzles.exact_cover.order import computed_order
from parsolve.puzzles.exact_cover.parts import Part
from parsolve.puzzles.exact_cover.placed import Placed, between
from parsolve.puzzles.exact_cover.space import Cell, Cells, conjugacy_classes, cycles
from parsolve.puzzles.exact_cover.symmetry import NONE, Symmetry, Uses, parted
from parsolve.shapes import PIECES, Tone

MOST_PARTS = 1 << 10
"""Maximum number of parts of the solutions, by the symmetries that count for them, for the engine sharing."""


class Placement(NamedTuple):
    """An option: a copy of a piece on the board, or left out. Copies and places of a piece are numbered."""

    piece: Cells
    copy: int
    place: int
    cells: Cells  # empty if it is left out


class Packing(Placed):
    """Base class of puzzles that fill a board with pieces.

    Copies of a piece are used in the order of their places; those left out come last. Of solutions that symmetries of
    the board map onto each other one is taken, the least, if `same` says so.
    """

    symmetric: bool

    def check(self, place: str) -> None:
        """Refuse pieces that have too many places on the board, and a wrong order.

        Raises:
            BadInput: the message begins with `place`.
        """
        _ = self.stock, self.layout  # their errors name the place
        try:
            _ = self._fits or self.shared
            if self.order:
                _ = self.first
        except BadInput as error:
            raise BadInput(f"{place}{error}") from None

    def hint(self) -> str:
        return self.obstacle

    @cached_property
    def _cell_items(self) -> tuple[list[str], list[str]]:
        """The items of the cells that every solution fills, and of the others; of all cells if the former are none."""
        optional = frozenset[Cell]() if self.obstacle else self.layout.optional
        filled = [self._name(cell) for cell in self.layout.cells if cell not in optional]
        return filled, [self._name(cell) for cell in sorted(optional)]

    @cached_property
    def _fits(self) -> bool:
        """Whether there are few enough options, one for each copy of a piece, to list solutions."""
        try:
            _ = self.instance
        except BadInput:
            return False
        return True

    def counting(self, want: Want) -> Counting | None:
        """If there are too many options, return the puzzle of the engine sharing for the engine deepening."""
        if self._fits:
            return None
        if want != "count":
            raise BadInput("the copies of these pieces have too many places to be listed: take parsolve count")
        counted = self.sharing()
        return Counting(counted, total=lambda found: found // counted.multiplicity, breadth=counted)

    @cached_property
    def _unlimited(self) -> Cells | None:
        """The piece with most copies, if there are several and if the numbers of all pieces and all cells are fixed: it
        takes the cells left by the others."""
        piece, (_, _, number, _) = max(self.stock.items(), key=lambda item: item[1].most)
        exact = all(each.least == each.most for each in self.stock.values())
        return piece if exact and number > 1 and not self.layout.optional else None

    @cached_property
    def _restricted(self) -> tuple[Cells | None, frozenset[int], bool]:
        """The piece whose first copy is restricted to some places by symmetries, these places, and whether that is
        sufficient.

        The symmetries that count for all solutions and map the piece onto itself map its places onto places; a least
        solution has its first copy in the least of these. No other comparison is needed if the piece has one copy, all
        symmetries are of this kind, and none leaves it in its place.
        """
        found: list[tuple[bool, float, int, Cells, frozenset[int]]] = []
        always = [each for each in self.symmetries[1:] if not each.required(self._uses)]
        for number, (piece, places) in enumerate(self.everywhere.items()):
            if not self._is_unique or piece == self._unlimited or not self.stock[piece].least:
                continue
            first = self._numbers[piece, places[0]] if places else 0
            same = [each for each in always if each.pieces[number] == number]
            images = [[each.places[first + place] - first for each in same] for place in range(len(places))]
            least = frozenset(place for place, others in enumerate(images) if place <= min(others, default=place))
            is_all = self.stock[piece].most == 1 and len(same) == len(self.symmetries) - 1
            is_all &= all(place not in others for place, others in enumerate(images))
            found.append((not is_all, len(least) / max(1, len(places)), len(places), piece, least))
        if not found:
            return None, frozenset(), False
        rest, _, _, piece, least = min(found, key=lambda each: each[:3])
        return piece, least, not rest

    @cached_property
    def placements(self) -> list[Placement]:
        """The options, by piece, copy, orientation and place."""
        found = []
        first, least, _ = self._restricted
        for piece, (_, fewest, most, _) in self._usable.items():
            places = self.everywhere[piece]
            for copy in range(1 if piece == self._unlimited else most):
                allowed = least if (piece, copy) == (first, 0) else range(len(places))
                found += [
                    Placement(piece, copy, place, cells) for place, cells in enumerate(places) if place in allowed
                ]
                if copy >= fewest:
                    found.append(Placement(piece, copy, len(places), frozenset()))
                if len(found) > MOST_OPTIONS:
                    return found  # `instance` refuses these
        return found

    @cached_property
    def symmetric_things(self) -> Symmetries:
        """The pieces in their places, those of the restricted piece first."""
        piece, _, is_all = self._restricted
        others = self.symmetries[1:]
        if not self.symmetric and (not self._is_unique or is_all or not others):
            return NOTHING
        every = sorted(self._numbers.values(), key=lambda number: self._piece_in[number] != piece)
        thing = {number: thing for thing, number in enumerate(every)} | {NONE: len(every)}
        images = [[thing[each.places[number]] for number in every] for each in others]
        things = [
            thing[self._numbers[each.piece, each.cells]] if each.cells else len(every) for each in self.placements
        ]
        of = [
            tuple(sorted(thing[self._numbers[piece, cells]] for cells in places))
            for piece, places in self.everywhere.items()
        ]
        required = [
            [(of[piece], least, most) for piece, least, most in each.required(self._uses) or ()] for each in others
        ]
        return Symmetries(things, images, required, self._is_unique, self.symmetric)

    @cached_property
    def instance(self) -> Instance:
        number = {piece: place for place, piece in enumerate(self._usable)}
        limited = [piece for piece in self._usable if piece != self._unlimited]
        items = [f"p{number[piece]}.{copy}" for piece in limited for copy in range(self.stock[piece].most)]
        options = []
        for piece, copy, place, cells in self.placements:
            words = [self._name(cell) for cell in sorted(cells)]
            if piece != self._unlimited:
                words = [f"p{number[piece]}.{copy}", *words, *self._order(number[piece], piece, copy, place)]
            options.append(words)
        filled, others = self._cell_items
        secondary = dict.fromkeys(others)
        secondary |= {word: None for words in options for word in words if word.startswith("o")}
        builder = Builder([*items, *filled], secondary)
        for words in options:
            builder.add(words)
        return builder.finish()

    def sharing(self) -> Puzzle:
        """By Burnside's lemma, the number of solutions up to symmetry is the mean, over all symmetries, of the number
        of solutions that each leaves unchanged. It is the same for conjugate symmetries.

        Raises:
            BadInput: symmetric solutions are wanted.
        """
        if self.symmetric:
            raise BadInput(
                "the engine sharing does not compare solutions with their images: leave out symmetric, or take the"
                " engine deepening"
            )
        if not self._is_unique:
            return super().sharing()
        parts = list(itertools.islice(parted(self.symmetries, self._uses, self._is_possible), MOST_PARTS + 1))
        if len(parts) > MOST_PARTS:
            raise BadInput(
                "too many pieces with ranges are mirror images of one another for the engine sharing: take"
                " the engine deepening"
            )
        counting = [tuple(each for each in self.symmetries if each.required(uses) is not None) for uses in parts]
        order = math.lcm(*map(len, counting))
        if order == 1:
            return super().sharing()
        symmetry_of = {each.motion: each for each in self.symmetries}

        def fixed() -> Iterator[Part]:
            for uses, every in zip(parts, counting, strict=True):
                motions = [each.motion for each in every]
                group = [each.motion for each in every if each.keeps(uses)]
                for motion, number in conjugacy_classes(motions, group, self.layout.cells):
                    symmetry = symmetry_of[motion]
                    narrowed = symmetry.of_fixed(uses)
                    if narrowed is not None and self._is_possible(narrowed):
                        yield self._fixed(symmetry, narrowed, number * order // len(every))

        return Counted.of_parts(fixed(), order)

    def _fixed(self, symmetry: Symmetry, uses: Uses, times: int) -> Part:
        """Return the problem of the solutions that a symmetry leaves unchanged. Its options are the orbits of pieces in
        places; its items are orbits of cells, and pieces.

        Args:
            symmetry: the symmetry; it counts for all solutions.
            uses: how often each piece is used.
            times: how often each solution is counted.
        """
        cells = self.layout.cells
        number = {cell: place for place, cell in enumerate(cells)}
        classes = cycles([number[image] for image in symmetry.motion.images(cells)])
        filled = [each for each in classes if cells[each[0]] not in self.layout.optional]
        empty = [each for each in classes if cells[each[0]] in self.layout.optional]
        used = {piece: use for piece, use in zip(self.stock, uses, strict=True) if use[1]}
        limited = [piece for piece in self._shared_items if piece in used]
        item = {piece: len(filled) + place for place, piece in enumerate(limited)}
        of = {cells[each]: place for place, one in enumerate(filled) for each in one}
        of |= {cells[each]: len(filled) + len(limited) + place for place, one in enumerate(empty) for each in one}
        places = [number for number, piece in enumerate(self._piece_in) if piece in used]
        place_of = {number: place for place, number in enumerate(places)}
        where = [cells for _, cells in self._numbers]
        options = []
        for cycle in cycles([place_of[symmetry.places[number]] for number in places]):
            together = [places[each] for each in cycle]
            taken = [cell for each in together for cell in where[each]]
            pieces = Counter(self._piece_in[each] for each in together)
            if len(set(taken)) == len(taken) and all(number <= used[piece][1] for piece, number in pieces.items()):
                # A piece that is used several times occurs that often: its counter is increased by that.
                taken_from = [item[piece] for piece in pieces.elements() if piece in item]
                options.append(tuple((each, "") for each in (*sorted({of[cell] for cell in taken}), *taken_from)))
        instance = Instance(
            tuple(map(str, range(len(filled) + len(limited)))),
            tuple(map(str, range(len(empty)))),
            tuple(options),
            ((1, 1),) * len(filled) + tuple(used[piece] for piece in limited),
        )
        named = {self._name(cell): of[cell] for cell in cells}
        named |= {self._shared_items[piece]: item[piece] for piece in limited}
        first = dict.fromkeys(named[self.shared.primary[each]] for each in self.first)
        return Part(times, instance, computed_order(instance, list(first)))

    @property
    def shared(self) -> Instance:
        """The same problem with the copies of a piece as one item, which is covered several times."""
        items = self._shared_items
        limited = [f"{self.stock[piece].least}:{self.stock[piece].most}|{name}" for piece, name in items.items()]
        filled, others = self._cell_items
        builder = Builder([*filled, *limited], others)
        for piece, place in self._shared_places:
            cells = sorted(self.everywhere[piece][place])
            builder.add([*([items[piece]] if piece in items else []), *map(self._name, cells)])
        return builder.finish()

    @cached_property
    def _shared_items(self) -> dict[Cells, str]:
        """The items of `shared` for pieces."""
        used = [piece for piece, each in self._usable.items() if each.most]
        return {piece: f"p{number}" for number, piece in enumerate(used) if piece != self._unlimited}

    @cached_property
    def _shared_places(self) -> list[tuple[Cells, int]]:
        """The options of `shared`: pieces and their places."""
        used = [piece for piece, each in self._usable.items() if each.most]
        return [(piece, place) for piece in used for place in range(len(self.everywhere[piece]))]

    @cached_property
    def _option_of(self) -> dict[tuple[Cells, int, int], int]:
        """The option of each piece, copy and place."""
        return {(each.piece, each.copy, each.place): number for number, each in enumerate(self.placements)}

    def unfolded(self, options: Sequence[int]) -> list[int]:
        places: dict[Cells, list[int]] = {piece: [] for piece in self.stock}
        for option in options:
            piece, place = self._shared_places[option]
            places[piece].append(place)
        found = []
        for piece, taken in places.items():
            if piece == self._unlimited:
                found += [self._option_of[piece, 0, place] for place in taken]
                continue
            left_out = [len(self.everywhere[piece])] * (self.stock[piece].most - len(taken))
            found += [self._option_of[piece, copy, place] for copy, place in enumerate(taken + left_out)]
        return found

    def _order(self, number: int, piece: Cells, copy: int, place: int) -> list[str]:
        """Return the secondary items that put copies in the order of their places."""
        nodes = order(copy, self.stock[piece].most, place, len(self.everywhere[piece]))
        return [f"o{number}.{first}.{level}.{node}" for first, level, node in nodes]

    @cached_property
    def _is_solid(self) -> bool:
        """Whether the board has several layers."""
        return self.layout.far[0] > 0

    def _name(self, cell: Cell) -> str:
        """Return the item of a cell."""
        return ".".join(str(number + 1) for number in (cell if self._is_solid else cell[1:]))

    def show(self, solution: Any) -> str:
        layers = self.layout.layers(self._letters(solution.moves))
        return "/".join(" ".join(row.replace(" ", ".") for row in rows) for rows in layers)

    def render(self, state: State, moves: Sequence[int]) -> str:
        return "\n".join(map(GAP.join, zip(*self.layout.layers(self._letters(moves)), strict=True)))

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        letters, wide = self._letters(moves), self.layout.far[2] + 2
        tones = self._tones(moves)
        at: dict[Cell, tuple[int, int]] = {
            (layer, row, column): (wide * layer + column, row) for layer, row, column in self.layout.cells
        }
        ground: dict[bool, Tone] = {True: "shade", False: "cell"}
        board = [Shape("box", *at[cell], ground[cell in self.layout.optional], 0.94, 0.94) for cell in at]
        return board + [
            Shape("box", *at[cell], tones[cell], text=letter, name=" ".join(map(str, (letter, *cell))))
            for cell, letter in letters.items()
        ]

    def overview(self) -> str:
        always = sum(not each.required(self._uses) for each in self.symmetries)
        symmetries = f"symmetries that make the same set of pieces: {between(always, len(self.symmetries))}"
        return f"{self.render({}, ())}\n\n{self.obstacle or symmetries}"

    def _tones(self, moves: Sequence[int]) -> dict[Cell, Tone]:
        """Return the tone of each covered cell: not one of a piece beside its own, unless all tones are there."""
        tones: dict[Cell, Tone] = {}
        for move in moves:
            cells = self.placements[move].cells
            around = (
                (layer, row + down, column + right)
                for layer, row, column in cells
                for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1))
            )
            beside = [tones[cell] for cell in around if cell in tones]
            tones |= dict.fromkeys(cells, min(PIECES, key=beside.count))
        return tones

    def _letters(self, moves: Sequence[int]) -> dict[Cell, str]:
        """Return the letter of each covered cell after some moves: the first of the piece's name, if each piece has one
        copy and their first letters differ."""
        taken = sorted((self.placements[move] for move in moves), key=lambda each: sorted(each.cells))
        initials = {stock.name[0] for stock in self.stock.values()}
        named = len(initials) == sum(stock.most for stock in self.stock.values())
        letters: dict[Cell, str] = {}
        for number, each in enumerate(taken):
            letter = self.stock[each.piece].name[0] if named else string.ascii_letters[number % 52]
            letters |= dict.fromkeys(each.cells, letter)
        return letters
