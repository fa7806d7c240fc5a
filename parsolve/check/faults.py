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


FATAL = ("endless", "nothing", "beyond", "compile")
"""Kinds of faults that prevent running the compiled rules."""

FOLLOWING = {
    "children": ("compiled", "limit", "merge", "graph"),
    "row": ("cost", "moves", "limit", "compiled", "bound", "merge", "graph"),
    "written": ("tables", "root", "compiled", "limit", "solved", "merge"),
}
"""Kinds of faults that follow from one of another kind, and are not reported with it."""


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
    """

    faults: list[Fault] = field(default_factory=list)
    states: int = 0
    all_states: int | None = None
    on_solved_paths: int = 0
    has_bound: bool = True
    key_pairs: int = 0
    numbered: int = 0

    @property
    def stopped(self) -> bool:
        """Whether a fault ended the check early."""
        return any(fault.kind in FATAL for fault in self.faults)

    def add(self, fault: Fault) -> None:
        """Report a fault, unless one of its kind is reported, or one that it follows from."""
        known = [each.kind for each in self.faults]
        if fault.kind not in [*known, *(kind for each in known for kind in FOLLOWING.get(each, ()))]:
            self.faults.append(fault)
