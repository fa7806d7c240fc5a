"""Small parts by themselves: cores and memory, progress, words, specs."""

import parsolve
from parsolve.puzzles import Sliding
from parsolve.search.progress import Progress


def test_progress_is_honest_about_iterative_deepening() -> None:
    """Weighted by the iteration before, the share is near the part of the nodes that has been searched."""
    steps: list[tuple[float, int]] = []

    class Shares(parsolve.Listener):
        def progress_made(self, progress: Progress) -> None:
            if progress.limit == 55:
                steps.append((progress.share, progress.nodes))

    puzzle = Sliding(start="13 5 4 10 9 12 8 14 2 3 7 1 0 15 11 6", goal="blank-first", bound="manhattan")
    parsolve.solve(puzzle, workers=1, budget=50_000, listener=Shares(), want="count")
    total = steps[-1][1]
    assert max(abs(share - nodes / total) for share, nodes in steps) < 0.1
