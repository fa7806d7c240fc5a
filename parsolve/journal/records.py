"""The contents of a journal as plain data: jobs, branches as JSON, solutions as bytes that sort.

Altered values lead to a ValueError, TypeError, KeyError or IndexError here and in the functions that read tables;
`Database.checked` raises `Damaged` instead.
"""

import json
import math
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar, get_args

import numpy as np

from parsolve.errors import BadInput
from parsolve.problem.digests import job_identity, levels_digest
from parsolve.problem.problem import Problem
from parsolve.puzzle.core import Want
from parsolve.search.branch import Branch
from parsolve.search.engine import ENGINES, new_engine
from parsolve.search.request import Request
from parsolve.text import shown

HIDDEN = ("id", "rules", "data", "answer", "digest", "seal", "state")
"""The columns of a job that are for the journal alone."""

NAMES = {"source": "puzzle", "found": "found_so_far"}
"""The columns that have another name everywhere else."""

STATES = ("waiting", "running", "stopped", "done", "failed")

COUNT = Request(want="count", transposition=1)  # with a table deepening, too, may count what sharing does

Record = TypeVar("Record")

_PLAIN = (int, float, str, int | None, str | None)
"""Types of the fields that `checked` checks."""


def answer_digest(problem: Problem, engine: str) -> str:
    """Return the digest of the levels behind an engine's answer: of the problem that it counts, also one instead."""
    counted = (new_engine(each).problem(problem, COUNT) for each in ENGINES if each == engine)
    return next(map(levels_digest, counted), "")


def own_name(source: str) -> str:
    """Return the name of a job that is given none: that of its puzzle."""
    return source.rpartition(":")[2]


def require_name(name: str) -> None:
    """Require that a text can be the name of a job.

    Raises:
        BadInput: it is empty, or has control characters.
    """
    if not name.isprintable() or not name:
        raise BadInput(f"the name of a job is a text without control characters, not {shown(name)}")


@dataclass(frozen=True)
class Wanted:
    """A job as requested by the caller.

    Attributes:
        name, source, parameters, want, notes, at_most, slack, part: the search; see `schema` for the columns.
        free: parameters that may have changed since; an existing job keeps their values.
    """

    name: str
    source: str
    parameters: Mapping[str, Any]
    want: Want
    notes: Mapping[str, Any]
    free: Collection[str] = ()
    at_most: int | None = None
    slack: int = 0
    part: str = ""

    def to_row(self) -> dict[str, Any]:
        """Return its values for the columns of the table."""
        texts = {"parameters": json.dumps(self.parameters), "notes": json.dumps(self.notes)}
        asked = {"want": self.want, "at_most": self.at_most, "slack": self.slack, "part": self.part}
        return {"name": self.name, "source": self.source, **asked, **texts}

    def difference_from(self, job: "Job") -> str:
        """Return how a job is another one, and what to do; empty if it is this one."""
        given = json.loads(json.dumps(self.parameters))
        now, then = (
            {name: value for name, value in values.items() if name not in self.free}
            for values in (given, job.parameters)
        )
        for here, there in (
            ({"puzzle": own_name(self.source)}, {"puzzle": own_name(job.source)}),
            (now, then),
            ({"want": self.want}, {"want": job.want}),
            ({"part": self.part or None}, {"part": job.part or None}),
            ({"at_most": self.at_most, "slack": self.slack}, {"at_most": job.at_most, "slack": job.slack}),
        ):
            if here != there:
                names = [name for name in {**there, **here} if there.get(name) != here.get(name)]
                how = ", ".join(f"{name} {_said(there.get(name))}, not {_said(here.get(name))}" for name in names)
                other = "another journal" if names != ["part"] else "another job or journal"
                return f"the job {job.name} has {how}: name {other}, or `parsolve forget` it"
        return ""


