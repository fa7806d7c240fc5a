"""Parameters: the fields of a puzzle class as coerced, checked values.

This module serves all sources of values: constructor, command line, job files and journals. A puzzle class calls
`coerce` whenever it is constructed (`PuzzleType`), so no puzzle has an invalid value.
"""

import contextlib
import dataclasses
import inspect
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from parsolve.errors import BadInput, BadPuzzle
from parsolve.puzzle.catalogue import name_of
from parsolve.system.userfiles import decoded, read_plain, unpacked
from parsolve.text import nearest, shown, whole

RESERVED = frozenset(
    {
        *("at_most", "boards", "budget", "buffer", "cancel", "csv", "dask", "engine", "executor", "file", "from"),
        *("help", "html", "journal", "json", "lease", "limit", "listener", "log", "max_memory", "name"),
        *("on_solution", "part", "progress", "puzzle", "quiet", "rename", "row_timeout", "sample", "seed", "skip"),
        *("slack", "spill", "states", "take", "time", "timeout", "transposition", "tuning", "want", "workers"),
    }
)
"""Names that a parameter may not have: the options of all commands, the arguments of `solve`, the fields of a `Request`
and the keys of a job file. A test derives and compares them. A text file may still be called `file`, the name for a
puzzle that is a file; then a CSV file with a puzzle in each row is not possible."""

_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")

_LARGEST = 1 << 63
"""Whole numbers must be smaller: journals and compiled code hold 64 bits."""

LONGEST_TEXT = 1 << 16
"""Default maximum bytes of a text value, or of the file with it."""

TextLike = str | float | np.ndarray[Any, Any] | Sequence["TextLike"]
"""Accepted as a text: a text, a number, or a list of them, which is joined by spaces."""

if TYPE_CHECKING:

    class Text:
        """The type of a text parameter that may also be given as a number or a list: the puzzle has a `str`."""

        def __get__(self, puzzle: object, cls: type | None = None) -> str: ...
        def __set__(self, puzzle: object, value: TextLike) -> None: ...

else:
    Text = str


class Parameter(NamedTuple):
    """One parameter of a puzzle class; see `parameter`."""

    name: str
    kind: type
    """int, float, str or bool."""
    default: Any
    choices: tuple[str, ...] | None
    """The values of a `Literal`."""
    least: float | None = None
    most: float | None = None
    help: str = ""
    only_bounds: bool = False
    text_file: bool = False
    known: tuple[str, ...] = ()


def parameter(
    default: Any,
    help: str,
    *,
    least: float | None = None,
    most: float | None = None,
    only_bounds: bool = False,
    text_file: bool = False,
    known: Iterable[str] = (),
) -> Any:
    """Return a dataclass field for a parameter.

    Args:
        default: its default value.
        help: its text in the command line's help.
        least, most: the range of a number, both included; of a text, the most bytes.
        only_bounds: whether it changes only the lower bound: with any value a state has the same children, in the same
            order, except those that a limit cuts off. Then a stopped job can be resumed with another value.
        text_file: whether a text of one line with a dot or a slash is the path of a text file, compressed by gzip or
            plain. Then the value is the file's text: no search, journal or worker needs the file again, and an edited
            file gives another value.
        known: some values of a text, which shells complete.
    """
    about = {"help": help, "least": least, "most": most, "only_bounds": only_bounds, "text_file": text_file}
    return dataclasses.field(default=default, metadata={"parameter": about | {"known": tuple(known)}})


