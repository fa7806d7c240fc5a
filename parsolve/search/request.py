"""How a puzzle is to be searched, as a value: from the library, the command line or a job file."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypedDict, get_args

import numpy as np

from parsolve.errors import BadInput
from parsolve.puzzle.core import SINGLE, EngineName, Want
from parsolve.search.part import FORM, Part
from parsolve.search.tuning import DEFAULT, Tuning
from parsolve.system.resources import MOST_WORKERS
from parsolve.text import duration, shown, size, size_or_none

LARGEST_ANY = (1 << 15) - 1
"""The greatest limit of a search for any solution: each level takes memory."""

CHOICES: dict[str, tuple[str, ...]] = {"want": get_args(Want), "engine": get_args(EngineName)}

RANGES: dict[str, tuple[int, float]] = {
    "workers": (1, MOST_WORKERS),
    "limit": (0, math.inf),
    "at_most": (0, 10**18),
    "slack": (0, 1 << 32),
    "skip": (0, math.inf),
    "take": (1, 10**18),
    "sample": (1, 10**18),
    "seed": (0, math.inf),
    "transposition": (0, 1 << 60),
    "max_memory": (1 << 20, 1 << 60),
    "budget": (1, math.inf),
    "buffer": (1, math.inf),
}
"""The least and the greatest values of whole numbers."""

SECONDS = ("timeout", "lease")
"""The options that are times, greater than 0."""

READ: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(SECONDS, duration),
    "max_memory": size,
    "transposition": size_or_none,
    "spill": lambda text: Path(text) if text else text,  # which is refused
    "part": Part.of_text,
}
"""The options that may be texts, and what reads them."""


def refuse_unknown(function: str, options: Iterable[str], known: Iterable[str]) -> None:
    """Raise a TypeError for an option that a function does not take."""
    for name in {*options} - {*known}:
        raise TypeError(f"{function} takes no {name}: it takes {', '.join(sorted(known))}")


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


@dataclass(frozen=True, kw_only=True)
class Request:
    """How a puzzle is to be searched: what `parsolve.solve` is asked for, which says what each field means.

    It is valid once it exists; its engine says whether it suits a puzzle.

    Raises:
        BadInput: a value is invalid.
    """

    want: Want = "all"
    engine: EngineName | None = None
    workers: int | None = None
    limit: int | None = None
    slack: int | None = None
    at_most: int | None = None
    skip: int = 0
    take: int | None = None
    sample: int | None = None
    seed: int = 0
    part: Part | None = None
    transposition: int | None = None
    timeout: float | None = None
    max_memory: int | None = None
    spill: Path | None = None
    lease: float | None = None
    budget: int | None = None
    buffer: int | None = None
    tuning: Tuning = DEFAULT

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not each.default:
                _validate(each.name, value)
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

    @classmethod
    def of(cls, **options: Any) -> Self:
        """Return a request from options, of which each that is None has its default; numbers may be numpy's."""
        values = {
            name: value.item() if isinstance(value, np.generic) else value
            for name, value in options.items()
            if value is not None
        }
        for name, read in READ.items():
            if isinstance(values.get(name), str):
                try:
                    values[name] = read(values[name])
                except BadInput as error:
                    raise BadInput(f"{name}: {error}") from None
        return cls(**values)


def _validate(name: str, value: Any) -> None:
    if name in CHOICES:
        if value not in CHOICES[name]:
            raise BadInput(f"{name} is {' or '.join(CHOICES[name])}, not {shown(value)}")
    elif name in RANGES:
        least, most = RANGES[name]
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise BadInput(f"{name} is a whole number of at least {least}, not {shown(value)}")
        if value > most:
            raise BadInput(f"{name} is at most {most}, not {shown(value)}")
    elif name in SECONDS:
        if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 1e9:
            raise BadInput(f"{name} is a number of seconds, greater than 0 and less than 10^9, not {shown(value)}")
    elif name == "spill":
        if not isinstance(value, Path):
            raise BadInput(f"spill is a folder's path, not {shown(value)}")
    elif name == "part":
        if not isinstance(value, Part):
            raise BadInput(f"part is {FORM}, not {shown(value)}")
    elif not isinstance(value, Tuning):
        raise BadInput(f"tuning is a parsolve.Tuning, not {shown(value)}")
