"""What a group of the contract is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Rule:
    """A rule that engines compile.

    Attributes:
        arguments: their names.
        returns: what it must return, as messages say it; empty for nothing.
        ending: what its last line must be, where it returns something.
    """

    arguments: tuple[str, ...]
    returns: str = ""
    ending: str = ""

    @property
    def returning_nothing(self) -> str:
        """What is wrong, and what to do, where it returns nothing."""
        return f"returns nothing: {self.ending}"


@dataclass(frozen=True)
class Group:
    """A part of the contract that a puzzle gives or does not.

    Attributes:
        title: what `parsolve describe` calls it.
        members: the class with these members, their documentation and defaults; `Puzzle` derives from it.
        rules: those of the members that are compiled, by name.
        needs: what is given, what must be given with it, and what that is.
    """

    title: str
    members: type
    rules: Mapping[str, Rule] = field(default_factory=dict)
    needs: Sequence[tuple[str, str, str]] = ()

    def is_given_by(self, cls: type, base: type) -> bool:
        """Return whether a puzzle class has one of the members itself; `base` has the defaults."""
        return any(gives(cls, base, name) for name in vars(self.members) if not name.startswith("_"))


def gives(cls: type, base: type, name: str) -> bool:
    """Return whether a class has a member of its own instead of the default, that of `base`."""
    return getattr(cls, name) not in (None, getattr(base, name))
