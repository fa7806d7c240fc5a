"""The expanded levels of a search whose moves may lead back, as long as a later child may lie in them.

Here levels are costs. If each move can be taken back at the same cost, a child in level k has a parent to which a move
from k leads. If moves from k cost at most c, the parent's level is at most k + c, and the child's at most k + 2c.
"""

import math
from collections.abc import Callable, Iterator

from parsolve.levels.chains import Level
from parsolve.levels.files import LevelFile


class Graph:
    """The expanded levels, as long as a later child may lie in them.

    Args:
        kind: `Puzzle.graph`: `reversible`, `bipartite` or `any`.

    Attributes:
        levels: by number.
        files: the files of these levels, each with the number of a level.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self.levels: dict[int, Level] = {}
        self.files: dict[LevelFile, int] = {}
        self._until: dict[int, float] = {}
        """By number, the level up to which a child may lie in it."""
        self._last: int | None = None
        self._alternates = kind == "bipartite"  # while all moves cost 1, no child lies in the level of its parent

    @property
    def numbers_expanded(self) -> list[int]:
        """The levels that are completely expanded."""
        return [number for number in self.levels if number != self._last]

    def file_of(self, number: int, made: Callable[[], LevelFile]) -> LevelFile:
        """Return the file of a level: one file for all levels, if none is ever forgotten.

        Args:
            made: makes a file.
        """
        level = self.levels[number]
        if level.file is None:
            level.file = next(iter(self.files), None) if self._kind == "any" else None
        if level.file is None:
            level.file = made()
            self.files[level.file] = number
        return level.file

    def add(self, number: int, level: Level) -> None:
        """Add the level that is expanded next."""
        self.levels[number], self._until[number] = level, math.inf

    def restore(self, number: int) -> Level:
        """Return a level that an earlier run has expanded: the cost of its moves is no longer known."""
        self._alternates = False
        self._until[number] = math.inf
        return self.levels.setdefault(number, Level())

    def passed(self, number: int, highest: int) -> Iterator[Level]:
        """Yield and forget the levels in which no later child can lie.

        Args:
            number: the level that is expanded next.
            highest: the highest level with entries.
        """
        if self._last is not None:
            farthest = highest - self._last
            self._alternates &= farthest == 1
            if self._kind != "any" and self._last in self.levels:
                self._until[self._last] = self._last + 2 * farthest
        self._last = number
        for each in [each for each, until in self._until.items() if until < number]:
            del self._until[each]
            level = self.levels.pop(each)
            if level.file is not None:
                del self.files[level.file]
                level.file.close()
            yield level

    def before(self, number: int) -> list[Level]:
        """Return the levels that may have keys of a level already."""
        nearest = number - 1 - self._alternates
        return [level for each, level in self.levels.items() if each <= nearest]

    def close(self) -> None:
        """Free the files."""
        for file in self.files:
            file.close()
