"""Exact cover problems as Python programs have them: lists, sets or mappings of names or numbers, or a matrix."""

import itertools
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from parsolve.errors import BadInput
from parsolve.puzzles.exact_cover.instance import Builder, Instance
from parsolve.text import plural, shown

Names = Iterable[str | int]
"""Names of items; a number is a name, too."""

Options = Iterable[Names] | Mapping[Any, Names] | np.ndarray[Any, Any]
"""Options: a list of lists or sets of items, a mapping whose values are options, or a matrix with a row for each."""


Costs = Iterable[int] | Mapping[Any, int]
"""Costs of options in their order, or by their names; in a mapping 0 for those that it lacks."""


def instance_of(items: Names | None, options: Options, secondary: Names, costs: Costs = ()) -> Instance:
    """Return a problem.

    Args:
        items: the primary items; by default all items of the options that are not secondary, in the order in which they
            occur, or the columns of a matrix, numbered from 0.
        options: in a matrix, the columns are the primary items and then the secondary ones.
        secondary: the secondary items.
        costs: of the options; none by default.

    Raises:
        BadInput: the message names the option by its place.
    """
    others = _names("secondary", secondary)
    if isinstance(options, np.ndarray):
        if options.ndim != 2:
            raise BadInput(
                f"options is an array of {plural(options.ndim, 'dimension')}: give two, with a row for each option"
            )
        primary = [*map(str, range(options.shape[1] - len(others)))] if items is None else _names("items", items)
        rows = _rows_of(options, [*(name.rpartition("|")[2] for name in primary), *others])
    else:
        rows = _lists_of(options)
        words = itertools.chain.from_iterable(rows)
        found = dict.fromkeys(word.partition(":")[0] for word in words) if items is None else ()
        primary = [name for name in found if name not in {*others}] if items is None else _names("items", items)
    builder = Builder(primary, others)
    for place, (row, cost) in enumerate(zip(rows, _costs_of(costs, options, len(rows)), strict=True)):
        try:
            builder.add(row, cost)
        except BadInput as error:
            is_binary = len(row) > 1 and {*row} <= {"0", "1"}
            hint = "; give a matrix of 0 and 1 as a numpy array" if is_binary else ""
            raise BadInput(f"options[{place}]: {error}{hint}") from None
    return builder.finish()


def _costs_of(costs: Costs, options: Options, number: int) -> list[int]:
    """Return the cost of each option."""
    if isinstance(costs, Mapping):
        names = [*options] if isinstance(options, Mapping) else [*range(number)]
        if unknown := [name for name in costs if name not in names]:
            raise BadInput(f"costs: there is no option {shown(unknown[0])}")
        costs = [costs.get(name, 0) for name in names]
    found = [*_iterated("costs", costs)] or [0] * number
    if len(found) != number:
        raise BadInput(f"costs are {len(found)} for {plural(number, 'option')}: give one for each")
    for place, cost in enumerate(found):
        if isinstance(cost, bool | np.bool_) or not isinstance(cost, int | np.integer):
            raise BadInput(f"costs[{place}] is a whole number, not {shown(cost)}")
    return [*map(int, found)]


def _rows_of(matrix: np.ndarray[Any, Any], names: Sequence[str]) -> list[list[str]]:
    """Return the items of each row of a matrix."""
    if matrix.shape[1] != len(names):
        raise BadInput(
            f"options is a matrix of {plural(matrix.shape[1], 'column')}, for {plural(len(names), 'item')}: give a"
            " column for each item"
        )
    wrong = np.argwhere((matrix != 0) & (matrix != 1))
    if len(wrong):
        place, column = wrong[0].tolist()
        raise BadInput(f"options[{place}]: column {column} has {shown(matrix[place, column].item())}, not 0 or 1")
    return [[names[column] for column in np.flatnonzero(row).tolist()] for row in matrix]


def _lists_of(options: Iterable[Names] | Mapping[Any, Names]) -> list[list[str]]:
    """Return the items of each option."""
    if isinstance(options, Mapping):
        options = options.values()
    rows = []
    for place, option in enumerate(_iterated("options", options)):
        if isinstance(option, str):
            raise BadInput(f"options[{place}]: an option is a list of names of items, not the text {option!r}")
        rows.append(_names(f"options[{place}]", option))
    return rows


def _names(what: str, names: Names) -> list[str]:
    """Return names as texts; those of a set in order, which is otherwise another one in each process."""
    found = []
    for name in _iterated(what, names):
        if isinstance(name, bool | np.bool_) or not isinstance(name, str | int | np.integer):
            raise BadInput(f"{what}: a name of an item is a text or a whole number, not {shown(name)}")
        found.append(name if isinstance(name, str) else int(name))
    if isinstance(names, Set):
        found.sort(key=lambda name: (isinstance(name, str), name))
    return [str(name) for name in found]


def _iterated(what: str, given: Any) -> Iterable[Any]:
    """Return something to iterate over."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise BadInput(f"{what} is a list, not {shown(given)}")
    return given
