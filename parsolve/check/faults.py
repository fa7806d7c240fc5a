"""What a check reports."""

from dataclasses import dataclass, field
from typing import Any

State = dict[str, Any]
"""A state by its fields: a whole number each, or (nested) lists of them for an array field."""

Key = int | tuple[int, ...]
"""A key of one word or of several."""


def text_of(state: State) -> str:
    """Return a state as a piece of a message."""
    return " ".join(f"{name}={value}" for name, value in state.items())


@dataclass(frozen=True)
class Fault:
    """Something that breaks the contract.

    Attributes:
        kind: of each kind one fault is reported.
        text: what is wrong, in one sentence.
        state: the state that shows it; None where it is not a matter of states.
    """

    kind: str
    text: str
    state: State | None = None

    def __str__(self) -> str:
        return self.text if self.state is None else f"{self.text} at {text_of(self.state)}"


@dataclass
class Report:
    """What a check has seen.

    Attributes:
        faults: at most one of each kind.
        states: how many states were looked at.
        on_solved_paths: how many of them lead to a solved state, so that their bound was checked.
        key_pairs: how many pairs of states with one key were compared.
        numbered: how many states were turned into numbers and back.
        stopped: whether a fault kept the check from going on.
    """

    faults: list[Fault] = field(default_factory=list)
    states: int = 0
    on_solved_paths: int = 0
    key_pairs: int = 0
    numbered: int = 0
    stopped: bool = False
