"""Verify a certificate: its units are those of the tree, its sums are right, and a sample gives the same again."""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from parsolve.certify.certificate import VERSION, read_certificate, record_of
from parsolve.deepening.engine import Deepening
from parsolve.deepening.parts import Beginning
from parsolve.deepening.units import Unit, Units
from parsolve.engines import run
from parsolve.errors import BadInput
from parsolve.problem.problem import Problem
from parsolve.search.part import MOST
from parsolve.search.request import LARGEST_ANY, Request
from parsolve.search.watch import Watch
from parsolve.text import shown

HEADER = ("puzzle", "parameters", "want", "slack", "parts", "rules", "data")
NUMBERS = ("solutions", "nodes")

MOST_FAULTS = 1000
"""Faults after which no further lines are read."""


@dataclass(frozen=True)
class Header:
    """What a certificate is about; see `docs/certificate.md`."""

    puzzle: str
    parameters: Mapping[str, Any]
    want: Any
    slack: int
    parts: int
    rules: str
    data: str


@dataclass
class Report:
    """What verifying has shown.

    Attributes:
        units: how many units the tree has.
        nodes: the nodes that the certificate says.
        sampled: how many units were searched again.
        searched: their nodes.
        faults: what is wrong, in words.
        count: the number of solutions by the certificate's units; None if it is unknown.
    """

    units: int = 0
    nodes: int = 0
    sampled: int = 0
    searched: int = 0
    faults: list[str] = field(default_factory=list)
    count: int | None = None


def header_of(path: Path) -> Header:
    """Return what a certificate is about.

    Raises:
        BadInput: the file is none, or of another version.
    """
    first, _ = next(read_certificate(path), ({}, ""))
    if first.get("certificate") != VERSION:
        raise BadInput(f"{path} is not a certificate of version {VERSION}")
    kinds = {"puzzle": str, "parameters": dict, "want": str, "slack": int, "parts": int, "rules": str, "data": str}
    for name, kind in kinds.items():
        if type(first.get(name)) is not kind:
            raise BadInput(f"{path} is not a certificate: its {name} is {shown(first.get(name))}")
    if not 1 <= first["parts"] <= MOST or not 0 <= first["slack"] <= LARGEST_ANY:
        raise BadInput(f"{path} is not a certificate: it has {first['parts']} parts and the slack {first['slack']}")
    return Header(**{name: first[name] for name in HEADER})


