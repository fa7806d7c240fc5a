"""A listener that remembers what it is told."""

import parsolve
from parsolve.search.progress import Progress


class Losses(parsolve.Listener):
    """Remembers what was lost and what was told, how the bound has changed, and which tables are built."""

    def __init__(self) -> None:
        self.losses: list[str] = []
        self.warnings: list[str] = []
        self.changes: list[str] = []
        self.begun: list[str] = []
        self.built: list[str] = []

    def worker_lost(self, why: str) -> None:
        self.losses.append(why)

    def warning_given(self, text: str) -> None:
        self.warnings.append(text)

    def bound_changed(self, text: str) -> None:
        self.changes.append(text)

    def table_progress_made(self, what: str, progress: Progress) -> None:
        if not progress.nodes:
            self.begun.append(what)

    def table_built(self, what: str, seconds: float) -> None:
        self.built.append(what)
