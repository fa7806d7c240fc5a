"""Part: which share of a tree a search takes, so that machines that know nothing of each other share one search."""

import re
from dataclasses import dataclass
from typing import Self

from parsolve.errors import BadInput
from parsolve.text import shown

MOST = 100_000
"""The greatest number of parts."""

BRANCHES = 64
"""The least number of branches a part that a tree is expanded to, if it is large enough."""

FORM = "a number of some parts, such as 17/1000 or 17-24/1000"


@dataclass(frozen=True, order=True)
class Part:
    """One part of a tree, or several successive ones.

    Attributes:
        of: how many parts the tree has.
        first, last: the numbers of the first and the last part, from 1 on.

    Raises:
        BadInput: there are no such parts.
    """

    of: int
    first: int
    last: int

    def __post_init__(self) -> None:
        if not 1 <= self.of <= MOST:
            raise BadInput(f"a tree has 1 to {MOST:,} parts, not {self.of:,}")
        if not 1 <= self.first <= self.last <= self.of:
            raise BadInput(f"there is no part {self.numbers} of {self.of}: parts are 1 to {self.of}")

    @classmethod
    def of_text(cls, text: str) -> Self:
        """Return the part of a text such as `17/1000` or `17-24/1000`.

        Raises:
            BadInput: the text is another one, or there are no such parts.
        """
        found = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?/([0-9]{1,9})", text)
        if found is None:
            raise BadInput(f"{FORM}, not {shown(text)}")
        first, last, of = found.groups()
        return cls(int(of), int(first), int(last or first))

    @property
    def numbers(self) -> str:
        """The numbers of its parts, such as `17` or `17-24`."""
        return f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"

    def __str__(self) -> str:
        return f"{self.numbers}/{self.of}"

    def __contains__(self, number: int) -> bool:
        return self.first <= number <= self.last
