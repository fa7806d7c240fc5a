"""A listener that remembers what it is told."""

import parsolve


class Losses(parsolve.Listener):
    """Remembers what was lost and what was told, and how the bound has changed."""

    def __init__(self) -> None:
        self.losses: list[str] = []
        self.warnings: list[str] = []
        self.changes: list[str] = []

    def worker_lost(self, why: str) -> None:
        self.losses.append(why)

    def warning_given(self, text: str) -> None:
        self.warnings.append(text)

    def bound_changed(self, text: str) -> None:
        self.changes.append(text)
