"""Knuth's text format of exact cover problems, as his programs DLX1, DLX2, DLX3 and DLX5 read it.

    | a comment
    a b 2:3|c | p q
    a p:red
    b c q |12

The first line except comments names the items, those after `|` are secondary. Bounds before a primary one say how
often it is covered, here two or three times. Each further line is an option; its cost, 0 by default, is the sum of the
numbers after `|`.
"""

import re
from collections.abc import Iterable

from parsolve.errors import BadInput
from parsolve.puzzles.exact_cover.instance import Builder, Instance
from parsolve.text import lines_of, shown

MOST_LINES = 1 << 17
"""Maximum number of lines of a problem, with comments and empty ones."""


def read(text: str) -> Instance:
    """Return the problem in a text.

    Raises:
        BadInput: the text is not a problem; the message names the line.
    """
    if text.count("\n") > MOST_LINES:
        raise BadInput(f"cover: file: it has more than {MOST_LINES:,} lines")
    builder = None
    for number, line in enumerate(lines_of(text), 1):
        words = line.split()
        if not words or line.lstrip().startswith("|"):
            continue
        try:
            if builder is None:
                if words.count("|") > 1:
                    raise BadInput("a second |: only one separates primary and secondary items")
                bar = words.index("|") if "|" in words else len(words)
                builder = Builder(words[:bar], words[bar + 1 :])
            else:
                costs = [word for word in words if word.startswith("|")]
                builder.add([word for word in words if word not in costs], sum(map(_cost, costs)))
        except BadInput as error:
            raise BadInput(f"cover: file, line {number}: {error}") from None
    if builder is None:
        raise BadInput("cover: file: it has no items: the first line names them, each further line is an option")
    return builder.finish()


def _cost(word: str) -> int:
    """Return the cost that a word such as |12 means."""
    if not re.fullmatch(r"\|\d{1,10}", word, re.ASCII):
        raise BadInput(f"{shown(word)} is not a cost: a whole number follows the |")
    return int(word[1:])


def write(instance: Instance, comments: Iterable[str] = ()) -> str:
    """Return a problem as text for `read`."""
    secondary = ["|", *instance.secondary] if instance.secondary else []
    lines = [f"| {comment}" for comment in comments]
    primary = [
        name if bound == (1, 1) else f"{bound[0]}:{bound[1]}|{name}"
        for name, bound in zip(instance.primary, instance.coverings, strict=True)
    ]
    if not lines and primary[0].startswith("<"):
        lines.append("|")  # so that it is not taken for XML
    lines.append(" ".join([*primary, *secondary]))
    costs = [[f"|{cost}"] if cost else [] for cost in instance.costs or [0] * len(instance.options)]
    lines += [" ".join([*instance.words(option), *cost]) for option, cost in enumerate(costs)]
    return "".join(f"{line}\n" for line in lines)
