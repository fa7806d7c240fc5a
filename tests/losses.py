"""A listener that remembers what was lost."""

import parsolve


class Losses(parsolve.Listener):
    """Remembers what was lost and what was told."""

    def __init__(self) -> None:
        self.losses: list[str] = []
        self.warnings: list[str] = []

    def worker_lost(self, why: str) -> None:
        self.losses.append(why)

    def warning_given(self, text: str) -> None:
        self.warnings.append(text)
