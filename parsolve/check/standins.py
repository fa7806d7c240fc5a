"""Stand-ins for states, rows and tables that notice what compiled code does not."""

from collections.abc import Collection
from typing import Any

import numpy as np

from parsolve.check.faults import State


class Misuse(Exception):
    """A rule did to a stand-in what compiled code would not have noticed."""


class Here:
    """Stands in for a state: its fields as compiled code widens them."""

    def __init__(self, dtype: np.dtype[Any], state: State) -> None:
        self.__dict__.update({name: _widened(dtype[name], value) for name, value in state.items()})

    def __setattr__(self, name: str, value: Any) -> None:
        raise Misuse(f"'expand' writes into the state that it expands (field {name!r})")


class Row:
    """Stands in for a row to be written: knows what was set, and whether it fits."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.__dict__.update(_dtype=dtype, _set={}, _wrong="")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in (self._dtype.names or ()):
            raise Misuse(f"'expand' writes a field {name!r} that the state does not have")
        if isinstance(value, float | np.floating):
            self.__dict__["_wrong"] = f"the field {name!r} is given the float {value} (int64 mixed with uint64?)"
            value = 0
        value = int(value)
        if not 0 <= value <= np.iinfo(self._dtype[name]).max:
            self.__dict__["_wrong"] = f"the field {name!r} ({self._dtype[name]}) overflows: {value}"
        self._set[name] = value

    def __getattr__(self, name: str) -> Any:
        if name not in self._set:
            raise Misuse(f"'expand' reads the field {name!r} of a row before it is set")
        return _widened(self._dtype[name], self._set[name])


class Rows:
    """Stands in for the stack: rows appear as they are written. The fields in `added` are not the puzzle's own."""

    def __init__(self, dtype: np.dtype[Any], added: Collection[str]) -> None:
        self._dtype, self._added = dtype, added
        self._rows: dict[int, Row] = {}

    def __getitem__(self, number: Any) -> Row:
        return self._rows.setdefault(int(number), Row(self._dtype))

    def __setitem__(self, number: Any, value: Any) -> None:
        row = self._rows[int(number)] = Row(self._dtype)
        for name in self._dtype.names or ():
            setattr(row, name, getattr(value, name))

    def written(self, number: int) -> State:
        """The row as it stands."""
        row = self[number]
        if row._wrong:
            raise Misuse(row._wrong)
        for name in self._added:  # fields that the puzzle does not have: they stay 0
            row._set.setdefault(name, 0)
        for name in self._dtype.names or ():
            if name not in row._set:
                raise Misuse(f"'expand' leaves the field {name!r} of a child unset")
        return {name: row._set[name] for name in self._dtype.names or ()}


class Table:
    """Stands in for an array of the tables: no index beyond its ends."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array
        self.size, self.shape, self.ndim = array.size, array.shape, array.ndim

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, index: Any) -> Any:
        try:
            value = self._array[index]
        except IndexError:
            raise Misuse(f"a rule reads a table of shape {self.shape} at {index}") from None
        return Table(value) if isinstance(value, np.ndarray) else _widened(self._array.dtype, value)


def plain_tables(tables: Any) -> Any:
    """A puzzle's tables with stand-ins for their arrays."""

    def plain(value: Any) -> Any:
        return Table(value) if isinstance(value, np.ndarray) else value

    return type(tables)(*map(plain, tables)) if hasattr(tables, "_fields") else tuple(map(plain, tables))


def _widened(dtype: np.dtype[Any], value: Any) -> Any:
    # Compiled code widens small integers to 64 bits; uint64 stays what it is.
    return np.uint64(value) if dtype == np.uint64 else value.item() if isinstance(value, np.generic) else value