@dataclass(frozen=True)
class Job:
    """A job in the journal; see `schema` for the columns."""

    id: int
    name: str
    source: str
    parameters: dict[str, Any]
    want: Want
    at_most: int | None
    slack: int
    part: str
    notes: dict[str, Any]
    rules: str
    data: str
    answer: str
    state: str
    message: str
    status: str
    cost: int | None
    count: int | None
    found: int
    nodes: int
    seconds: float
    workers: int
    engine: str
    machine: dict[str, Any]
    began: str | None
    ended: str | None
    digest: str
    seal: str

    def has_rules_of(self, problem: Problem) -> bool:
        """Return whether a problem has the rules with which the job has begun."""
        return not self.rules or self.rules == job_identity(problem).rules

    def has_data_of(self, problem: Problem) -> bool:
        """Return whether a problem has the data with which the job has begun, and that behind its answer."""
        is_same = not self.data or self.data == job_identity(problem).data
        return is_same and (not self.answer or self.answer == answer_digest(problem, self.engine))

    @property
    def is_begun(self) -> bool:
        """Whether it has searched anything."""
        return bool(self.nodes) or self.state == "done"

    @property
    def standing(self) -> str:
        """How it has ended, such as `solved`, or its state if it is not done."""
        return self.status if self.state == "done" else self.state

    def to_dict(self) -> dict[str, Any]:
        """Return its public values as plain data."""
        values = {NAMES.get(name, name): value for name, value in vars(self).items() if name not in HIDDEN}
        return values | {"status": self.standing}

    def to_row(self) -> dict[str, Any]:
        """Return its public values as a flat mapping: `parameter_start`, `note_id`, `machine_processor`."""
        row: dict[str, Any] = {}
        for name, value in self.to_dict().items():
            if name in ("parameters", "notes", "machine"):
                row |= {f"{name.removesuffix('s')}_{key}": each for key, each in value.items()}
            else:
                row[name] = value
        return row

    @staticmethod
    def read(row: Mapping[str, Any] | sqlite3.Row, running: bool) -> "Job":
        """Return a job from its row; `running`: whether a process is using the journal; otherwise a running job was
        stopped."""
        values = dict(row)
        for name in ("parameters", "notes", "machine"):
            values[name] = json.loads(values[name])
            _require(name, values[name], dict)
        values["count"] = None if values["count"] is None else int(values["count"])
        values["found"] = int(values["found"])
        job = checked(Job(**values))
        if job.state not in STATES or job.want not in get_args(Want) or not job.name.isprintable():
            raise ValueError(f"state {job.state!r}, want {job.want!r}, name {job.name!r}")
        return replace(job, state="stopped", message="") if job.state == "running" and not running else job


def _said(value: Any) -> Any:
    return "none" if value is None else value


def checked(record: Record) -> Record:
    """Return a record after checking the types of its numbers and texts, and that no number is negative."""
    cls: Any = type(record)
    for name, kind in _plain_fields(cls):
        _require(name, getattr(record, name), kind)
    return record


@cache
def _plain_fields(cls: type) -> list[tuple[str, Any]]:
    """Return the fields that `checked` checks, with their types."""
    return [(name, kind) for name, kind in cls.__annotations__.items() if kind in _PLAIN]


def _require(name: str, value: Any, kind: Any) -> None:
    fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
    if not fits or (isinstance(value, int | float) and not 0 <= value < math.inf):
        raise ValueError(f"{name} is {str(value)[:40]!r}")


def packed(path: tuple[int, ...]) -> bytes:
    """Return a solution as bytes that sort in depth-first order: 2 for each move, the higher first."""
    return np.array(path, ">u2").tobytes()


def unpacked(moves: bytes) -> tuple[int, ...]:
    """Return the solution of bytes from `packed`."""
    return tuple(np.frombuffer(moves, ">u2").tolist())


def text_of(branches: Iterable[Branch]) -> str:
    """Return branches as JSON."""
    return json.dumps([[each.path, each.pending, each.sizes] for each in branches], separators=(",", ":"))


def branches_of(text: str) -> list[Branch]:
    """Return the branches of a text from `text_of`."""
    return [_branch(*each) for each in json.loads(text)]


def _branch(path: Sequence[int], pending: Sequence[Sequence[int]], sizes: Sequence[int]) -> Branch:
    branch = Branch(tuple(path), tuple(map(tuple, pending)), tuple(sizes))
    moves = [*branch.path, *(move for level in branch.pending for move in level)]
    levels = len(branch.pending)
    if not (
        len(branch.path) == levels - 1 == len(branch.sizes) - 1
        and branch.pending[-1]
        and all(type(number) is int and 0 <= number < 1 << 16 for number in (*moves, *branch.sizes))
        and all(len(level) <= size for level, size in zip(branch.pending, branch.sizes, strict=True))
        and all(branch.sizes)
    ):
        raise ValueError("a branch that no search has left")
    return branch
