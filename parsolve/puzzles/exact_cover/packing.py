"""Packings: fill a board or box with pieces, optionally counted up to its symmetries."""

import itertools
import math
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from parsolve.errors import BadInput
from parsolve.puzzle.core import Puzzle, Shape, State
from parsolve.puzzle.shapes import PIECES, Tone
from parsolve.puzzles.exact_cover.board import GAP
from parsolve.puzzles.exact_cover.counted import Counted, Part
from parsolve.puzzles.exact_cover.distinct import NOTHING, Symmetries
from parsolve.puzzles.exact_cover.instance import Builder, Instance
from parsolve.puzzles.exact_cover.placed import Placed, between
from parsolve.puzzles.exact_cover.space import Cell, Cells, conjugacy_classes, cycles
from parsolve.puzzles.exact_cover.stages import computed_order
from parsolve.puzzles.exact_cover.symmetry import NONE, Symmetry, Uses, parted

MOST_PARTS = 1 << 10
"""Maximum number of parts of the solutions, by the symmetries that count for them, for the engine sharing."""

MARK = "m"
"""The item of the marked place; see `Packing._marked`."""


class Placement(NamedTuple):
    """An option: a piece in one of its places, as any of the solution's or as the marked one, see `Packing._marked`."""

    piece: Cells
    cells: Cells
    is_marked: bool = False


