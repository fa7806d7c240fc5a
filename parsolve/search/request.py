"""How a puzzle is to be searched, as a value: from the library, the command line or a job file."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self, get_args

from parsolve.errors import BadInput
from parsolve.executors.pool.start import START_METHODS, StartMethod
from parsolve.puzzle import SINGLE, EngineName, Want
from parsolve.search.tuning import DEFAULT, Tuning
from parsolve.system.resources import MOST_WORKERS
from parsolve.text import shown

LARGEST_ANY = (1 << 15) - 1
"""The greatest limit of a search for any solution: each level takes memory."""

CHOICES: dict[str, tuple[str, ...]] = {
    "want": get_args(Want),
    "engine": get_args(EngineName),
    "start_method": START_METHODS,
}

LEAST = {
    "workers": 1,
    "limit": 0,
    "at_most": 0,
    "slack": 0,
    "skip": 0,
    "take": 1,
    "sample": 1,
    "seed": 0,
    "transposition": 0,
    "max_memory": 1,
    "budget": 1,
    "buffer": 1,
}
"""The least values of whole numbers."""

MOST = {"workers": MOST_WORKERS, "at_most": 10**18, "slack": LARGEST_ANY, "take": 10**18, "sample": 10**18}
"""The greatest values."""

SECONDS = ("timeout", "lease")
"""The options that are times, greater than 0."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """How a puzzle is to be searched. A request is valid once it exists; whether it suits a puzzle, the engine decides.

    Attributes:
        want: `all`, `count`, `first` or `any`.
        engine: by default the puzzle's own; for a count, deepening or sharing, whichever is expected to be faster; for
            skip, take and sample, sharing.
        workers: processes that search; by default the cores that they may use.
        start_method: how workers are started; by default what suits the system.
        limit: the greatest cost that is searched; by default none.
        slack: how much more than the cheapest the solutions may cost; by default nothing, and costs are not listed.
        at_most: end the search as soon as one solution more than this is known; by default all are found.
        skip: how many solutions are left out before the first that is listed.
        take: how many are listed then; by default all.
        sample: how many are drawn at random instead, each with the same probability; by default none.
        seed: seed of the random choices: the same seed gives the same solutions.
        transposition: bytes of the transposition table; by default the puzzle's own choice.
        timeout: seconds after which the search ends; by default none.
        max_memory: bytes that this process may use; by default four fifths of what is free.
        spill: a folder for files with what does not fit in memory, for the engine that uses one; by default none.
        lease: seconds after which a task on an executor counts as lost; by default the tuning's.
        budget: nodes in a slice; by default chosen by the node rate.
        buffer: solutions that a slice may list; by default chosen for the puzzle.
        tuning: lengths of slices, waits and the like.

    Raises:
        BadInput: a value is invalid.
    """

    want: Want = "all"
    engine: EngineName | None = None
    workers: int | None = None
    start_method: StartMethod | None = None
    limit: int | None = None
    slack: int | None = None
    at_most: int | None = None
    skip: int = 0
    take: int | None = None
    sample: int | None = None
    seed: int = 0
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
            if value is not None and self.want in SINGLE:
                raise BadInput(f"{name} is for all solutions or their number: want {self.want} is one alone")
        self._validate_choice()

    def _validate_choice(self) -> None:
        """Refuse contradictory choices of the solutions to list."""
        for name in ("take", "sample"):
            if getattr(self, name) is not None and self.want != "all":
                raise BadInput(f"{name} says how many solutions are listed, and want {self.want} does: leave out one")
        if self.skip and self.want == "count":
            raise BadInput("skip is for solutions that are listed, and want count lists none: leave it out")
        if self.sample is not None and (self.skip or self.take is not None):
            raise BadInput("sample draws from all solutions: leave out skip and take")
        if self.chooses and self.at_most is not None:
            raise BadInput("at_most ends the search early, and skip, take and sample need all of it: leave out one")

    @property
    def chooses(self) -> bool:
        """Whether solutions are chosen by number, or at random."""
        return self.skip > 0 or self.take is not None or self.sample is not None

    @property
    def extras(self) -> frozenset[str]:
        """The requested extras, which only some engines can serve; see `search.engine.EXTRAS`."""
        asked = {
            "limit": self.limit is not None,
            "any": self.want == "any",
            "slack": bool(self.slack),
            "transposition": bool(self.transposition),
            "spill": self.spill is not None,
            "choice": self.chooses,
        }
        return frozenset(name for name, is_asked in asked.items() if is_asked)

    @classmethod
    def of(cls, **values: Any) -> Self:
        """Return a request from values; those that are None keep their defaults."""
        return cls(**{name: value for name, value in values.items() if value is not None})


def _validate(name: str, value: Any) -> None:
    if name in CHOICES:
        if value not in CHOICES[name]:
            raise BadInput(f"{name} is {' or '.join(CHOICES[name])}, not {shown(value)}")
    elif name in LEAST:
        if not isinstance(value, int) or isinstance(value, bool) or value < LEAST[name]:
            raise BadInput(f"{name} is a whole number of at least {LEAST[name]}, not {shown(value)}")
        if value > MOST.get(name, value):
            raise BadInput(f"{name} is at most {MOST[name]}, not {shown(value)}")
    elif name in SECONDS:
        if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
            raise BadInput(f"{name} is a number of seconds greater than 0, not {shown(value)}")
    elif name == "spill":
        if not isinstance(value, Path):
            raise BadInput(f"spill is a folder's path, not {shown(value)}")
    elif not isinstance(value, Tuning):
        raise BadInput(f"tuning is a parsolve.Tuning, not {shown(value)}")
