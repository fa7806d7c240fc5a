"""The result of a search."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from parsolve.errors import BadInput
from parsolve.problem.problem import Problem
from parsolve.problem.replay import Solution
from parsolve.puzzle.core import EngineName, Want
from parsolve.search.cuts import NOTHING
from parsolve.search.part import Part
from parsolve.search.request import Request

if TYPE_CHECKING:
    from pandas import DataFrame


class Iteration(NamedTuple):
    """A finished limit: nodes are states visited, the root included; seconds are those of the search. Of a part of the
    tree also what `merge` needs: the weight of its solved states, and its cut, see `search.cuts`."""

    limit: int
    nodes: int
    solutions: int
    seconds: float
    weight: int = 0
    cut: int = NOTHING

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        seconds = round(self.seconds, 6)
        return {"limit": self.limit, "nodes": self.nodes, "solutions": self.solutions, "seconds": seconds}


@dataclass(slots=True)
class Answer:
    """How many solutions there are, and what the search took; see `Result`."""

    status: str
    cost: int | None
    count: int | None
    at_least: int
    nodes: int
    seconds: float

    @property
    def number(self) -> str:
        """The number of solutions as text, such as `40` or `more than 39`; `-` if it is unknown."""
        if self.status == "more":
            return f"more than {self.at_least - 1}"
        return "-" if self.count is None else str(self.count)

    @property
    def is_unique(self) -> bool | None:
        """Whether there is exactly one solution; None if that is unknown."""
        return False if self.at_least > 1 else None if self.count is None else self.count == 1

    @property
    def in_a_word(self) -> str:
        """Whether there is exactly one solution: `yes`, `no`, `none`, or `-` if that is unknown."""
        if self.status == "none":
            return "none"
        return {True: "yes", False: "no", None: "-"}[self.is_unique]


@dataclass(repr=False)
class Result:
    """The result of a search, filled by its `Run` while it runs.

    Attributes:
        problem: the problem that is searched, whose rules show the solutions; a better bound is left out.
        request: how it is searched.
        workers: maximum number of workers that searched.
        engine: the engine that searches or has searched.
        has_ended: whether nothing is left to search.
        cost: cost of the cheapest solutions, or of any, if that was wanted; None if none is known, or if the puzzle has
            no costs.
        found_so_far: number of solutions found; one more than `at_most` if the status is `more`.
        paths: the solutions as moves, by cost and in depth-first order, if they are kept.
        iterations: the finished limits.
        nodes: states visited, the root included in each iteration.
        seconds: time of the search alone, with kernels and tables ready.
        setup_seconds: time of the preparation.
        message: why it was stopped, or why there is no solution if that is known without a search; otherwise empty.
        as_html: makes the HTML for a notebook; None for what `repr` gives.
    """

    problem: Problem = field(compare=False)
    request: Request
    workers: int = 0
    engine: EngineName = "deepening"

    # What the search fills in; all else follows from both.
    has_ended: bool = False
    cost: int | None = None
    found_so_far: int = 0
    paths: list[tuple[int, ...]] = field(default_factory=list)
    iterations: list[Iteration] = field(default_factory=list)
    nodes: int = 0
    seconds: float = 0.0
    setup_seconds: float = 0.0
    message: str = ""
    as_html: Callable[["Result"], str] | None = field(default=None, repr=False, compare=False)

    @property
    def want(self) -> Want:
        """The requested answer."""
        return self.request.want

    @property
    def at_most(self) -> int | None:
        """The number of solutions beyond which the search ends; None for none."""
        return self.request.at_most

    @property
    def slack(self) -> int | None:
        """How much more than the cheapest a solution may cost; None for nothing."""
        return self.request.slack

    @property
    def part(self) -> Part | None:
        """The part of the tree that is searched; None for all of it."""
        return self.request.part

    @property
    def status(self) -> Literal["solved", "none", "more", "stopped"]:
        """`solved`; `none`: searched to the end without a solution; `more`: than `at_most`, and the search ended when
        that was known; `stopped`: not finished."""
        if not self.has_ended:
            return "stopped"
        return "more" if self.is_cut else "solved" if self.found_so_far else "none"

    @property
    def count(self) -> int | None:
        """The exact number of solutions, with `slack` of all costs together; None if it is unknown."""
        return None if self.request.is_single or self.status in ("stopped", "more") else self.found_so_far

    @property
    def is_cheapest(self) -> bool:
        """Whether no solution can be cheaper than those found."""
        return self.want != "any" or not self.problem.has_cost

    @property
    def at_least(self) -> int:
        """A lower bound on the number of solutions: their number, if it is known."""
        return self.found_so_far

    @property
    def by_cost(self) -> dict[int, int]:
        """The number of solutions by cost, ascending, as far as their limits were finished."""
        if not self.is_cheapest:  # what any solution costs is not its limit
            return {} if self.cost is None else {self.cost: self.found_so_far}
        return {each.limit: each.solutions for each in self.iterations if each.solutions}

    @property
    def tells_costs(self) -> bool:
        """Whether the numbers of solutions by cost are wanted."""
        return self.slack is not None and self.problem.has_cost

    @property
    def left(self) -> int | None:
        """How many solutions are wanted besides those found; None for all."""
        return None if self.request.most is None else self.request.most - self.found_so_far

    @property
    def is_cut(self) -> bool:
        """Whether more than `at_most` solutions are known, which ends the search."""
        return self.at_most is not None and self.found_so_far > self.at_most

    @property
    def is_unique(self) -> bool | None:
        """Whether there is exactly one solution; None if that is unknown."""
        return self.answer.is_unique

    @property
    def answer(self) -> Answer:
        """How many solutions there are, and what the search took."""
        return Answer(self.status, self.cost, self.count, self.at_least, self.nodes, self.seconds)

    @property
    def known(self) -> dict[str, Any]:
        """What is known about the solutions, as plain data."""
        return {
            "status": self.status,
            **({} if self.part is None else {"part": str(self.part)}),
            "cost": self.cost,
            "is_cheapest": self.is_cheapest,
            "count": self.count,
            **({} if self.at_most is None else {"at_least": self.at_least}),
            **({"by_cost": self.by_cost} if self.tells_costs else {}),
            "found_so_far": self.found_so_far,
            **({"message": self.message} if self.status == "none" and self.message else {}),
        }

    @property
    def effort(self) -> dict[str, Any]:
        """What the search has taken, as plain data."""
        return {
            "iterations": [each.to_dict() for each in self.iterations],
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            "setup_seconds": round(self.setup_seconds, 6),
            "workers": self.workers,
            "engine": self.engine,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data, as `parsolve solve --json` prints it."""
        return {
            **self.known,
            "solutions": [solution.to_dict(self.slack) for solution in self.solutions],
            **self.effort,
            "message": self.message,
        }

    def to_frame(self) -> "DataFrame":
        """Return the solutions as a pandas DataFrame, one a row; its `attrs` have what is known about all of them.

        Raises:
            BadInput: pandas is not installed.
        """
        rows = [
            {"solution": number, "text": solution.text, "moves": solution.moves, "length": len(solution.moves)}
            for number, solution in enumerate(self.solutions, 1)
        ]
        found = frame(rows, ("solution", "text", "moves", "length"))
        known = ("status", "cost", "count", "found_so_far", "nodes", "seconds", "workers")
        found.attrs.update({name: getattr(self, name) for name in known})
        return found

    def _repr_html_(self) -> str | None:
        return None if self.as_html is None else self.as_html(self)

    def __repr__(self) -> str:
        return f"<Result: {self.status}, cost {self.cost}, count {self.count}, {self.nodes:,} nodes>"

    @property
    def solutions(self) -> list[Solution]:
        """The solutions, if they are kept: their moves, their states and their text."""
        return [Solution(path, self.problem) for path in self.paths]


def frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> "DataFrame":
    """Return rows as a pandas DataFrame that begins with some columns, also without rows; see `Result.to_frame`."""
    try:
        from pandas import DataFrame
    except ImportError:
        raise BadInput("to_frame needs pandas, which is not installed: pip install pandas") from None
    every = dict.fromkeys([*columns, *(name for row in rows for name in row)])
    found = DataFrame(list(rows), columns=list(every), dtype=object)
    inferred = found.infer_objects()
    for name in every:
        kinds = {type(row.get(name)) for row in rows}
        if int in kinds and len(kinds) > 1:  # pandas would turn whole numbers with gaps into floats, which round
            inferred[name] = found[name]
    return inferred
