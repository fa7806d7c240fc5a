"""Packings: fill a board or box with pieces, optionally counted up to its symmetries."""

import itertools
import math
import string
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from parsolve.errors import BadInput
from parsolve.puzzle.core import Puzzle, Shape, State
from parsolve.puzzle.shapes import PIECES, Tone
from parsolve.puzzles.exact_cover.board import GAP
from parsolve.puzzles.exact_cover.counted import Counted, Part
from parsolve.puzzles.exact_cover.distinct import NOTHING, Distinct, Symmetries
from parsolve.puzzles.exact_cover.first_image import FirstImage, first_image
from parsolve.puzzles.exact_cover.instance import Builder, Instance
from parsolve.puzzles.exact_cover.places import Places, between
from parsolve.puzzles.exact_cover.space import Cell, Cells, conjugacy_classes, cycles
from parsolve.puzzles.exact_cover.stages import computed_order
from parsolve.puzzles.exact_cover.symmetry import NONE, Symmetry, Uses, parted

MOST_PARTS = 1 << 10
"""Maximum number of parts of the solutions, by the symmetries that count for them, for the engine sharing."""

MARK = "m"
"""The item of the marked place; see `FirstImage`."""


class Placement(NamedTuple):
    """An option: a piece in one of its places, as any of the solution's or as the marked one, see `FirstImage`."""

    piece: Cells
    cells: Cells
    is_marked: bool = False