class PuzzleType(type):
    """The type of puzzle classes: coerces and checks the parameters of each constructed puzzle."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not dataclasses.is_dataclass(cls):
            return super().__call__(*args, **kwargs)
        names = [each.name for each in parameters_of(cls)]
        given = dict(zip(names, args, strict=False))
        if len(args) > len(names) or given.keys() & kwargs.keys():
            return super().__call__(*args, **kwargs)  # Python's error
        others = kwargs.keys() - set(names)
        own = others and others & inspect.signature(cls.__init__).parameters.keys()  # of a constructor of its own
        values = coerce(cls, {name: value for name, value in (given | kwargs).items() if name not in own})
        return super().__call__(**values, **{name: kwargs[name] for name in own})

    @property
    def __signature__(cls) -> inspect.Signature | None:
        """The parameters with their defaults, for `help` and completion; `__call__` alone would hide them."""
        if not dataclasses.is_dataclass(cls):
            return None
        own = inspect.signature(cls.__init__)
        return own.replace(parameters=[*own.parameters.values()][1:], return_annotation=inspect.Signature.empty)


@cache
def parameters_of(cls: type) -> tuple[Parameter, ...]:
    """Return the parameters of a puzzle class, in order.

    Raises:
        BadPuzzle: a parameter has no default, or a wrong one, or is not int, float, str, bool or Literal[...] of str.
    """
    try:
        hints = get_type_hints(cls)
    except Exception as error:
        raise BadPuzzle(f"{cls.__name__}: a parameter's type is unknown: {error}") from error
    found = []
    for field in dataclasses.fields(cls):
        hint = hints[field.name]
        choices = tuple(get_args(hint)) if get_origin(hint) is Literal else None
        kind = str if choices and all(isinstance(each, str) for each in choices) else hint
        if kind not in (int, float, str, bool):
            raise BadPuzzle(f"{cls.__name__}: parameter {field.name!r} must be int, float, str, bool or Literal of str")
        if field.default is dataclasses.MISSING or isinstance(field.default, property):  # such as the base's `size`
            raise BadPuzzle(f"{cls.__name__}: parameter {field.name!r} has no default")
        found.append(Parameter(field.name, kind, field.default, choices, **field.metadata.get("parameter", {})))
    names = {each.name for each in found}
    for each in found:
        try:
            if _coerced(cls, each, each.default) != each.default:
                raise BadInput(f"{each.name} is of type {each.kind.__name__}, not {each.default!r}")
            if each.text_file and is_path(each.default, each.name):
                raise BadInput(f"{each.name} is the text of a file, not {each.default!r}: let the class read it")
        except BadInput as error:
            raise BadPuzzle(f"{cls.__name__}: the default of a parameter is wrong: {error}") from None
        if each.kind is bool and f"no_{each.name}" in names:
            raise BadPuzzle(f"{cls.__name__}: 'no_{each.name}' is the option against {each.name!r}: rename one")
    return tuple(found)


def refuse_reserved(cls: type, annotations: Mapping[str, Any], members: Collection[str]) -> None:
    """Refuse a class with a parameter of the name of a member, or of a reserved one, except a text file called `file`.

    Raises:
        BadPuzzle: the message names it.
    """
    for name, note in annotations.items():
        field = cls.__dict__.get(name)
        about = field.metadata.get("parameter", {}) if isinstance(field, dataclasses.Field) else {}
        if name == "file" and about.get("text_file"):
            continue
        if note is ClassVar or "ClassVar" in str(note) or name not in RESERVED.union(members):
            continue
        what = "a member of the contract; rename it, or leave out its type if that is meant"
        what = "an option of parsolve" if name in RESERVED else what
        raise BadPuzzle(f"{cls.__name__}: a parameter may not be called {name!r}: that is {what}")


def values_of(puzzle: Any) -> dict[str, Any]:
    """Return the values of a puzzle's parameters, as plain data."""
    return {field.name: getattr(puzzle, field.name) for field in dataclasses.fields(puzzle)}


def bounding(cls: type) -> frozenset[str]:
    """Return the names of a class's parameters that change only the lower bound."""
    return frozenset(each.name for each in parameters_of(cls) if each.only_bounds)


def coerce(cls: type, values: Mapping[str, Any], folder: Path = Path()) -> dict[str, Any]:
    """Return values with the types of a class's parameters.

    Args:
        cls: a puzzle class.
        values: by name: of the parameter's type, or as text, as from command lines and CSV files; for a text also a
            number, or a list of numbers or texts.
        folder: the folder for relative paths of text files.

    Raises:
        BadInput: there is no such parameter, or its value has another type, is not one of the choices or is out of
            range, or is the path of an unreadable file.
    """
    known = _by_name(cls)
    coerced = {}
    for name, value in values.items():
        if name not in known:
            raise BadInput(f"{family(cls)} has no parameter {name!r}{nearest(name, known)}")
        coerced[name] = _coerced(cls, known[name], value)
        if known[name].kind is str:
            most = known[name].most
            longest = LONGEST_TEXT if most is None else int(most)
            if known[name].text_file and is_path(coerced[name], name):
                coerced[name] = _text_of(folder / coerced[name], f"{family(cls)}: {name}", longest)
            elif len(coerced[name].encode(errors="surrogatepass")) > longest:
                raise BadInput(f"{family(cls)}: {name} has more than {longest:,} bytes")
    return coerced


