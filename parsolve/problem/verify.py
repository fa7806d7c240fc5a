"""Check whether a puzzle keeps the contract, without running its rules. If not, a `BadPuzzle` says why."""

import dataclasses
import dis
import inspect
import itertools
from collections.abc import Sequence
from functools import cache
from typing import Any, get_args

import numpy as np

from parsolve.compiler.unsupported import functions_of
from parsolve.errors import BadPuzzle
from parsolve.problem.hooks import call, call_method
from parsolve.puzzle.core import CORE, GROUPS, RULES, SINGLE, Better, Counting, Graph, Puzzle, Want
from parsolve.puzzle.members import gives
from parsolve.puzzle.parameters import parameters_of
from parsolve.text import place_of, shown

_NUMBERS = {"cost": ("u1", "u2", "u4"), "bound": ("u1", "u2", "u4"), "move": ("u1", "u2")}
"""The fields of a state that the engine reads, with what they may be."""


@cache
def contract(cls: type[Puzzle]) -> None:
    """Refuse a class that breaks the contract."""
    name = cls.__name__
    if not (dataclasses.is_dataclass(cls) and cls.__dataclass_params__.frozen):
        raise BadPuzzle(f"{name}: a puzzle must be a dataclass(frozen=True)")
    for rule, declared in RULES.items():
        function = getattr(cls, rule, None)
        if function is None:
            if rule in CORE:
                raise BadPuzzle(f"{name}: the rule {rule!r} is missing")
            continue
        if not isinstance(inspect.getattr_static(cls, rule), staticmethod):
            raise BadPuzzle(f"{name}: the rule {rule!r}{place_of(function)} must be a staticmethod")
        if not callable(function):
            raise BadPuzzle(f"{name}: the rule {rule!r} must be a function, not {shown(function)}")
        names, wanted = [*inspect.signature(function).parameters], [*declared.arguments]
        if len(names) != len(wanted) or (names != wanted and sorted(names) == sorted(wanted)):  # others are no mistake
            how = "its arguments in this order" if len(names) == len(wanted) else f"{len(wanted)} arguments"
            raise BadPuzzle(f"{name}: the rule {rule!r}{place_of(function)} must take {how}: {', '.join(wanted)}")
    for what, meaning in (
        ("root", "a method that returns the first state, as a dict of its fields"),
        ("state", "a structured numpy.dtype"),
        ("children", "the greatest number of children that a state can have"),
    ):
        if getattr(cls, what) is getattr(Puzzle, what):
            raise BadPuzzle(f"{name}: {what!r} is missing: {meaning}")
    parameters = {each.name for each in parameters_of(cls)}
    for what, needed, why in itertools.chain(*(group.needs for group in GROUPS)):
        # A parameter may be called `size` or `entries`; without an index it has another meaning.
        if gives(cls, what) and what not in parameters and not gives(cls, needed):
            raise BadPuzzle(f"{name}: {what!r} needs {needed!r}, {why}")


def state(puzzle: Puzzle) -> np.dtype[Any]:
    """Return a puzzle's state from its class or instance."""
    name = type(puzzle).__name__
    state = _attribute(puzzle, "state")
    if not isinstance(state, np.dtype) or state.names is None:
        raise BadPuzzle(f"{name}: 'state' must be a structured numpy.dtype, not {shown(state)}")
    if "move" not in state.names:
        raise BadPuzzle(f"{name}: 'state' lacks the field 'move'; its fields are {', '.join(state.names)}")
    for field in state.names:
        if field in _NUMBERS and state[field].str[1:] not in _NUMBERS[field]:
            kinds = " or ".join(_NUMBERS[field])
            raise BadPuzzle(f"{name}: the field {field!r} of 'state' must be an unsigned integer, {kinds}")
        if not state[field].base.isnative:
            raise BadPuzzle(
                f"{name}: the field {field!r} of 'state' has its bytes in an order that compiled code does not"
                f" read: write {state[field].base.str[1:]!r} without < or >"
            )
        if state[field].base.kind != "u":
            raise BadPuzzle(f"{name}: the field {field!r} of 'state' must be of unsigned integers")
    for field in ("cost", "bound"):
        if field not in state.names and field in fields_written(type(puzzle)):
            raise BadPuzzle(f"{name}: 'state' lacks the field {field!r}, which 'expand' writes")
    if "bound" in state.names and "cost" not in state.names:
        raise BadPuzzle(
            f"{name}: 'state' has 'bound', but lacks 'cost': a bound is of the cost left; give both or none"
        )
    return state


