"""Stand-ins for states, rows and tables that notice errors which compiled code does not notice."""

import itertools
from collections.abc import Collection, Iterator
from typing import Any, Literal

import numpy as np

from parsolve.compiler.rows import OVERRUN_ROWS
from parsolve.problem.data import Array
from parsolve.puzzle.core import State


class Misuse(Exception):
    """A rule misused a stand-in in a way that compiled code would not have noticed.

    Args:
        text: what it did.
        kind: `beyond`: it reads or writes beyond the end of an array, which would be foreign memory; `field`: it names
            a field that the state does not have; `row`: it leaves a part of a row unset, or gives it a value that does
            not fit; `unset`: it reads a part of a row before it is set; `written`: it writes into what is only read;
            `nothing`: it returns nothing; `type`: it returns or writes a value of a wrong type; `endless`: it does not
            return.
    """

    Kind = Literal["beyond", "field", "row", "unset", "written", "nothing", "type", "endless"]

    def __init__(self, text: str, kind: Kind) -> None:
        super().__init__(text)
        self.kind = kind


class CheckedTable(np.ndarray[Any, Any]):
    """Stands in for an array that rules only read: no index beyond its ends."""

    def __getitem__(self, index: Any) -> Any:
        try:
            value = super().__getitem__(index)
        except IndexError:
            raise Misuse(f"a rule reads {self._what} of shape {self.shape} at {index}", "beyond") from None
        return value if isinstance(value, np.ndarray) else _widened(self.dtype, value)

    def __iter__(self) -> Iterator[Any]:
        return (self[number] for number in range(len(self)))

    def __setitem__(self, index: Any, value: Any) -> None:
        if not self.flags.writeable:  # a copy may be written
            raise Misuse(f"a rule writes into {self._what}, which is only read", "written")
        super().__setitem__(index, value)

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if array.ndim == 0 else super().__array_wrap__(array, context, return_scalar)

    def __array_finalize__(self, source: Any) -> None:
        self._what: str = getattr(source, "_what", "a table")


def table(array: Any, what: str = "a table") -> CheckedTable:
    """Return a stand-in for an array; `what` names it in messages."""
    made = np.asarray(array).view(CheckedTable)
    made.flags.writeable = False
    made._what = what
    return made


def plain_tables(tables: Any) -> Any:
    """Return a puzzle's tables with stand-ins for their arrays."""

    def checked(value: Any) -> Any:
        return table(value) if isinstance(value, np.ndarray) else value

    return type(tables)(*map(checked, tables)) if hasattr(tables, "_fields") else tuple(map(checked, tables))


