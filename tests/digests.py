"""Identities of values and of sources, as texts to compare."""

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from parsolve.compiler.identity import CodeIdentity

SOURCE = """
import numpy as np

def helper(x: int) -> int:
    return x + 1

def rule(x):
    y = x * 2
    return helper(y)
"""


def of(value: Any) -> str:
    """Return the identity of a value, of which everything is seen."""
    found = CodeIdentity({"it": value})
    assert not found.opaque
    return found.digest


def of_source(text: str, folder: Path, name: str = "rules") -> str:
    """Return the identity of the function `rule` of a source."""
    with imported(text, folder, name) as module:
        return of(module.rule)


@contextmanager
def imported(text: str, folder: Path, name: str, **names: Any) -> Iterator[Any]:
    """Have a module of a source, as if it had been imported from a file; `names` are there before it runs."""
    file = folder / f"{name}.py"
    file.write_text(text)
    module = types.ModuleType(name)
    vars(module).update(names, __file__=str(file))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, name, module)
        exec(compile(text, str(file), "exec"), vars(module))
        yield module
