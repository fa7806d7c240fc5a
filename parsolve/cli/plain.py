"""What leaves parsolve as JSON, as types: `--json` and `--log`. docs/schemas/ is generated from them."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

from parsolve.puzzle import EngineName

Status = Literal["solved", "none", "more", "stopped"]

Parameters = Mapping[str, str | int | float | bool]


class State(TypedDict):
    """A state along a solution."""

    text: str
    fields: Mapping[str, int | Sequence[Any]]


class Solution(TypedDict):
    """A solution: its text, its moves as numbers; the states along it; its cost with `--slack`."""

    cost: NotRequired[int]
    text: str
    moves: Sequence[int]
    states: Sequence[State]


class Iteration(TypedDict):
    """A finished limit."""

    limit: int
    nodes: int
    solutions: int
    seconds: float


class Search(TypedDict):
    """`solve`, `count` and `unique`: a search. Seconds are of the search alone, setup of compiling and tables."""

    puzzle: str
    parameters: Parameters
    solutions: NotRequired[Sequence[Solution]]
    unique: NotRequired[bool | None]
    status: Status
    part: NotRequired[str]
    cost: int | None
    is_cheapest: bool
    count: int | None
    at_least: NotRequired[int]
    by_cost: NotRequired[Mapping[str, int]]
    found_so_far: int
    message: NotRequired[str]
    iterations: Sequence[Iteration]
    nodes: int
    seconds: float
    setup_seconds: float
    workers: int
    engine: EngineName


class Row(TypedDict):
    """`solve`, `count` and `unique` with `--file`: a line for each row. Wall seconds are the whole time of the row."""

    row: int
    name: str
    notes: Mapping[str, str]
    puzzle: str
    parameters: Mapping[str, Any]
    solutions: NotRequired[Sequence[Solution]]
    status: Literal["solved", "none", "more", "stopped", "failed"]
    unique: NotRequired[bool | None]
    cost: int | None
    count: int | None
    at_least: NotRequired[int]
    by_cost: NotRequired[Mapping[str, int]]
    nodes: int | None
    seconds: float | None
    wall_seconds: float
    error: NotRequired[str]


class Missing(TypedDict):
    """Parts of a search that are not finished, and the command that searches them."""

    part: str
    status: str
    share: float
    journal: str | None
    command: str


class Merge(TypedDict):
    """`merge`: the answer of all parts."""

    status: Status
    cost: int | None
    count: int | None
    by_cost: NotRequired[Mapping[str, int]]
    solutions: NotRequired[Sequence[Solution]]
    iterations: Sequence[Iteration]
    nodes: int
    seconds: float
    parts: int
    journals: int
    missing: Sequence[Missing]


class Standing(TypedDict):
    """`status`: how far a job is. What is left is in seconds, done is a share."""

    name: str
    puzzle: str
    status: str
    limit: int | None
    done: float | None
    levels: int | None
    found_so_far: int
    nodes: int
    seconds: float
    left: float | None
    left_at_most: float | None
    message: str


class Job(TypedDict):
    """`export --format json`: a job of a journal. Times are UTC, ISO 8601."""

    name: str
    puzzle: str
    parameters: Parameters
    want: Literal["all", "count", "first", "any"]
    at_most: int | None
    slack: int
    part: str
    notes: Mapping[str, Any]
    message: str
    status: str
    cost: int | None
    count: int | None
    found_so_far: int
    nodes: int
    seconds: float
    workers: int
    engine: str
    machine: Mapping[str, Any]
    began: str | None
    ended: str | None


class Show(Job):
    """`show`: a job of a journal, with its limits and, by `--solutions`, its solutions."""

    solutions: NotRequired[Sequence[Solution]]
    iterations: Sequence[Iteration]


class Depth(TypedDict):
    """The states at one distance; another member is the puzzle's own measure, such as pegs."""

    depth: int
    states: int
    states_in_all: NotRequired[int]


class Explore(TypedDict):
    """`explore`: the states by distance; other members are the puzzle's own findings, such as the hardest."""

    puzzle: str
    parameters: Parameters
    start: str
    depths: Sequence[Depth]
    states: int
    greatest_depth: int
    states_in_all: NotRequired[int]
    farthest: Sequence[str]
    seconds: float
    setup_seconds: float


class Log(TypedDict):
    """`--log`: a line for each event, with what it is about; see docs/json.md."""

    time: str
    event: str
    name: NotRequired[str]
