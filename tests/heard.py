"""A listener that remembers what it is told."""

import parsolve
from parsolve.puzzle.core import EngineName
from parsolve.search.progress import Progress


class Heard(parsolve.Listener):
    """Remembers losses, warnings, other bounds and engines, solutions, and which tables and kernels are made."""

    def __init__(self) -> None:
        self.losses: list[str] = []
        self.warnings: list[str] = []
        self.changes: list[str] = []
        self.begun: list[str] = []
        self.built: list[str] = []
        self.compiled: list[str] = []
        self.resumed: list[float] = []
        self.chosen: list[tuple[str, str]] = []
        self.found: list[tuple[int, ...]] = []

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

    def compilation_started(self, template: str) -> None:
        self.compiled.append(template)

    def engine_chosen(self, engine: EngineName, text: str) -> None:
        self.chosen.append((engine, text))

    def search_resumed(self, share: float) -> None:
        self.resumed.append(share)

    def solution_found(self, moves: tuple[int, ...]) -> None:
        self.found.append(moves)
