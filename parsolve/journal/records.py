"""What a journal holds, as plain data: jobs, branches as JSON, solutions as bytes that sort."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from parsolve.puzzle import Want
from parsolve.search.branch import Branch
from parsolve.search.checkpoint import Checkpoint
from parsolve.search.result import Iteration
from parsolve.search.samples import Sample

HIDDEN = ("id", "rules", "data", "meaning", "digest", "seal", "samples")
"""What a journal knows of a job for itself alone."""

STATES = ("waiting", "running", "stopped", "done", "failed")

_KINDS = {
    **dict.fromkeys(("id", "meaning", "nodes", "workers"), int),
    **dict.fromkeys(("name", "source", "want", "rules", "data", "state", "message", "status"), str),
    **dict.fromkeys(("digest", "seal"), str),
    **dict.fromkeys(("parameters", "notes", "machine"), dict),
    "found": int,
    "seconds": float,
}
"""The types of a job's columns that are never empty."""

_OPTIONAL = {"cost": int, "count": int, "began": str, "ended": str}


@dataclass(frozen=True)
class Job:
    """One job as the journal knows it; see `schema` for the columns."""

    id: int
    name: str
    source: str
    parameters: dict[str, Any]
    want: Want
    notes: dict[str, Any]
    rules: str
    meaning: int
    state: str
    message: str
    status: str
    cost: int | None
    count: int | None
    found: int
    nodes: int
    seconds: float
    workers: int
    machine: dict[str, Any]
    began: str | None
    ended: str | None
    digest: str
    seal: str
    samples: Sequence[Sample]
    data: str

    def to_row(self) -> dict[str, Any]:
        """Return what others may know of it, flat: `parameter_start`, `note_id`, `machine_processor`."""
        row: dict[str, Any] = {}
        for name, value in vars(self).items():
            if name in ("parameters", "notes", "machine"):
                row |= {f"{name.removesuffix('s')}_{key}": each for key, each in value.items()}
            elif name not in HIDDEN:
                row[name] = value
        return row

    @staticmethod
    def read(row: sqlite3.Row, running: bool) -> "Job":
        """Return a job from its row.

        Args:
            row: of the table `job`.
            running: whether a process is using the journal; else a job that was running was stopped.

        Raises:
            ValueError, KeyError, TypeError: it is not as it was written.
        """
        values = dict(row)
        for name in ("parameters", "notes", "machine"):
            values[name] = json.loads(values[name])
        values["samples"] = samples_of(values["samples"])
        values["count"] = None if values["count"] is None else int(values["count"])
        values["found"] = int(values["found"])
        for name, kind in _KINDS.items():
            _require(name, values[name], kind)
        for name, kind in _OPTIONAL.items():
            if values[name] is not None:
                _require(name, values[name], kind)
        if values["state"] not in STATES or values["want"] not in get_args(Want) or not values["name"].isprintable():
            raise ValueError(f"state {values['state']!r}, want {values['want']!r}, name {values['name']!r}")
        if values["state"] == "running" and not running:
            values["state"] = "stopped"
        return Job(**values)


def iteration_of(row: Sequence[Any]) -> Iteration:
    """Return a finished limit from its row: limit, nodes, found and seconds.

    Raises:
        ValueError, TypeError: it is not as it was written.
    """
    limit, nodes, found, seconds = row
    for name, value in (("limit", limit), ("nodes", nodes)):
        _require(name, value, int)
    _require("seconds", seconds, float)
    return Iteration(limit, nodes, int(found), seconds)


def checkpoint_of(row: Mapping[str, Any], iterations: Sequence[Iteration], branches: Sequence[Branch]) -> Checkpoint:
    """Return where a job stands, from its row of the table `checkpoint`, its limits and its branches.

    Raises:
        ValueError, TypeError: it is not as it was written.
    """
    for name, kind in (("limit", int), ("nodes", int), ("cut", int)):
        _require(name, row[name], kind)
    for name in ("share", "iteration_seconds", "seconds"):
        _require(name, row[name], float)
    return Checkpoint(
        iterations=iterations,
        limit=row["limit"],
        branches=branches,
        nodes=row["nodes"],
        found=int(row["weight"]),
        cut=bool(row["cut"]),
        share=row["share"],
        iteration_seconds=row["iteration_seconds"],
        seconds=row["seconds"],
    )


def samples_of(text: str) -> list[Sample]:
    """Return the samples that `text_of_samples` was given.

    Raises:
        ValueError, TypeError: the text is of no samples.
    """
    rows = json.loads(text)
    _require("samples", rows, list)
    samples = [Sample(*row) for row in rows]
    for sample in samples:
        for (name, kind), value in zip(Sample.__annotations__.items(), sample, strict=True):
            _require(name, value, kind)
    return samples


def text_of_samples(samples: Sequence[Sample]) -> str:
    """Return samples as JSON."""
    return json.dumps(samples, separators=(",", ":"))


def _require(name: str, value: Any, kind: type) -> None:
    """Check that a value is of a type, and a number not negative."""
    fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
    if not fits or (kind in (int, float) and not 0 <= value < 1 << 1024):
        raise ValueError(f"{name} is {str(value)[:40]!r}")


def packed(path: tuple[int, ...]) -> bytes:
    """Return a solution as bytes that sort in depth-first order: 2 for each move, the higher first."""
    return np.array(path, ">u2").tobytes()


def unpacked(moves: bytes) -> tuple[int, ...]:
    """Return the solution that `packed` was given."""
    return tuple(np.frombuffer(moves, ">u2").tolist())


def text_of(branch: Branch) -> str:
    """Return a branch as JSON."""
    return json.dumps([branch.path, branch.pending, branch.sizes], separators=(",", ":"))


def branch_of(text: str) -> Branch:
    """Return the branch that `text_of` was given.

    Raises:
        ValueError, TypeError, IndexError: the text is of no branch.
    """
    path, pending, sizes = json.loads(text)
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


def difference(what: str, then: Any, now: Any) -> str:
    """Return how a job differs from the one in the journal, as a piece of a message.

    Args:
        what: `puzzle`, `parameters` or `want`.
        then, now: its value in the journal and here.
    """
    if what != "parameters":
        return f"{what} {then}, not {now}"
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    return ", ".join(f"{name} {then.get(name)}, not {now.get(name)}" for name in names)
