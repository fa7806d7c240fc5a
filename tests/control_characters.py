"""A puzzle whose texts are full of control characters, and what sees that none gets out."""

from samples import KEY, edited

ESC = "\x1b[2J\x07\x9b1m\x85\u202e\u2066\u2028?"
"""It clears a terminal, rings, colours, and reverses the direction of writing."""

PLAIN = "\x1b[2J\x07\x9b1m\u202e\u2066?"
"""The same without what separates words."""

WORDS = f"""
    def show(self, solution):
        return {ESC!r}

    def show_state(self, state):
        return {ESC!r}

    def render(self, state, moves):
        return "two\\n" + {ESC!r}

    @classmethod
    def instances(cls):
        return {{{PLAIN!r}: {{"size": 4}}}}

    def exploring(self):
        from parsolve.puzzle.core import Exploring
        return Exploring(self, {PLAIN!r}, findings=lambda farthest: {{{PLAIN!r}: [{ESC!r}]}})

    def overview(self):
        return {ESC!r}
"""

LOUD = (
    edited("class Walk(Puzzle):", f"class Walk(Puzzle):\n    {'About ' + ESC + '.'!r}\n")
    .replace('"places"', repr(f"places {ESC}"))
    .replace(
        "def root(self):", f"def limits(self):\n        print({ESC!r})\n        return range(9)\n\n    def root(self):"
    )
    + WORDS
    + KEY
)
"""A puzzle each of whose texts has control characters."""


def assert_clean(*texts: str) -> None:
    """See that there are no control characters in what was printed, and that there were some."""
    for text in texts:
        assert {c for c in text if not c.isprintable()} <= {"\n", "\t"}
    assert "\\x1b" in "".join(texts)
