"""What a group of the contract is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


def either(getter: Callable[..., Any]) -> Any:
    """Return a property. To a type checker it is anything, so that a class may give a plain value instead."""
    return property(getter)


def with_fewer(method: Callable[..., Any]) -> Any:
    """Return a method as it is. To a type checker it is anything, so that a class may leave out arguments."""
    return method


@dataclass(frozen=True)
class Rule:
    """A rule that engines compile.

    Attributes:
        arguments: names of its arguments.
        returns: what it must return, for messages; empty for nothing.
        ending: what its last line must be, if it returns something.
    """

    arguments: tuple[str, ...]
    returns: str = ""
    ending: str = ""

    @property
    def returning_nothing(self) -> str:
        """The error text, with advice, if it returns nothing."""
        return f"returns nothing: {self.ending}"


@dataclass(frozen=True)
class Group:
    """A part of the contract that a puzzle may give.

    Attributes:
        title: its title in `parsolve describe`.
        members: the class with these members, their documentation and defaults; `Puzzle` derives from it.
        rules: the compiled rules among the members, by name.
        needs: a member, the member that must be given with it, and what that gives.
    """

    title: str
    members: type
    rules: Mapping[str, Rule] = field(default_factory=dict)
    needs: Sequence[tuple[str, str, str]] = ()

    def is_given_by(self, cls: type, base: type) -> bool:
        """Return whether a puzzle class defines one of the members; `base` has the defaults."""
        return any(gives(cls, base, name) for name in vars(self.members) if not name.startswith("_"))


def gives(cls: type, base: type, name: str) -> bool:
    """Return whether a class defines a member instead of the default of `base`."""
    return getattr(cls, name) not in (None, getattr(base, name))
