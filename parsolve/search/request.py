"""How a puzzle is to be searched, as a value: from the library, the command line or a job file."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypedDict, get_args

import numpy as np

from parsolve.errors import BadInput, BadOption, GuardStop
from parsolve.puzzle.core import SINGLE, EngineName, Want
from parsolve.search.part import FORM, Part
from parsolve.search.tuning import DEFAULT, Tuning
from parsolve.system.resources import MOST_WORKERS
from parsolve.text import duration, shown, size

LARGEST_ANY = (1 << 15) - 1
"""The greatest limit of a search for any solution: each level takes memory."""


class _SharedOptions(TypedDict, total=False):
    """What all functions take of a request; None leaves a value to its default."""

    engine: EngineName | None
    workers: int | None
    max_memory: int | str | None
    transposition: int | str | None
    limit: int | None
    at_most: int | None
    slack: int | None
    tuning: Tuning | None


class EachOptions(_SharedOptions, total=False):
    """What `parsolve.solve_each` takes of a request."""

    want: Want


class ListOptions(_SharedOptions, total=False):
    """What `parsolve.iter_solutions` takes of a request."""

    timeout: float | str | None
    spill: str | Path | None
    skip: int | None
    take: int | None
    sample: int | None
    seed: int | None
    part: str | Part | None
    lease: float | str | None
    budget: int | None
    buffer: int | None


class Options(ListOptions, total=False):
    """What `parsolve.solve` takes of a request: all of it."""

    want: Want


def _values(wanted: str, is_right: Callable[[Any], bool], default: Any = None, **more: Any) -> Any:
    """Return a field: its values in words, and what recognizes one; more: what reads one from a text, the greatest
    number, whether a job of a job file may set it."""
    about = {"wanted": wanted, "is_right": is_right, "read": None, "most": None, "in_jobs": False}
    return field(default=default, metadata=about | more)


def _one_of(literal: Any, **more: Any) -> Any:
    return _values(" or ".join(get_args(literal)), lambda value: value in get_args(literal), **more)


def _whole(least: int, most: int | None = None, **more: Any) -> Any:
    wanted = f"a whole number of at least {least}"
    return _values(wanted, lambda value: isinstance(value, int) and value >= least, most=most, **more)


def _seconds(**more: Any) -> Any:
    wanted = "a number of seconds, greater than 0 and less than 10^9"
    return _values(wanted, lambda value: isinstance(value, int | float) and 0 < value < 1e9, read=duration, **more)


def _instance(kind: type, wanted: str, **more: Any) -> Any:
    return _values(wanted, lambda value: isinstance(value, kind), **more)


@dataclass(frozen=True, kw_only=True)
class Request:
    """How a puzzle is to be searched: what `parsolve.solve` is asked for, which says what each field means.

    It is valid once it exists; its engine says whether it suits a puzzle.

    Raises:
        BadInput: a value is invalid.
    """

    want: Want = _one_of(Want, default="all", in_jobs=True)
    engine: EngineName | None = _one_of(EngineName, in_jobs=True)
    workers: int | None = _whole(1, MOST_WORKERS, in_jobs=True)
    limit: int | None = _whole(0, in_jobs=True)
    slack: int | None = _whole(0, 1 << 32, in_jobs=True)
    at_most: int | None = _whole(0, 10**18, in_jobs=True)
    skip: int = _whole(0, default=0)
    take: int | None = _whole(1, 10**18)
    sample: int | None = _whole(1, 10**18)
    seed: int = _whole(0, default=0)
    part: Part | None = _instance(Part, FORM, read=Part.of_text, in_jobs=True)
    transposition: int | None = _whole(0, 1 << 60, read=lambda text: 0 if text == "none" else size(text), in_jobs=True)
    timeout: float | None = _seconds(in_jobs=True)
    max_memory: int | None = _whole(1 << 20, 1 << 60, read=size)
    spill: Path | None = _instance(Path, "a folder's path", read=lambda text: text and Path(text))  # "" is none
    lease: float | None = _seconds()
    budget: int | None = _whole(1, 1 << 60)
    buffer: int | None = _whole(1, 1 << 32)
    tuning: Tuning = _instance(Tuning, "a parsolve.Tuning", default=DEFAULT)

    def __post_init__(self) -> None:
        for each in fields(self):
            value, takes = getattr(self, each.name), each.metadata
            if value is each.default:
                continue
            if isinstance(value, bool) or not takes["is_right"](value):
                raise BadOption(each.name, f" is {takes['wanted']}, not {shown(value)}")
            if takes["most"] is not None and value > takes["most"]:
                raise BadOption(each.name, f" is at most {takes['most']}, not {shown(value)}")
        for name, value in (("at_most", self.at_most), ("slack", self.slack or None)):
            if value is not None and self.is_single:
                raise BadInput(f"{name} is for all solutions or their number: want {self.want} is one alone")
        for name in ("take", "sample"):
            if getattr(self, name) is not None and self.want != "all":
                raise BadInput(f"{name} says how many solutions are listed, and want {self.want} does: leave out one")
        if self.skip and self.want == "count":
            raise BadInput("skip is for solutions that are listed, and want count lists none: leave it out")
        if self.seed and self.sample is None:
            raise BadInput("seed is for sample, which is missing")
        if self.sample is not None and (self.skip or self.take is not None):
            raise BadInput("sample draws from all solutions: leave out skip and take")
        if self.chooses and self.at_most is not None:
            raise BadInput("at_most ends the search early, and skip, take and sample need all of it: leave out one")
        asked = f"want {self.want}" if self.is_single else "at_most" if self.at_most is not None else ""
        if asked and self.part is not None:
            raise BadInput(f"a part is searched to its end, and {asked} ends a search early: leave out one")

    @property
    def is_single(self) -> bool:
        """Whether a single solution is wanted, and not counted."""
        return self.want in SINGLE

    @property
    def most(self) -> int | None:
        """How many solutions are wanted; None for all."""
        return 1 if self.is_single else None if self.at_most is None else self.at_most + 1

    @property
    def chooses(self) -> bool:
        """Whether solutions are chosen by number, or at random."""
        return self.skip > 0 or self.take is not None or self.sample is not None

    @cached_property
    def extras(self) -> frozenset[str]:
        """The requested extras, which only some engines can serve; see `search.engine.EXTRAS`."""
        asked = {name: bool(getattr(self, name)) for name in ("slack", "transposition", "spill", "part")}
        asked |= {"limit": self.limit is not None, "any": self.want == "any", "choice": self.chooses}
        return frozenset(name for name, is_asked in asked.items() if is_asked)

    def limit_reached(self, is_found: bool) -> GuardStop:
        """Return what ends a search beyond the requested limit, with or without solutions."""
        whose = f" of part {self.part}" if self.part else ""
        none = f"no solution{whose} costs {self.limit} or less"
        known = f"solutions that cost more than {self.limit} are not searched for"
        return GuardStop(f"{known if is_found else none}: the limit that was asked for")

    @classmethod
    def of(cls, **options: Any) -> Self:
        """Return a request from options: one that is None has its default; numbers may be numpy's."""
        values = {
            name: value.item() if isinstance(value, np.generic) else value
            for name, value in options.items()
            if value is not None
        }
        for each in fields(cls):
            if each.metadata["read"] and isinstance(values.get(each.name), str):
                try:
                    values[each.name] = each.metadata["read"](values[each.name])
                except BadInput as error:
                    raise BadOption(each.name, f": {error}") from None
        return cls(**values)