def abstractions(puzzle: Puzzle) -> tuple[Puzzle, ...]:
    """Return a puzzle's abstractions."""
    given = call_method(puzzle, "abstractions")
    if not isinstance(given, Sequence) or not all(isinstance(each, Puzzle) for each in given):
        raise BadPuzzle(f"{type(puzzle).__name__}: 'abstractions' must return a list of puzzles, not {shown(given)}")
    return tuple(given)


def graph(puzzle: Puzzle) -> Graph:
    """Return the graph that a puzzle declares."""
    graph = _attribute(puzzle, "graph")
    if graph not in get_args(Graph):
        words = f"{', '.join(get_args(Graph)[:-1])} or {get_args(Graph)[-1]}"
        raise BadPuzzle(f"{type(puzzle).__name__}: 'graph' must be {words}, not {shown(graph)}")
    return graph  # type: ignore[no-any-return]


def counting(puzzle: Puzzle, want: Want | None) -> Counting:
    """Return what is searched for an answer: by default the puzzle itself."""
    contract(type(puzzle))
    found = want and call_method(puzzle, "counting", "first" if want in SINGLE else want)
    if found is None:
        return Counting(puzzle)
    if not isinstance(found, Counting) or not all(
        isinstance(each or found.puzzle, Puzzle) for each in (found.puzzle, found.breadth, found.unbounded)
    ):
        raise BadPuzzle(f"{type(puzzle).__name__}: 'counting' must return a Counting or None, not {shown(found)}")
    if not isinstance(found.better, Sequence) or not all(
        isinstance(each, Better) and all(isinstance(number, int | float) for number in (each.after, each.kept))
        for each in found.better
    ):
        text = "'better' of a Counting must be a list of Better, each with numbers of nodes"
        raise BadPuzzle(f"{type(puzzle).__name__}: {text}, not {shown(found.better)}")
    return dataclasses.replace(found, unbounded=found.puzzle) if found.better and found.unbounded is None else found


@cache
def fields_written(cls: type[Puzzle]) -> frozenset[str]:
    """Return the fields that the rule `expand` writes, with those of the plain functions that it calls by name."""
    every = (each for function in functions_of(cls.expand) for each in dis.get_instructions(function))
    return frozenset(each.argval for each in every if each.opname == "STORE_ATTR")


def number(puzzle: Puzzle, name: str, bits: int = 63, least: int = 1) -> int:
    """Return a number that a puzzle gives, such as that of its states."""
    number = _attribute(puzzle, name)
    if not isinstance(number, int) or not least <= number < 1 << bits:
        text = f"must be an int, at least {least}, below 2^{bits}, not {shown(number)}"
        raise BadPuzzle(f"{type(puzzle).__name__}: {name!r} {text}")
    return number


def size(puzzle: Puzzle) -> int | None:
    """Return the number of states that a puzzle numbers; None if it does not, or not with its parameters."""
    # Without an index a parameter may be called `size`.
    return None if type(puzzle).index is None or _attribute(puzzle, "size") is None else number(puzzle, "size")


def _attribute(puzzle: Puzzle, name: str) -> Any:
    """Return a class variable or property of a puzzle."""
    value = call(puzzle, name, lambda: getattr(puzzle, name))
    if inspect.ismethod(value):
        raise BadPuzzle(f"{type(puzzle).__name__}: {name!r}{place_of(value)} is a method: put @property before it")
    return value