class Packing(Placed):
    """Base class of puzzles that fill a board with pieces.

    Of solutions that symmetries of the board map onto each other one is taken, the least, if `same` says so.
    """

    symmetric: bool

    def check(self, place: str) -> None:
        """Refuse pieces that have too many places on the board, and a wrong order.

        Raises:
            BadInput: the message begins with `place`.
        """
        _ = self.stock, self.layout  # their errors name the place
        try:
            _ = self.instance
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
        filled = [name for cell, name in self._names.items() if cell not in optional]
        return filled, [self._names[cell] for cell in sorted(optional)]

    @cached_property
    def _unlimited(self) -> Cells | None:
        """The piece with most of several copies, if all numbers are fixed: it takes the cells left by the others."""
        piece, (_, _, number, _) = max(self.stock.items(), key=lambda item: item[1].most)
        exact = all(each.least == each.most for each in self.stock.values())
        return piece if exact and number > 1 and not self.layout.optional else None

    @cached_property
    def _restricted(self) -> tuple[Cells | None, frozenset[int], bool]:
        """The piece that symmetries restrict to some places, these places, and whether that is sufficient."""
        # The symmetries that map the piece onto itself map its places onto places; a least solution has it in the least
        # of these. That is sufficient if all symmetries are of this kind, and none leaves it in its place.
        found: list[tuple[bool, float, int, Cells, frozenset[int]]] = []
        for number, (piece, places) in enumerate(self.everywhere.items()):
            if not self.up_to() or (self.stock[piece].least, self.stock[piece].most) != (1, 1):
                continue
            first = self._numbers[piece, places[0]] if places else 0
            same = [each for each in self._always if each.pieces[number] == number]
            images = [[each.places[first + place] - first for each in same] for place in range(len(places))]
            least = frozenset(place for place, others in enumerate(images) if place <= min(others, default=place))
            is_all = len(same) == len(self.symmetries) - 1
            is_all &= all(place not in others for place, others in enumerate(images))
            found.append((not is_all, len(least) / max(1, len(places)), len(places), piece, least))
        if not found:
            return None, frozenset(), False
        rest, _, _, piece, least = min(found, key=lambda each: each[:3])
        return piece, least, not rest

    @cached_property
    def _always(self) -> list[Symmetry]:
        """The symmetries that count for all solutions, without the identity."""
        return [each for each in self.symmetries[1:] if not each.required(self._uses)]

    @cached_property
    def _marked(self) -> list[list[int]]:
        """Unless a piece is restricted: the places that cover one of some cells, by their images; else empty."""
        # The symmetries map these cells onto one another, and each is filled. So one image of a solution has the first
        # place of the first of its groups; it is marked by that place, and has no place of an earlier group.
        if not self.up_to() or not self._always or self._restricted[0] is not None:
            return []
        every = [cells for _, cells in self._where]
        images = [
            dict(zip(self.layout.cells, each.motion.images(self.layout.cells), strict=True)) for each in self._always
        ]
        alike = {frozenset([cell, *(image[cell] for image in images)]) for cell in self.layout.cells}
        filled = (cells for cells in alike if not cells & self.layout.optional)
        some = [[number for number, cells in enumerate(every) if cells & each] for each in filled]
        groups: dict[int, list[int]] = {}
        for number in min(some, key=lambda numbers: (len(numbers), numbers), default=[]):
            groups.setdefault(min(number, *(each.places[number] for each in self._always)), []).append(number)
        return [*groups.values()]

    @cached_property
    def placements(self) -> list[Placement]:
        """The options, by piece, orientation and place."""
        restricted, least, _ = self._restricted
        marked = [Placement(*self._where[group[0]], True) for group in self._marked]
        return marked + [
            Placement(piece, cells)
            for piece, places in self.everywhere.items()
            for place, cells in enumerate(places)
            if piece != restricted or place in least
        ]

    @cached_property
    def _where(self) -> list[tuple[Cells, Cells]]:
        """Each piece in each of its places, by number."""
        return [*self._numbers]

    @cached_property
    def symmetric_things(self) -> Symmetries:
        """The pieces in their places, those first whose least place is known; see `_marked`, `_restricted`."""
        piece, _, is_all = self._restricted
        others = self.symmetries[1:]
        if not self.symmetric and (not self.up_to() or is_all or not others):
            return NOTHING
        own = [number for number, each in enumerate(self._piece_in) if each == piece]
        every = [*dict.fromkeys([*itertools.chain.from_iterable(self._marked), *own, *self._numbers.values()])]
        thing = {number: thing for thing, number in enumerate(every)} | {NONE: len(every)}
        images = [[thing[each.places[number]] for number in every] for each in others]
        things = [thing[self._numbers[each.piece, each.cells]] for each in self.placements]
        of = [
            tuple(sorted(thing[self._numbers[piece, cells]] for cells in places))
            for piece, places in self.everywhere.items()
        ]
        required = [
            [(of[piece], least, most) for piece, least, most in each.required(self._uses) or ()] for each in others
        ]
        return Symmetries(things, images, required, bool(self.up_to()), self.symmetric)

    @cached_property
    def instance(self) -> Instance:
        filled, others = self._cell_items
        mark = [MARK] if self._marked else []
        of = {number: group for group, numbers in enumerate(self._marked) for number in numbers}
        groups = [of.get(self._numbers[each.piece, each.cells]) for each in self.placements]
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
                for level in range(len(self._marked).bit_length())
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
        """Return the problem of the solutions that a symmetry leaves unchanged: its options and items are orbits."""
        cells = self.layout.cells
        number = {cell: place for place, cell in enumerate(cells)}
        classes = cycles([number[image] for image in symmetry.motion.images(cells)])
        filled = [each for each in classes if cells[each[0]] not in self.layout.optional]
        empty = [each for each in classes if cells[each[0]] in self.layout.optional]
        used = {piece: use for piece, use in zip(self.stock, uses, strict=True) if use[1]}
        limited = [piece for piece in self._items if piece in used]
        item = {piece: len(filled) + place for place, piece in enumerate(limited)}
        of = {cells[each]: place for place, one in enumerate(filled) for each in one}
        of |= {cells[each]: len(filled) + len(limited) + place for place, one in enumerate(empty) for each in one}
        places = [number for number, piece in enumerate(self._piece_in) if piece in used]
        place_of = {number: place for place, number in enumerate(places)}
        where = [cells for _, cells in self._where]
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
        named = {name: of[cell] for cell, name in self._names.items()}
        named |= {self._items[piece]: item[piece] for piece in limited}
        first = dict.fromkeys(named[self.shared.primary[each]] for each in self.first)
        return Part(times, instance, computed_order(instance, list(first)))

    @cached_property
    def shared(self) -> Instance:
        """The same problem without restricted places; cells come first."""
        filled, others = self._cell_items
        return _built([*filled, *self._limited], others, [self._items_in(Placement(*each)) for each in self._where])

    @cached_property
    def _items(self) -> dict[Cells, str]:
        """The items of pieces."""
        used = [piece for piece, each in self._usable.items() if each.most]
        return {piece: f"p{number}" for number, piece in enumerate(used) if piece != self._unlimited}

    @property
    def _limited(self) -> list[str]:
        """The items of pieces with their bounds."""
        return [f"{self.stock[piece].least}:{self.stock[piece].most}|{name}" for piece, name in self._items.items()]

    @cached_property
    def _option_of(self) -> dict[Placement, int]:
        """The option of each piece in a place."""
        return {each: number for number, each in enumerate(self.placements)}

    def unfolded(self, options: Sequence[int]) -> list[int]:
        return super().unfolded([self._option_of[Placement(*self._where[option])] for option in options])

    @cached_property
    def _names(self) -> dict[Cell, str]:
        """The items of cells, without the layer if there is one."""
        first = int(self.layout.far[0] == 0)
        return {cell: ".".join(str(number + 1) for number in cell[first:]) for cell in self.layout.cells}

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
        symmetries = (
            f"symmetries that make the same set of pieces: {between(always, len(self.symmetries))}{self.memory}"
        )
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
        """Return the letter of each covered cell: the first of the piece's name, if that tells all pieces apart."""
        chosen = (self.placements[move] for move in moves if move < len(self.placements))
        taken = sorted(chosen, key=lambda each: sorted(each.cells))
        initials = {stock.name[0] for stock in self.stock.values()}
        named = len(initials) == sum(stock.most for stock in self.stock.values())
        letters: dict[Cell, str] = {}
        for number, each in enumerate(taken):
            letter = self.stock[each.piece].name[0] if named else string.ascii_letters[number % 52]
            letters |= dict.fromkeys(each.cells, letter)
        return letters


def _built(primary: Sequence[str], secondary: Sequence[str], options: Iterable[Sequence[str]]) -> Instance:
    """Return a problem."""
    builder = Builder(primary, secondary)
    for words in options:
        builder.add(words)
    return builder.finish()
