"""The line of the progress bar, at any width of the terminal."""

SHORTEST_BAR = 6
"""Columns of a bar at least: a shorter one says nothing."""


def bar_format(about: str, share: float, rate: str, found: str, left: str, columns: int) -> str:
    """Return the line as a format of tqdm's, at most so many columns wide. The bar is the first to go, then the node
    rate, the solutions, what runs and the share; the time left is the last.

    Args:
        about: what runs, such as `limit 55`.
        share: how much of it is done, 0 to 1.
        rate, found, left: node rate, solutions and time left, in words.
        columns: of the terminal.
    """
    percent = f"{share:.1%}"
    pieces = [about, percent, rate, found, left]
    room = columns - 1  # a full line would wrap on some terminals
    if len(f"{about} {percent:>6}|| {rate}, {found}, {left}") + SHORTEST_BAR <= room:
        return f"{_literal(about)} {percent:>6}|{{bar}}| {_literal(f'{rate}, {found}, {left}')}"
    for gone in (rate, found, about, percent):
        if len(", ".join(pieces)) <= room:
            break
        pieces.remove(gone)
    return _literal(", ".join(pieces)[:room])


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