class CheckedState:
    """Stands in for the state that a rule is given: its fields, widened as in compiled code."""

    def __init__(self, dtype: np.dtype[Any], state: State, rule: str) -> None:
        self.__dict__.update(_dtype=dtype, _rule=rule)
        for name, value in state.items():
            base = dtype[name].base
            if dtype[name].shape:
                kind = base if base == np.uint64 else np.dtype(np.int64)
                self.__dict__[name] = table(np.array(value, kind), f"the field {name!r} of the state")
            else:
                self.__dict__[name] = _widened(base, value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise _unknown("reads", name, self._dtype.names)

    def __setattr__(self, name: str, value: Any) -> None:
        text = f"writes into the state that it is given (field {name!r}), which is only read"
        raise Misuse(f"{self._rule!r} {text}", "written")

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


class CheckedField:
    """Stands in for an array field of a row to be written: records which of its elements were set."""

    def __init__(self, row: "CheckedRow", name: str, values: Array) -> None:
        self._row, self._name, self._dtype = row, name, row._dtype[name].base
        self._values = values  # None where nothing was written
        self.shape, self.size, self.ndim = values.shape, values.size, values.ndim

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return (self[number] for number in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if None in self._values.flat:
            raise self._row._unset(self._name)
        kind = np.uint64 if self._dtype == np.uint64 else np.int64
        return self._values.astype(kind if dtype is None else dtype)

    def __getitem__(self, index: Any) -> Any:
        value = self._at("reads", index)
        if isinstance(value, np.ndarray):
            return CheckedField(self._row, self._name, value)
        if value is None:
            raise self._row._unset(self._name)
        return _widened(self._dtype, int(value))

    def __setitem__(self, index: Any, value: Any) -> None:
        place = self._at("writes", index)
        shape = place.shape if isinstance(place, np.ndarray) else ()
        if not shape and not isinstance(value, np.ndarray | CheckedField):
            self._values[index] = _number(value)
            return
        given = np.asarray(value)
        numbers = np.empty(given.shape, object)
        for at in itertools.product(*map(range, given.shape)):
            numbers[at] = _number(given[at])
        try:
            whole = np.broadcast_to(numbers, shape)
        except ValueError:
            text = f"{self._row._rule!r} gives {self._name!r}, of shape {shape}, an array of shape {given.shape}"
            raise Misuse(text, "type") from None
        self._values[index] = whole if shape else whole[()]

    def _at(self, does: str, index: Any) -> Any:
        try:
            return self._values[index]
        except IndexError:
            text = f"{self._row._rule!r} {does} the field {self._name!r} of shape {self.shape} at {index}"
            raise Misuse(text, "beyond") from None


class CheckedRow:
    """Stands in for a row to be written by a rule: records what fields were set to. Cost and bound are 0 if a rule that
    does not write children leaves them unset. A field may have any name without an underscore."""

    def __init__(self, dtype: np.dtype[Any], rule: str = "expand") -> None:
        self.__dict__.update(_dtype=dtype, _rule=rule, _set={})
        for name in dtype.names or ():
            if name in ("cost", "bound") and rule != "expand":
                self._set[name] = 0
            elif dtype[name].shape:
                cells = np.full(dtype[name].shape, None, object)
                self._set[name] = CheckedField(self, name, cells)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in (self._dtype.names or ()):
            raise _unknown("writes", name, self._dtype.names)
        if isinstance(self._set.get(name), CheckedField):
            self._set[name][...] = value
        else:
            self._set[name] = _number(value)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in (self._dtype.names or ()):
            raise _unknown("reads", name, self._dtype.names)
        if name not in self._set:
            raise self._unset(name)
        value = self._set[name]
        return value if isinstance(value, CheckedField) else _widened(self._dtype[name], int(value))

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    def _unset(self, name: str) -> Misuse:
        return Misuse(f"{self._rule!r} reads the field {name!r} of a row before it is set", "unset")


def written(row: CheckedRow) -> State:
    """Return the state that is written in a row.

    Raises:
        Misuse: a field was not set, or a value does not fit.
    """
    state = {}
    for name in row._dtype.names or ():
        value, dtype = row._set.get(name), row._dtype[name].base
        has_parts = isinstance(value, CheckedField)
        most = (1 << 8 * dtype.itemsize) - 1 - (name == "cost")  # the greatest marks costs that do not fit
        for each in value._values.flat if has_parts else (value,):
            if each is None:
                some = " (or a part of it)" if has_parts else ""
                what = "a child" if row._rule == "expand" else "a state"
                raise Misuse(f"{row._rule!r} leaves the field {name!r}{some} of {what} unset", "row")
            if isinstance(each, float):
                raise Misuse(f"the field {name!r} is given the float {each} (int64 mixed with uint64?)", "row")
            if not 0 <= each <= most:
                raise Misuse(f"the field {name!r} ({dtype}) overflows: {each}", "row")
        state[name] = value._values.tolist() if has_parts else value
    return state


class CheckedRows:
    """Stands in for the stack: rows appear as they are written.

    Attributes:
        touched: the rows taken for writing, by their places.
    """

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype
        self.touched: dict[int, CheckedRow] = {}

    def __getitem__(self, number: Any) -> CheckedRow:
        if not 1 <= number <= OVERRUN_ROWS:
            raise Misuse(f"'expand' uses rows[{number}], which is no child's: the top that it is given is 1", "beyond")
        return self.touched.setdefault(int(number), CheckedRow(self._dtype))

    def __setitem__(self, number: Any, value: Any) -> None:
        row = self[number]
        for name in self._dtype.names or ():
            setattr(row, name, getattr(value, name))


def _unknown(does: str, name: str, fields: Collection[str]) -> Misuse:
    return Misuse(f"a rule {does} the field {name!r}, which 'state' does not have; it has {', '.join(fields)}", "field")


def _number(value: Any) -> float:
    """Return a number that is written into a field, as Python's."""
    return float(value) if isinstance(value, float | np.floating) else int(value)


def _widened(dtype: np.dtype[Any], value: Any) -> Any:
    # Compiled code widens small integers to 64 bits; uint64 stays uint64.
    return np.uint64(value) if dtype == np.uint64 else value.item() if isinstance(value, np.generic) else value
