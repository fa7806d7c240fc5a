"""What a check has to say."""

from dataclasses import dataclass

State = dict[str, int]
"""A state by its fields."""


@dataclass(frozen=True)
class Fault:
    """Something that breaks the contract, and the state that shows it."""

    text: str
    state: State

    def __str__(self) -> str:
        return f"{self.text} at {' '.join(f'{name}={value}' for name, value in self.state.items())}"


@dataclass
class Report:
    """What a check has seen: `faults`, at most one of each kind, and how much was looked at."""

    faults: list[Fault]
    states: int = 0
    on_solved_paths: int = 0
    key_pairs: int = 0
