"""Marks of plain functions that say how they are compiled. They need no numba, which a warm command never imports."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

INLINED: set[Callable[..., Any]] = set()
"""The functions that are inlined wherever compiled code calls them."""

TAUGHT: set[Callable[..., Any]] = set()
"""The functions whose bodies are for plain Python only: `lowering` says what they are in compiled code."""


def inlined(function: F) -> F:
    """Mark a function that is to be inlined."""
    INLINED.add(function)
    return function


def taught(function: F) -> F:
    """Mark a function whose body is not compiled."""
    TAUGHT.add(function)
    return function