class Packing(Distinct):
    """Base class of puzzles that fill a board with pieces.

    Of solutions that symmetries of the board map onto each other one is taken, the least, if `same` says so.
    """

    symmetric: bool

    @property
    @abstractmethod
    def places(self) -> Places:
        """The board and the pieces, in all of their places."""

    def up_to(self) -> str:
        return {"none": "", "turns": "turns", "all": "turns and reflections"}[self.places.same]

    def check(self, place: str) -> None:
        """Refuse pieces that have too many places on the board, and a wrong order.

        Raises:
            BadInput: the message begins with `place`.
        """
        _ = self.places  # its errors name the place
        try:
            _ = self.instance
            if self.order:
                _ = self.first
        except BadInput as error:
            raise BadInput(f"{place}{error}") from None

    def hint(self) -> str:
        return self.places.obstacle

    @cached_property
    def _cell_items(self) -> tuple[list[str], list[str]]:
        """The items of the cells that every solution fills, and of the others; of all cells if the former are none."""
        optional = frozenset[Cell]() if self.places.obstacle else self.places.layout.optional
        filled = [name for cell, name in self._names.items() if cell not in optional]
        return filled, [self._names[cell] for cell in sorted(optional)]

    @cached_property
    def _first_image(self) -> FirstImage:
        return first_image(self.places)

    @cached_property
    def placements(self) -> list[Placement]:
        """The options, by piece, orientation and place."""
        first = self._first_image
        marked = [Placement(*self.places.every[group[0]], True) for group in first.groups]
        return marked + [
            Placement(piece, cells)
            for piece, where in self.places.by_piece.items()
            for place, cells in enumerate(where)
            if piece != first.piece or place in first.least
        ]

    @cached_property
    def symmetric_things(self) -> Symmetries:
        """The pieces in their places; those whose first image is known come first."""
        first, others, number_of = self._first_image, self.places.symmetries[1:], self.places.number_of
        if not self.symmetric and (not self.up_to() or first.is_sufficient or not others):
            return NOTHING
        own = [number for number, (piece, _) in enumerate(self.places.every) if piece == first.piece]
        every = [*dict.fromkeys([*itertools.chain.from_iterable(first.groups), *own, *range(len(self.places.every))])]
        thing = {number: thing for thing, number in enumerate(every)} | {NONE: len(every)}
        images = [[thing[each.places[number]] for number in every] for each in others]
        things = [thing[number_of[each.piece, each.cells]] for each in self.placements]
        of = [
            tuple(sorted(thing[number_of[piece, cells]] for cells in where))
            for piece, where in self.places.by_piece.items()
        ]
        required = [
            [(of[piece], least, most) for piece, least, most in each.required(self.places.uses) or ()]
            for each in others
        ]
        return Symmetries(things, images, required, bool(self.up_to()), self.symmetric)

    @cached_property
    def instance(self) -> Instance:
        filled, others = self._cell_items
        marked = self._first_image.groups
        mark = [MARK] if marked else []
        of = {number: group for group, numbers in enumerate(marked) for number in numbers}
        groups = [of.get(self.places.number_of[each.piece, each.cells]) for each in self.placements]
        words = [self._items_in(each, group) for each, group in zip(self.placements, groups, strict=True)]
        nodes = {word.partition(":")[0]: None for each in words for word in each if word.startswith("o")}
        return _built([*mark, *self._limited, *filled], [*others, *nodes], words)

    def _items_in(self, placement: Placement, group: int | None = None) -> list[str]:
        """Return the items of an option."""
        # In the binary tree of groups, a marked place takes the nodes in whose right half its group is, and any other
        # place those in whose left half it is: both share a node if the other place is of an earlier group.
        piece, cells, is_marked = placement
        nodes = (
            []
            if group is None
            else [
                f"o{level}.{group >> level + 1}{'' if is_marked else ':a'}"
                for level in range(len(self._first_image.groups).bit_length())
                if bool(group >> level & 1) == is_marked
            ]
        )
        own = [self._items[piece]] if piece in self._items else []
        return [*([MARK] if is_marked else []), *own, *(self._names[cell] for cell in sorted(cells)), *nodes]

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
        if not self.up_to():
            return super().sharing()
        places = self.places
        parts = [*itertools.islice(parted(places.symmetries, places.uses, places.is_possible), MOST_PARTS + 1)]
        if len(parts) > MOST_PARTS:
            raise BadInput(
                "too many pieces with ranges are mirror images of one another for the engine sharing: take"
                " the engine deepening"
            )
        counting = [tuple(each for each in places.symmetries if each.required(uses) is not None) for uses in parts]
        order = math.lcm(*map(len, counting))
        if order == 1:
            return super().sharing()
        symmetry_of = {each.motion: each for each in places.symmetries}

        def fixed() -> Iterator[Part]:
            for uses, every in zip(parts, counting, strict=True):
                motions = [each.motion for each in every]
                group = [each.motion for each in every if each.keeps(uses)]
                for motion, number in conjugacy_classes(motions, group, places.layout.cells):
                    symmetry = symmetry_of[motion]
                    narrowed = symmetry.of_fixed(uses)
                    if narrowed is not None and places.is_possible(narrowed):
                        yield self._fixed(symmetry, narrowed, number * order // len(every))

        return Counted.of_parts(fixed(), order)

    def _fixed(self, symmetry: Symmetry, uses: Uses, times: int) -> Part:
        """Return the problem of the solutions that a symmetry leaves unchanged: its options and items are orbits."""
        cells, optional, every = self.places.layout.cells, self.places.layout.optional, self.places.every
        orbits = cycles(symmetry.motion.permutation(cells))
        filled = [[self._names[cells[each]] for each in orbit] for orbit in orbits if cells[orbit[0]] not in optional]
        empty = [[self._names[cells[each]] for each in orbit] for orbit in orbits if cells[orbit[0]] in optional]
        used = {piece: use for piece, use in zip(self.places.stock, uses, strict=True) if use[1]}
        limited = [piece for piece in self._items if piece in used]
        names = [*filled, *([self._items[piece]] for piece in limited), *empty]
        item_of = {name: item for item, orbit in enumerate(names) for name in orbit}
        numbers = [number for number, (piece, _) in enumerate(every) if piece in used]
        place_of = {number: place for place, number in enumerate(numbers)}
        options = []
        for cycle in cycles([place_of[symmetry.places[number]] for number in numbers]):
            together = [every[numbers[each]] for each in cycle]
            taken = [self._names[cell] for _, own in together for cell in own]
            copies = Counter(piece for piece, _ in together)
            if len(set(taken)) == len(taken) and all(number <= used[piece][1] for piece, number in copies.items()):
                # A piece that is used several times occurs that often: its counter is increased by that.
                counted = [item_of[self._items[piece]] for piece in copies.elements() if piece in self._items]
                options.append(tuple((item, "") for item in (*sorted({item_of[name] for name in taken}), *counted)))
        instance = Instance(
            tuple(map(str, range(len(filled) + len(limited)))),
            tuple(map(str, range(len(empty)))),
            tuple(options),
            ((1, 1),) * len(filled) + tuple(used[piece] for piece in limited),
        )
        first = dict.fromkeys(item_of[self.shared.primary[item]] for item in self.first)
        return Part(times, instance, computed_order(instance, list(first)))

    @cached_property
    def shared(self) -> Instance:
        """The same problem without restricted places; cells come first."""
        filled, others = self._cell_items
        options = [self._items_in(Placement(*each)) for each in self.places.every]
        return _built([*filled, *self._limited], others, options)

    @cached_property
    def _items(self) -> dict[Cells, str]:
        """The items of pieces. If all numbers are fixed, the piece with most of several copies has none: it takes the
        cells left by the others."""
        stock = self.places.stock
        most, (_, _, copies, _) = max(stock.items(), key=lambda item: item[1].most)
        is_exact = all(each.least == each.most for each in stock.values()) and not self.places.layout.optional
        rest = most if is_exact and copies > 1 else None
        used = [piece for piece in self.places.by_piece if stock[piece].most]
        return {piece: f"p{number}" for number, piece in enumerate(used) if piece != rest}

    @property
    def _limited(self) -> list[str]:
        """The items of pieces with their bounds."""
        used = ((self.places.stock[piece], name) for piece, name in self._items.items())
        return [f"{each.least}:{each.most}|{name}" for each, name in used]

    @cached_property
    def _option_of(self) -> dict[Placement, int]:
        """The option of each piece in a place."""
        return {each: number for number, each in enumerate(self.placements)}

    def unfolded(self, options: Sequence[int]) -> list[int]:
        return super().unfolded([self._option_of[Placement(*self.places.every[option])] for option in options])

    @cached_property
    def _names(self) -> dict[Cell, str]:
        """The items of cells, without the layer if there is one."""
        first = int(self.places.layout.far[0] == 0)
        return {cell: ".".join(str(number + 1) for number in cell[first:]) for cell in self.places.layout.cells}

    def show(self, solution: Any) -> str:
        layers = self.places.layout.layers(self._letters(solution.moves))
        return "/".join(" ".join(row.replace(" ", ".") for row in rows) for rows in layers)

    def render(self, state: State, moves: Sequence[int]) -> str:
        return "\n".join(map(GAP.join, zip(*self.places.layout.layers(self._letters(moves)), strict=True)))

    def picture(self, state: State, moves: Sequence[int]) -> list[Shape]:
        letters, wide = self._letters(moves), self.places.layout.far[2] + 2
        tones = self._tones(moves)
        at: dict[Cell, tuple[int, int]] = {
            (layer, row, column): (wide * layer + column, row) for layer, row, column in self.places.layout.cells
        }
        ground: dict[bool, Tone] = {True: "shade", False: "cell"}
        board = [Shape("box", *at[cell], ground[cell in self.places.layout.optional], 0.94, 0.94) for cell in at]
        return board + [
            Shape("box", *at[cell], tones[cell], text=letter, name=" ".join(map(str, (letter, *cell))))
            for cell, letter in letters.items()
        ]

    def overview(self) -> str:
        number = between(1 + len(self.places.always), len(self.places.symmetries))
        symmetries = f"symmetries that make the same set of pieces: {number}{self.memory}"
        return f"{self.render({}, ())}\n\n{self.places.obstacle or symmetries}"

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
        """Return the letter of each covered cell: the first of the piece's name, if that tells all pieces apart."""
        chosen = (self.placements[move] for move in moves if move < len(self.placements))
        taken = sorted(chosen, key=lambda each: sorted(each.cells))
        stock = self.places.stock
        initials = {each.name[0] for each in stock.values()}
        named = len(initials) == sum(each.most for each in stock.values())
        letters: dict[Cell, str] = {}
        for number, each in enumerate(taken):
            letter = stock[each.piece].name[0] if named else string.ascii_letters[number % 52]
            letters |= dict.fromkeys(each.cells, letter)
        return letters


def _built(primary: Sequence[str], secondary: Sequence[str], options: Iterable[Sequence[str]]) -> Instance:
    """Return a problem."""
    builder = Builder(primary, secondary)
    for words in options:
        builder.add(words)
    return builder.finish()
