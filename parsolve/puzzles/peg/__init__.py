"""peg solitaire: jump pegs over pegs until one is left"""

from parsolve.puzzle.catalogue import Instance

PAGES = "https://www.nct9.ne.jp/m_hiroi/puzzle"
"""Makoto Hiroi's pages about peg solitaire."""

INSTANCES = {
    "hoppers": Instance(
        {"board": "hoppers", "vacancy": 6, "target": 6, "first": "0-6"},
        "13 holes, 18 solutions of 7 moves",
        hint=f"its first jump is 0-6, as on {PAGES}/peg1.html; --first any allows each",
    ),
    "peg21": Instance(
        {"board": "triangle21_modified", "vacancy": 6, "target": 6, "first": "14-6"},
        "21 holes, 96 solutions of 12 moves",
        hint=f"its first jump is 14-6, as on {PAGES}/peg3.html; --first any allows each",
    ),
}
