"""Run one rule on one state: templates that `CompiledRules` specialises for a puzzle's rules.

`rule` is injected. The template of a rule has its name; that of `unindex` and `unkey` is `write`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from parsolve.compiler.keys import store_words, words_of
from parsolve.compiler.marks import injected

ZERO = np.uint64(0)

rule: Callable[..., Any] = injected("rule")


def expand(tables: Any, rows: Any, limit: Any, top: Any) -> Any:
    """Write the children of `rows[0]` from `rows[top]` on, and return the end."""
    return np.int64(rule(tables, rows[0], limit, rows, top))


def solved(tables: Any, rows: Any) -> Any:
    """Return whether `rows[0]` is solved."""
    return bool(rule(tables, rows[0]))


def key(tables: Any, rows: Any, words: Any) -> Any:
    """Write the key of `rows[0]` into words, uint64[any], and return how many it has."""
    made = words_of(rule(tables, rows[0]))
    store_words(words, ZERO, made)
    return len(made)


def index(tables: Any, rows: Any) -> Any:
    """Return the number of `rows[0]`."""
    number = rule(tables, rows[0])
    words_of(number)  # it accepts only whole numbers
    return number


def entry(tables: Any, rows: Any, number: Any) -> Any:
    """Return the place of a number, uint64, in a pattern database."""
    place = rule(tables, number)
    words_of(place)
    return place


def level(tables: Any, rows: Any) -> Any:
    """Return the level of `rows[0]`."""
    number = rule(tables, rows[0])
    words_of(number)
    return np.int64(number)


def write(tables: Any, rows: Any, number: Any) -> None:
    """Write the state of a number or key, uint64 or a tuple of several, into `rows[0]`."""
    rule(tables, number, rows[0])
