"""The rules of a puzzle class by their names in templates, which `CompiledRules` replaces in a copy for each class."""

from collections.abc import Callable
from typing import Any

from parsolve.compiler.marks import injected

expand: Callable[..., Any] = injected("expand")
expand_far: Callable[..., Any] = injected("expand_far")  # for callers that would gain nothing from inlining it
solved: Callable[..., Any] = injected("solved")
key: Callable[..., Any] = injected("key")
has_cost: bool = injected("has_cost")  # whether solutions differ in cost
