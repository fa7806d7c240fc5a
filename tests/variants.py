"""Edited sources as subclasses of the class that was edited: what is not edited is not compiled again."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from samples import WALK

from parsolve.problem.registry import load_class
from parsolve.puzzle.core import Puzzle

Variant = Callable[..., type[Puzzle]]

HEAD = """from dataclasses import dataclass

import numpy as np
from parsolve import parameter
from parsolve.problem.registry import load_class

Right = load_class({right!r})


@dataclass(frozen=True)
class {name}(Right):
"""


def parts(source: str) -> tuple[str, dict[str, str]]:
    """Return the name of the last class of a source, and the definitions in its body by their names; "" has what is
    outside of it."""
    tree, lines = ast.parse(source), source.splitlines()
    cls = next(node for node in reversed(tree.body) if isinstance(node, ast.ClassDef))
    found = {"": "\n".join([*lines[: cls.lineno], *lines[cls.end_lineno :]])}
    for node in cls.body:
        if isinstance(node, ast.FunctionDef):
            first, name = min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.name
        else:
            first, name = node.lineno, ast.unparse(getattr(node, "targets", [getattr(node, "target", node)])[0])
        found[name] = "\n".join(lines[first - 1 : node.end_lineno])
    return cls.name, found


@pytest.fixture
def variant(puzzle_file: Callable[..., Path]) -> Variant:
    """The last class of an edited source: `variant(source, base=WALK)`; `own_file` is `own` of `puzzle_file`.

    It is a subclass of the base's that has what was edited; where more than its body was, it is the source's own.
    """

    def load(source: str, base: str = WALK, own_file: bool = False) -> type[Puzzle]:
        (name, right), (_, own) = parts(base), parts(source)
        if own[""] != right[""] or not own.keys() >= right.keys():
            return load_class(f"{puzzle_file(source)}:{name}")
        body = "\n".join(text for part, text in own.items() if text != right.get(part))
        head = HEAD.format(right=f"{puzzle_file(base, 'right.py').resolve()}:{name}", name=name)
        return load_class(f"{puzzle_file(head + (body or '    pass') + chr(10), own=own_file)}:{name}")

    return load