@cache
def _by_name(cls: type) -> Mapping[str, Parameter]:
    return {each.name: each for each in parameters_of(cls)}


def is_path(text: str, name: str) -> bool:
    """Return whether a value is the path of a text file: for a parameter called `file`, any line is."""
    return "\n" not in text and ("." in text or "/" in text or (name == "file" and text != ""))


def _text_of(path: Path, name: str, longest: int) -> str:
    """Return the text of a file, with a newline at its end.

    Raises:
        BadInput: it cannot be read, or has more bytes than `longest`.
    """
    what = name.rpartition(" ")[2]
    return text_of(read_plain(path, "puzzle" if what == "file" else what), f"{name}: {path}", longest)


def text_of(data: bytes, name: str, longest: int) -> str:
    """Return the content of a text file, compressed by gzip or plain, with a newline at its end.

    Raises:
        BadInput: it is not a text, or has more bytes than `longest`; the message begins with the name.
    """
    data = unpacked(data, name, longest)
    if len(data) > longest:
        raise BadInput(f"{name} has more than {longest:,} bytes")
    try:
        text = decoded(data)
    except UnicodeDecodeError:
        raise BadInput(f"{name} is not a text") from None
    return text if text.endswith("\n") else f"{text}\n"


def family(cls: type) -> str:
    """Return the name of a class for messages: a family's name in the command line."""
    return name_of(cls) or cls.__name__


def _coerced(cls: type, parameter: Parameter, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if parameter.choices is not None:
        if value not in parameter.choices:
            near = nearest(str(value), parameter.choices)
            raise BadInput(f"{family(cls)}: there is no {parameter.name} {shown(value)}{near}")
        return value
    if parameter.kind is str:
        return _text(cls, parameter, value)
    if parameter.kind is bool:
        return _truth(cls, parameter, value)
    number = _number(cls, parameter, value)
    least, most = parameter.least, parameter.most
    if (least is not None and number < least) or (most is not None and number > most):
        known = f"{least} to {most}" if None not in (least, most) else f"at least {least}"
        known = known if least is not None else f"at most {most}"
        raise BadInput(f"{family(cls)}: {parameter.name} is {known}, not {number}")
    return number


def _text(cls: type, parameter: Parameter, value: Any) -> str:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return " ".join(_text(cls, parameter, each) for each in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise BadInput(f"{family(cls)}: {parameter.name} is a text or a list of numbers, not {shown(value)}")


def _truth(cls: type, parameter: Parameter, value: Any) -> bool:
    if isinstance(value, str) and value.lower() in _TRUE + _FALSE:
        return value.lower() in _TRUE
    if not isinstance(value, bool):
        raise BadInput(f"{family(cls)}: {parameter.name} is true or false, not {shown(value)}")
    return value


def _number(cls: type, parameter: Parameter, value: Any) -> Any:
    number, kind = value, parameter.kind
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            number = whole(value) if kind is int else kind(value if value.isascii() else "")
    fits = isinstance(number, (int, kind)) and not isinstance(number, bool)
    if kind is int and fits and abs(number) >= _LARGEST:
        raise BadInput(f"{family(cls)}: {parameter.name} is a number of at most 63 bits, not {shown(value)}")
    if not fits or (kind is float and not abs(number) <= sys.float_info.max):  # infinity, or not a number
        what = "whole number" if kind is int else "number"
        raise BadInput(f"{family(cls)}: {parameter.name} is a {what}, not {shown(value)}")
    return kind(number)


_SEPARATORS = str.maketrans(dict.fromkeys(",;[](){}", " "))


def whole_numbers(text: str, what: str) -> list[int]:
    """Return the whole numbers in a text, separated by spaces, commas or ends of lines, also in brackets, as lists are
    written; messages begin with `what`.

    Raises:
        BadInput: something in it is not a whole number.
    """
    try:
        return [whole(word) for word in text.translate(_SEPARATORS).split()]
    except ValueError:
        raise BadInput(f"{what}: expected whole numbers separated by spaces, got {shown(text)}") from None
