"""Exact cover: choose options so that each primary item is covered once, and each secondary one at most once or in one
colour."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from parsolve.errors import BadInput
from parsolve.puzzle.core import Counting, Puzzle, State, Want, parameter
from parsolve.puzzles.cover import dlx, xmpuzzle
from parsolve.puzzles.cover.assembly import Assembly
from parsolve.puzzles.cover.given import Costs, Names, Options, instance_of
from parsolve.puzzles.exact_cover.cheapest import Cheapest
from parsolve.puzzles.exact_cover.covering import Covering
from parsolve.puzzles.exact_cover.instance import Instance
from parsolve.puzzles.exact_cover.places import Same

KNUTH = "p q r | x y\np q x y:A\np r x:A y\np x:B\nq x:A\nr y:B\n"
"""The example of The Art of Computer Programming, 7.2.2.1: its one solution is the options `q x:A` and `p r x:A y`."""


class Shown(Covering):
    """How covers are shown: by their options."""

    def chosen(self, moves: Sequence[int]) -> list[int]:
        """Return the numbers of the options that moves choose, ascending."""
        return sorted(move for move in moves if move < len(self.instance.options))

    def show(self, solution: Any) -> str:
        return ", ".join(" ".join(self.instance.words(option)) for option in self.chosen(solution.moves))

    def render(self, state: State, moves: Sequence[int]) -> str:
        names = self.instance.primary + self.instance.secondary
        by: dict[int, list[str]] = {}
        for option in self.chosen(moves):
            for item, _ in self.instance.options[option]:
                by.setdefault(item, []).append(" ".join(self.instance.words(option)))
        width = max(map(len, names), default=0)
        covered = [", ".join(by.get(item, "·")) for item in range(len(names))]
        return "\n".join(f"{name.ljust(width)}  {options}" for name, options in zip(names, covered, strict=True))


@dataclass(frozen=True)
class CheapestCover(Shown, Cheapest):
    """The same with costs: see `Cover`."""

    jumps = True

    file: str = parameter(KNUTH, "see `Cover`", text_file=True, most=1 << 24)
    order: str = parameter("", "see `Cover`")

    @cached_property
    def problem(self) -> Instance:
        return dlx.read(self.file)


@dataclass(frozen=True, init=False)
class Cover(Shown):
    """Choose options so that each item is covered once. A solution prints as its options, in the order of the problem.

    A primary item may have bounds, `2|a` or `1:3|a`: how often it is covered. A secondary item is covered once at most;
    or any number of times in one colour, where options give it one. Options may have costs, `a b |3`: then the covers
    are searched whose costs have the least sum.

    Args:
        file: a problem in Knuth's text format, see `dlx`, or BurrTools' puzzle file, see `xmpuzzle`.
        problem: which one of a BurrTools file, from 1 on.
        order: items that the engine `sharing` covers first, in this order; the others follow in a computed one.
        symmetry: of a BurrTools file, which assemblies are the same and count once: those that turns make of each
            other; all, also those that reflections make; or none.
        items, options, secondary, costs: the problem itself, instead of `file`: the names of the primary items, by
            default those of all options; lists or sets of items, `name:colour` for the colour of a secondary one, or a
            numpy matrix of 0 and 1; the names of the secondary items; whole numbers, a cost for each option, or a
            mapping of costs. Names are texts or whole numbers.

    Raises:
        BadInput: the problem is invalid.
    """

    file: str = parameter(
        KNUTH,
        "a problem in Knuth's text format: items, then a line an option; or BurrTools' .xmpuzzle, plain or compressed",
        text_file=True,
        most=1 << 24,
    )
    problem: int = parameter(1, "of an .xmpuzzle file with several problems, which one", least=1)
    order: str = parameter("", "items that the engine sharing covers first, in this order; others as it computes")
    symmetry: Same = parameter(
        "all", "of an .xmpuzzle file, which assemblies are the same: turns of one another, all also images, or none"
    )

    def __init__(
        self,
        file: str = KNUTH,
        problem: int = 1,
        order: str = "",
        symmetry: Same = "all",
        *,
        items: Names | None = None,
        options: Options | None = None,
        secondary: Names = (),
        costs: Costs = (),
    ) -> None:
        if items is not None or options is not None:
            if (file, problem) != (KNUTH, 1):
                raise BadInput("cover: file and problem name another problem: leave them out beside items and options")
            try:
                file = dlx.write(instance_of(items, () if options is None else options, secondary, costs))
            except BadInput as error:
                raise BadInput(f"cover: {error}") from None
        vars(self).update(file=file, problem=problem, order=order, symmetry=symmetry)
        if self.assembly:
            if order:
                raise BadInput("cover: order is for a problem in Knuth's text format: leave it out")
            return
        if problem != 1:
            raise BadInput("cover: problem is for an .xmpuzzle file with several problems: leave it out")
        if symmetry != "all":
            raise BadInput("cover: symmetry is for an .xmpuzzle file: leave it out")
        _ = self.instance  # raises an error in it at once
        try:
            _ = self.first
        except BadInput as error:
            raise BadInput(f"cover: {error}") from None

    @cached_property
    def instance(self) -> Instance:
        return dlx.read(self.file)

    @cached_property
    def assembly(self) -> Assembly | None:
        """The puzzle of a BurrTools file; None for a problem in Knuth's text format."""
        return Assembly(self.file, self.problem, self.symmetry) if xmpuzzle.is_xml(self.file) else None

    @cached_property
    def searched(self) -> Covering | None:
        """The puzzle that is searched instead: of a BurrTools file, or of options with costs."""
        return self.assembly or (CheapestCover(self.file, self.order) if self.instance.costs else None)

    def counting(self, want: Want) -> Counting | None:
        return Counting(self.searched, breadth=self.searched) if self.searched else None

    def sharing(self) -> Puzzle:
        return self.searched.sharing() if self.searched else super().sharing()

    def unshared(self, moves: Sequence[int]) -> list[int]:
        return self.searched.unshared(moves) if self.searched else super().unshared(moves)

    def up_to(self) -> str:
        return self.assembly.up_to() if self.assembly else ""

    def hint(self) -> str:
        return self.assembly.hint() if self.assembly else ""

    def overview(self) -> str:
        if self.assembly:
            return self.assembly.overview()
        primary, secondary, options, *_ = map(len, self.instance)
        return f"{primary} primary items, {secondary} secondary ones, {options} options{self.memory}"
