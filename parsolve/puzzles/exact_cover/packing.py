"""Packings: fill a board or box with pieces, counted up to its symmetries where that is asked for."""

import itertools
import string
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from parsolve.errors import BadInput
from parsolve.puzzle import Counting, Puzzle, Shape, State, Want
from parsolve.puzzles.exact_cover.board import GAP, Board
from parsolve.puzzles.exact_cover.copies import order
from parsolve.puzzles.exact_cover.counted import Counted
from parsolve.puzzles.exact_cover.distinct import NOTHING, Distinct, Symmetries
from parsolve.puzzles.exact_cover.instance import MOST_ENTRIES, MOST_OPTIONS, Builder, Instance
from parsolve.puzzles.exact_cover.order import computed_order
from parsolve.puzzles.exact_cover.parts import Part
from parsolve.puzzles.exact_cover.pieces import Kind, orientations
from parsolve.puzzles.exact_cover.space import Cell, Cells, Motion, conjugacy_classes, cycles, far_end
from parsolve.shapes import Tone

TONES: tuple[Tone, Tone] = ("piece", "other")
"""Of the pieces in turn, so that most neighbours differ."""


class Stock(NamedTuple):
    """A piece: its name, and how often it may be used."""

    name: str
    least: int
    most: int


class Placement(NamedTuple):
    """An option: a copy of a piece on the board, or left out. Copies of a piece are numbered, and its places."""

    piece: Cells
    copy: int
    place: int
    cells: Cells  # none if it is left out


