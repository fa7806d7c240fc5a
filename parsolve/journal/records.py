"""What a journal holds, as plain data: jobs, branches as JSON, solutions as bytes that sort."""

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

import numpy as np

from parsolve.engine.branch import Branch
from parsolve.puzzle import Want


@dataclass(frozen=True)
class Job:
    """One job as the journal knows it; see `schema` for the columns."""

    id: int
    name: str
    source: str
    parameters: dict[str, Any]
    want: Want
    notes: dict[str, Any]
    fingerprint: str
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

    @staticmethod
    def read(row: sqlite3.Row, running: bool) -> "Job":
        """A job from its row.

        Args:
            row: of the table `job`.
            running: whether a process is using the journal; else a job that was running was stopped.

        Raises:
            ValueError, KeyError, TypeError: it is not as it was written.
        """
        values = dict(row)
        for name in ("parameters", "notes", "machine"):
            values[name] = json.loads(values[name])
        values["count"] = None if values["count"] is None else int(values["count"])
        values["found"] = int(values["found"])
        if values["state"] == "running" and not running:
            values["state"] = "stopped"
        return Job(**values)


def packed(path: tuple[int, ...]) -> bytes:
    """A solution as bytes that sort in depth-first order: 2 for each move, the higher first."""
    return np.array(path, ">u2").tobytes()


def unpacked(moves: bytes) -> tuple[int, ...]:
    """The solution that `packed` was given."""
    return tuple(np.frombuffer(moves, ">u2").tolist())


def text_of(branch: Branch) -> str:
    """A branch as JSON."""
    return json.dumps([branch.path, branch.pending, branch.sizes], separators=(",", ":"))


def branch_of(text: str) -> Branch:
    """The branch that `text_of` was given."""
    path, pending, sizes = json.loads(text)
    return Branch(tuple(path), tuple(map(tuple, pending)), tuple(sizes))


def differing(what: str, then: Any, now: Any) -> str:
    """How a job differs from the one in the journal, in words.

    Args:
        what: `puzzle`, `parameters` or `want`.
        then, now: its value in the journal and here.
    """
    if what != "parameters":
        return f"{what} {then}, not {now}"
    names = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    return ", ".join(f"{name} {then.get(name)}, not {now.get(name)}" for name in names)
