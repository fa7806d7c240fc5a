"""The report of a check."""

from dataclasses import dataclass, field

from parsolve.puzzle.core import State

Key = int | tuple[int, ...]
"""A key of one word or of several."""


def text_of(state: State) -> str:
    """Return a state as a piece of a message."""
    return " ".join(f"{name}={value}" for name, value in state.items())


@dataclass(frozen=True)
class Fault:
    """Something that breaks the contract.

    Attributes:
        kind: its kind; one fault of each kind is reported.
        text: the fault in one sentence.
        state: the state that shows it; None for a fault without a state.
    """

    kind: str
    text: str
    state: State | None = None

    def __str__(self) -> str:
        return self.text if self.state is None else f"{self.text} at {text_of(self.state)}"


@dataclass
class CheckReport:
    """The results of a check.

    Attributes:
        faults: at most one of each kind.
        states: number of states checked.
        all_states: number of states that there are, up to states of one key, if all were reached; otherwise None.
        on_solved_paths: number of states that lead to a solved state, so that their bound was checked.
        has_bound: whether states have a bound.
        key_pairs: number of pairs of states with one key that were compared.
        numbered: number of states turned into numbers and back.
        stopped: whether a fault ended the check early.
    """

    faults: list[Fault] = field(default_factory=list)
    states: int = 0
    all_states: int | None = None
    on_solved_paths: int = 0
    has_bound: bool = True
    key_pairs: int = 0
    numbered: int = 0
    stopped: bool = False
