"""What `parsolve play` shows: a solution and a step of it, as lines of text; knows no terminal."""

from collections.abc import Callable, Sequence

from parsolve.problem.replay import Solution
from parsolve.text import printable

KEYS = "←→ step   ↑↓ solution   Home End   space play   q quit"


class Stage:
    """Solutions to step through.

    Args:
        title: what they solve.
        solutions: at least one.
        more: whether there are more of them, which are not here.

    Attributes:
        number, step: which solution is shown, from 0, and which of its states.
        playing: whether steps follow by themselves.
    """

    def __init__(self, title: str, solutions: Sequence[Solution], more: bool) -> None:
        self._title, self._solutions, self._more = title, solutions, more
        self.number = self.step = 0
        self.playing = False

    @property
    def solution(self) -> Solution:
        return self._solutions[self.number]

    @property
    def end(self) -> int:
        return len(self.solution.moves)

    def press(self, key: str) -> bool:
        """Do what a key says; return whether to go on.

        Args:
            key: `left`, `right`, `up`, `down`, `home`, `end`, `space` or `q`; others do nothing.
        """
        actions: dict[str, Callable[[], None]] = {
            "left": lambda: self._go(self.step - 1),
            "right": lambda: self._go(self.step + 1),
            "home": lambda: self._go(0),
            "end": lambda: self._go(self.end),
            "up": lambda: self._choose(self.number - 1),
            "down": lambda: self._choose(self.number + 1),
            "space": self._play,
        }
        if key in actions:
            self.playing = self.playing and key == "space"
            actions[key]()
        return key != "q"

    def tick(self) -> None:
        """Take the next step, if they follow by themselves; the last one ends that."""
        if self.playing:
            self._go(self.step + 1)
            self.playing = self.step < self.end

    def lines(self, width: int, height: int) -> list[str]:
        """Return the lines of a terminal, at most `height` of at most `width` characters."""
        many = f"{len(self._solutions):,}{'+' if self._more else ''}"
        where = f"{self._title}: solution {self.number + 1:,} of {many}, step {self.step} of {self.end}"
        cost = self.solution.states[self.step]["cost"]
        if cost and cost != self.step:
            where += f", cost {cost}"
        board = self.solution.render(self.step).split("\n")
        text = printable(self.solution.text)
        wrapped = [text[at : at + width] for at in range(0, len(text), width)]
        room = max(0, height - 4)  # for the board and the solution's text; the board comes first
        board = board[:room]
        wrapped = wrapped[: max(0, room - len(board) - 1)]
        body = [where, "", *board, *([""] if wrapped else []), *wrapped]
        body += [""] * (height - 1 - len(body))
        return [printable(line)[:width] for line in [*body[: height - 1], KEYS]]

    def _go(self, step: int) -> None:
        self.step = max(0, min(step, self.end))

    def _choose(self, number: int) -> None:
        self.number = max(0, min(number, len(self._solutions) - 1))
        self.step = 0

    def _play(self) -> None:
        self.playing = not self.playing
        if self.playing and self.step == self.end:
            self.step = 0