class Packing(Distinct):
    """Base class of puzzles that fill a board with pieces.

    Copies of a piece are used in the order of their places; those left out come last. With `unique`, solutions that
    symmetries of the board map onto each other count once.

    The symmetries are the turns and reflections of space that map the board onto itself. Two with the same effect on
    its cells are one: to turn a flat board over is to reflect it. A symmetry counts if it maps all places of each piece
    onto all places of a piece with as many copies, itself or another:

    - free: each turn does; a reflection does if the reflected pieces have as many copies.
    - one-sided: so does a turn or reflection that keeps layers as layers. One that sets them upright does not,
      unless the pieces look the same, as single cubes do, or the board has no room for the difference.
    - fixed: only if each piece becomes one with as many copies, as it is drawn.
    """

    kind: Kind
    unique: bool
    symmetric: bool

    @property
    @abstractmethod
    def layout(self) -> Board:
        """The board."""

    @property
    @abstractmethod
    def stock(self) -> Mapping[Cells, Stock]:
        """The pieces, by the image that `canonical` returns."""

    def check(self, place: str) -> None:
        """Refuse pieces that have too many or too few cells for the board, or too many places on it.

        Raises:
            BadInput: begins with `place`.
        """
        least = sum(len(piece) * each.least for piece, each in self.stock.items())
        most = sum(len(piece) * each.most for piece, each in self.stock.items())
        every = len(self.layout.cells)
        filled = every - len(self.layout.optional)
        if least > every or most < filled:
            pieces, cells = _between(least, most), _between(filled, every)
            raise BadInput(f"{place}the pieces have {pieces} cells, the board has {cells}: give as many")
        try:
            _ = self._fits or self.shared
            if self.order:
                _ = self.first
        except BadInput as error:
            raise BadInput(f"{place}{error}") from None

    @cached_property
    def _fits(self) -> bool:
        """Whether there are not too many options, one for each copy of a piece, to list solutions."""
        try:
            _ = self.instance
        except BadInput:
            return False
        return True

    def counting(self, want: Want) -> Counting | None:
        """Where there are too many options, the engine deepening takes the puzzle that the engine sharing does."""
        if self._fits:
            return None
        if want != "count":
            raise BadInput("the copies of these pieces have too many places to be listed: take parsolve count")
        counted = self.sharing()
        return Counting(counted, total=lambda found: found // counted.multiplicity, breadth=counted)

    @cached_property
    def everywhere(self) -> dict[Cells, list[Cells]]:
        """The cells of each piece wherever it may lie.

        Raises:
            BadInput: there are more places than options are possible, even if symmetries restrict one piece.
        """
        found: dict[Cells, list[Cells]] = {}
        entries = most = 0
        for piece in self.stock:
            found[piece] = self._places(piece)
            number = len(found[piece]) * (1 + len(piece))
            entries, most = entries + number, max(most, number)
            if entries - most > MOST_ENTRIES:
                raise BadInput(
                    f"the pieces have too many places: at most {MOST_OPTIONS:,} options are possible, with"
                    f" {MOST_ENTRIES:,} items in all"
                )
        return found

    def _places(self, piece: Cells) -> list[Cells]:
        """Return the places of a piece: by its orientation, then by layer, row and column."""
        found = []
        _, rows, columns = (last + 1 for last in self.layout.far)
        for shape in orientations(piece, self.kind):
            corners = self._corners(far_end(shape))
            for layer, row, column in shape:
                corners &= self._bits >> (layer * rows + row) * columns + column
            while corners:
                corner = (corners & -corners).bit_length() - 1
                corners &= corners - 1
                top, back, left = corner // (rows * columns), corner // columns % rows, corner % columns
                found.append(frozenset((top + layer, back + row, left + column) for layer, row, column in shape))
        return found

    @cached_property
    def _bits(self) -> int:
        """The cells of the board, a bit for each of the box around it."""
        _, rows, columns = (last + 1 for last in self.layout.far)
        return sum(1 << (layer * rows + row) * columns + column for layer, row, column in self.layout.cells)

    def _corners(self, end: Cell) -> int:
        """Return where a box from 0 to `end` may begin within the box around the board, a bit for each cell."""
        bits, step = 1, 1
        for last, size in zip(reversed(self.layout.far), reversed(end), strict=True):
            if size > last:
                return 0
            bits *= ((1 << step * (1 + last - size)) - 1) // ((1 << step) - 1)
            step *= last + 1
        return bits

    @cached_property
    def _unlimited(self) -> Cells | None:
        """The piece with most copies, if there are several and if the numbers of all pieces and all cells are fixed: it
        takes the cells that the others leave."""
        piece, (_, _, number) = max(self.stock.items(), key=lambda item: item[1].most)
        exact = all(each.least == each.most for each in self.stock.values())
        return piece if exact and number > 1 and not self.layout.optional else None

    @cached_property
    def _numbers(self) -> dict[Cells, int]:
        """The numbers of all places, piece by piece."""
        return {cells: number for number, cells in enumerate(itertools.chain.from_iterable(self.everywhere.values()))}

    @cached_property
    def _piece_in(self) -> list[Cells]:
        """The piece of each place, by its number."""
        return [piece for piece, places in self.everywhere.items() for _ in places]

    @cached_property
    def _images(self) -> dict[Motion, list[int]]:
        """The symmetries of the board that keep the pieces, the identity first; what each makes of each place."""
        found = {}
        for symmetry in self.layout.symmetries():
            made = dict(zip(self.layout.cells, symmetry.images(self.layout.cells), strict=True))
            every = (self._numbers.get(frozenset([made[cell] for cell in cells]), -1) for cells in self._numbers)
            images = list(itertools.takewhile(lambda image: image >= 0, every))
            if len(images) == len(self._numbers) and self._is_kept(images):
                found[symmetry] = images
        return found

    def _is_kept(self, images: Sequence[int]) -> bool:
        """Return whether the places of each piece become those of a piece with as many copies."""
        pairs = {(piece, self._piece_in[image]) for piece, image in zip(self._piece_in, images, strict=True)}
        bounds = {piece: (each.least, each.most) for piece, each in self.stock.items()}
        return len(pairs) == len({piece for piece, _ in pairs}) and all(bounds[a] == bounds[b] for a, b in pairs)

    @property
    def symmetries(self) -> list[Motion]:
        """The symmetries of the board that keep the pieces, the identity first."""
        return list(self._images)

    @cached_property
    def _restricted(self) -> tuple[Cells | None, frozenset[int], bool]:
        """The piece whose first copy is restricted to some places if `unique`, these, and whether that is all it takes.

        By the symmetries that map the piece onto itself, its places have images; a least solution has its first copy in
        the least of them. Nothing else need be compared if the piece has one copy, all symmetries map it onto itself,
        and none leaves it in its place.
        """
        found: list[tuple[bool, float, int, Cells, frozenset[int]]] = []
        for piece, places in self.everywhere.items():
            if not self.unique or piece == self._unlimited or not self.stock[piece].least:
                continue
            others = [*self._images.values()][1:]
            first = self._numbers[places[0]] if places else 0
            same = [each for each in others if not places or self._piece_in[each[first]] == piece]
            images = [[each[first + place] - first for each in same] for place in range(len(places))]
            least = frozenset(place for place, others in enumerate(images) if place <= min(others, default=place))
            is_all = self.stock[piece].most == 1 and len(same) == len(others)
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
        for piece, (_, fewest, most) in self.stock.items():
            places = self.everywhere[piece]
            for copy in range(1 if piece == self._unlimited else most):
                allowed = least if (piece, copy) == (first, 0) else range(len(places))
                found += [
                    Placement(piece, copy, place, cells) for place, cells in enumerate(places) if place in allowed
                ]
                if copy >= fewest:
                    found.append(Placement(piece, copy, len(places), frozenset()))
                if len(found) > MOST_OPTIONS:
                    return found  # which `instance` refuses
        return found

    @cached_property
    def symmetric_things(self) -> Symmetries:
        """The pieces in their places, those of the restricted piece first."""
        piece, _, is_all = self._restricted
        if not self.symmetric and (not self.unique or is_all or len(self.symmetries) == 1):
            return NOTHING
        every = sorted(self._numbers.values(), key=lambda number: self._piece_in[number] != piece)
        thing = {number: thing for thing, number in enumerate(every)}
        images = [[thing[each[number]] for number in every] for each in [*self._images.values()][1:]]
        things = [thing[self._numbers[each.cells]] if each.cells else len(every) for each in self.placements]
        return Symmetries(things, images, self.unique, self.symmetric)

    @cached_property
    def instance(self) -> Instance:
        number = {piece: place for place, piece in enumerate(self.stock)}
        limited = [piece for piece in self.stock if piece != self._unlimited]
        items = [f"p{number[piece]}.{copy}" for piece in limited for copy in range(self.stock[piece].most)]
        options = []
        for piece, copy, place, cells in self.placements:
            words = [self._name(cell) for cell in sorted(cells)]
            if piece != self._unlimited:
                words = [f"p{number[piece]}.{copy}", *words, *self._order(number[piece], piece, copy, place)]
            options.append(words)
        filled = [self._name(cell) for cell in self.layout.cells if cell not in self.layout.optional]
        secondary = dict.fromkeys(self._name(cell) for cell in sorted(self.layout.optional))
        secondary |= {word: None for words in options for word in words if word.startswith("o")}
        builder = Builder([*items, *filled], secondary)
        for words in options:
            builder.add(words)
        return builder.finish()

    def sharing(self) -> Puzzle:
        """By Burnside's lemma the number of solutions up to symmetry is the mean, over all symmetries, of how many each
        leaves as they are. Conjugate ones leave as many.

        Raises:
            BadInput: symmetric solutions are wanted.
        """
        if self.symmetric:
            raise BadInput(
                "the engine sharing does not compare solutions with their images: leave out symmetric, or take the"
                " engine deepening"
            )
        if not self.unique or len(self.symmetries) == 1:
            return super().sharing()
        classes = conjugacy_classes(self.symmetries, self.layout.cells)
        return Counted.of_parts([self._fixed(*each) for each in classes], len(self.symmetries))

    def _fixed(self, symmetry: Motion, times: int) -> Part:
        """Return the problem of the solutions that a symmetry leaves as they are. Its options are pieces in places that
        the symmetry makes of each other, together; its items are cells of which it does so, and pieces."""
        cells = self.layout.cells
        number = {cell: place for place, cell in enumerate(cells)}
        classes = cycles([number[image] for image in symmetry.images(cells)])
        filled = [each for each in classes if cells[each[0]] not in self.layout.optional]
        empty = [each for each in classes if cells[each[0]] in self.layout.optional]
        limited = {piece: self.stock[piece] for piece in self._shared_items}
        item = {piece: len(filled) + place for place, piece in enumerate(limited)}
        of = {cells[each]: place for place, one in enumerate(filled) for each in one}
        of |= {cells[each]: len(filled) + len(limited) + place for place, one in enumerate(empty) for each in one}
        places = list(self._numbers)
        options = []
        for together in cycles(self._images[symmetry]):
            taken = [cell for each in together for cell in places[each]]
            pieces = Counter(self._piece_in[each] for each in together)
            if len(set(taken)) == len(taken) and all(
                times <= self.stock[piece].most for piece, times in pieces.items()
            ):
                # A piece that is used several times stands there as often: that is what is added to its counter.
                used = [item[piece] for piece, times in pieces.items() for _ in range(times) if piece in item]
                options.append(tuple((each, "") for each in (*sorted({of[cell] for cell in taken}), *used)))
        instance = Instance(
            tuple(map(str, range(len(filled) + len(limited)))),
            tuple(map(str, range(len(empty)))),
            tuple(options),
            ((1, 1),) * len(filled) + tuple((each.least, each.most) for each in limited.values()),
        )
        named = {self._name(cell): of[cell] for cell in cells}
        named |= {name: item[piece] for piece, name in self._shared_items.items()}
        first = dict.fromkeys(named[self.shared.primary[each]] for each in self.first)
        return Part(times, instance, computed_order(instance, list(first)))

    @property
    def shared(self) -> Instance:
        """The same with the copies of a piece as one item, which is covered several times."""
        items = self._shared_items
        limited = [f"{self.stock[piece].least}:{self.stock[piece].most}|{name}" for piece, name in items.items()]
        filled = [self._name(cell) for cell in self.layout.cells if cell not in self.layout.optional]
        builder = Builder([*filled, *limited], [self._name(cell) for cell in sorted(self.layout.optional)])
        for piece, place in self._shared_places:
            cells = sorted(self.everywhere[piece][place])
            builder.add([*([items[piece]] if piece in items else []), *map(self._name, cells)])
        return builder.finish()

    @cached_property
    def _shared_items(self) -> dict[Cells, str]:
        """The items of `shared` that are pieces."""
        used = [piece for piece, each in self.stock.items() if each.most]
        return {piece: f"p{number}" for number, piece in enumerate(used) if piece != self._unlimited}

    @cached_property
    def _shared_places(self) -> list[tuple[Cells, int]]:
        """The options of `shared`: pieces and their places."""
        used = [piece for piece, each in self.stock.items() if each.most]
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
        """Return the secondary items by which copies are used in the order of their places."""
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
        tones = dict(zip(dict.fromkeys(letters.values()), itertools.cycle(TONES), strict=False))
        at = {(layer, row, column): (wide * layer + column, row) for layer, row, column in self.layout.cells}
        ground: dict[bool, Tone] = {True: "shade", False: "cell"}
        board = [Shape("box", *at[cell], ground[cell in self.layout.optional], 0.94, 0.94) for cell in at]
        return board + [
            Shape("box", *at[cell], tones[letter], text=letter, name=" ".join(map(str, (letter, *cell))))
            for cell, letter in letters.items()
        ]

    def overview(self) -> str:
        return f"{self.render({}, ())}\n\nsymmetries that make the same set of pieces: {len(self.symmetries)}"

    def _letters(self, moves: Sequence[int]) -> dict[Cell, str]:
        """Return the letter of each cell that is covered after some moves: the first of the piece's name, if each piece
        has one copy and their first letters differ."""
        taken = sorted((self.placements[move] for move in moves), key=lambda each: sorted(each.cells))
        initials = {stock.name[0] for stock in self.stock.values()}
        named = len(initials) == sum(stock.most for stock in self.stock.values())
        letters: dict[Cell, str] = {}
        for number, each in enumerate(taken):
            letter = self.stock[each.piece].name[0] if named else string.ascii_letters[number % 52]
            letters |= dict.fromkeys(each.cells, letter)
        return letters


def _between(least: int, most: int) -> str:
    """Return a range of numbers as text."""
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"