class Verification:
    """Verifies a certificate.

    Args:
        path: the file.
        problem: what it is about.

    Attributes:
        report: what has been shown so far.
    """

    def __init__(self, path: Path, problem: Problem) -> None:
        self._path, self._problem = path, problem
        self._header = header_of(path)
        self.report = Report()
        self._units: dict[tuple[int, tuple[int, ...]], tuple[Unit, int, int]] = {}
        """The units with the numbers that the certificate gives, by limit and moves."""

    def check_structure(self) -> None:
        """Check all that needs no search: identity, units, sums and seal."""
        header, problem, faults = self._header, self._problem, self.report.faults
        if header.rules != problem.rules or header.data != problem.identity.data:
            what = "rules" if header.rules != problem.rules else "data"
            faults.append(f"it is of another identity: the {what} of the puzzle are others here")
            return
        records = enumerate(read_certificate(self._path), 1)
        next(records)
        sums: list[dict[str, int]] = []
        expected: Iterator[tuple[int, ...]] = iter(())
        cuts: list[bool] = []
        ends: tuple[Mapping[str, Any], str] | None = None
        pending: dict[tuple[int, ...], Unit] = {}
        for number, (record, seal) in records:
            if len(faults) >= MOST_FAULTS:
                faults.append(f"line {number} and those after it are not read")
                return
            if ends is not None:
                faults.append(f"line {number}: there is something after the sums")
                break
            if "sums" in record:
                ends = record, seal
            elif "moves" in record:
                self._take(number, record, pending, expected, sums)
            else:
                self._close(pending)
                pending, expected = self._open(number, record, sums, cuts)
        self._close(pending)
        if ends is None:
            faults.append("it has no sums: its end is missing")
            return
        self._check_sums(*ends, sums, cuts)

    def _open(
        self, number: int, record: Mapping[str, Any], sums: list[dict[str, int]], cuts: list[bool]
    ) -> tuple[dict[tuple[int, ...], Unit], Iterator[tuple[int, ...]]]:
        """Begin a limit; return its units by their moves, and their moves in order."""
        faults, problem = self.report.faults, self._problem
        limit = next(itertools.islice(problem.limits(), len(sums), None), None)
        if limit is None or record.get("limit") != limit:
            faults.append(f"line {number}: the limit is {record.get('limit')!r}, and the next one is {limit}")
            sums.append({"limit": -1, "solutions": 0, "nodes": 0})
            cuts.append(True)
            return {}, iter(())
        units = Units(problem, limit, self._header.parts)
        every = units.of_parts(1, self._header.parts)
        for name, value in (("above", units.above), ("units", len(every))):
            if record.get(name) != value:
                faults.append(f"line {number}: {name} is {record.get(name)!r}, not {value}")
        sums.append({"limit": limit, "solutions": 0, "nodes": units.above})
        cuts.append(record.get("cut") is True)
        if units.cut and not cuts[-1]:
            faults.append(f"line {number}: the limit cuts something above the units")
        self.report.units += len(every)
        pending = {unit.branch.order: unit for unit in every}
        return pending, iter([*pending])

    def _take(
        self,
        number: int,
        record: Mapping[str, Any],
        pending: dict[tuple[int, ...], Unit],
        expected: Iterator[tuple[int, ...]],
        sums: list[dict[str, int]],
    ) -> None:
        """Take the line of a unit."""
        faults = self.report.faults
        moves = record["moves"]
        order = tuple(moves) if isinstance(moves, list) and all(type(move) is int for move in moves) else None
        limit = sums[-1]["limit"] if sums else -1
        wanted = next(expected, None)
        if order is None or (limit, order) in self._units:
            faults.append(f"line {number}: a unit is there twice" if order else f"line {number}: no moves: {moves!r}")
            return
        unit = pending.pop(order, None)
        if unit is None:
            faults.append(f"line {number}: the tree has no unit {_said(order)}")
            return
        if order != wanted:
            faults.append(f"line {number}: the unit {_said(order)} is in the place of {_said(wanted)}")
        numbers = [record.get(name) for name in NUMBERS]
        if not all(type(each) is int and each >= 0 for each in numbers):
            faults.append(f"line {number}: solutions and nodes are {numbers}")
            return
        is_said = {name: value for name, value in record.items() if name not in NUMBERS}
        if is_said != record_of(unit, limit, self._problem):
            faults.append(f"line {number}: the unit {_said(order)} has another part, limit or state")
        solutions, nodes = (record[name] for name in NUMBERS)
        self._units[limit, order] = unit, solutions, nodes
        sums[-1]["solutions"] += solutions
        sums[-1]["nodes"] += nodes

    def _close(self, pending: Mapping[tuple[int, ...], Unit]) -> None:
        """End a limit: all of its units must have come."""
        self.report.faults += [f"the unit {_said(order)} is missing" for order in pending]

    def _check_sums(
        self, last: Mapping[str, Any], seal: str, sums: Sequence[dict[str, int]], cuts: Sequence[bool]
    ) -> None:
        """Check the sums, the answer that follows from them, and the seal."""
        faults, problem = self.report.faults, self._problem
        found = [{**each, "solutions": problem.total(each["solutions"])} for each in sums]
        if last["sums"] != found:
            faults.append("the sums are not those of the units")
        first = next((each["limit"] for each in found if each["solutions"]), None)
        most = None if first is None else first + self._header.slack
        following = next(itertools.islice(problem.limits(), len(found), None), None)
        if not found:
            faults.append("it has no limit")
        elif most is not None and found[-1]["limit"] > most:
            faults.append(f"it has limits after {most}, and a solution costs {first}")
        elif most is not None and cuts[-1] and following is not None and following <= most:
            faults.append(f"it lacks the limit {following}")
        count: int | None = sum(each["solutions"] for each in found)
        if first is None and any(cuts[-1:]):
            count = None  # there may be solutions beyond the last limit
        answer = {"cost": first if problem.has_cost else None, "count": count}
        if {name: last.get(name) for name in answer} != answer:
            faults.append(f"its answer is {last.get('count')!r} of cost {last.get('cost')!r}, not {count} of {first}")
        if last.get("seal") != seal:
            faults.append("its seal is not that of its lines")
        self.report.nodes = sum(each["nodes"] for each in found)
        self.report.count = count

    def sample(self, number: int | None, percent: float | None, seed: int, watch: Watch, workers: int | None) -> None:
        """Search a random sample of the units again, and compare.

        Args:
            number: how many units; None for a percentage.
            percent: which percentage of the units, rounded up.
            seed: of the choice.
            watch: may end the search.
            workers: how many processes search.
        """
        every, report = [*self._units], self.report
        wanted = number if number is not None else -int(-len(every) * (percent or 0) // 100)
        chosen = set(random.Random(seed).sample(every, min(wanted, len(every))))
        if not chosen:
            return
        by_limit: dict[int, list[Unit]] = {}
        for limit, order in sorted(chosen):
            by_limit.setdefault(limit, []).append(self._units[limit, order][0])

        def begin(problem: Problem, limit: int) -> Beginning:
            return Beginning(limit, by_limit.get(limit, []), 0, True, False)

        problem = self._problem
        engine = Deepening(max(by_limit), begin)
        request = Request.of(want="count", slack=max(by_limit) if problem.has_cost else None, workers=workers)
        result = run(problem, request, watch, engine=engine)
        again: dict[tuple[int, tuple[int, ...]], tuple[int, int]] = {}
        for tally in result.tallies:
            for unit, nodes, weight in zip(by_limit.get(tally.limit, []), tally.nodes, tally.weights, strict=True):
                again[tally.limit, unit.branch.order] = weight, nodes
        for key in sorted(chosen):
            _, solutions, nodes = self._units[key]
            if again.get(key) != (solutions, nodes):
                has = "{} solutions by {} nodes".format(*again[key]) if key in again else "no answer"
                report.faults.append(
                    f"the unit {_said(key[1])} within the limit {key[0]} has {has}, not {solutions} by {nodes}"
                )
        report.sampled, report.searched = len(chosen), sum(nodes for _, nodes in again.values())


def _said(order: tuple[int, ...] | None) -> str:
    return "none" if order is None else " ".join(map(str, order)) or "of the root"
